"""The engine: arrays in, arrays out. Lloyd's algorithm on features, each cluster looking at its own samples."""

from disjoint_centroids.engine.choice import Partition, Search, fit_partitions, search_partitions
from disjoint_centroids.engine.columns import Columns, Standard, columns_of
from disjoint_centroids.engine.cut_back import columns_at, cut_back
from disjoint_centroids.engine.draft import Draft, Rules, draft
from disjoint_centroids.engine.feature_distances import FeatureDistances, feature_distances
from disjoint_centroids.engine.lambdas import LamRange, lam_range, smallest_lam
from disjoint_centroids.engine.moments import class_moments
from disjoint_centroids.engine.problem import LabelledRows, Problem, prepare
from disjoint_centroids.engine.ridge_fit import fit_ridge, indicator_residuals
from disjoint_centroids.engine.score import own_distances
from disjoint_centroids.engine.settings import Settings
from disjoint_centroids.engine.softmax_fit import EXACT, ROUGH, Scores, fit_softmax
from disjoint_centroids.engine.starts import KINDS
from disjoint_centroids.engine.temperature import fit_temperature
from disjoint_centroids.engine.terms import TERMS, PanelColumns, Terms, panel_columns
from disjoint_centroids.engine.threads import default_threads
from disjoint_centroids.engine.types import TIE

__all__ = [
    "EXACT",
    "KINDS",
    "ROUGH",
    "TERMS",
    "TIE",
    "Columns",
    "Draft",
    "FeatureDistances",
    "LabelledRows",
    "LamRange",
    "PanelColumns",
    "Partition",
    "Problem",
    "Rules",
    "Scores",
    "Search",
    "Settings",
    "Standard",
    "Terms",
    "class_moments",
    "columns_at",
    "columns_of",
    "cut_back",
    "default_threads",
    "draft",
    "feature_distances",
    "fit_partitions",
    "fit_ridge",
    "fit_softmax",
    "fit_temperature",
    "indicator_residuals",
    "lam_range",
    "own_distances",
    "panel_columns",
    "prepare",
    "search_partitions",
    "smallest_lam",
]
