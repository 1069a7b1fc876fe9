"""Pictures of fitted models, in scikit-learn's Display convention. Needs the extra ``plots``."""

from disjoint_centroids.plots.centroids import CentroidDisplay
from disjoint_centroids.plots.comparison import ComparisonDisplay
from disjoint_centroids.plots.distances import DistanceDisplay
from disjoint_centroids.plots.explanation import ExplanationDisplay
from disjoint_centroids.plots.partition import PartitionDisplay
from disjoint_centroids.plots.path import PathDisplay

__all__ = [
    "CentroidDisplay",
    "ComparisonDisplay",
    "DistanceDisplay",
    "ExplanationDisplay",
    "PartitionDisplay",
    "PathDisplay",
]
