"""Standardisation of the features of a training part, from sums over its samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray
from disjoint_centroids.rows.column_sums import ColumnSums

_SHARE_OF_MEDIAN = 0.5
"""Added to the spread of every feature, in medians over the features: a tiny spread must not make a large value."""

_LEAST = 1e-9  # of the spread over all samples: z to the fourth power must stay a number
_ROUNDING = 1e-13  # of the mean square, or of fourth powers: a variance below this is rounding


@dataclass(frozen=True, slots=True)
class Standard:
    """Standardisation z = (x - center) / scale, and moments of z under balanced weights.

    Attributes
    ----------
    center, scale : arrays of shape (n_features,)
        The centre is the balanced mean, the scale is the pooled standard deviation within classes plus half its median
        over the features; the standard deviation over all samples where that is zero.
    centroids : array of shape (n_classes, n_features)
        Class means of z; zero for classes that the training part lacks.
    means, variances : arrays of shape (n_classes, n_features)
        Class means and variances in the units of the table.
    variance : array of shape (n_features,)
        Balanced variance of z.
    known : boolean array of shape (n_classes,)
        Classes of which the training part has samples.
    balance : array of shape (n_classes,)
        Factor on the weights of the samples of each class that balances the classes.
    weights : array of shape (n_classes,)
        Sum of the sample weights of each class.
    zeros : array of shape (n_classes, n_features), or None
        Sum of the weights of the samples of each class in which a feature is zero, if they were counted.
    uncorrected : array of shape (n_classes, n_features), or None
        Class means of the values as they are, where ``means`` are those of the values less the effects of batches.
    """

    center: FloatArray
    scale: FloatArray
    centroids: FloatArray
    means: FloatArray
    variances: FloatArray
    variance: FloatArray
    known: BoolArray
    balance: FloatArray
    weights: FloatArray
    zeros: FloatArray | None = None
    uncorrected: FloatArray | None = None

    @property
    def measured(self) -> FloatArray:
        """Class means of the values as they were measured, (n_classes, n_features)."""
        return self.means if self.uncorrected is None else self.uncorrected

    @property
    def total(self) -> float:
        """Sum of the balanced weights."""
        return float(self.balance @ self.weights)

    def is_off_more(self) -> BoolArray:
        """True where a feature is zero in a larger share of a class than of all other samples, (n_classes, n_features).

        False everywhere if zeros were not counted.
        """
        if self.zeros is None:
            return np.zeros(self.means.shape, dtype=bool)
        own, others = self.weights[:, None], (self.weights.sum() - self.weights)[:, None]
        elsewhere = self.zeros.sum(axis=0) - self.zeros
        # Shares are compared without division: a class may be unknown.
        found: BoolArray = self.zeros * others > elsewhere * own + _ROUNDING * own * others
        return found

    def of(self, values: FloatArray, features: IntArray) -> FloatArray:
        """Some columns of a dense table, standardised."""
        z: FloatArray = (values - self.center[features]) / self.scale[features]
        return z


@dataclass(frozen=True, slots=True)
class Gaps:
    """Standardisation of the squared gaps (z - centroid)² of every class, about their mean, in units of ``scales``.

    Attributes
    ----------
    means, scales, variances : arrays of shape (n_classes, n_features)
        Balanced mean; standard deviation plus half its median over the features; variance in those units.
    """

    means: FloatArray
    scales: FloatArray
    variances: FloatArray


def class_means(sums: ColumnSums, shift: FloatArray) -> FloatArray:
    """Class means of a training part, by its sums of values less ``shift``; zero for classes that it lacks."""
    weights = sums.weights[0][:, None]
    found: FloatArray = np.where(weights > 0, sums.first[0] / np.where(weights > 0, weights, 1.0) + shift, 0.0)
    return found


def standard_of(sums: ColumnSums, shift: FloatArray, balance: FloatArray) -> Standard:
    """Standardise by the sums of one training part, which were taken of values less ``shift``."""
    weights, first, second = sums.weights[0], sums.first[0], sums.second[0]
    known = weights > 0
    divisors = np.where(known, weights, 1.0)[:, None]
    means = first / divisors
    scatters = second - divisors * means**2
    scatters[scatters <= _ROUNDING * second] = 0.0
    total = float(balance @ weights)
    center = balance @ first / total
    spread = np.sqrt(scatters.sum(axis=0) / max(float(weights.sum()) - int(known.sum()), 1.0))
    scale = spread + _SHARE_OF_MEDIAN * np.median(spread)
    mean_square = weights_mean(second, weights)
    overall = mean_square - weights_mean(first, weights) ** 2
    overall = np.sqrt(np.where(overall > _ROUNDING * mean_square, overall, 0.0))
    scale = np.where(scale > 0, np.maximum(scale, _LEAST * overall), overall)
    scale = np.where(scale > 0, scale, 1.0)
    variance = balance @ second / total - center**2
    return Standard(
        center + shift,
        scale,
        np.where(known[:, None], means - center, 0.0) / scale,
        np.where(known[:, None], means + shift, 0.0),
        scatters / divisors,
        np.maximum(variance, 0.0) / scale**2,
        known,
        balance,
        weights,
        None if sums.zeros is None else sums.zeros[0],
    )


def weights_mean(sums: FloatArray, weights: FloatArray) -> FloatArray:
    """Mean over all samples from class sums (n_classes, n_features)."""
    mean: FloatArray = sums.sum(axis=0) / weights.sum()
    return mean


def gaps_of(standard: Standard, sums: ColumnSums, shift: FloatArray) -> Gaps:
    """Standardise the squared gaps by the sums of one training part."""
    assert sums.third is not None
    assert sums.fourth is not None
    total, s = standard.total, standard.scale
    m = standard.center - shift
    second = standard.balance @ sums.second[0] / total
    third, fourth = sums.third[0] / total, sums.fourth[0] / total
    # Central moments of z from the powers of x less its shift; the mean of z is zero.
    z3 = (third - 3.0 * m * second + 2.0 * m**3) / s**3
    z4 = (fourth - 4.0 * m * third + 6.0 * m**2 * second - 3.0 * m**4) / s**4
    c = standard.centroids
    means = standard.variance + c**2
    fourths = z4 - 4.0 * c * z3 + 6.0 * c**2 * standard.variance + c**4
    squares = fourths - means**2
    # Every term of these sums is smaller than this, and rounding is a share of it.
    largest = ((np.abs(fourth) ** 0.25 + np.abs(m)) / s + np.abs(c)) ** 4
    spread = np.sqrt(np.where(squares > _ROUNDING * largest, squares, 0.0))
    scales = spread + _SHARE_OF_MEDIAN * np.median(spread, axis=1, keepdims=True)
    scales = np.where(scales > 0, scales, 1.0)
    return Gaps(means, scales, (spread / scales) ** 2)
