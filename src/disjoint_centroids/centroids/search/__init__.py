"""The search for partitions: Lloyd's algorithm on features, each cluster on its own samples. Arrays in, arrays out."""

from disjoint_centroids.centroids.search.choice import SAME_ERROR, Partition, Search, fit_partitions, search_partitions
from disjoint_centroids.centroids.search.exact_gaps import nearest_owner, squared_gaps_of_block, with_exact_gaps
from disjoint_centroids.centroids.search.feature_distances import FeatureDistances, feature_distances
from disjoint_centroids.centroids.search.gram_table import problem_of_sums, sketched_table
from disjoint_centroids.centroids.search.judge import Candidates, wrong_weights
from disjoint_centroids.centroids.search.lambdas import LamRange, lam_range, smallest_lam
from disjoint_centroids.centroids.search.problem import Problem, prepare
from disjoint_centroids.centroids.search.score import own_distances
from disjoint_centroids.centroids.search.settings import Settings
from disjoint_centroids.centroids.search.starts import KINDS

__all__ = [
    "KINDS",
    "SAME_ERROR",
    "Candidates",
    "FeatureDistances",
    "LamRange",
    "Partition",
    "Problem",
    "Search",
    "Settings",
    "feature_distances",
    "fit_partitions",
    "lam_range",
    "nearest_owner",
    "own_distances",
    "prepare",
    "problem_of_sums",
    "search_partitions",
    "sketched_table",
    "smallest_lam",
    "squared_gaps_of_block",
    "with_exact_gaps",
    "wrong_weights",
]
