"""Loops over single pairs (run, feature) that bounds have not settled, compiled by numba."""

from __future__ import annotations

from functools import partial

import numpy as np

from disjoint_centroids.centroids.kernels.lloyd import FEATURES_AT_ONCE, LOOK_AGAIN
from disjoint_centroids.numerics.compiled import compiled
from disjoint_centroids.numerics.types import AMBIGUOUS, ROUNDING

OF_SIZE = 1e-5
"""Margins below this share of a feature's length are not trusted: rounding or a tie could decide there. Squared, it is
ten times ``ROUNDING``."""

OF_DISTANCE = 1e-8
"""Nor are those below this share of the distance itself: some multiples of ``TIE``."""

ROUNDED_DOWN = 1.0 - 2.0**-22
"""Factor of a bound before it is stored in single precision, so that it stays a bound."""

LARGEST_BOUND = float(np.finfo(np.float32).max)
"""Bounds beyond this are stored as this: infinity would settle a feature forever."""

SMALLEST_BOUND = float(np.finfo(np.float32).tiny)
"""Bounds below this are not stored: single precision could round them up there."""


@compiled
def bound(best, second, length, drift):
    """Drift up to which a feature keeps its cluster: the drift so far plus its margin; negative if it has no margin.

    best, second : float, smallest and second smallest squared distance
    length : float, length of the feature
    drift : float, drift of the run so far

    Less what rounding and ties could make of it.
    """
    far = np.sqrt(max(second, 0.0))
    margin = far - np.sqrt(max(best, 0.0)) - OF_SIZE * length - OF_DISTANCE * far
    kept = ROUNDED_DOWN * (margin + drift)
    return min(kept, LARGEST_BOUND) if margin > 0.0 and kept >= SMALLEST_BOUND else -1.0


@compiled
def note_margins(best, second, lengths, magnify, drift, start, rows, margins):
    """Keep the margins of a range of features.

    best, second : (n_runs, n_features) smallest and second smallest squared distances
    lengths : (n_features,) lengths of the features
    magnify : (n_runs,) factor by which lambda enlarges squared distances
    drift : (n_runs,) drift of each run so far
    start : int, first feature of the range
    rows : (n_runs,) row of each run in ``margins``; negative for a run without one
    margins : (n_rows, all features) written
    """
    n_runs, n_features = best.shape
    for v in range(n_runs):
        if rows[v] >= 0:
            kept = margins[rows[v], start : start + n_features]
            grown = np.sqrt(magnify[v])
            for f in range(n_features):
                kept[f] = bound(best[v, f], second[v, f], grown * lengths[f], drift[v])


@compiled
def n_at_most(kept, drift):
    """Count the features of one run that are not settled.

    kept : (n_features,) margins of the run, each with the drift at the time on top
    drift : float, drift of the run
    """
    found = 0
    for f in range(kept.size):
        found += kept[f] <= drift
    return found


@compiled
def count_unsettled(margins, rows, drift):
    """Count the features of each run that are not settled: all, where the run has no row of margins.

    margins : (n_rows, n_features) margins, each with the drift at the time on top
    rows : (n_runs,) row of each run in ``margins``; negative for a run without one
    drift : (n_runs,) drift of each run

    Returns (n_runs,) counts.
    """
    counts = np.full(rows.size, margins.shape[1])
    for v in range(rows.size):
        if rows[v] >= 0:
            counts[v] = n_at_most(margins[rows[v]], drift[v])
    return counts


@compiled
def list_unsettled(margins, rows, drift, chosen, start, stop, runs, features):
    """List the unsettled features of some runs in a range of features.

    margins, rows, drift
        As for :func:`count_unsettled`.
    chosen : (n_chosen,) the runs
    start, stop : int, the range of features
    runs, features : (room,) written: run and feature of each pair; room for one more than there are

    Returns the number of pairs. A few features at a time, in all runs: the features stay in cache.
    """
    found = 0
    for begin in range(start, stop, FEATURES_AT_ONCE):
        end = min(begin + FEATURES_AT_ONCE, stop)
        for v in chosen:
            kept, least = margins[rows[v]], drift[v]
            for f in range(begin, end):  # without a branch, which would be guessed wrong too often
                runs[found] = v
                features[found] = f
                found += kept[f] <= least
    return found


@partial(compiled, reordered=True)
def dot(left, right):
    """Inner product, added up in whatever order is fastest.

    left, right : (width,) the vectors
    """
    total = 0.0
    for i in range(right.size):
        total += left[i] * right[i]
    return total


