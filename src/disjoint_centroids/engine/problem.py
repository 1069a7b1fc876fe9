"""A training table made ready: supports, moments, and what features shared by all classes add."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoint_centroids.engine.moments import Moments, class_moments, risks
from disjoint_centroids.engine.score import errors
from disjoint_centroids.engine.supports import (
    Clusters,
    Supports,
    Table,
    build_supports,
    disjoint_clusters,
    without,
)
from disjoint_centroids.engine.types import FloatArray, IntArray, OwnerArray


@dataclass(frozen=True, slots=True)
class SharedPart:
    """What the features that every class uses add to distances and to the risk."""

    values: FloatArray  # (n_samples, n_shared)
    means: FloatArray  # (n_classes, n_shared)
    variances: FloatArray  # (n_classes,), sums over the shared features

    @property
    def n_features(self) -> int:
        return int(self.values.shape[1])

    def distances(self, values: FloatArray) -> FloatArray:
        """Sums of squares (n_samples, n_classes) from samples to the class means, over the shared features."""
        return np.stack([((values - mean) ** 2).sum(axis=1) for mean in self.means], axis=1)


@dataclass(frozen=True, slots=True)
class Problem:
    """Everything that fitting needs to know about the training samples."""

    table: Table
    moments: Moments
    supports: Supports
    shared: SharedPart

    @property
    def n_features(self) -> int:
        return self.table.n_features

    @property
    def n_classes(self) -> int:
        return self.table.n_classes

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
        table = self.table
        return self.errors_on(table.values, self.shared.values, table.codes, table.weights, owners, n_threads)

    def errors_on(
        self,
        values: FloatArray,
        shared_values: FloatArray,
        codes: IntArray,
        weights: FloatArray,
        owners: OwnerArray,
        n_threads: int,
    ) -> FloatArray:
        """Error of partitions in class numbers on any labelled samples, with the centroids of this problem."""
        return errors(
            values,
            codes,
            weights,
            self.moments.means,
            owners,
            self.shared.distances(shared_values),
            self.shared.n_features,
            divided=self.table.divided,
            n_threads=n_threads,
        )

    def training_part(self, keep: IntArray, held_out: IntArray) -> Problem:
        """The problem without some samples; Gram matrices are not added up anew but lose the held-out part."""
        return _ready(without(self.table, held_out, keep), self.shared.values[keep])


def prepare(
    values: FloatArray,
    codes: IntArray,
    weights: FloatArray,
    n_classes: int,
    *,
    divided: bool = True,
    shared_values: FloatArray | None = None,
) -> Problem:
    """Make a table ready for fitting: one pass over it, and from then on its Gram matrices where those are smaller."""
    table = Table(values, codes, weights, n_classes, divided)
    table = Table(values, codes, weights, n_classes, divided, table.class_grams())
    shared_values = np.empty((values.shape[0], 0)) if shared_values is None else shared_values
    return _ready(table, shared_values)


def _ready(table: Table, shared_values: FloatArray) -> Problem:
    moments = class_moments(table.values, table.codes, table.weights, table.n_classes)
    common = class_moments(shared_values, table.codes, table.weights, table.n_classes)
    shared = SharedPart(shared_values, common.means, common.variances.sum(axis=1))
    return Problem(table, moments, build_supports(table), shared)
