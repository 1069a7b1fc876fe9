"""Columns with which a feature enters the score of its class: its value, its squared gap to the centroid, or both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from disjoint_centroids.numerics.types import FloatArray, IntArray
from disjoint_centroids.panels.drafting.columns import Columns, Standard

TermsKind = Literal["linear", "squared", "both"]
TERMS: tuple[TermsKind, ...] = ("linear", "squared", "both")

_SHARE_OF_MEDIAN = 0.5
_PREFERRED = 1e-6  # with two classes every linear gain is tied: a feature goes to the class in which it is high


@dataclass(frozen=True, slots=True)
class PanelColumns:
    """Function from features to the columns of a class's score.

    Attributes
    ----------
    centroids : array of shape (n_classes, n_features)
        Class means of the standardised features.
    variance : array of shape (n_features,)
        Balanced variance of the standardised features.
    gap_means, gap_scales, gap_variances : arrays of shape (n_classes, n_features), or None
        Squared gaps to the class's centroid are standardised like the features: about their balanced mean, in units
        of their standard deviation plus half its median.
    """

    kind: TermsKind
    centroids: FloatArray
    variance: FloatArray
    gap_means: FloatArray
    gap_scales: FloatArray
    gap_variances: FloatArray

    @property
    def per_feature(self) -> int:
        """Number of columns per feature."""
        return 2 if self.kind == "both" else 1

    def of_class(self, label: int, z: FloatArray, features: IntArray) -> FloatArray:
        """Columns of some features (n_samples, n_features) for the score of a class, feature by feature."""
        if self.kind == "linear":
            return z
        gaps: FloatArray = (z - self.centroids[label, features]) ** 2
        gaps -= self.gap_means[label, features]
        gaps /= self.gap_scales[label, features]
        if self.kind == "squared":
            return gaps
        both: FloatArray = np.stack([z, gaps], axis=2).reshape(len(z), -1)
        return both

    def gains(self, columns: Columns, residual: FloatArray, penalty: float) -> FloatArray:
        """Decrease of each class's loss by one step on a feature's column, times the weight of the samples.

        Of two columns the better counts. A squared gap counts only with a negative coefficient: being far from the
        centroid of a class is evidence against the class.

        Parameters
        ----------
        columns : Columns
            Standardised table.
        residual : array of shape (n_samples, n_classes)
            Residuals of the scores, times the weights of the samples.
        penalty : float
            Ridge penalty.

        Returns
        -------
        array of shape (n_classes, n_features)
            Gains, none negative.
        """
        n_classes = residual.shape[1]
        share = (n_classes - 1) / n_classes
        linear = columns.products(residual)
        gains = np.zeros_like(linear)
        if self.kind != "squared":
            gains = linear**2 / (share * self.variance + penalty)
            gains *= np.where(linear > 0, 1.0 + _PREFERRED, 1.0)
        if self.kind != "linear":
            sums = residual.sum(axis=0)[:, None]
            squared = columns.square_products(residual) - 2.0 * self.centroids * linear
            squared += (self.centroids**2 - self.gap_means) * sums
            squared = np.minimum(squared / self.gap_scales, 0.0)
            gains = np.maximum(gains, squared**2 / (share * self.gap_variances + penalty))
        return gains


def panel_columns(kind: TermsKind, columns: Columns, weights: FloatArray) -> PanelColumns:
    """Fit the standardisation of all columns to training samples with balanced ``weights``."""
    standard: Standard = columns.standard
    first, second, third, fourth = columns.powers(weights) / weights.sum()
    c = standard.centroids
    variance = np.maximum(second - first**2, 0.0)
    means = second - 2.0 * c * first + c**2
    fourths = fourth - 4.0 * c * third + 6.0 * c**2 * second - 4.0 * c**3 * first + c**4
    spread = np.sqrt(np.maximum(fourths - means**2, 0.0))
    scales = spread + _SHARE_OF_MEDIAN * np.median(spread, axis=1, keepdims=True)
    scales = np.where(scales > 0, scales, 1.0)
    return PanelColumns(kind, c, variance, means, scales, (spread / scales) ** 2)
