"""Fitted scores of a panel classifier: the coefficients of every class on the panels that it reads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from disjoint_centroids.numerics.stored import dense
from disjoint_centroids.panels import drafting


@dataclass(frozen=True, slots=True)
class PanelModel:
    """A score for every class: ``intercept + sum(weight * z) + sum(curvature * (z - centroid) ** 2)``.

    The first sum is over the panels that a class reads, the second over its own panel.

    Attributes
    ----------
    panels : tuple of n_classes arrays
        Features of each class, in the order of picking.
    center, scale : arrays of shape (n_owned,)
        Standardisation of the owned features, panel after panel, to z.
    weight : array of shape (n_classes, n_owned)
        Coefficients of z; zero where a class does not read.
    curvature, centroid : arrays of shape (n_owned,)
        Coefficient of the squared gap in the score of the owner, and the centroid of the owner, in units of z.
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

    def curvatures(self) -> np.ndarray:
        """Coefficients of the squared gaps in the scores of all classes, (n_classes, n_owned)."""
        found = np.zeros_like(self.weight)
        found[self.owners, np.arange(self.owners.size)] = self.curvature
        return found

    def contributions(self, values: Any) -> np.ndarray:
        """Contribution of each owned feature to the score of each class, (n_samples, n_classes, n_owned)."""
        z = self.standardised(values)
        added = self.weight * z[:, None, :]
        added[:, self.owners, np.arange(z.shape[1])] += self.curvature * (z - self.centroid) ** 2
        return added

    def scores(self, values: Any) -> np.ndarray:
        """Score of every class, (n_samples, n_classes)."""
        return self.scores_of(self.standardised(values))

    def scores_of(self, z: np.ndarray) -> np.ndarray:
        """Scores from the standardised values of the owned features, (n_samples, n_owned)."""
        scores = z @ self.weight.T + self.intercept
        return scores + self.squared_sums(z) if self.curvature.any() else scores

    def squared_sums(self, z: np.ndarray) -> np.ndarray:
        """Sums of the squared gaps times their coefficients, (n_samples, n_classes)."""
        return np.asarray((z - self.centroid) ** 2 @ self.curvatures().T)

    def shifted(self, offsets: np.ndarray) -> PanelModel:
        """Copy of the model with ``offsets`` added to the scores of the classes."""
        return replace(self, intercept=self.intercept + offsets)

    def in_units_of(self, unit: float) -> PanelModel:
        """Copy for values that are ``unit`` times as large as those that the model was fitted to."""
        return replace(self, center=self.center * unit, scale=self.scale * unit)

    def distances(self, values: Any, centroids: np.ndarray) -> np.ndarray:
        """Mean squared gap over the owned features to the nearest centroid, (n_samples,), in units of z.

        ``centroids`` are those of all classes, (n_classes, n_owned).
        """
        return self.distances_of(self.standardised(values), centroids)

    @staticmethod
    def distances_of(z: np.ndarray, centroids: np.ndarray) -> np.ndarray:
        """The same from standardised values."""
        gaps = [np.einsum("if,if->i", z - centroid, z - centroid) for centroid in centroids]
        return np.min(gaps, axis=0) / max(z.shape[1], 1)

    def standardised(self, values: Any) -> np.ndarray:
        """Standardised values of the owned features, (n_samples, n_owned)."""
        return (dense(values[:, self.features]) - self.center) / self.scale


def as_model(
    standard: drafting.Standard,
    gaps: drafting.Gaps | None,
    features: np.ndarray,
    owners: np.ndarray,
    found: drafting.Coefficients,
) -> PanelModel:
    """Model of picks with their coefficients; the standardisation of the squared gaps is folded into them."""
    n_classes = standard.known.size
    order = np.argsort(owners, kind="stable")
    features, owners = features[order], owners[order]
    panels = tuple(features[owners == j] for j in range(n_classes))
    curvature, intercept = np.zeros(features.size), found.intercepts.copy()
    if gaps is not None:
        curvature = found.squared[order] / gaps.scales[owners, features]
        intercept -= np.bincount(owners, curvature * gaps.means[owners, features], n_classes)
        sizes = np.bincount(owners, minlength=n_classes)
        curvature -= found.distance / sizes[owners]
    return PanelModel(
        panels,
        standard.center[features],
        standard.scale[features],
        np.ascontiguousarray(found.linear[order].T),
        curvature,
        standard.centroids[owners, features],
        intercept,
    )
