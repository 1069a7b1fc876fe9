"""Backward steps after a draft: a panel that was drafted too long is cut back to size, the weakest features first.

A greedy pick looks at what is still unexplained, and what explains that best alone may be idle once later picks came.
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
    """Positions that are left of every class's picks, for each number of rounds: smaller panels within larger ones.

    ``matrices`` hold the columns of all picks, ``per_feature`` of each; ``fit`` gives coefficients for some of them.
    ``sizes`` has, for each number of rounds, how many picks every class keeps. The ``n_forced`` first always stay. The
    weakest feature is the one whose contribution to its class's score varies least over the samples.
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
    """The columns of features at some positions."""
    columns: IntArray = (positions[:, None] * per_feature + np.arange(per_feature)).ravel()
    return columns


def _spread(matrix: FloatArray, coefficients: FloatArray, per_feature: int, weights: FloatArray) -> FloatArray:
    """Variance over the samples of what each feature adds to the score."""
    added = (matrix * coefficients).reshape(len(matrix), -1, per_feature).sum(axis=2)
    shares = weights / weights.sum()
    variance: FloatArray = shares @ (added - shares @ added) ** 2
    return variance


def _stronger(own: IntArray, spread: FloatArray, n_forced: int, size: int) -> IntArray:
    """What is left after one cut; features that are forced, the first, stay. Ties go to the earlier pick."""
    free = own.size - n_forced
    to_keep = max(size - n_forced, free - max(1, free // _SHARE))
    best = np.argsort(-few_digits(spread[n_forced:]), kind="stable")[:to_keep]
    return np.concatenate([own[:n_forced], own[n_forced:][np.sort(best)]])
