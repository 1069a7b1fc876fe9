"""Squared distances of samples to disjoint centroids."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from disjoint_centroids.numerics.stored import SparseMatrix, Values, slabs
from disjoint_centroids.numerics.types import FloatArray, IntArray

EVERY_CLASS, NO_CLASS = -2, -9
"""Owners of features that every class uses; a number that no feature has as its owner."""


def own_distances(values: Values, centroids: FloatArray, owner: IntArray, *, shared: int, divided: bool) -> FloatArray:
    """Squared distance of each sample to each class's centroid on its own and the shared features.

    A class without any feature is infinitely far.
    """
    if sparse.issparse(values):
        sums = squared_sums(values, centroids, owner, shared=shared)
        return np.ascontiguousarray(mean_or_infinite(sums, owner, int(np.count_nonzero(owner == shared)), divided).T)
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
    for slab in slabs(values):
        sparse_kernels.add_gaps(*slab.parts, centroids, owner, shared, gaps, high, low)
    of_centroids = np.zeros((2, centroids.shape[0]))
    sparse_kernels.squared_centroids(centroids, owner, shared, *of_centroids)
    zeros = (of_centroids[0][:, None] - high) + (of_centroids[1][:, None] - low)
    gaps += np.maximum(zeros, 0.0, out=zeros)
    return gaps


def mean_or_infinite(sums: FloatArray, owner: IntArray, n_shared: int, divided: bool) -> FloatArray:
    """Sums (n_classes, n_samples) over the features of each class, which is infinitely far without any; in place."""
    counts = np.bincount(owner[owner >= 0], minlength=len(sums)) + n_shared
    if divided:
        sums /= np.maximum(counts, 1)[:, None]
    sums[counts == 0] = np.inf
    return sums


def shared_sums(values: Values, means: FloatArray) -> FloatArray:
    """Sums of squares (n_samples, n_classes) from samples to class means, over features that every class uses."""
    if sparse.issparse(values):
        return squared_sums(values, means, np.full(means.shape[1], EVERY_CLASS), shared=EVERY_CLASS).T
    return np.stack([((values - mean) ** 2).sum(axis=1) for mean in means], axis=1)
