"""The paper's classifiers: nearest disjoint centroids, with and without feature selection."""

from disjoint_centroids.centroids.classifier import NearestDisjointCentroid
from disjoint_centroids.centroids.cross_validated import NearestDisjointCentroidCV
from disjoint_centroids.centroids.optimal import optimal_partition
from disjoint_centroids.centroids.path import disjoint_centroid_path

__all__ = ["NearestDisjointCentroid", "NearestDisjointCentroidCV", "disjoint_centroid_path", "optimal_partition"]
