"""One sweep of single-feature moves, compiled by numba. Functions import this when they run."""

from __future__ import annotations

import numpy as np

from disjoint_centroids.numerics.compiled import compiled
from disjoint_centroids.numerics.types import FloatArray, IntArray

Samples = tuple[IntArray, FloatArray, FloatArray, FloatArray]
"""Class and weight of each sample; for the samples of each class the targets of their own class and of the others."""

State = tuple[FloatArray, FloatArray, FloatArray, FloatArray]
"""Logits and shares of the classes, (n_classes, n_samples), and for each sample the peak of its logits and its loss."""

SAME_LOSS = 1e-9
"""Falls of the loss that agree to this share of it are equal, and one below it is none."""

STANDARD_ERRORS = 2.0
"""By how many of its own standard errors the loss must fall for a class to be given a feature."""

_TINY, _HUGE = 1e-200, 1e200


@compiled
def squared_gaps(column: FloatArray, mean: float, label: int, factor: float, codes: IntArray, out: FloatArray) -> None:
    """Squared gaps of one feature from the mean of a class; the class's own samples are taken out of it.

    column : (n_samples,) the feature
    mean : float, mean of the feature in the class
    label, factor : int and float, the class, and the factor that takes its samples out of the mean
    codes : (n_samples,) class of each sample
    out : (n_samples,) written
    """
    for i in range(column.size):
        gap = column[i] - mean
        out[i] = gap * gap * factor if codes[i] == label else gap * gap


@compiled
def to_logits(
    sums: FloatArray, sign: int, gaps: FloatArray, temperature: float, n_features: int, divided: bool, out: FloatArray
) -> None:
    """Logits of a class from its squared distances before division, one feature added to them or taken away.

    sums : (n_samples,) squared distances before division
    sign, gaps : int and (n_samples,), 1 to add the feature's squared gaps, -1 to take them away, 0 to leave them out
    temperature : float, factor on squared distances
    n_features : int, number of features after that
    divided : bool, True if distances are divided by the number of features
    out : (n_samples,) written
    """
    scale = temperature / n_features if divided else temperature
    for i in range(sums.size):
        out[i] = -scale * (sums[i] + sign * gaps[i])


@compiled
def weigh(state: State, samples: Samples) -> None:
    """Bring shares, peaks and losses up to the logits.

    state : read (logits) and written (the rest), see ``State``
    samples : see ``Samples``
    """
    logits, shares, peaks, losses = state
    codes, _, own, other = samples
    for i in range(codes.size):
        peak = logits[0, i]
        for j in range(1, logits.shape[0]):
            peak = max(peak, logits[j, i])
        total, added = 0.0, 0.0
        for j in range(logits.shape[0]):
            shares[j, i] = np.exp(logits[j, i] - peak)
            total += shares[j, i]
            added += logits[j, i]
        label = codes[i]
        peaks[i] = peak
        losses[i] = peak + np.log(total) - other[label] * added - (own[label] - other[label]) * logits[label, i]


@compiled
def log_total(logits: FloatArray, i: int, giver: int, given: float, taker: int, taken: float) -> float:
    """Logarithm of the sum of exponentials after a move, computed anew relative to its largest term.

    logits : (n_classes, n_samples) before the move
    i : int, the sample
    giver, given : int and float, class that loses the feature (-1: none), and its new logit
    taker, taken : int and float, class that gets it (-1: none), and its new logit
    """
    peak, total = -np.inf, 0.0
    for turn in range(2):
        for j in range(logits.shape[0]):
            logit = given if j == giver else (taken if j == taker else logits[j, i])
            if turn == 0:
                peak = max(peak, logit)
            else:
                total += np.exp(logit - peak)
    logarithm: float = peak + np.log(total)
    return logarithm


@compiled
def fall(
    state: State, samples: Samples, giver: int, given: FloatArray, left: FloatArray, taker: int, taken: FloatArray
) -> tuple[float, float]:
    """The fall of the loss if two classes get new logits, and its standard error.

    state, samples : see ``State`` and ``Samples``
    giver, given : int and (n_samples,), class that loses the feature (-1: none), and its new logits
    left : (n_samples,) share of the giver with its new logits: the same for all takers
    taker, taken : int and (n_samples,), class that gets the feature (-1: none), and its new logits
    """
    logits, shares, peaks, losses = state
    codes, weights, own, other = samples
    first, second, weight = 0.0, 0.0, 0.0
    for i in range(codes.size):
        label = codes[i]
        total, added, right = 0.0, 0.0, logits[label, i]
        for j in range(logits.shape[0]):
            if j != giver and j != taker:
                total += shares[j, i]
                added += logits[j, i]
        if giver >= 0:
            total += left[i]
            added += given[i]
            right = given[i] if label == giver else right
        if taker >= 0:
            total += np.exp(taken[i] - peaks[i])
            added += taken[i]
            right = taken[i] if label == taker else right
        if _TINY < total < _HUGE:
            logarithm = peaks[i] + np.log(total)
        else:
            logarithm = log_total(logits, i, giver, given[i], taker, taken[i])
        change = losses[i] - (logarithm - other[label] * added - (own[label] - other[label]) * right)
        first += weights[i] * change
        second += weights[i] * change * change
        weight += weights[i]
    return first, np.sqrt(max(second - first * first / weight, 0.0))


