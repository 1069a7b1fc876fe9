"""Weights in order of distance, ties taken together: what neighbours' votes and the separation of classes count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoint_centroids.numerics.types import TIE, FloatArray

SAME = 1e-9
"""Share of the largest number by which numbers may differ and still count as equal."""

CANCELLED = 1e-4
"""Share of the largest sum there could be below which sums may be nothing but rounding."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """Weight of what lies nearer than each entry, and of that together with all that ties with it."""

    before: FloatArray
    through: FloatArray


def rank_weights(distances: FloatArray, weights: FloatArray) -> Ranked:
    """Add up weights along rows of squared distances that increase; neighbours in a row that agree to ``TIE`` tie."""
    total = np.cumsum(weights, axis=1)
    begins = np.ones(distances.shape, dtype=bool)
    begins[:, 1:] = distances[:, 1:] > distances[:, :-1] * (1.0 + TIE)
    ends = np.ones_like(begins)
    ends[:, :-1] = begins[:, 1:]
    before = np.maximum.accumulate(np.where(begins, total - weights, 0.0), axis=1)
    through = np.minimum.accumulate(np.where(ends, total, np.inf)[:, ::-1], axis=1)[:, ::-1]
    return Ranked(before, through)


def few_digits(numbers: FloatArray, least: float = 0.0) -> FloatArray:
    """Numbers in units of a small share of the largest, rounded: sums taken in another order become equal.

    ``least`` is what the largest counts as at least, where all numbers may be nothing but rounding.
    """
    unit = SAME * max(float(np.abs(numbers).max(initial=0.0)), least)
    rounded: FloatArray = np.round(numbers / unit) if unit > 0 else numbers
    return rounded
