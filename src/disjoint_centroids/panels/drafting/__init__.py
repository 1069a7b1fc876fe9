"""Draft of features by the classes, and the scores fitted to the picks; all on arrays."""

from disjoint_centroids.panels.drafting.batch_effects import (
    BatchRowSource,
    batch_effects,
    joined_batches,
    sums_without,
)
from disjoint_centroids.panels.drafting.cut_back import columns_of, cut_back
from disjoint_centroids.panels.drafting.draft import (
    TERMS,
    Draft,
    Plan,
    TermsKind,
    run_drafts,
)
from disjoint_centroids.panels.drafting.logistic_fit import (
    EXACT,
    ROUGH,
    Coefficients,
    Columns,
    Observations,
    fit_logistic,
)
from disjoint_centroids.panels.drafting.minimum import crowded_classes, least_cost
from disjoint_centroids.panels.drafting.products import (
    AllPairs,
    GramSource,
    NewColumns,
    PairProducts,
    Picked,
    RowSource,
    Source,
)
from disjoint_centroids.panels.drafting.ridge import GrowingRidge, RidgeSolver, own_coefficients, spread_out, system_of
from disjoint_centroids.panels.drafting.rules import Rules, rules_in_units_of, with_longer_panels
from disjoint_centroids.panels.drafting.standard import Gaps, Standard, class_means, gaps_of, standard_of

__all__ = [
    "EXACT",
    "ROUGH",
    "TERMS",
    "AllPairs",
    "BatchRowSource",
    "Coefficients",
    "Columns",
    "Draft",
    "Gaps",
    "GramSource",
    "GrowingRidge",
    "NewColumns",
    "Observations",
    "PairProducts",
    "Picked",
    "Plan",
    "RidgeSolver",
    "RowSource",
    "Rules",
    "Source",
    "Standard",
    "TermsKind",
    "batch_effects",
    "class_means",
    "columns_of",
    "crowded_classes",
    "cut_back",
    "fit_logistic",
    "gaps_of",
    "joined_batches",
    "least_cost",
    "own_coefficients",
    "rules_in_units_of",
    "run_drafts",
    "spread_out",
    "standard_of",
    "sums_without",
    "system_of",
    "with_longer_panels",
]
