"""Sketches: a class's rows added up, with random signs, into a few; inner products of columns survive on average.

Which row of the sketch a sample is added to, and with which sign, follows from a seed and the sample's position in the
whole table. So sketches of blocks add up, and however the rows are cut into blocks the sketch is the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoint_centroids.numerics.types import IntArray

_GOLDEN, _FIRST, _SECOND = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def random_bits(seed: int, n: int, first: int = 0) -> np.ndarray:
    """A random number of 64 bits for each of n positions from ``first`` on, the same for a position in every call."""
    with np.errstate(over="ignore"):
        z = np.arange(first + 1, first + n + 1, dtype=np.uint64) + np.uint64(seed) * _SECOND
        z = z * _GOLDEN
        z = (z ^ (z >> np.uint64(30))) * _FIRST
        z = (z ^ (z >> np.uint64(27))) * _SECOND
    mixed: np.ndarray = z ^ (z >> np.uint64(31))
    return mixed


def rows_for(error: float) -> int:
    """Number of rows that keep the standard deviation of a squared distance within ``error``, as a share of it."""
    return int(np.ceil(2.0 / error**2))


@dataclass(frozen=True, slots=True)
class Sketch:
    """The way in which the rows of every group are added up.

    Attributes
    ----------
    sizes : array of shape (n_groups,)
        Rows of the sketch that each group gets.
    """

    sizes: IntArray
    seed: int

    @property
    def starts(self) -> IntArray:
        """First row of each group."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]])

    def lots(self, groups: IntArray) -> IntArray:
        """The row of the sketch for every row of the table, complemented (~) for those to be subtracted.

        A group that is no longer than its part of the sketch is kept as it is, row by row.
        """
        drawn = random_bits(self.seed, groups.size)
        sizes = np.maximum(self.sizes, 1)[np.maximum(groups, 0)].astype(np.uint64)
        # The upper bits name the row, the lowest the sign: they must not follow from each other.
        lots = ((drawn >> np.uint64(32)) % sizes).astype(np.intp)
        subtracted = (drawn & np.uint64(1)).astype(bool)
        for g, count in enumerate(np.bincount(groups[groups >= 0], minlength=self.sizes.size)):
            if count <= self.sizes[g]:
                members = np.flatnonzero(groups == g)
                lots[members], subtracted[members] = np.arange(count), False
        lots += self.starts[np.maximum(groups, 0)]
        return np.where(subtracted, ~lots, lots)
