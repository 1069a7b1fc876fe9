"""Coordinate descent for L1 logistic regression, compiled. Import this where it runs: numba is slow to import.

The algorithm is that of Friedman, Hastie and Tibshirani (2010): class by class, a quadratic approximation of the
log-likelihood is minimised one coefficient at a time, first over all features that may enter, then over those that
have. Columns have mean 0 and standard deviation 1; a row of ``columns`` is a feature.

The kernels share these arguments:

walk : Walk
    State of the descent, written in place.
c : int
    Class whose coefficients are fitted.
eligible : (n_eligible,) features that may have a coefficient
n_entered : int
    Number of features that have had a coefficient, the length of the part of ``walk.entered`` in use.
r : (n_samples,) residuals of one class, divided by the number of samples
weights : (n_samples,) p (1 - p) of one class, divided by the number of samples
curvature : (n_features,) weighted sum of squares of each eligible feature
penalty : float
    L1 penalty.
small : float
    Gain below which a step counts as none.
budget : int
    Passes over the coefficients that are left.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from disjoint_centroids.numerics.compiled import compiled

LEAST_WEIGHT = 1e-9
"""Sum of the weights of a class below which the class is skipped: it is all but certain in every sample."""

HIGHEST = 600.0
"""Largest score of which the exponential is taken: beyond it a probability is 0 or 1."""

FAR = 1e50
"""Sum of odds beyond which the reference ``Walk.top`` of a sample is set anew."""

_REORDERED = {"reassoc", "contract", "nsz", "arcp"}  # sums in vector registers; infinity and NaN keep their meaning


vectorised = partial(compiled, reordered=_REORDERED)


class Walk(NamedTuple):
    """State of the descent along the penalties; every array is updated in place.

    Attributes
    ----------
    columns : array of shape (n_features, n_samples)
        Standardised.
    own : array of shape (n_classes, n_samples)
        1 where a sample belongs to the class, else 0.
    scores, odds : arrays of shape (n_classes, n_samples)
        Linear scores, and the exponentials of scores minus ``top``.
    top : array of shape (n_samples,)
        A reference that keeps the odds within range.
    coef : array of shape (n_classes, n_features)
    intercept : array of shape (n_classes,)
    is_eligible : array of shape (n_features,)
        True for features that may have a coefficient.
    steepness : array of shape (n_features,)
        Largest slope over the classes of the mean log-likelihood along each feature that is not eligible.
    has_entered : array of shape (n_features,)
        True for features that have had a coefficient.
    entered : array of shape (n_features,)
        Those features in the order of entry.
    first : int
        First class with coefficients: 1 for two classes, else 0.
    """

    columns: np.ndarray
    own: np.ndarray
    scores: np.ndarray
    odds: np.ndarray
    top: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    is_eligible: np.ndarray
    steepness: np.ndarray
    has_entered: np.ndarray
    entered: np.ndarray
    first: int


@vectorised
def inner(x, r):
    """Inner product of two vectors."""
    total = 0.0
    for i in range(x.size):
        total += x[i] * r[i]
    return total


@vectorised
def bend(x, weights):
    """Weighted sum of squares of a feature: the curvature of the approximation along it."""
    total = 0.0
    for i in range(x.size):
        total += weights[i] * x[i] * x[i]
    return total


@vectorised
def lower(r, weights, x, step):
    """Update the residuals ``r`` after the coefficient of feature ``x`` changed by ``step``."""
    for i in range(r.size):
        r[i] -= weights[i] * x[i] * step


@vectorised
def add_up(odds, total):
    """Sum ``odds`` (n_classes, n_samples) over the classes into ``total`` (n_samples,)."""
    for i in range(total.size):
        total[i] = odds[0, i]
    for c in range(1, odds.shape[0]):
        for i in range(total.size):
            total[i] += odds[c, i]


@vectorised
def weigh(odds, total, own, r, weights):
    """Write residuals and weights of a class at its present probabilities; return the sum of the weights.

    odds, total, own : (n_samples,) odds of the class, their sum over classes, 1 for samples of the class
    """
    n, mass = odds.size, 0.0
    for i in range(n):
        p = odds[i] / total[i]
        r[i] = (own[i] - p) / n
        weights[i] = p * (1.0 - p) / n
        mass += weights[i]
    return mass


@vectorised
def sweep(columns, features, n_features, coef, curvature, r, weights, penalty):
    """Set every coefficient in turn to its best value, the others fixed; return the largest gain.

    features : at least n_features positions in ``coef`` (n_all_features,), of which the first ``n_features`` are used
    """
    largest = 0.0
    for at in range(n_features):
        f = features[at]
        if curvature[f] <= 0.0:
            continue
        pull = inner(columns[f], r) + curvature[f] * coef[f]
        size = abs(pull) - penalty
        best = 0.0
        if size > 0.0:
            best = size / curvature[f] if pull > 0.0 else -size / curvature[f]
        step = best - coef[f]
        if step != 0.0:
            coef[f] = best
            lower(r, weights, columns[f], step)
            largest = max(largest, curvature[f] * step * step)
    return largest


@vectorised
def step_intercept(r, weights, mass):
    """Set the intercept of a class to its best value; return its step. ``mass`` is the sum of the weights."""
    total = 0.0
    for i in range(r.size):
        total += r[i]
    step = total / mass
    for i in range(r.size):
        r[i] -= weights[i] * step
    return step


@vectorised
def enter(walk, c, eligible, n_entered):
    """Append the features to which class c gave their first coefficient to ``walk.entered``; return their number."""
    for f in eligible:
        if walk.coef[c, f] != 0.0 and not walk.has_entered[f]:
            walk.has_entered[f] = True
            walk.entered[n_entered] = f
            n_entered += 1
    return n_entered


@vectorised
def descend_class(walk, c, eligible, n_entered, curvature, r, weights, mass, penalty, small, budget):
    """Minimise the quadratic approximation for class c.

    Returns the step of the intercept, the number of features entered, and the passes made.
    """
    coef, moved, passes = walk.coef[c], 0.0, 0
    while passes <= budget:
        passes += 1
        gain = sweep(walk.columns, eligible, eligible.size, coef, curvature, r, weights, penalty)
        n_entered = enter(walk, c, eligible, n_entered)
        step = step_intercept(r, weights, mass)
        moved += step
        if max(gain, mass * step * step) < small:
            break
        while passes <= budget:
            passes += 1
            # In the order of entry: the same steps as glmnet's, and so the same digits.
            gain = sweep(walk.columns, walk.entered, n_entered, coef, curvature, r, weights, penalty)
            step = step_intercept(r, weights, mass)
            moved += step
            if max(gain, mass * step * step) < small:
                break
    return moved, n_entered, passes


@vectorised
def follow(walk, c, eligible, before, curvature, shift, small):
    """Update the scores and odds of class c; return True if no coefficient gained more than ``small``.

    before : (n_features,) coefficients of the class before the descent
    shift : float, step of the intercept
    """
    scores, settled = walk.scores[c], True
    for i in range(scores.size):
        scores[i] += shift
    for f in eligible:
        step = walk.coef[c, f] - before[f]
        if step != 0.0:
            x = walk.columns[f]
            for i in range(scores.size):
                scores[i] += x[i] * step
            settled = settled and curvature[f] * step * step <= small
    for i in range(scores.size):
        walk.odds[c, i] = np.exp(min(max(scores[i] - walk.top[i], -HIGHEST), HIGHEST))
    return settled


@vectorised
def centre(coef, entered, n_entered):
    """Shift each feature's coefficients by their median: no probability changes, and no shift has a smaller L1 norm."""
    n_classes = coef.shape[0]
    values = np.empty(n_classes)
    for at in range(n_entered):
        f = entered[at]
        for c in range(n_classes):
            values[c] = coef[c, f]
        values.sort()
        middle = 0.5 * (values[(n_classes - 1) // 2] + values[n_classes // 2])
        if middle != 0.0:
            for c in range(n_classes):
                coef[c, f] -= middle


@vectorised
def descend(walk, n_entered, penalty, small, budget):
    """Fit one class after the other until none moves.

    Returns the number of features entered, the passes made, and True if the descent converged.
    """
    n_features, n = walk.columns.shape
    total, r, weights = np.empty(n), np.empty(n), np.empty(n)
    curvature, before = np.empty(n_features), np.empty(n_features)
    eligible = np.flatnonzero(walk.is_eligible)
    passes, settled = 0, False
    while not settled and passes <= budget:
        settled = True
        for c in range(walk.first, walk.own.shape[0]):
            add_up(walk.odds, total)
            mass = weigh(walk.odds[c], total, walk.own[c], r, weights)
            if mass <= LEAST_WEIGHT:
                continue
            for f in eligible:
                curvature[f] = bend(walk.columns[f], weights)
                before[f] = walk.coef[c, f]
            moved, n_entered, made = descend_class(
                walk, c, eligible, n_entered, curvature, r, weights, mass, penalty, small, budget - passes
            )
            passes += made
            walk.intercept[c] += moved
            still = follow(walk, c, eligible, before, curvature, moved, small)
            settled = settled and still and mass * moved * moved <= small
        if walk.first == 0:
            centre(walk.coef, walk.entered, n_entered)
    return n_entered, passes, settled


@vectorised
def update_steepness(walk):
    """Update the steepness of every feature that is not eligible; return the mean log-likelihood."""
    n_classes, n = walk.own.shape
    total, r, likelihood = np.empty(n), np.empty((n_classes, n)), 0.0
    add_up(walk.odds, total)
    for i in range(n):
        if total[i] > FAR or total[i] < 1.0 / FAR:
            walk.top[i] = walk.scores[:, i].max()
            walk.odds[:, i] = np.exp(walk.scores[:, i] - walk.top[i])
            total[i] = walk.odds[:, i].sum()
        likelihood -= np.log(total[i])
    for c in range(n_classes):
        for i in range(n):
            likelihood += walk.own[c, i] * (walk.scores[c, i] - walk.top[i])
            r[c, i] = (walk.own[c, i] - walk.odds[c, i] / total[i]) / n
    for f in range(walk.steepness.size):
        if not walk.is_eligible[f]:
            walk.steepness[f] = 0.0
            for c in range(walk.first, n_classes):
                walk.steepness[f] = max(walk.steepness[f], abs(inner(walk.columns[f], r[c])))
    return likelihood / n


@vectorised
def next_penalty(walk, n_entered, penalty, last, small, budget):
    """Descend from the solution at the penalty ``last`` to that at ``penalty``.

    Features become eligible by the sequential strong rule (Tibshirani et al. 2012); those that it left out wrongly are
    found by their slope, and become eligible too. Returns the number of features entered, the passes made, True if the
    descent converged, and the mean log-likelihood.
    """
    bar, passes = 2.0 * penalty - last, 0
    while True:
        for f in range(walk.is_eligible.size):
            walk.is_eligible[f] = walk.is_eligible[f] or walk.steepness[f] > bar
        n_entered, made, settled = descend(walk, n_entered, penalty, small, budget - passes)
        passes += made
        likelihood = update_steepness(walk)
        bar = penalty
        if not settled or not (~walk.is_eligible & (walk.steepness > bar)).any():
            return n_entered, passes, settled, likelihood


@vectorised
def room_for(values, used, more):
    """Array with the first ``used`` values and room for ``more``; the same array if it is large enough."""
    if used + more <= values.size:
        return values
    larger = np.empty(2 * (used + more))
    larger[:used] = values[:used]
    return larger


@vectorised
def walk_down(walk, penalties, null, tolerance, most_passes, shortest, least_gain, enough):
    """Solve at one penalty after the other until a smaller one explains hardly more deviance.

    penalties : (n_penalties,) decreasing
    null : float, half the mean deviance of the intercepts alone
    tolerance : float, ``small`` in units of ``null``
    most_passes : int, budget of the whole path
    shortest : int, number of penalties before the path may end
    least_gain, enough : float, shares of deviance explained: least increase per penalty, and the share that suffices

    Returns the number of solutions; for each, the number of features entered and the intercepts; the coefficients of
    the entered features, class by class, solution after solution; and True if the passes sufficed.
    """
    n_classes, n_penalties = walk.own.shape[0], penalties.size
    sizes, intercepts = np.zeros(n_penalties, np.int64), np.empty((n_penalties, n_classes))
    values, used = np.empty(64), 0
    intercepts[0] = walk.intercept
    n_entered, passes, explained, converged = 0, 0, 0.0, True
    n_found = 1
    while n_found < n_penalties:
        n_entered, made, converged, likelihood = next_penalty(
            walk, n_entered, penalties[n_found], penalties[n_found - 1], tolerance * null, most_passes - passes
        )
        passes += made
        if not converged:
            break
        values = room_for(values, used, n_classes * n_entered)
        for c in range(n_classes):
            for at in range(n_entered):
                values[used] = walk.coef[c, walk.entered[at]]
                used += 1
        sizes[n_found] = n_entered
        intercepts[n_found] = walk.intercept
        n_found += 1
        before, explained = explained, 1.0 + likelihood / null
        if n_found >= shortest and (explained - before < least_gain or explained > enough):
            break
    return n_found, sizes[:n_found], intercepts[:n_found], values[:used], converged
