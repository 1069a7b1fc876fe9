"""Checks of sums over rows: what they must still be able to tell."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from disjoint_centroids.rows.sums import GroupSums
from disjoint_centroids.rows.training import LARGEST, check_not_tiny, shown_features

_OUTSCALED = 1e5
"""Average scale of the features over their median, up to which inner products decide owners as differences do."""


def check_sums(estimator: BaseEstimator, sums: GroupSums) -> None:
    """Raise an error if the sums have lost what the search needs: numbers that are finite, and digits.

    A non-finite sum means that a block held a non-finite value, or one too large to be squared.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        variances = sums.scatters / np.where(sums.weights > 0, sums.weights, 1.0)[:, None]
        scales = np.maximum(np.abs(sums.means), np.sqrt(variances)).max(axis=0)
    check_usable(estimator, scales)
    if sums.products is not None:
        _check_scales(estimator, scales)


def check_usable(estimator: BaseEstimator, scales: np.ndarray) -> None:
    """Raise an error that names the features whose scale is not finite, too large or too small to be squared.

    ``scales`` (n_features,) come from sums over blocks of rows.
    """
    columns = np.flatnonzero(~(scales <= LARGEST))
    if columns.size:
        raise ValueError(
            "Input X contains NaN, infinity or values too large to be squared, in "
            f"{shown_features(estimator, columns)}. {type(estimator).__name__} needs a finite number in every cell: "
            "fill or drop them before (for example X.map_blocks(np.nan_to_num), or fillna on a frame)."
        )
    check_not_tiny(estimator, scales)


def _check_scales(estimator: BaseEstimator, scales: np.ndarray) -> None:
    """Raise an error if the largest features leave no digits to the others once the samples' means are taken out."""
    usual = float(np.median(scales[scales > 0])) if (scales > 0).any() else 0.0
    if scales.mean() > _OUTSCALED * usual:
        columns = np.flatnonzero(scales > _OUTSCALED * usual)
        raise ValueError(
            f"Input X holds values of about {scales.max():.2g} in {shown_features(estimator, columns)}, and of about "
            f"{usual:.2g} in half of the features. Sums over blocks of rows have no digits left for the smaller ones. "
            f"{type(estimator).__name__} needs features of comparable scale there: standardize X (for example with "
            "sklearn.preprocessing.StandardScaler), drop the large features, or fit the table in memory."
        )
