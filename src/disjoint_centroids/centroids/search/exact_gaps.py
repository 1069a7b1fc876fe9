"""Exact distances of the features to the centres of one partition, for tables that are known by a sketch."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from disjoint_centroids.centroids.search.problem import Problem
from disjoint_centroids.centroids.search.supports import Support, Supports
from disjoint_centroids.centroids.search.table import Table
from disjoint_centroids.centroids.search.ties import exact_distances, largest_squares, lowest_nearest
from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray
from disjoint_centroids.rows.sums import RowBlock


def squared_gaps_of_block(
    block: RowBlock, codes: IntArray, owner: IntArray, n_classes: int, shared: BoolArray
) -> FloatArray:
    """Weighted squared gaps between features and the centres of a partition, over the rows of a block.

    (1 + n_classes, n_features): row 0 is the pool's, whose centre every sample has; the others over a class's samples.
    """
    from disjoint_centroids.centroids.kernels import gaps as kernels

    found = np.zeros((1 + n_classes, owner.size))
    begin = 0
    for tile in block.tiles():
        values = np.ascontiguousarray(tile.values, dtype=np.float64)
        of_tile = codes[begin : begin + len(values)]
        kernels.gaps_to_centres(values, of_tile, tile.weights, owner, n_classes, np.flatnonzero(~shared), found)
        begin += len(values)
    return found


@dataclass(frozen=True, slots=True)
class ExactGapsTable:
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
        """Supports of the sketch."""
        return self.sketched.supports()

    def squared_gaps(self, label: int, groups: list[IntArray], features: IntArray | None) -> FloatArray:
        """Exact squared gaps; only for the partition that the pass was made for."""
        (members,) = groups
        if not np.array_equal(members, np.flatnonzero(self.owner == label)):
            raise ValueError("The exact distances of another partition were asked for.")
        row = self.gaps[label + 1] if members.size else np.full(self.n_features, np.inf)
        return (row if features is None else row[features])[None]

    def squared_lengths(self, support: Support, features: IntArray) -> FloatArray:
        """Squared lengths on the sketch."""
        return self.sketched.squared_lengths(support, features)


def with_exact_gaps(problem: Problem, owner: IntArray, gaps: FloatArray) -> Problem:
    """The problem of a sketched table, with the exact distances of one partition in place of the sketch's."""
    table = problem.table.sketched if isinstance(problem.table, ExactGapsTable) else problem.table
    return replace(problem, table=ExactGapsTable(table, owner, gaps))


def nearest_owner(problem: Problem, owner: IntArray, lam: float | None) -> IntArray:
    """Each feature to its nearest centre, by the distances of ``exact_distances``; ties to the lower index."""
    clusters = problem.clusters(has_pool=lam is not None)
    distances = exact_distances(problem.table, clusters, owner + int(clusters.has_pool))
    if lam is not None:
        distances[0] = distances[0] * lam**2 if np.isfinite(lam) else np.inf
    squares = largest_squares(problem.table, clusters, np.arange(problem.n_features))
    return lowest_nearest(distances, squares) - int(clusters.has_pool)
