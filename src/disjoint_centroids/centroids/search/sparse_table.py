"""A sparse table of training samples, and its supports in their cheapest forms; nothing is ever made dense."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isqrt

import numpy as np
from scipy import sparse

from disjoint_centroids.centroids.search.sparse_support import Entries, SparseSupport
from disjoint_centroids.centroids.search.supports import EVERYONE, GramSupport, Support, Supports, prefers_gram
from disjoint_centroids.numerics.stored import SparseMatrix, slabs
from disjoint_centroids.numerics.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class SparseTable:
    """The training samples as the engine sees them, in the order of their classes.

    Attributes
    ----------
    values : CSC array of shape (n_samples, n_features)
        The features to be shared out among the classes. Never written to.
    edges : array of shape (n_features, n_classes + 1)
        Where the stored values of each feature and class begin: the samples of a class are consecutive.
    codes, weights : arrays of shape (n_samples,)
        Class and positive weight of each sample; codes do not decrease, and every class occurs.
    order : array of shape (n_samples,)
        Where each sample stood before the samples were put in order.
    divided : bool
        Whether distances are divided by the weight of the support (the dn norm) or not (Euclidean).
    """

    values: SparseMatrix
    edges: IntArray
    codes: IntArray
    weights: FloatArray
    order: IntArray
    n_classes: int
    divided: bool = True

    @property
    def n_features(self) -> int:
        return int(self.values.shape[1])

    @property
    def entries(self) -> Entries:
        """The stored values as supports and kernels take them."""
        return Entries(self.values.data, self.values.indices, self.edges, self.weights)

    def classes_of(self, label: int) -> tuple[int, int]:
        """The classes, first and past the last, of a support."""
        return (0, self.n_classes) if label == EVERYONE else (label, label + 1)

    def samples_of(self, label: int) -> slice:
        """The samples of a class, or of everyone."""
        low, high = np.searchsorted(self.codes, self.classes_of(label))
        return slice(int(low), int(high))

    def prefers_gram(self, label: int) -> bool:
        """True if inner products of all pairs of features are fewer than the stored values, or few in any case."""
        low, high = self.classes_of(label)
        stored = int((self.edges[:, high] - self.edges[:, low]).sum())
        return prefers_gram(self.n_features, isqrt(stored))

    def supports(self) -> Supports:
        """Bring every support into its cheapest form."""
        grams = [gram(self, label) if self.prefers_gram(label) else None for label in range(self.n_classes)]
        entries = self.entries
        present = [matrix for matrix in grams if matrix is not None]
        if len(present) == self.n_classes:
            stack = np.stack([np.sum(present, axis=0), *present])
            everyone, *classes = (self._from_gram(label, stack[label + 1]) for label in range(-1, self.n_classes))
            return Supports(everyone, tuple(classes), stack)
        classes = [
            self._from_entries(label, entries) if matrix is None else self._from_gram(label, matrix)
            for label, matrix in enumerate(grams)
        ]
        if self.prefers_gram(EVERYONE):
            return Supports(self._from_gram(EVERYONE, gram(self, EVERYONE)), tuple(classes), None)
        return Supports(self._from_entries(EVERYONE, entries), tuple(classes), None)

    def squared_gaps(self, label: int, groups: list[IntArray], features: IntArray | None) -> FloatArray:
        """Weighted sums of squared differences between features and the mean column of each group.

        Over the samples of a support: (groups, features). Of all features, if none are named. Infinite for a group
        without members. A sample in which a feature is zero differs by what the mean is: the sum of its squares over
        all samples is taken once, and what is stored taken from it to twice the precision.
        """
        from disjoint_centroids.centroids.kernels import sparse as sparse_kernels

        entries, samples = self.entries, self.samples_of(label)
        features = np.arange(self.n_features) if features is None else features
        window = (entries.data, entries.rows, entries.edges, *self.classes_of(label), samples.start)
        mean = np.empty(samples.stop - samples.start)
        found = np.full((len(groups), features.size), np.inf)
        for at, members in enumerate(groups):
            if members.size:
                sparse_kernels.mean_column(*window, members, mean)
                sparse_kernels.gaps_to_centre(*window, self.weights[samples], mean, features, found[at])
        return found

    def squared_lengths(self, support: Support, features: IntArray) -> FloatArray:
        """Weighted sums of squares of some features over the samples of a support."""
        return support.squares[features]

    def _divisor(self, label: int) -> float:
        return float(self.weights[self.samples_of(label)].sum()) if self.divided else 1.0

    def _from_gram(self, label: int, matrix: FloatArray) -> Support:
        return GramSupport(matrix, self._divisor(label), label)

    def _from_entries(self, label: int, entries: Entries) -> Support:
        from disjoint_centroids.centroids.kernels import sparse as sparse_kernels

        low, high = self.classes_of(label)
        samples, squares = self.samples_of(label), np.empty(self.n_features)
        sparse_kernels.squared_lengths(entries.data, entries.rows, entries.edges, self.weights, low, high, squares)
        width = samples.stop - samples.start
        return SparseSupport(entries, low, high, samples.start, width, squares, self._divisor(label), label)


def sparse_table(
    values: SparseMatrix, codes: IntArray, weights: FloatArray, n_classes: int, *, divided: bool
) -> SparseTable:
    """The one copy that is made of a sparse table: by feature, class by class. None if it is that already."""
    from disjoint_centroids.centroids.kernels import sparse as sparse_kernels

    counts = np.zeros((values.shape[1], n_classes), np.intp)
    for slab in slabs(values):
        sparse_kernels.count_entries(*slab.parts, codes, counts)
    edges = np.zeros((values.shape[1], n_classes + 1), np.intp)
    np.cumsum(counts.ravel(), out=counts.ravel())
    edges[:, 1:] = counts
    edges[1:, 0] = counts[:-1, -1]
    order = np.argsort(codes, kind="stable")
    in_order = (codes[1:] >= codes[:-1]).all() and values.format == "csc" and values.dtype == np.float64
    if not in_order:
        values = _in_order(values, codes, order, edges)
    return SparseTable(values, edges, codes[order], weights[order], order, n_classes, divided)


def _in_order(values: SparseMatrix, codes: IntArray, order: IntArray, edges: IntArray) -> SparseMatrix:
    from disjoint_centroids.centroids.kernels import sparse as sparse_kernels

    n_stored = int(edges[-1, -1]) if edges.size else 0
    small = max(n_stored, *values.shape) <= np.iinfo(np.int32).max
    place = np.empty(order.size, np.int32 if small else np.int64)
    place[order] = np.arange(order.size)
    rows, data = np.empty(n_stored, place.dtype), np.empty(n_stored)
    cursor = edges[:, :-1].copy()
    for slab in slabs(values):
        sparse_kernels.sort_entries(*slab.parts, codes, place, cursor, rows, data)
    ends = np.append(edges[:, 0], n_stored).astype(place.dtype)
    return sparse.csc_array((data, rows, ends), shape=values.shape)


def gram(table: SparseTable, label: int) -> FloatArray:
    """Inner products of all pairs of features over the samples of a class, or of everyone."""
    samples = table.samples_of(label)
    rows = table.values[samples].tocsr()
    rows.data *= np.repeat(np.sqrt(table.weights[samples]), np.diff(rows.indptr))
    products: FloatArray = (rows.T @ rows).toarray(order="C")
    return products


def part_of(table: SparseTable, samples: IntArray) -> SparseTable:
    """Some of the samples, named by where they stood before they were put in order; every class must occur.

    Inner products are added up anew: of features that few samples have, a difference would often be all rounding.
    """
    place = np.empty(table.order.size, np.intp)
    place[table.order] = np.arange(table.order.size)
    at = np.sort(place[samples])
    part = sparse_table(table.values[at], table.codes[at], table.weights[at], table.n_classes, divided=table.divided)
    return replace(part, order=np.argsort(place[samples], kind="stable"))
