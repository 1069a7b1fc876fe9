"""Standardised columns of a dense or a sparse table, with the products that the draft needs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy import sparse

from disjoint_centroids.numerics.moments import Moments, class_moments
from disjoint_centroids.numerics.types import FloatArray, IntArray

_SHARE_OF_MEDIAN = 0.5
"""Added to the spread of every feature, in medians over the features: a tiny spread must not make a large value."""

_LEAST = 1e-9  # of the spread over all samples: z to the fourth power must stay a number


@dataclass(frozen=True, slots=True)
class Standard:
    """Standardisation of the features, and the class means after it.

    Attributes
    ----------
    center, scale : arrays of shape (n_features,)
        z = (x - center) / scale; the centre is the mean of the class means, the scale is the pooled standard
        deviation within classes plus half its median over the features; the standard deviation over all samples
        where that is zero.
    centroids : array of shape (n_classes, n_features)
        Class means of z.
    """

    center: FloatArray
    scale: FloatArray
    centroids: FloatArray

    def of(self, values: FloatArray, features: IntArray) -> FloatArray:
        """Some columns of a dense table, standardised."""
        z: FloatArray = (values - self.center[features]) / self.scale[features]
        return z


class Columns(Protocol):
    """Standardised columns z of a table."""

    standard: Standard

    def products(self, vectors: FloatArray) -> FloatArray:
        """Inner products of every column with vectors (n_samples, m), as (m, n_features)."""

    def square_products(self, vectors: FloatArray) -> FloatArray:
        """Inner products of the squares of every column with vectors (n_samples, m), as (m, n_features)."""

    def powers(self, weights: FloatArray) -> FloatArray:
        """Weighted sums of z, z², z³ and z⁴: (4, n_features)."""

    def squared_norms(self) -> FloatArray:
        """Sum of the squares of every sample, (n_samples,)."""

    def dense(self, features: IntArray) -> FloatArray:
        """Standardised columns of some features as an array (n_samples, number of features)."""


def columns_of(values: FloatArray | sparse.csc_array, codes: IntArray, weights: FloatArray) -> Columns:
    """Standardise a table by its training samples, whose ``weights`` are given."""
    if sparse.issparse(values):
        return SparseColumns(values, codes, weights)
    return DenseColumns(values, codes, weights)


class DenseColumns:
    """Columns of an array, kept as one standardised copy."""

    def __init__(self, values: FloatArray, codes: IntArray, weights: FloatArray) -> None:
        # Distances from a first mean, so that data far from zero do not lose their digits.
        first = values.mean(axis=0)
        z = values - first
        moments = class_moments(z, codes, weights, int(codes.max()) + 1)
        scale = _scale(moments, float(weights.sum()))
        middle = moments.means.mean(axis=0)
        z -= middle
        z /= scale
        self.z: FloatArray = z
        self.standard = Standard(first + middle, scale, (moments.means - middle) / scale)

    @cached_property
    def squares(self) -> FloatArray:
        squares: FloatArray = self.z * self.z
        return squares

    def products(self, vectors: FloatArray) -> FloatArray:
        found: FloatArray = vectors.T @ self.z
        return found

    def square_products(self, vectors: FloatArray) -> FloatArray:
        found: FloatArray = vectors.T @ self.squares
        return found

    def powers(self, weights: FloatArray) -> FloatArray:
        return np.stack(
            [
                weights @ self.z,
                weights @ self.squares,
                weights @ (self.squares * self.z),
                weights @ (self.squares * self.squares),
            ]
        )

    def squared_norms(self) -> FloatArray:
        norms: FloatArray = np.einsum("if,if->i", self.z, self.z)
        return norms

    def dense(self, features: IntArray) -> FloatArray:
        return np.ascontiguousarray(self.z[:, features])


class SparseColumns:
    """Columns of a sparse array, which is not made dense.

    z is stored as its value at a zero of the table, one per column, plus a difference at every stored cell. A column
    without any zero is centred as a dense one is, so that values far from zero do not lose their digits.
    """

    def __init__(self, values: sparse.csc_array, codes: IntArray, weights: FloatArray) -> None:
        moments = class_moments(values, codes, weights, int(codes.max()) + 1)
        scale = _scale(moments, float(weights.sum()))
        center = moments.means.mean(axis=0)
        self.standard = Standard(center, scale, (moments.means - center) / scale)
        n_stored = np.diff(values.indptr)
        is_full = n_stored == values.shape[0]
        self._x = values
        self._column = np.repeat(np.arange(values.shape[1]), n_stored)
        self._at_zero: FloatArray = np.where(is_full, 0.0, -center / scale)
        self._added: FloatArray = (values.data - np.where(is_full, center, 0.0)[self._column]) / scale[self._column]

    def _with_cells(self, cells: FloatArray) -> sparse.csc_array:
        return sparse.csc_array((cells, self._x.indices, self._x.indptr), shape=self._x.shape)

    @cached_property
    def _linear(self) -> sparse.csc_array:
        return self._with_cells(self._added)

    @cached_property
    def _squares(self) -> sparse.csc_array:
        return self._with_cells(self._added * (self._added + 2.0 * self._at_zero[self._column]))

    def products(self, vectors: FloatArray) -> FloatArray:
        found: FloatArray = (self._linear.T @ vectors).T + np.outer(vectors.sum(axis=0), self._at_zero)
        return found

    def square_products(self, vectors: FloatArray) -> FloatArray:
        found: FloatArray = (self._squares.T @ vectors).T + np.outer(vectors.sum(axis=0), self._at_zero**2)
        return found

    def powers(self, weights: FloatArray) -> FloatArray:
        n_features = self._at_zero.size
        w = weights[self._x.indices]
        z = self._added + self._at_zero[self._column]
        weight_of_zeros = weights.sum() - np.bincount(self._column, w, n_features)
        return np.stack(
            [
                np.bincount(self._column, w * z**power, n_features) + weight_of_zeros * self._at_zero**power
                for power in (1, 2, 3, 4)
            ]
        )

    def squared_norms(self) -> FloatArray:
        norms: FloatArray = self._squares.sum(axis=1) + (self._at_zero**2).sum()
        return norms

    def dense(self, features: IntArray) -> FloatArray:
        return self.standard.of(self._x[:, features].toarray(), features)


def _scale(moments: Moments, total: float) -> FloatArray:
    """Pooled standard deviation plus half its median; 1 for a constant feature."""
    freedom = max(total - moments.shares.size, 1.0)
    spread = np.sqrt(total * (moments.shares @ moments.variances) / freedom)
    scale = spread + _SHARE_OF_MEDIAN * np.median(spread)
    overall = np.sqrt(moments.overall)
    scale = np.where(scale > 0, np.maximum(scale, _LEAST * overall), overall)
    scaled: FloatArray = np.where(scale > 0, scale, 1.0)
    return scaled
