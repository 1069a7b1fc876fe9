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
        Share of the features that each class owns, or of those in its distance, that the sample has.
    """

    scores: np.ndarray
    measured: np.ndarray
    present: np.ndarray


def judge_incomplete(classifier: Any, values: np.ndarray, lacking: np.ndarray) -> Incomplete:
    """Compute scores, distances and shares of samples; ``lacking`` is True for values that are missing.

    Both arrays are (n_samples, n_features); ``values`` is not read where ``lacking`` is True.
    """
    # A distance is a mean over features, and can be one over fewer; a score is a sum.
    judge = _by_what_is_there if classifier._measure == "distance" else _by_average
    return judge(classifier, values, lacking)


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
    """Replace the contributions of a missing feature by their averages over the classes, which favour none of them."""
    model = classifier._model()
    features = model.features
    is_lacking = lacking[:, features]
    z_means = (classifier.centroids_[:, features] - model.center) / model.scale
    z_variances = classifier.variances_[:, features] / model.scale**2
    squares = (z_variances + (z_means - model.centroid) ** 2).mean(axis=0)
    z = model.standardised(values)
    linear = np.where(is_lacking, z_means.mean(axis=0), z) @ model.weight.T
    squared = np.where(is_lacking, squares, (z - model.centroid) ** 2) @ model.curvatures().T
    scores = classifier._with_ties(linear + squared + model.intercept)
    owned = model.owners[:, None] == np.arange(len(model.panels))
    present = 1.0 - (is_lacking @ owned.astype(np.intp)) / np.maximum(owned.sum(axis=0), 1)
    return Incomplete(scores, scores, present)
