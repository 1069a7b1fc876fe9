"""Nearest disjoint centroid classifiers: for every class a short list of features of its own."""

from importlib.metadata import version
from typing import TYPE_CHECKING

from disjoint_centroids._lazy import lazy_names

if TYPE_CHECKING:
    from disjoint_centroids.centroids.classifier import NearestDisjointCentroid
    from disjoint_centroids.centroids.cross_validated import NearestDisjointCentroidCV
    from disjoint_centroids.centroids.extensions import (
        DisjointKNeighborsClassifier,
        DisjointLogisticRegression,
        OverlappingCentroidClassifier,
    )
    from disjoint_centroids.centroids.optimal import optimal_partition
    from disjoint_centroids.centroids.path import disjoint_centroid_path
    from disjoint_centroids.evaluation.stability import OwnershipStability
    from disjoint_centroids.panels import DisjointPanelClassifier

__all__ = [
    "DisjointKNeighborsClassifier",
    "DisjointLogisticRegression",
    "DisjointPanelClassifier",
    "NearestDisjointCentroid",
    "NearestDisjointCentroidCV",
    "OverlappingCentroidClassifier",
    "OwnershipStability",
    "disjoint_centroid_path",
    "optimal_partition",
]

__version__ = version("disjoint-centroids")

# The command line must not wait for scikit-learn.
_find = lazy_names(
    __name__,
    {
        "centroids": [
            "NearestDisjointCentroid",
            "NearestDisjointCentroidCV",
            "disjoint_centroid_path",
            "optimal_partition",
        ],
        "centroids.extensions": [
            "DisjointKNeighborsClassifier",
            "DisjointLogisticRegression",
            "OverlappingCentroidClassifier",
        ],
        "evaluation": ["OwnershipStability"],
        "panels": ["DisjointPanelClassifier"],
    },
)
if not TYPE_CHECKING:  # a type checker would believe every misspelt name
    __getattr__ = _find


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
