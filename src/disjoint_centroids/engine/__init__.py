"""The engine: arrays in, arrays out. Lloyd's algorithm on features, each cluster looking at its own samples."""

from disjoint_centroids.engine.choice import Partition, fit_partitions
from disjoint_centroids.engine.feature_distances import FeatureDistances, feature_distances
from disjoint_centroids.engine.lambdas import LamRange, lam_range, smallest_lam
from disjoint_centroids.engine.moments import class_moments
from disjoint_centroids.engine.problem import Problem, prepare
from disjoint_centroids.engine.score import own_distances
from disjoint_centroids.engine.settings import Settings
from disjoint_centroids.engine.starts import KINDS
from disjoint_centroids.engine.threads import default_threads
from disjoint_centroids.engine.types import TIE

__all__ = [
    "KINDS",
    "TIE",
    "FeatureDistances",
    "LamRange",
    "Partition",
    "Problem",
    "Settings",
    "class_moments",
    "default_threads",
    "feature_distances",
    "fit_partitions",
    "lam_range",
    "own_distances",
    "prepare",
    "smallest_lam",
]
