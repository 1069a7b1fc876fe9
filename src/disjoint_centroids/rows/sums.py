"""A table replaced by sums over its rows: class by class weights, means, scatters and inner products of features.

These add up over blocks of rows, over the folds of a cross-validation and over machines, and are all that the search
for partitions needs. Where inner products of all pairs of features would not fit, a sketch of the rows stands for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Some rows of a table, with what is known of each.

    Attributes
    ----------
    values : array or sparse matrix of shape (n_rows, n_columns)
    groups : array of shape (n_rows,)
        The group whose sums each row is added to; negative for rows that do not count.
    weights : array of shape (n_rows,)
    lots : array of shape (n_rows,) or None
        The row of the sketch that each row is added to, if there is one: complemented (~) for those to be subtracted.
    """

    values: Any
    groups: IntArray
    weights: FloatArray
    lots: IntArray | None = None

    def tiles(self) -> list[RowBlock]:
        """Dense pieces of a bounded size if the block is sparse, else the block itself."""
        if not sparse.issparse(self.values):
            return [self]
        rows = self.values.tocsr()
        step = max(1, get_sizes().dense_at_once // max(rows.shape[1], 1))
        return [
            RowBlock(
                rows[a : a + step].toarray().astype(np.float64, copy=False),
                self.groups[a : a + step],
                self.weights[a : a + step],
                None if self.lots is None else self.lots[a : a + step],
            )
            for a in range(0, rows.shape[0], step)
        ]


@dataclass(frozen=True, slots=True)
class GroupSums:
    """Sums over groups of rows.

    Attributes
    ----------
    weights : array of shape (n_groups,)
    means, scatters : arrays of shape (n_groups, n_columns)
        Of all columns, those that every class uses among them; a scatter is a sum of squared differences from the mean.
    products : array of shape (n_groups, n_features, n_features) or None
        Inner products of the features that are shared out, each row's own mean taken out.
    sketch : array of shape (n_sketch_rows, n_features) or None
        In their place.
    """

    weights: FloatArray
    means: FloatArray
    scatters: FloatArray
    products: FloatArray | None
    sketch: FloatArray | None = None

    def __add__(self, other: GroupSums) -> GroupSums:
        weights = self.weights + other.weights
        share = np.divide(other.weights, weights, out=np.zeros_like(weights), where=weights > 0)[:, None]
        with np.errstate(over="ignore", invalid="ignore"):
            gap = other.means - self.means
            return GroupSums(
                weights,
                self.means + share * gap,
                self.scatters + other.scatters + self.weights[:, None] * share * gap**2,
                None if self.products is None or other.products is None else self.products + other.products,
                None if self.sketch is None or other.sketch is None else self.sketch + other.sketch,
            )

    def merged(self, groups_of: list[IntArray]) -> GroupSums:
        """Sums of unions of groups, one for each entry of ``groups_of``; the sketch stays, as it is read by group."""
        parts = [_union(self, groups) for groups in groups_of]
        products = None if self.products is None else np.stack([self.products[g].sum(axis=0) for g in groups_of])
        weights, means, scatters = (np.stack(column) for column in zip(*parts, strict=True))
        return GroupSums(weights, means, scatters, products, self.sketch)


def _union(sums: GroupSums, groups: IntArray) -> tuple[float, FloatArray, FloatArray]:
    weights = sums.weights[groups]
    total = float(weights.sum())
    mean = weights @ sums.means[groups] / (total if total > 0 else 1.0)
    gaps = sums.means[groups] - mean
    return total, mean, sums.scatters[groups].sum(axis=0) + weights @ gaps**2


def sums_of_block(block: RowBlock, shared: BoolArray, n_groups: int, n_sketched: int) -> GroupSums:
    """The sums of a block of rows. ``shared`` marks the columns that every class uses.

    ``n_sketched`` is the length of the sketch, for blocks whose rows have lots. A non-finite sum means that the block
    held a non-finite value, or one too large to be squared: ``usable_sums.check_sums`` finds it.
    """
    tiles = [_sums_of_tile(tile, np.flatnonzero(~shared), n_groups, n_sketched) for tile in block.tiles()]
    total = tiles[0]
    for tile in tiles[1:]:
        total = total + tile
    return total


def _sums_of_tile(block: RowBlock, columns: IntArray, n_groups: int, n_sketched: int) -> GroupSums:
    from disjoint_centroids.rows import kernels

    values = np.ascontiguousarray(block.values, dtype=np.float64)
    groups, weights = block.groups, block.weights
    totals = np.zeros(n_groups)
    means, scatters = np.zeros((2, n_groups, values.shape[1]))
    kernels.add_up(values, groups, weights, totals, means, scatters)
    shift = kernels.row_means(values, columns)
    if block.lots is not None:
        rows = np.zeros((n_sketched, columns.size))
        kernels.scatter_rows(values, groups, weights, shift, columns, block.lots, rows)
        return GroupSums(totals, means, scatters, None, rows)
    counts = np.bincount(groups[groups >= 0], minlength=n_groups)
    ends = np.cumsum(counts)
    place = np.empty(groups.size, np.intp)
    place[np.argsort(groups, kind="stable")] = np.arange(groups.size) - (groups.size - ends[-1])
    in_order = np.empty((int(ends[-1]), columns.size))
    kernels.sort_out(values, groups, weights, shift, columns, place, in_order)
    products = np.zeros((n_groups, columns.size, columns.size))
    with np.errstate(over="ignore", invalid="ignore"):
        for g in np.flatnonzero(counts):
            part = in_order[ends[g] - counts[g] : ends[g]]
            np.matmul(part.T, part, out=products[g])
    return GroupSums(totals, means, scatters, products)