@partial(compiled, reordered=True)
def four_dots(first, second, third, fourth, right):
    """Four inner products with the same vector: it is read once, and the additions need not wait for each other.

    first, second, third, fourth, right : (width,) the vectors
    """
    one, two, three, four = 0.0, 0.0, 0.0, 0.0
    for i in range(right.size):
        one += first[i] * right[i]
        two += second[i] * right[i]
        three += third[i] * right[i]
        four += fourth[i] * right[i]
    return one, two, three, four


@compiled
def column_products(rows, left, width, sums, runs, features, products):
    """Inner products of features with the sums of runs, pair by pair.

    rows : (n_all_features, n_columns) one row per feature: its samples sorted by class
    left, width : int, the columns ``left … left + width - 1`` are the support
    sums : (n_clusters, n_runs, width) the sums
    runs, features : (n_pairs,) run and feature of each pair
    products : (n_clusters, n_pairs) written
    """
    n_clusters, right = sums.shape[0], left + width
    at = 0
    while at < runs.size:
        v = runs[at]
        if at + 3 < runs.size and runs[at + 1] == v and runs[at + 2] == v and runs[at + 3] == v:
            one, two = rows[features[at], left:right], rows[features[at + 1], left:right]
            three, four = rows[features[at + 2], left:right], rows[features[at + 3], left:right]
            for c in range(n_clusters):
                of_four = four_dots(one, two, three, four, sums[c, v])
                products[c, at], products[c, at + 1], products[c, at + 2], products[c, at + 3] = of_four
            at += 4
        else:
            for c in range(n_clusters):
                products[c, at] = dot(rows[features[at], left:right], sums[c, v])
            at += 1


@compiled
def gram_products(sums, runs, features, products):
    """Inner products of features with the sums of runs, pair by pair, when the sums are such products.

    sums : (n_clusters, n_runs, n_features) inner products of each sum with each feature
    runs, features : (n_pairs,) run and feature of each pair
    products : (n_clusters, n_pairs) written
    """
    for c in range(sums.shape[0]):
        for at in range(runs.size):
            products[c, at] = sums[c, runs[at], features[at]]


@compiled
def gram_overlap(sums, owner, first, overlap):
    """Inner products of sums with other sums, when the former are kept as inner products with every feature.

    sums : (n_clusters, n_runs, n_features) inner products of each sum with each feature
    owner : (n_runs, n_features) cluster of each feature in the other sums
    first : int, first cluster of the support
    overlap : (n_clusters, n_runs) written
    """
    n_clusters, n_runs, n_features = sums.shape
    overlap[:] = 0.0
    for v in range(n_runs):
        for f in range(n_features):
            c = owner[v, f] - first
            if 0 <= c < n_clusters:
                overlap[c, v] += sums[c, v, f]


@compiled
def contend_at(products, base, slopes, offsets, factors, first, runs, features, best, second, winner):
    """Let all clusters of a support compete for single features, each in one run.

    products : (n_clusters, n_pairs) inner products of the features with the sums
    base : (n_features,) squared lengths of the features
    slopes, offsets, factors : (all clusters, n_runs) as for ``lloyd.contend``
    first : int, first cluster of the support
    runs, features : (n_pairs,) run and feature of each pair
    best, second, winner : (n_pairs,) read and written, as by ``lloyd.contend``
    """
    for c in range(products.shape[0]):
        for at in range(runs.size):
            v = runs[at]
            distance = factors[first + c, v] * (base[features[at]] - slopes[first + c, v] * products[c, at])
            distance += factors[first + c, v] * offsets[first + c, v]
            leader, follower = best[at], second[at]
            ahead = distance < leader
            behind = leader if ahead else distance
            best[at] = distance if ahead else leader
            second[at] = behind if behind < follower else follower
            winner[at] = first + c if ahead else winner[at]


@compiled
def settle_at(best, second, winner, size, lengths, magnify, drift, rows, runs, features, margins, owner):
    """Write the winners of single pairs into ``owner``, and keep their new margins.

    best, second, winner : (n_pairs,) as :func:`contend_at` left them
    size, lengths : (n_features,) largest squared length of each feature on any support, and its root
    magnify, drift, rows
        As for :func:`note_margins`.
    runs, features : (n_pairs,) run and feature of each pair
    margins : (n_rows, n_features) written
    owner : (n_runs, n_features) written: the winner, or ``AMBIGUOUS``

    Returns the number of ambiguous features.
    """
    n_ambiguous = 0
    for at in range(runs.size):
        v, f = runs[at], features[at]
        margins[rows[v], f] = bound(best[at], second[at], np.sqrt(magnify[v]) * lengths[f], drift[v])
        owner[v, f] = winner[at]
        if second[at] * LOOK_AGAIN - best[at] <= ROUNDING * magnify[v] * size[f]:
            owner[v, f] = AMBIGUOUS
            n_ambiguous += 1
    return n_ambiguous
