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
    """What one feature adds to the squared distances to a class; the class's own samples see it without themselves."""
    for i in range(column.size):
        gap = column[i] - mean
        out[i] = gap * gap * factor if codes[i] == label else gap * gap


@compiled
def to_logits(
    sums: FloatArray, sign: int, gaps: FloatArray, temperature: float, n_features: int, divided: bool, out: FloatArray
) -> None:
    """Logits of a class from its squared distances before division, one feature's added to them or taken away."""
    scale = temperature / n_features if divided else temperature
    for i in range(sums.size):
        out[i] = -scale * (sums[i] + sign * gaps[i])


@compiled
def weigh(state: State, samples: Samples) -> None:
    """Bring shares, peaks and losses up to the logits."""
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
    """The logarithm of the sum of exponentials after a move, about its own peak: for moves that change everything."""
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
    """By how much the loss falls if two classes get new logits, and its standard error; -1 stands for no class.

    ``left`` is the share of the giver with its new logits: the same for all takers.
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
    """Who should have a feature that ``giver`` has, by the largest fall of the loss among those that are enough.

    Of targets that are as good, the first; I_0 before all classes.
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
    """Visit the features in order and make the best move of each at once; the number of moves.

    The values of feature ``order[i]`` are ``columns[at[i]]``.
    ``owner``, ``counts`` (features of each class, the shared among them) and ``sums`` (squared distances to the classes
    before division) are brought up to date. A class keeps its last feature.
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
