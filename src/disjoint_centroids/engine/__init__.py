"""The engine: arrays in, arrays out. Lloyd's algorithm on features, each cluster looking at its own samples."""

from disjoint_centroids.engine.calibration import Calibration, fit_calibration
from disjoint_centroids.engine.cautious import cautious_temperature
from disjoint_centroids.engine.choice import Partition, Search, fit_partitions, search_partitions
from disjoint_centroids.engine.columns import Columns, Standard, columns_of
from disjoint_centroids.engine.compress import (
    GroupSums,
    RowBlock,
    moments_of_sums,
    nearest_owner,
    problem_of_sums,
    squared_gaps_of_block,
    sums_of_block,
    with_exact_gaps,
)
from disjoint_centroids.engine.cut_back import columns_at, cut_back
from disjoint_centroids.engine.draft import Draft, Rules, draft
from disjoint_centroids.engine.feature_distances import FeatureDistances, feature_distances
from disjoint_centroids.engine.judge import Candidates, wrong_weights
from disjoint_centroids.engine.lambdas import LamRange, lam_range, smallest_lam
from disjoint_centroids.engine.moments import Moments, class_moments
from disjoint_centroids.engine.problem import LabelledRows, Problem, prepare
from disjoint_centroids.engine.ranks import few_digits
from disjoint_centroids.engine.ridge_fit import JointRidge, fit_ridge, indicator_residuals
from disjoint_centroids.engine.score import own_distances
from disjoint_centroids.engine.settings import Settings
from disjoint_centroids.engine.sketch import Sketch, random_bits, rows_for
from disjoint_centroids.engine.softmax_fit import EXACT, ROUGH, Scores, fit_softmax
from disjoint_centroids.engine.starts import KINDS
from disjoint_centroids.engine.temperature import fit_temperature
from disjoint_centroids.engine.terms import TERMS, PanelColumns, Terms, panel_columns
from disjoint_centroids.engine.threads import default_threads, one_thread_a_product
from disjoint_centroids.engine.types import TIE

__all__ = [
    "EXACT",
    "KINDS",
    "ROUGH",
    "TERMS",
    "TIE",
    "Calibration",
    "Candidates",
    "Columns",
    "Draft",
    "FeatureDistances",
    "GroupSums",
    "JointRidge",
    "LabelledRows",
    "LamRange",
    "Moments",
    "PanelColumns",
    "Partition",
    "Problem",
    "RowBlock",
    "Rules",
    "Scores",
    "Search",
    "Settings",
    "Sketch",
    "Standard",
    "Terms",
    "cautious_temperature",
    "class_moments",
    "columns_at",
    "columns_of",
    "cut_back",
    "default_threads",
    "draft",
    "feature_distances",
    "few_digits",
    "fit_calibration",
    "fit_partitions",
    "fit_ridge",
    "fit_softmax",
    "fit_temperature",
    "indicator_residuals",
    "lam_range",
    "moments_of_sums",
    "nearest_owner",
    "one_thread_a_product",
    "own_distances",
    "panel_columns",
    "prepare",
    "problem_of_sums",
    "random_bits",
    "rows_for",
    "search_partitions",
    "smallest_lam",
    "squared_gaps_of_block",
    "sums_of_block",
    "with_exact_gaps",
    "wrong_weights",
]
