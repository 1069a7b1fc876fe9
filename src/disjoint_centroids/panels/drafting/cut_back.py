"""Backward steps after a draft: a panel that was drafted too long is cut back to size, the weakest features first.

A greedy pick depends on what was unexplained at that time; later picks may make it superfluous.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from disjoint_centroids.numerics.ranks import few_digits
from disjoint_centroids.numerics.types import FloatArray, IntArray
from disjoint_centroids.panels.drafting.softmax_fit import Scores

_SHARE = 5  # a fifth of a panel goes at a time


def cut_back(
    matrices: Sequence[FloatArray],
    per_feature: int,
    n_forced: IntArray,
    sizes: Mapping[int, IntArray],
    weights: FloatArray,
    fit: Callable[[Sequence[FloatArray]], Scores],
) -> dict[int, tuple[IntArray, ...]]:
    """Cut panels back to size: positions of the picks that every class keeps, for each number of rounds.

    Smaller panels lie within larger ones. The weakest feature, which goes first, is the one whose contribution to the
    score of its class varies least over the samples.

    Parameters
    ----------
    matrices : sequence of n_classes arrays of shape (n_samples, per_feature * n_picks)
        Columns of all picks of each class.
    per_feature : int
        Columns per feature.
    n_forced : array of shape (n_classes,)
        Number of first picks of each class that always stay.
    sizes : mapping of int to array of shape (n_classes,)
        Number of picks that every class keeps, by number of rounds.
    weights : array of shape (n_samples,)
        Sample weights.
    fit : callable
        Function from matrices with some of the columns to their coefficients.
    """
    kept: list[IntArray] = [np.arange(m.shape[1] // per_feature) for m in matrices]
    found: dict[int, tuple[IntArray, ...]] = {}
    for n_rounds in sorted(sizes, reverse=True):
        wanted = sizes[n_rounds]
        while any(own.size > size for own, size in zip(kept, wanted, strict=True)):
            cut = [m[:, columns_at(own, per_feature)] for m, own in zip(matrices, kept, strict=True)]
            spread = [_spread(m, c, per_feature, weights) for m, c in zip(cut, fit(cut).coefficients, strict=True)]
            kept = [
                _stronger(own, s, int(n), int(size))
                for own, s, n, size in zip(kept, spread, n_forced, wanted, strict=True)
            ]
        found[n_rounds] = tuple(kept)
    return found


def columns_at(positions: IntArray, per_feature: int) -> IntArray:
    """Columns of the features at some positions."""
    columns: IntArray = (positions[:, None] * per_feature + np.arange(per_feature)).ravel()
    return columns


def _spread(matrix: FloatArray, coefficients: FloatArray, per_feature: int, weights: FloatArray) -> FloatArray:
    """Variance over the samples of the contribution of each feature to the score."""
    added = (matrix * coefficients).reshape(len(matrix), -1, per_feature).sum(axis=2)
    shares = weights / weights.sum()
    variance: FloatArray = shares @ (added - shares @ added) ** 2
    return variance


def _stronger(own: IntArray, spread: FloatArray, n_forced: int, size: int) -> IntArray:
    """Picks that one cut leaves; the first ``n_forced`` stay, and ties go to the earlier pick."""
    free = own.size - n_forced
    to_keep = max(size - n_forced, free - max(1, free // _SHARE))
    best = np.argsort(-few_digits(spread[n_forced:]), kind="stable")[:to_keep]
    return np.concatenate([own[:n_forced], own[n_forced:][np.sort(best)]])
