"""Pictures of fitted models, in scikit-learn's Display convention. Needs the extra ``plots``."""

from disjoint_centroids.plots.centroids import CentroidDisplay
from disjoint_centroids.plots.class_matrix import ClassMatrixDisplay
from disjoint_centroids.plots.comparison import ComparisonDisplay
from disjoint_centroids.plots.dots import MarkerDotDisplay
from disjoint_centroids.plots.explanation import ExplanationDisplay
from disjoint_centroids.plots.partition import PartitionDisplay
from disjoint_centroids.plots.path import PathDisplay
from disjoint_centroids.plots.rounds import RoundsDisplay
from disjoint_centroids.plots.stability import StabilityDisplay

__all__ = [
    "CentroidDisplay",
    "ClassMatrixDisplay",
    "ComparisonDisplay",
    "ExplanationDisplay",
    "MarkerDotDisplay",
    "PartitionDisplay",
    "PathDisplay",
    "RoundsDisplay",
    "StabilityDisplay",
]
