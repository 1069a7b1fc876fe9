"""Means and variances of every feature within every class: all that centroids and the risk need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.numerics.stored import SparseMatrix, Values, slabs
from disjoint_centroids.numerics.types import FloatArray, IntArray, OwnerArray


@dataclass(frozen=True, slots=True)
class Moments:
    """Weighted moments of a labelled table.

    Attributes
    ----------
    means, variances : arrays of shape (n_classes, n_features)
    overall : array of shape (n_features,)
        The variance over all samples.
    shares : array of shape (n_classes,)
        The weight of each class, as a share of the whole.
    """

    means: FloatArray
    variances: FloatArray
    overall: FloatArray
    shares: FloatArray


def class_moments(values: Values, codes: IntArray, weights: FloatArray, n_classes: int) -> Moments:
    """Moments of each class, by a first pass for the means and a second for the variances about them.

    A sparse table is not made dense: its variances are those of the stored values and of the zeros, added up.
    """
    totals: FloatArray = np.bincount(codes, weights, n_classes).astype(np.float64)
    if sparse.issparse(values):
        return moments_of(*_sparse_moments(values, codes, weights, totals), totals)
    means = np.zeros((n_classes, values.shape[1]))
    variances = np.zeros_like(means)
    at_once = get_sizes().samples_at_once
    for j in range(n_classes):
        samples = np.flatnonzero(codes == j)
        share = weights[samples] / totals[j]
        chunks = [slice(a, a + at_once) for a in range(0, samples.size, at_once)]
        for chunk in chunks:
            means[j] += share[chunk] @ values[samples[chunk]]
        for chunk in chunks:
            variances[j] += share[chunk] @ (values[samples[chunk]] - means[j]) ** 2
    return moments_of(means, variances, totals)


def _sparse_moments(
    values: SparseMatrix, codes: IntArray, weights: FloatArray, totals: FloatArray
) -> tuple[FloatArray, FloatArray]:
    from disjoint_centroids.numerics import sparse_kernels

    means, scatters, zeros = np.zeros((3, totals.size, values.shape[1]))
    for slab in slabs(values):
        sparse_kernels.add_moments(*slab.parts, codes, weights, means, zeros)
    means /= totals[:, None]
    # Weights of stored values were added up in the order of the totals: a column without zeros has exactly none.
    np.subtract(totals[:, None], zeros, out=zeros)
    for slab in slabs(values):
        sparse_kernels.add_scatters(*slab.parts, codes, weights, means, scatters)
    scatters += zeros * means**2
    scatters /= totals[:, None]
    return means, scatters


def moments_of(means: FloatArray, variances: FloatArray, totals: FloatArray) -> Moments:
    """Add the shares of the classes and the variance over all samples."""
    shares: FloatArray = totals / totals.sum()
    overall = shares @ (variances + (means - shares @ means) ** 2)
    # A column of equal numbers has a mean that is off by a rounding, and so a variance that is not quite zero.
    noise = (16 * np.finfo(np.float64).eps * np.abs(means).max(axis=0, initial=0.0)) ** 2
    return Moments(means, np.where(variances > noise, variances, 0.0), np.where(overall > noise, overall, 0.0), shares)


def risks(
    variances: FloatArray, shares: FloatArray, owners: OwnerArray, shared: FloatArray, n_shared: int, *, divided: bool
) -> FloatArray:
    """The paper's objective (1), divided by the number of samples, for each partition in ``owners``.

    ``shared`` is, for each class, the sum of the variances of the features that every class uses. A class without
    any feature adds nothing.
    """
    total = np.zeros(owners.shape[0])
    for j, share in enumerate(shares):
        held = owners == j
        spread = held @ variances[j] + shared[j]
        count = held.sum(axis=1) + n_shared
        total += share * (spread / np.maximum(count, 1) if divided else spread)
    return total
