"""A support of a sparse table: its features' stored values, and nothing where they are zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray, OwnerArray


@dataclass(frozen=True, slots=True)
class Entries:
    """The stored values of a table by feature, those of a feature in the order of the samples' classes.

    Attributes
    ----------
    data : array of float
    rows : array of int
        Sample of each value; samples are numbered class by class.
    edges : array of shape (n_features, n_classes + 1)
        Feature f has the values ``edges[f, j] … edges[f, j + 1] - 1`` on the samples of class j.
    weights : array of shape (n_samples,)
        Sample weights. They are not in the values: a table has one copy of those, for all purposes.
    """

    data: FloatArray
    rows: IntArray
    edges: IntArray
    weights: FloatArray


@dataclass(frozen=True, slots=True)
class SparseSupport:
    """Stored values on the samples of classes ``low … high - 1``. A sum is a point of the samples' space, in full.

    Nothing is taken out of a sample: zero is the reference, which distances do not depend on.
    """

    entries: Entries
    low: int
    high: int
    left: int
    width: int
    squares: FloatArray
    divisor: float
    label: int

    is_gram = False

    @property
    def window(self) -> tuple[FloatArray, IntArray, IntArray, int, int, int]:
        """The stored values of the support, as the kernels take them."""
        entries = self.entries
        return entries.data, entries.rows, entries.edges, self.low, self.high, self.left

    @property
    def weights(self) -> FloatArray:
        return self.entries.weights[self.left : self.left + self.width]

    def move(self, old: OwnerArray, new: OwnerArray, first: int, last: int, sums: FloatArray) -> None:
        from disjoint_centroids.centroids.kernels import sparse as sparse_kernels

        sparse_kernels.move_sums(*self.window, old, new, first, last, sums)

    def rebuild(self, owner: OwnerArray, first: int, stale: BoolArray, sums: FloatArray) -> None:
        from disjoint_centroids.centroids.kernels import sparse as sparse_kernels

        sparse_kernels.rebuild_sums(*self.window, owner, first, stale, sums)

    def measure(self, sums: FloatArray, owner: OwnerArray, first: int, norms: FloatArray, cancelled: BoolArray) -> None:
        from disjoint_centroids.centroids.kernels import sparse as sparse_kernels

        sparse_kernels.weighted_norms(sums, self.weights, norms)

    def cross(self, sums: FloatArray, start: int, stop: int, room: FloatArray) -> FloatArray:
        from disjoint_centroids.centroids.kernels import sparse as sparse_kernels

        n_clusters, n_runs, width = sums.shape
        shape = (n_clusters, n_runs, stop - start)
        flat = room[: n_clusters * n_runs * (stop - start)].reshape(n_clusters * n_runs, stop - start)
        of_all = sums.reshape(n_clusters * n_runs, width)
        if self._n_stored(start, stop) > width:
            # Turned round, the sums of all runs stand beside each other; that costs as much as reading one sample.
            across = sparse_kernels.weighted_transpose(of_all, self.weights)
            sparse_kernels.products_across(*self.window, start, across, flat)
        else:
            sparse_kernels.products_along(*self.window, start, self.weights, of_all, flat)
        return flat.reshape(shape)

    def transfer(
        self, n_members: IntArray, norms: FloatArray, owner: OwnerArray, violators: BoolArray, sums: FloatArray
    ) -> IntArray:
        from disjoint_centroids.centroids.kernels import sparse as sparse_kernels

        moved: IntArray = sparse_kernels.transfer(
            *self.window, self.weights, self.squares, n_members, norms, owner, violators, sums
        )
        return moved

    def cross_at(self, sums: FloatArray, runs: IntArray, features: IntArray) -> FloatArray:
        from disjoint_centroids.centroids.kernels import sparse as sparse_kernels

        products = np.empty((sums.shape[0], runs.size))
        sparse_kernels.products_at(*self.window, self.weights, sums, runs, features, products)
        return products

    def overlap(self, before: FloatArray, after: FloatArray, owner: OwnerArray, first: int) -> FloatArray:
        overlap: FloatArray = np.einsum("cvi,cvi,i->cv", before, after, self.weights)
        return overlap

    def _n_stored(self, start: int, stop: int) -> int:
        edges = self.entries.edges[start:stop]
        return int((edges[:, self.high] - edges[:, self.low]).sum())