@compiled
def best_move(
    state: State,
    samples: Samples,
    giver: int,
    gaps: FloatArray,
    sums: FloatArray,
    counts: IntArray,
    temperature: float,
    divided: bool,
    has_pool: bool,
) -> int:
    """The class that should have a feature, by the largest fall of the loss among those that are enough; -1 for I_0.

    Of targets that are as good, the first; I_0 before all classes.

    state, samples : see ``State`` and ``Samples``
    giver : int, class that has the feature; -1 for I_0
    gaps : (n_classes, n_samples) squared gaps of the feature from the class means
    sums : (n_classes, n_samples) squared distances before division
    counts : (n_classes,) features of each class, those that every class uses included
    temperature, divided : float and bool, as for :func:`to_logits`
    has_pool : bool, True if the feature may move into I_0
    """
    n_classes = sums.shape[0]
    n_samples = sums.shape[1]
    given, left, taken = np.zeros(n_samples), np.zeros(n_samples), np.zeros(n_samples)
    if giver >= 0:
        to_logits(sums[giver], -1, gaps[giver], temperature, counts[giver] - 1, divided, given)
        for i in range(n_samples):
            left[i] = np.exp(given[i] - state[2][i])
    noise = 0.0
    for i in range(n_samples):
        noise += SAME_LOSS * samples[1][i] * state[3][i]
    most, target = 0.0, giver
    for taker in range(-1 if has_pool else 0, n_classes):
        if taker == giver:
            continue
        if taker >= 0:
            to_logits(sums[taker], 1, gaps[taker], temperature, counts[taker] + 1, divided, taken)
        found, error = fall(state, samples, giver, given, left, taker, taken)
        enough = STANDARD_ERRORS * error if taker >= 0 else 0.0
        if found > enough and found > most + noise:
            most, target = found, taker
    return target


@compiled
def sweep(
    columns: FloatArray,
    at: IntArray,
    means: FloatArray,
    samples: Samples,
    factors: FloatArray,
    order: IntArray,
    temperature: float,
    n_shared: int,
    divided: bool,
    has_pool: bool,
    owner: IntArray,
    counts: IntArray,
    sums: FloatArray,
) -> int:
    """Visit the features in order and make the best move of each at once; a class keeps its last feature.

    columns : (n_columns, n_samples) values of features
    at : (n_visited,) row of each visited feature in ``columns``
    means : (n_classes, n_features) class means
    samples : see ``Samples``
    factors : (n_classes,) factors that take samples out of their own class's mean
    order : (n_visited,) the features
    temperature : float, factor on squared distances
    n_shared : int, number of features that every class uses
    divided : bool, True if distances are divided by the number of features
    has_pool : bool, True if features may move into I_0 and out of it
    owner : (n_features,) read and written: class of each feature, -1 for I_0
    counts : (n_classes,) read and written: features of each class, those that every class uses included
    sums : (n_classes, n_samples) read and written: squared distances before division

    Returns the number of moves.
    """
    n_classes, n_samples = sums.shape
    gaps = np.zeros_like(sums)
    state = (np.empty_like(sums), np.empty_like(sums), np.empty(n_samples), np.empty(n_samples))
    for j in range(n_classes):
        to_logits(sums[j], 0, gaps[j], temperature, counts[j], divided, state[0][j])
    weigh(state, samples)
    n_moves = 0
    for i in range(order.size):
        f = order[i]
        giver = owner[f]
        if giver >= 0 and counts[giver] == n_shared + 1:
            continue
        for j in range(n_classes):
            squared_gaps(columns[at[i]], means[j, f], j, factors[j], samples[0], gaps[j])
        target = best_move(state, samples, giver, gaps, sums, counts, temperature, divided, has_pool)
        if target == giver:
            continue
        n_moves += 1
        owner[f] = target
        for j, sign in ((giver, -1), (target, 1)):
            if j >= 0:
                counts[j] += sign
                to_logits(sums[j], sign, gaps[j], temperature, counts[j], divided, state[0][j])
                for sample in range(n_samples):
                    sums[j, sample] += sign * gaps[j, sample]
        weigh(state, samples)
    return n_moves
