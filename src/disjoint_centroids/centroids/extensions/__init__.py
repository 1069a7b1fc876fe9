"""The classifiers that the paper's Discussion proposes: each swaps one piece of the nearest disjoint centroid."""

from disjoint_centroids.centroids.extensions.logistic import DisjointLogisticRegression
from disjoint_centroids.centroids.extensions.neighbours import DisjointKNeighborsClassifier
from disjoint_centroids.centroids.extensions.overlapping import OverlappingCentroidClassifier

__all__ = ["DisjointKNeighborsClassifier", "DisjointLogisticRegression", "OverlappingCentroidClassifier"]
