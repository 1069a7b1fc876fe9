"""Nearest disjoint centroid classifiers: for every class a short list of features that speaks for it alone."""

from importlib.metadata import version as _version

from disjoint_centroids.classifier import NearestDisjointCentroid
from disjoint_centroids.path import NearestDisjointCentroidCV, disjoint_centroid_path

__all__ = [
    "NearestDisjointCentroid",
    "NearestDisjointCentroidCV",
    "disjoint_centroid_path",
]

__version__ = _version("disjoint-centroids")
