"""Distances of each feature to the centre of each class: they decided who owns it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoint_centroids.centroids.search.problem import Problem
from disjoint_centroids.centroids.search.ties import exact_distances
from disjoint_centroids.numerics.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class FeatureDistances:
    """Distances (not squared) of features to centres.

    Attributes
    ----------
    to_classes : array of shape (n_classes, n_features)
        Infinite for a class that owns nothing.
    margin : array of shape (n_features,)
        Second smallest minus smallest distance, I_0's times lambda among them.
    """

    to_classes: FloatArray
    margin: FloatArray


def feature_distances(problem: Problem, owner: IntArray, lam: float | None) -> FeatureDistances:
    """Distances of all features to the centres that a partition (in class numbers) ends with."""
    clusters = problem.clusters(has_pool=lam is not None)
    squared = exact_distances(problem.table, clusters, owner + int(clusters.has_pool))
    distances = np.sqrt(squared)
    competing = distances.copy()
    if lam is not None:
        competing[0] = lam * distances[0] if np.isfinite(lam) else np.inf
    nearest = np.sort(competing, axis=0)[:2]
    with np.errstate(invalid="ignore"):  # with one feature and many classes there may be no second centre
        margin = nearest[1] - nearest[0]
    return FeatureDistances(distances[int(clusters.has_pool) :], margin)
