"""Supports: the samples that a cluster of features uses, in the form that is cheapest to work with.

Distances between features need only inner products of columns. A support with more samples than features is
therefore kept as its Gram matrix: exact, and from then on the cost does not depend on the number of samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray, OwnerArray

EVERYONE = -1
"""The label of the support that is all samples."""


def prefers_gram(n_features: int, n_samples: int) -> bool:
    """True if that many samples are cheaper as a Gram matrix than as columns."""
    return n_features <= max(n_samples, get_sizes().gram_features)


class Support(Protocol):
    """A set of samples on which distances between features are computed: the interface of all its forms.

    Sums of member columns are ``sums`` (clusters of the support, runs, width), worked on in place.

    Attributes
    ----------
    squares : array of shape (n_features,)
        The squared length of each feature on the support.
    divisor : float
        What squared distances are divided by: the number (or weight) of samples; 1 for the Euclidean norm.
    label : int
        The class whose samples these are; ``EVERYONE`` for all samples.
    """

    @property
    def squares(self) -> FloatArray: ...

    @property
    def divisor(self) -> float: ...

    @property
    def label(self) -> int: ...

    @property
    def width(self) -> int:
        """Length of a sum."""

    @property
    def is_gram(self) -> bool:
        """True if sums hold inner products with every feature, instead of coordinates."""

    def move(self, old: OwnerArray, new: OwnerArray, first: int, last: int, sums: FloatArray) -> None:
        """Bring the sums of clusters ``first … last - 1`` from the old owners to the new ones."""

    def rebuild(self, owner: OwnerArray, first: int, stale: BoolArray, sums: FloatArray) -> None:
        """Add up the clusters marked in ``stale`` (clusters, runs) anew."""

    def measure(self, sums: FloatArray, owner: OwnerArray, first: int, norms: FloatArray, cancelled: BoolArray) -> None:
        """Squared lengths of the sums, into ``norms``; marks the runs in which those have no digits left."""

    def cross(self, sums: FloatArray, start: int, stop: int, room: FloatArray) -> FloatArray:
        """Inner products of the sums with a range of features: (clusters of the support, runs, features).

        ``room`` is memory to work in, of at least that many numbers: fresh memory for every range would cost more
        than the product itself.
        """

    def transfer(
        self, n_members: IntArray, norms: FloatArray, owner: OwnerArray, violators: BoolArray, sums: FloatArray
    ) -> IntArray:
        """Visit the violators in order and move each to its best cluster if that still pays; moves of each run."""

    def cross_at(self, sums: FloatArray, runs: IntArray, features: IntArray) -> FloatArray:
        """Inner products of features with the sums of runs, pair by pair: (clusters of the support, pairs)."""

    def overlap(self, before: FloatArray, after: FloatArray, owner: OwnerArray, first: int) -> FloatArray:
        """Inner products (clusters, runs) of sums before and after a step; ``owner`` had made those before."""


@dataclass(frozen=True, slots=True)
class GramSupport:
    """Inner products of every pair of features. A sum is a row of them."""

    matrix: FloatArray
    divisor: float
    label: int

    is_gram = True

    @property
    def squares(self) -> FloatArray:
        return np.maximum(np.diagonal(self.matrix), 0.0)

    @property
    def width(self) -> int:
        return int(self.matrix.shape[0])

    def move(self, old: OwnerArray, new: OwnerArray, first: int, last: int, sums: FloatArray) -> None:
        from disjoint_centroids.centroids.kernels import lloyd as kernels

        kernels.move_sums(self.matrix, 0, self.width, old, new, first, last, sums)

    def rebuild(self, owner: OwnerArray, first: int, stale: BoolArray, sums: FloatArray) -> None:
        from disjoint_centroids.centroids.kernels import lloyd as kernels

        kernels.rebuild_sums(self.matrix, 0, self.width, owner, first, stale, sums)

    def measure(self, sums: FloatArray, owner: OwnerArray, first: int, norms: FloatArray, cancelled: BoolArray) -> None:
        from disjoint_centroids.centroids.kernels import lloyd as kernels

        kernels.gram_norms(sums, owner, first, norms, cancelled)

    def cross(self, sums: FloatArray, start: int, stop: int, room: FloatArray) -> FloatArray:
        return sums[:, :, start:stop]

    def transfer(
        self, n_members: IntArray, norms: FloatArray, owner: OwnerArray, violators: BoolArray, sums: FloatArray
    ) -> IntArray:
        from disjoint_centroids.centroids.kernels import lloyd as kernels

        moved: IntArray = kernels.transfer(self.matrix, True, self.squares, n_members, norms, owner, violators, sums)
        return moved

    def cross_at(self, sums: FloatArray, runs: IntArray, features: IntArray) -> FloatArray:
        from disjoint_centroids.centroids.kernels import pruning as pruning_kernels

        products = np.empty((sums.shape[0], runs.size))
        pruning_kernels.gram_products(sums, runs, features, products)
        return products

    def overlap(self, before: FloatArray, after: FloatArray, owner: OwnerArray, first: int) -> FloatArray:
        from disjoint_centroids.centroids.kernels import pruning as pruning_kernels

        overlap = np.empty(after.shape[:2])
        pruning_kernels.gram_overlap(after, owner, first, overlap)
        return overlap


@dataclass(frozen=True, slots=True)
class ColumnSupport:
    """A support that keeps the values of the features; a sum has one value per sample.

    Attributes
    ----------
    rows : array of shape (n_features, >= left + width)
        Row f holds feature f's values on the support in its columns ``left … left + width - 1``: the supports of a
        table share one array.
    """

    rows: FloatArray
    squares: FloatArray
    divisor: float
    label: int
    left: int
    width: int

    is_gram = False

    def window(self, start: int, stop: int) -> FloatArray:
        """Values of a range of features, without a copy."""
        return self.rows[start:stop, self.left : self.left + self.width]

    def move(self, old: OwnerArray, new: OwnerArray, first: int, last: int, sums: FloatArray) -> None:
        from disjoint_centroids.centroids.kernels import lloyd as kernels

        kernels.move_sums(self.rows, self.left, self.width, old, new, first, last, sums)

    def rebuild(self, owner: OwnerArray, first: int, stale: BoolArray, sums: FloatArray) -> None:
        from disjoint_centroids.centroids.kernels import lloyd as kernels

        kernels.rebuild_sums(self.rows, self.left, self.width, owner, first, stale, sums)

    def measure(self, sums: FloatArray, owner: OwnerArray, first: int, norms: FloatArray, cancelled: BoolArray) -> None:
        from disjoint_centroids.centroids.kernels import lloyd as kernels

        kernels.column_norms(sums, norms)

    def cross(self, sums: FloatArray, start: int, stop: int, room: FloatArray) -> FloatArray:
        n_clusters, n_runs, width = sums.shape
        shape = (n_clusters, n_runs, stop - start)
        flat = room[: n_clusters * n_runs * (stop - start)].reshape(n_clusters * n_runs, stop - start)
        np.matmul(sums.reshape(n_clusters * n_runs, width), self.window(start, stop).T, out=flat)
        return flat.reshape(shape)

    def transfer(
        self, n_members: IntArray, norms: FloatArray, owner: OwnerArray, violators: BoolArray, sums: FloatArray
    ) -> IntArray:
        from disjoint_centroids.centroids.kernels import lloyd as kernels

        moved: IntArray = kernels.transfer(
            self.rows[:, self.left :], False, self.squares, n_members, norms, owner, violators, sums
        )
        return moved

    def cross_at(self, sums: FloatArray, runs: IntArray, features: IntArray) -> FloatArray:
        from disjoint_centroids.centroids.kernels import pruning as pruning_kernels

        products = np.empty((sums.shape[0], runs.size))
        pruning_kernels.column_products(self.rows, self.left, self.width, sums, runs, features, products)
        return products

    def overlap(self, before: FloatArray, after: FloatArray, owner: OwnerArray, first: int) -> FloatArray:
        overlap: FloatArray = np.einsum("cvi,cvi->cv", before, after)
        return overlap


@dataclass(frozen=True, slots=True)
class Clusters:
    """The clusters and the support of each: support s serves clusters ``ranges[s]``.

    ``grams`` (n_supports, n_features, n_features) is there if every support is a Gram matrix: the same numbers in one
    array. With ``has_pool`` cluster 0 is I_0, the features nobody uses: its distance is multiplied by lambda, and it
    may be empty. Every other cluster must keep a feature for a run to count, unless ``may_be_empty``.
    """

    supports: tuple[Support, ...]
    ranges: tuple[tuple[int, int], ...]
    grams: FloatArray | None
    has_pool: bool = False
    may_be_empty: bool = False

    @property
    def n_clusters(self) -> int:
        return self.ranges[-1][1]


@dataclass(frozen=True, slots=True)
class Supports:
    """The support of all samples and that of each class; ``grams`` stacks them, everyone first, if all are."""

    everyone: Support
    classes: tuple[Support, ...]
    grams: FloatArray | None


def k_means_clusters(supports: Supports, n_clusters: int) -> Clusters:
    """k-means on the features: every cluster uses all samples."""
    everyone = supports.everyone
    grams = everyone.matrix[None] if isinstance(everyone, GramSupport) else None
    return Clusters((everyone,), ((0, n_clusters),), grams)


def disjoint_clusters(supports: Supports, *, has_pool: bool, may_be_empty: bool = False) -> Clusters:
    """Algorithm 1: one cluster per class, on its own samples. Algorithm 2: before them cluster 0, on all samples."""
    used = (supports.everyone, *supports.classes) if has_pool else supports.classes
    ranges = tuple((c, c + 1) for c in range(len(used)))
    grams = supports.grams
    if grams is not None and not has_pool:
        grams = grams[1:]
    return Clusters(used, ranges, grams, has_pool, may_be_empty)
