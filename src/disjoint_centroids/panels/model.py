"""Fitted scores of a panel classifier: the coefficients of every class on its own panel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from disjoint_centroids.panels import drafting


@dataclass(frozen=True, slots=True)
class PanelModel:
    """A score for every class: ``intercept + sum(weight * z + curvature * (z - centroid) ** 2)`` over its own panel.

    Attributes
    ----------
    panels : tuple of n_classes arrays
        Features of each class, in the order of picking.
    center, scale : arrays of shape (n_owned,)
        Standardisation of the owned features, panel after panel, to z.
    weight, curvature, centroid : arrays of shape (n_owned,)
        Coefficients of z and of the squared gap, and the centroid of the owner, in units of z.
    intercept : array of shape (n_classes,)
    """

    panels: tuple[np.ndarray, ...]
    center: np.ndarray
    scale: np.ndarray
    weight: np.ndarray
    curvature: np.ndarray
    centroid: np.ndarray
    intercept: np.ndarray

    @property
    def features(self) -> np.ndarray:
        """Owned features, panel after panel."""
        return np.concatenate(self.panels)

    @property
    def owners(self) -> np.ndarray:
        """Class of each of ``features``."""
        return np.repeat(np.arange(len(self.panels)), [panel.size for panel in self.panels])

    def contributions(self, values: Any) -> np.ndarray:
        """Contribution of each owned feature to the score of its class, (n_samples, n_owned)."""
        z = self._standardised(values)
        return self.weight * z + self.curvature * (z - self.centroid) ** 2

    def scores(self, values: Any) -> np.ndarray:
        """Score of every class, (n_samples, n_classes)."""
        added = self.contributions(values)
        membership = np.zeros((added.shape[1], len(self.panels)))
        membership[np.arange(added.shape[1]), self.owners] = 1.0
        return added @ membership + self.intercept

    def shifted(self, offsets: np.ndarray) -> PanelModel:
        """Copy of the model with ``offsets`` added to the scores of the classes."""
        return replace(self, intercept=self.intercept + offsets)

    def distances(self, values: Any, centroids: np.ndarray) -> np.ndarray:
        """Mean squared gap over the owned features to the nearest centroid, (n_samples,), in units of z.

        ``centroids`` are those of all classes, (n_classes, n_owned).
        """
        z = self._standardised(values)
        gaps = [np.einsum("if,if->i", z - centroid, z - centroid) for centroid in centroids]
        return np.min(gaps, axis=0) / max(z.shape[1], 1)

    def _standardised(self, values: Any) -> np.ndarray:
        block = values[:, self.features]
        return ((block.toarray() if sparse.issparse(block) else block) - self.center) / self.scale


def as_model(
    standard: drafting.Standard, terms: drafting.PanelColumns, panels: tuple[np.ndarray, ...], found: drafting.Scores
) -> PanelModel:
    """Fold the standardisation of the squared gaps into coefficients and intercepts."""
    features = np.concatenate(panels)
    owners = np.repeat(np.arange(len(panels)), [panel.size for panel in panels])
    coefficients = np.concatenate(found.coefficients)
    weight, curvature = np.zeros(features.size), np.zeros(features.size)
    if terms.kind == "both":
        weight, curvature = coefficients[::2].copy(), coefficients[1::2].copy()
    elif terms.kind == "linear":
        weight = coefficients.copy()
    else:
        curvature = coefficients.copy()
    curvature /= terms.gap_scales[owners, features]
    shift = np.bincount(owners, curvature * terms.gap_means[owners, features], len(panels))
    return PanelModel(
        panels,
        standard.center[features],
        standard.scale[features],
        weight,
        curvature,
        standard.centroids[owners, features],
        found.intercepts - shift,
    )
