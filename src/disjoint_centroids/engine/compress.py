"""A table replaced by sums over its rows: class by class weights, means, scatters and inner products of features.

These add up over blocks of rows, over the cells of a cross-validation and over machines, and are all that the search
for partitions needs. Where inner products of all pairs of features would not fit, a sketch of the rows stands for them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from disjoint_centroids.engine.dense_table import DenseTable
from disjoint_centroids.engine.moments import Moments, moments_of
from disjoint_centroids.engine.problem import Problem, SharedPart
from disjoint_centroids.engine.supports import EVERYONE, GramSupport, Support, Supports
from disjoint_centroids.engine.table import Table
from disjoint_centroids.engine.ties import exact_distances, largest_squares, lowest_nearest
from disjoint_centroids.engine.types import BoolArray, FloatArray, IntArray

_ROUNDING = 1e-12
"""Squared distances from inner products below this share of the features' squares are zero."""

_DENSE_AT_ONCE = 2**22  # numbers of a sparse block made dense at a time


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
        """The block itself; a sparse one in dense pieces of a bounded size."""
        if not sparse.issparse(self.values):
            return [self]
        rows = self.values.tocsr()
        step = max(1, _DENSE_AT_ONCE // max(rows.shape[1], 1))
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
    """What is kept of groups of rows.

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


def _union(sums: GroupSums, groups: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    weights = sums.weights[groups]
    total = weights.sum()
    mean = weights @ sums.means[groups] / (total if total > 0 else 1.0)
    gaps = sums.means[groups] - mean
    return total, mean, sums.scatters[groups].sum(axis=0) + weights @ gaps**2


def sums_of_block(block: RowBlock, shared: BoolArray, n_groups: int, n_sketched: int) -> GroupSums:
    """The sums of a block of rows. ``shared`` marks the columns that every class uses.

    ``n_sketched`` is the length of the sketch, for blocks whose rows have lots. Cells that are no numbers make sums
    that are none: whoever reads these must look.
    """
    tiles = [_sums_of_tile(tile, np.flatnonzero(~shared), n_groups, n_sketched) for tile in block.tiles()]
    total = tiles[0]
    for tile in tiles[1:]:
        total = total + tile
    return total


def _sums_of_tile(block: RowBlock, columns: IntArray, n_groups: int, n_sketched: int) -> GroupSums:
    from disjoint_centroids.engine import compress_kernels as kernels

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


@dataclass(frozen=True, slots=True)
class GramTable:
    """A table known only by its classes' Gram matrices.

    Attributes
    ----------
    grams : array of shape (n_classes, n_features, n_features)
    weights : array of shape (n_classes,)
    """

    grams: FloatArray
    weights: FloatArray
    divided: bool

    @property
    def n_features(self) -> int:
        return int(self.grams.shape[1])

    @property
    def n_classes(self) -> int:
        return int(self.grams.shape[0])

    def supports(self) -> Supports:
        """All of them as Gram matrices."""
        stack = np.concatenate([self.grams.sum(axis=0)[None], self.grams])
        divisors = np.concatenate([[self.weights.sum()], self.weights]) if self.divided else np.ones(len(stack))
        everyone, *classes = (
            GramSupport(stack[at], float(divisors[at]), label)
            for at, label in enumerate(range(EVERYONE, self.n_classes))
        )
        return Supports(everyone, tuple(classes), stack)

    def squared_gaps(self, label: int, groups: list[IntArray], features: IntArray | None) -> FloatArray:
        """From inner products added up anew: all that is left of the samples."""
        gram = self.grams.sum(axis=0) if label == EVERYONE else self.grams[label]
        asked = np.arange(self.n_features) if features is None else features
        squares = np.diagonal(gram)
        found = np.full((len(groups), asked.size), np.inf)
        for at, members in enumerate(groups):
            if members.size:
                sums = gram[members].sum(axis=0)
                norm = sums[members].sum() / members.size**2
                gaps = squares[asked] - 2.0 / members.size * sums[asked] + norm
                found[at] = np.where(gaps > _ROUNDING * np.maximum(squares[asked], norm), gaps, 0.0)
        return found

    def squared_lengths(self, support: Support, features: IntArray) -> FloatArray:
        """Squared lengths with each row's mean taken out: all that is left of the samples."""
        return support.squares[features]


def problem_of_sums(sums: GroupSums, shared: BoolArray, *, divided: bool, sketch: DenseTable | None = None) -> Problem:
    """The problem of a table whose groups are its classes; the samples themselves are not at hand."""
    own = ~shared
    variances = sums.scatters / sums.weights[:, None]
    moments = moments_of(sums.means[:, own], variances[:, own], sums.weights)
    common = SharedPart(sums.means[:, shared], variances[:, shared].sum(axis=1))
    if sums.products is not None:
        table: Table = GramTable(sums.products, sums.weights, divided)
    elif sketch is not None:
        table = sketch
    else:
        raise ValueError("Sums without inner products need a sketch in their place.")
    return Problem(table, moments, table.supports(), common)


def moments_of_sums(sums: GroupSums) -> Moments:
    """Moments of all columns, for classes as groups."""
    return moments_of(sums.means, sums.scatters / sums.weights[:, None], sums.weights)


def squared_gaps_of_block(
    block: RowBlock, codes: IntArray, owner: IntArray, n_classes: int, shared: BoolArray
) -> FloatArray:
    """Weighted squared gaps between features and the centres of a partition, over the rows of a block.

    (1 + n_classes, n_features): row 0 is the pool's, whose centre every sample has; the others over a class's samples.
    """
    from disjoint_centroids.engine import compress_kernels as kernels

    found = np.zeros((1 + n_classes, owner.size))
    begin = 0
    for tile in block.tiles():
        values = np.ascontiguousarray(tile.values, dtype=np.float64)
        of_tile = codes[begin : begin + len(values)]
        kernels.gaps_to_centres(values, of_tile, tile.weights, owner, n_classes, np.flatnonzero(~shared), found)
        begin += len(values)
    return found


@dataclass(frozen=True, slots=True)
class LookedAtTable:
    """A sketched table, of one partition of which the exact distances are known.

    Attributes
    ----------
    gaps : array of shape (1 + n_classes, n_features)
        Squared gaps between every feature and the centres of ``owner``, row 0 for the pool.
    """

    sketched: Table
    owner: IntArray
    gaps: FloatArray

    @property
    def n_features(self) -> int:
        return self.sketched.n_features

    @property
    def n_classes(self) -> int:
        return self.sketched.n_classes

    @property
    def divided(self) -> bool:
        return self.sketched.divided

    def supports(self) -> Supports:
        """Those of the sketch."""
        return self.sketched.supports()

    def squared_gaps(self, label: int, groups: list[IntArray], features: IntArray | None) -> FloatArray:
        """What the pass found; only for the partition that it looked at."""
        (members,) = groups
        if not np.array_equal(members, np.flatnonzero(self.owner == label)):
            raise ValueError("The exact distances of another partition were asked for.")
        row = self.gaps[label + 1] if members.size else np.full(self.n_features, np.inf)
        return (row if features is None else row[features])[None]

    def squared_lengths(self, support: Support, features: IntArray) -> FloatArray:
        """Those of the sketch."""
        return self.sketched.squared_lengths(support, features)


def with_exact_gaps(problem: Problem, owner: IntArray, gaps: FloatArray) -> Problem:
    """The problem of a sketched table, with the exact distances of one partition in place of the sketch's."""
    table = problem.table.sketched if isinstance(problem.table, LookedAtTable) else problem.table
    return replace(problem, table=LookedAtTable(table, owner, gaps))


def nearest_owner(problem: Problem, owner: IntArray, lam: float | None) -> IntArray:
    """Each feature to its nearest centre, by the distances of ``exact_distances``; ties to the lower index."""
    clusters = problem.clusters(has_pool=lam is not None)
    distances = exact_distances(problem.table, clusters, owner + int(clusters.has_pool))
    if lam is not None:
        distances[0] = distances[0] * lam**2 if np.isfinite(lam) else np.inf
    squares = largest_squares(problem.table, clusters, np.arange(problem.n_features))
    return lowest_nearest(distances, squares) - int(clusters.has_pool)
