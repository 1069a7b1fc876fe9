"""Draft of features by the classes, and the scores fitted to the picks; all on arrays."""

from disjoint_centroids.panels.drafting.columns import Columns, Standard, columns_of
from disjoint_centroids.panels.drafting.cut_back import columns_at, cut_back
from disjoint_centroids.panels.drafting.draft import Draft, Rules, draft
from disjoint_centroids.panels.drafting.ridge_fit import JointRidge, fit_ridge, indicator_residuals
from disjoint_centroids.panels.drafting.softmax_fit import EXACT, ROUGH, Scores, fit_softmax
from disjoint_centroids.panels.drafting.terms import TERMS, PanelColumns, TermsKind, panel_columns

__all__ = [
    "EXACT",
    "ROUGH",
    "TERMS",
    "Columns",
    "Draft",
    "JointRidge",
    "PanelColumns",
    "Rules",
    "Scores",
    "Standard",
    "TermsKind",
    "columns_at",
    "columns_of",
    "cut_back",
    "draft",
    "fit_ridge",
    "fit_softmax",
    "indicator_residuals",
    "panel_columns",
]
