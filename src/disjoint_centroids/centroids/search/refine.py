r"""Single-feature moves that lower the training loss, from the partition that the restarts ended in.

The loss is the cross-entropy that the temperature of ``predict_proba`` is fitted by, with every sample taken out of its
own class's mean: :math:`-\sum_i w_i \sum_j q_{ij} \log \mathrm{softmax}(-t D_{ij})_j`. Moving feature f from class a to
class b changes only the distances to these two, by f's own squared gaps.

What keeps it from learning the noise where features outnumber samples: a class is given a feature only if the loss
falls by more than two standard errors of that fall over the samples; samples are not judged by means that they are
part of; and Platt's targets q reward no certainty.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from disjoint_centroids.centroids.search.problem import Problem
from disjoint_centroids.centroids.search.score import NO_CLASS, shared_sums, squared_sums
from disjoint_centroids.centroids.search.sparse_table import SparseTable
from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.numerics.temperature import fit_temperature, smoothed_targets
from disjoint_centroids.numerics.types import FloatArray, IntArray, OwnerArray


@dataclass(frozen=True, slots=True)
class Refined:
    """End of the moves, in class numbers, -1 for I_0.

    Attributes
    ----------
    n_moves : int
        Moves made; a feature may have moved more than once.
    converged : bool
        Whether the last sweep found no move that helps.
    """

    owner: IntArray
    n_moves: int
    converged: bool


class Refinement:
    """The moves of one table, made ready once for all partitions that start from it.

    Parameters
    ----------
    problem : Problem
        The training samples.
    has_pool : bool
        Whether features may move into I_0 and out of it.
    max_iter : int
        Bound on the sweeps.
    seed : int
        Sweeps visit the features in a random order, each in its own: it follows from the seed.
    """

    def __init__(self, problem: Problem, *, has_pool: bool, max_iter: int, seed: int) -> None:
        rows = problem.rows
        n_classes = problem.n_classes
        self._rows, self._n_classes, self._divided = rows, n_classes, problem.table.divided
        self._means = problem.moments.means
        self._columns = _columns_of(problem)
        self._has_pool, self._max_iter, self._seed = has_pool, max_iter, seed
        totals: FloatArray = np.bincount(rows.codes, rows.weights, n_classes).astype(np.float64)
        self._factors = _without_themselves(totals)
        targets = smoothed_targets(rows.codes, rows.weights, n_classes)
        self._samples = (rows.codes, rows.weights, *targets)
        self._n_shared = problem.shared.n_features
        self._shared = np.ascontiguousarray(shared_sums(rows.shared, problem.shared.means).T)
        for j, factor in enumerate(self._factors):
            self._shared[j, rows.codes == j] *= factor

    def from_owner(self, owner: OwnerArray) -> Refined:
        """Sweep until a sweep finds no move that lowers the loss; the temperature is fitted anew before each."""
        from disjoint_centroids.centroids.kernels import refine as refine_kernels

        rows, n_classes = self._rows, self._n_classes
        owner = owner.astype(np.intp)
        if np.unique(owner[owner >= 0]).size < n_classes:  # fewer features than classes: none to give away
            return Refined(owner, 0, True)
        rng = np.random.default_rng(self._seed)
        n_moves = 0
        counts = np.bincount(owner[owner >= 0], minlength=n_classes) + self._n_shared
        for _ in range(self._max_iter):
            sums = self._sums(owner)
            distances = sums / counts[:, None] if self._divided else sums
            temperature = fit_temperature(distances.T, rows.codes, rows.weights, None)
            moved = 0
            for features, columns, at in self._columns.in_order(rng.permutation(owner.size)):
                moved += refine_kernels.sweep(
                    columns,
                    at,
                    self._means,
                    self._samples,
                    self._factors,
                    features,
                    temperature,
                    self._n_shared,
                    self._divided,
                    self._has_pool,
                    owner,
                    counts,
                    sums,
                )
            n_moves += moved
            if moved == 0:
                return Refined(owner, n_moves, True)
        return Refined(owner, n_moves, False)

    def _sums(self, owner: IntArray) -> FloatArray:
        """Squared distances (n_classes, n_samples) before division: anew for every sweep, so that no rounding stays."""
        sums = self._columns.squared_sums(self._means, owner)
        for j, factor in enumerate(self._factors):
            sums[j, self._rows.codes == j] *= factor
        sums += self._shared
        return sums


Sweep = Iterator[tuple[IntArray, FloatArray, IntArray]]
"""Features in the order in which they are visited, an array with their columns, and where in it each is."""


class _Columns(Protocol):
    """The features of a table, as the sweeps need them."""

    def in_order(self, order: IntArray) -> Sweep:
        """All features, some at a time."""

    def squared_sums(self, means: FloatArray, owner: IntArray) -> FloatArray:
        """Sums of squared gaps (n_classes, n_samples) from the means, over the features of each class."""


@dataclass(frozen=True, slots=True)
class _DenseColumns:
    columns: FloatArray  # (n_features, n_samples)

    def in_order(self, order: IntArray) -> Sweep:
        yield order, self.columns, order

    def squared_sums(self, means: FloatArray, owner: IntArray) -> FloatArray:
        sums = np.zeros((len(means), self.columns.shape[1]))
        for j, mean in enumerate(means):
            features = np.flatnonzero(owner == j)
            gaps = self.columns[features] - mean[features, None]
            sums[j] = np.einsum("fi,fi->i", gaps, gaps)
        return sums


@dataclass(frozen=True, slots=True)
class _SparseColumns:
    """Columns are written out in full when their turn comes, a few at a time."""

    table: SparseTable

    def in_order(self, order: IntArray) -> Sweep:
        from disjoint_centroids.centroids.kernels import sparse as sparse_kernels

        entries, n_samples = self.table.entries, self.table.codes.size
        length = int(np.clip(get_sizes().columns_at_once // n_samples, 1, order.size))
        columns = np.empty((length, n_samples))
        for begin in range(0, order.size, length):
            features = order[begin : begin + length]
            sparse_kernels.fill_columns(entries.data, entries.rows, entries.edges, features, columns[: features.size])
            yield features, columns, np.arange(features.size)

    def squared_sums(self, means: FloatArray, owner: IntArray) -> FloatArray:
        return squared_sums(self.table.values, means, owner, shared=NO_CLASS)


def _columns_of(problem: Problem) -> _Columns:
    if isinstance(problem.table, SparseTable):
        return _SparseColumns(problem.table)
    return _DenseColumns(np.ascontiguousarray(problem.rows.values.T))


def _without_themselves(totals: FloatArray) -> FloatArray:
    """The factor on the squared gap of a class's own samples that takes each of them out of the mean.

    One of n equal weights: (n / (n - 1))². A class of less than two is treated as one of two; the gap of a sample that
    is alone is zero in any case.
    """
    totals = np.maximum(totals, 2.0)
    factors: FloatArray = (totals / (totals - 1.0)) ** 2
    return factors
