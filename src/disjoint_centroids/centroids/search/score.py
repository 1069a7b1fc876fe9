"""How well partitions classify: distances of samples to disjoint centroids, for many partitions in one pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from disjoint_centroids.centroids.search.distinct import distinct_rows
from disjoint_centroids.numerics.stored import SparseMatrix, Values, blocks
from disjoint_centroids.numerics.threads import WORTH_A_THREAD, run_all
from disjoint_centroids.numerics.types import ZERO, BoolArray, FloatArray, IntArray, OwnerArray

NOBODY = -9
"""A number that stands for no owner: the features of no class, and shared by none."""

_TILE = 2**19  # numbers in a tile of squared gaps: four megabytes
_HELD = 2**22  # distances held at once


def own_distances(values: Values, centroids: FloatArray, owner: IntArray, *, shared: int, divided: bool) -> FloatArray:
    """Squared distance of each sample to each class's centroid on its own and the shared features.

    A class without any feature is infinitely far.
    """
    if sparse.issparse(values):
        sums = squared_sums(values, centroids, owner, shared=shared)
        return np.ascontiguousarray(_mean_or_far(sums, owner, int(np.count_nonzero(owner == shared)), divided).T)
    distances = np.full((values.shape[0], centroids.shape[0]), np.inf)
    for j, centroid in enumerate(centroids):
        features = np.flatnonzero((owner == j) | (owner == shared))
        if features.size:
            gaps = values[:, features] - centroid[features]
            distances[:, j] = np.einsum("if,if->i", gaps, gaps) / (features.size if divided else 1)
    return distances


def squared_sums(values: SparseMatrix, centroids: FloatArray, owner: IntArray, *, shared: int) -> FloatArray:
    """Sums of squares (n_classes, n_samples) from the samples of a sparse table to the centroids, before division.

    A feature that a sample has not stored differs by what the centroid is there: all of the centroid's squares, less
    those where something is stored. The difference is taken of sums to twice the precision, and so is as good as
    plain differences of all features.
    """
    from disjoint_centroids.centroids.kernels import sparse as sparse_kernels

    owner = owner.astype(np.intp, copy=False)
    shape = (centroids.shape[0], values.shape[0])
    gaps, high, low = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for block in blocks(values):
        sparse_kernels.add_gaps(*block.parts, centroids, owner, shared, gaps, high, low)
    of_centroids = np.zeros((2, centroids.shape[0]))
    sparse_kernels.squared_centroids(centroids, owner, shared, *of_centroids)
    zeros = (of_centroids[0][:, None] - high) + (of_centroids[1][:, None] - low)
    gaps += np.maximum(zeros, 0.0, out=zeros)
    return gaps


def _mean_or_far(sums: FloatArray, owner: IntArray, n_shared: int, divided: bool) -> FloatArray:
    """Sums (n_classes, n_samples) over the features of each class, which is infinitely far without any; in place."""
    counts = np.bincount(owner[owner >= 0], minlength=len(sums)) + n_shared
    if divided:
        sums /= np.maximum(counts, 1)[:, None]
    sums[counts == 0] = np.inf
    return sums


def errors(
    values: Values,
    codes: IntArray,
    weights: FloatArray,
    centroids: FloatArray,
    owners: OwnerArray,
    shared: FloatArray,
    n_shared: int,
    *,
    divided: bool,
    n_threads: int,
) -> FloatArray:
    """Weighted share of samples that each partition of ``owners`` (n_partitions, n_features) sends to another class.

    ``shared`` (n_samples, n_classes) is what features that every class has add to the squared distances.
    """
    from disjoint_centroids.centroids.kernels import lloyd as kernels

    if sparse.issparse(values):
        return _sparse_errors(values, codes, weights, centroids, owners, shared, n_shared, divided, n_threads)
    n_samples, n_classes = values.shape[0], centroids.shape[0]
    sets = sets_of_classes(owners, n_classes, n_shared)
    wrong, one_cell = np.zeros((owners.shape[0], 1)), np.zeros(n_samples, np.intp)
    zero = nothing(centroids)
    at_once = max(64, _HELD // sets.n_sets)
    for begin in range(0, n_samples, at_once):
        rows = slice(begin, min(begin + at_once, n_samples))
        distances = np.empty((sets.n_sets, rows.stop - rows.start))

        def fill(j: int, rows: slice = rows, distances: FloatArray = distances) -> None:
            out = sets.rows_of(j, distances)
            _squared_sums(values[rows], centroids[j], sets.held[j], out)
            out += shared[rows, j]
            sets.finish(j, out, divided=divided)

        work = distances.size * values.shape[1]
        run_all(fill, range(n_classes), n_threads if work > 10 * WORTH_A_THREAD else 1)
        kernels.count_wrong(distances, sets.at, codes[rows], one_cell[rows], weights[rows], zero, wrong)
    share: FloatArray = wrong[:, 0] / weights.sum()
    return share


def _sparse_errors(
    values: SparseMatrix,
    codes: IntArray,
    weights: FloatArray,
    centroids: FloatArray,
    owners: OwnerArray,
    shared: FloatArray,
    n_shared: int,
    divided: bool,
    n_threads: int,
) -> FloatArray:
    """The same for a sparse table, partition by partition: a stored value counts for one class only."""
    from disjoint_centroids.centroids.kernels import lloyd as kernels

    zero, one_cell = nothing(centroids), np.zeros(codes.size, np.intp)
    at = np.arange(centroids.shape[0])[:, None]

    def wrong_by(owner: OwnerArray) -> float:
        held = owner.astype(np.intp)
        sums = squared_sums(values, centroids, held, shared=NOBODY)
        sums += shared.T
        wrong = np.zeros((1, 1))
        kernels.count_wrong(_mean_or_far(sums, held, n_shared, divided), at, codes, one_cell, weights, zero, wrong)
        return float(wrong[0, 0])

    work = (values.nnz + centroids.size) * len(owners)
    wrong = run_all(wrong_by, list(owners), n_threads if work > WORTH_A_THREAD else 1)
    share: FloatArray = np.asarray(wrong) / weights.sum()
    return share


def nothing(centroids: FloatArray) -> float:
    """A squared distance up to this is rounding."""
    return ZERO * float(np.max(centroids**2, initial=0.0))


@dataclass(frozen=True, slots=True)
class SetsOfClasses:
    """The different feature sets that each class has in some partition: many agree, and distances are needed once.

    Attributes
    ----------
    held : list of n_classes arrays of shape (n_sets of the class, n_features)
    counts : list of n_classes arrays of shape (n_sets of the class, 1)
        Features of each set, those that every class uses included.
    first : array of shape (n_classes + 1,)
        Where the sets of each class begin among all.
    at : array of shape (n_classes, n_partitions)
        Which of all sets a class has in a partition.
    """

    held: list[BoolArray]
    counts: list[IntArray]
    first: IntArray
    at: IntArray

    @property
    def n_sets(self) -> int:
        return int(self.first[-1])

    def rows_of(self, label: int, distances: FloatArray) -> FloatArray:
        """The distances (n_sets, n_samples) to one class's centroid, of those to all."""
        return distances[self.first[label] : self.first[label + 1]]

    def finish(self, label: int, sums: FloatArray, *, divided: bool) -> None:
        """Turn sums of squared gaps into squared distances, in place; a class without any feature is infinitely far."""
        counts = self.counts[label]
        if divided:
            sums /= np.maximum(counts, 1)
        sums[counts[:, 0] == 0] = np.inf


def sets_of_classes(owners: OwnerArray, n_classes: int, n_shared: int) -> SetsOfClasses:
    """Tell the feature sets of every class apart, over the partitions in ``owners``."""
    masks = [owners == j for j in range(n_classes)]
    different = [distinct_rows(np.packbits(mask, axis=1)) for mask in masks]
    held = [mask[rows.first] for mask, rows in zip(masks, different, strict=True)]
    first = np.cumsum([0, *(len(sets) for sets in held)])
    at = np.stack([rows.index + first[j] for j, rows in enumerate(different)])
    return SetsOfClasses(held, [sets.sum(axis=1)[:, None] + n_shared for sets in held], first, at)


def _squared_sums(values: FloatArray, centroid: FloatArray, held: BoolArray, out: FloatArray) -> None:
    """Sum the squared gaps over the features of every set: a product (n_sets, n_samples), tile by tile."""
    length = max(64, _TILE // max(values.shape[0], held.shape[0], 1))
    out.fill(0.0)
    for start in range(0, values.shape[1], length):
        tile = slice(start, start + length)
        gaps = values[:, tile] - centroid[tile]
        out += held[:, tile].astype(np.float64) @ np.square(gaps, out=gaps).T
