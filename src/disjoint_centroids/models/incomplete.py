"""Prediction for samples that lack some features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from disjoint_centroids.centroids.base import DisjointCentroidBase
from disjoint_centroids.panels import DisjointPanelClassifier


@dataclass(frozen=True, slots=True)
class Incomplete:
    """Answers for samples that lack features, each (n_samples, n_classes).

    Attributes
    ----------
    scores : array
        The largest wins, as with complete samples.
    measured : array
        Distances, or for panels the scores.
    present : array
        Share of each class's features that the sample has.
    """

    scores: np.ndarray
    measured: np.ndarray
    present: np.ndarray


def judge_incomplete(classifier: Any, values: np.ndarray, lacking: np.ndarray) -> Incomplete:
    """Compute scores, distances and shares of samples; ``lacking`` is True for values that are missing.

    Both arrays are (n_samples, n_features); ``values`` is not read where ``lacking`` is True.
    """
    if classifier._kind == "panel":
        return _by_average(classifier, values, lacking)
    return _by_what_is_there(classifier, values, lacking)


def _by_what_is_there(classifier: DisjointCentroidBase, values: np.ndarray, lacking: np.ndarray) -> Incomplete:
    """Mean squared gaps over the features of a class that are present."""
    squared = classifier._squared_distances(values)
    present = np.ones_like(squared)
    for j in range(len(classifier.classes_)):
        features = classifier._features_of(j)
        if not features.size:
            continue
        there = ~lacking[:, features]
        counts = there.sum(axis=1)
        present[:, j] = counts / features.size
        # Samples that have all of a class's features keep the classifier's own figure.
        some = counts < features.size
        gaps = np.where(there, values[:, features] - classifier.centroids_[j, features], 0.0)[some]
        means = np.einsum("if,if->i", gaps, gaps) / np.where(counts[some] > 0, counts[some], np.nan)
        squared[some, j] = means if classifier._is_divided() else means * features.size
    scores = classifier._scores_of(np.where(np.isnan(squared), 0.0, squared))  # such a sample gets no label
    return Incomplete(scores, np.sqrt(squared), present)


def _by_average(classifier: DisjointPanelClassifier, values: np.ndarray, lacking: np.ndarray) -> Incomplete:
    """Replace the contribution of a missing feature by its average over the classes, which favours none of them."""
    model = classifier._model()
    features, owners = model.features, model.owners
    is_lacking = lacking[:, features]
    z_means = (classifier.centroids_[:, features] - model.center) / model.scale
    z_variances = classifier.variances_[:, features] / model.scale**2
    squares = (z_variances + (z_means - model.centroid) ** 2).mean(axis=0)
    average = model.weight * z_means.mean(axis=0) + model.curvature * squares
    added = np.where(is_lacking, average, model.contributions(values))
    membership = owners[:, None] == np.arange(len(model.panels))
    scores = classifier._with_ties(added @ membership + model.intercept)
    sizes = membership.sum(axis=0)
    present = 1.0 - (is_lacking @ membership.astype(np.intp)) / np.maximum(sizes, 1)
    return Incomplete(scores, scores, present)
