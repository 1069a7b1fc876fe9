"""A training table made ready: supports, moments, and what features shared by all classes add."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from disjoint_centroids.centroids.search.dense_table import DenseTable, without
from disjoint_centroids.centroids.search.judge import Candidates, Judge
from disjoint_centroids.centroids.search.sparse_table import SparseTable, part_of, sparse_table
from disjoint_centroids.centroids.search.supports import Clusters, Supports, disjoint_clusters
from disjoint_centroids.centroids.search.table import Table
from disjoint_centroids.numerics.moments import Moments, class_moments, risks
from disjoint_centroids.numerics.stored import Values
from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray, OwnerArray
from disjoint_centroids.rows.labelled_rows import LabelledRows


@dataclass(frozen=True, slots=True)
class SharedPart:
    """The features that every class uses.

    Attributes
    ----------
    moments : Moments
        Moments of these features.
    """

    moments: Moments

    @property
    def means(self) -> FloatArray:
        """Class means, (n_classes, n_shared)."""
        return self.moments.means

    @property
    def variances(self) -> FloatArray:
        """Class variances summed over the features, (n_classes,)."""
        total: FloatArray = self.moments.variances.sum(axis=1)
        return total

    @property
    def n_features(self) -> int:
        return int(self.means.shape[1])


@dataclass(frozen=True, slots=True)
class Problem:
    """Everything that the search needs to know about the training samples, and the samples where they are at hand."""

    table: Table
    moments: Moments
    supports: Supports
    shared: SharedPart
    samples: LabelledRows | None = None

    @property
    def n_features(self) -> int:
        return self.table.n_features

    @property
    def n_classes(self) -> int:
        return self.table.n_classes

    @property
    def rows(self) -> LabelledRows:
        """The training samples; a problem made from their sums alone has none."""
        if self.samples is None:
            raise ValueError("This problem was made from sums over the samples: they are not at hand.")
        return self.samples

    def moments_of_all(self, is_shared: BoolArray) -> Moments:
        """Moments of all features, those that every class uses (``is_shared``) in their places among the others."""
        if not is_shared.any():
            return self.moments
        own, shared = self.moments, self.shared.moments
        means, variances = np.empty((2, self.n_classes, is_shared.size))
        overall = np.empty(is_shared.size)
        for columns, part in ((~is_shared, own), (is_shared, shared)):
            means[:, columns], variances[:, columns], overall[columns] = part.means, part.variances, part.overall
        return Moments(means, variances, overall, own.shares)

    def clusters(self, *, has_pool: bool) -> Clusters:
        """The clusters of Algorithm 1, or with a pool those of Algorithm 2."""
        too_few = self.n_features < self.n_classes
        return disjoint_clusters(self.supports, has_pool=has_pool, may_be_empty=too_few)

    def risks(self, owners: OwnerArray) -> FloatArray:
        """Objective (1) over the number of samples, for partitions in class numbers (negative: nobody's)."""
        moments, shared = self.moments, self.shared
        return risks(
            moments.variances,
            moments.shares,
            owners,
            shared.variances,
            shared.n_features,
            divided=self.table.divided,
        )

    def errors(self, owners: OwnerArray, n_threads: int) -> FloatArray:
        """Training error of partitions in class numbers."""
        return self.errors_on(self.rows, owners, n_threads)

    def errors_on(
        self, rows: LabelledRows, owners: OwnerArray, n_threads: int, codes: IntArray | None = None
    ) -> FloatArray:
        """Error of partitions in class numbers on any labelled samples, with the centroids of this problem.

        ``codes`` are as those of :meth:`candidates`.
        """
        judge = Judge(self.candidates(owners, codes), n_threads=n_threads)
        judge.count(rows.values, rows.shared, rows.codes, np.zeros(rows.codes.size, np.intp), rows.weights)
        share: FloatArray = judge.wrong[:, 0] / rows.weights.sum()
        return share

    def candidates(self, owners: OwnerArray, codes: IntArray | None = None) -> Candidates:
        """Partitions to be judged by the centroids of this problem.

        ``codes`` (n_labels,) are the class numbers of the labels of the rows that they are judged on, -1 for labels
        that do not occur in this problem. None: labels are class numbers.
        """
        codes = np.arange(self.n_classes) if codes is None else codes
        return Candidates(owners, self.moments.means, self.shared.means, codes, self.table.divided)

    def training_part(self, keep: IntArray, held_out: IntArray) -> Problem:
        """The problem without some samples; Gram matrices are not added up anew but lose the held-out part."""
        if isinstance(self.table, SparseTable):
            part = part_of(self.table, keep)
            return _ready(part, self.rows.shared[np.argsort(self.table.order)[keep]][part.order])
        if not isinstance(self.table, DenseTable):
            raise TypeError(f"{type(self.table).__name__} has no Gram matrices to take samples from.")
        return _ready(without(self.table, held_out, keep), self.rows.shared[keep])


def prepare(
    values: Values,
    codes: IntArray,
    weights: FloatArray,
    n_classes: int,
    *,
    divided: bool = True,
    shared_values: Values | None = None,
) -> Problem:
    """Make a table ready for fitting: one pass over it, and from then on its Gram matrices where those are smaller."""
    shared_values = np.empty((values.shape[0], 0)) if shared_values is None else shared_values
    if sparse.issparse(values):
        in_order = sparse_table(values, codes, weights, n_classes, divided=divided)
        return _ready(in_order, shared_values[in_order.order])
    table = DenseTable(values, codes, weights, n_classes, divided)
    return _ready(replace(table, grams=table.class_grams()), shared_values)


def _ready(table: DenseTable | SparseTable, shared_values: Values) -> Problem:
    """The problem of a table; ``shared_values`` in the order of its samples."""
    moments = class_moments(table.values, table.codes, table.weights, table.n_classes)
    common = class_moments(shared_values, table.codes, table.weights, table.n_classes)
    rows = LabelledRows(table.values, shared_values, table.codes, table.weights)
    return Problem(table, moments, table.supports(), SharedPart(common), rows)
