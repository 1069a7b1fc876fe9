"""Methods built in one place, comparisons of them, the methods of other authors, and the stability of owners."""

from typing import TYPE_CHECKING

from disjoint_centroids._lazy import lazy_names

if TYPE_CHECKING:
    from disjoint_centroids.evaluation.comparison import (
        DEFAULT_METHODS,
        PAPER_METHODS,
        Comparison,
        compare,
        compare_with_predictions,
    )
    from disjoint_centroids.evaluation.false_selections import false_selection_bounds
    from disjoint_centroids.evaluation.held_out_predictions import HeldOutPredictions
    from disjoint_centroids.evaluation.intervals import error_interval, repeat_errors
    from disjoint_centroids.evaluation.methods import METHODS, Builder, TrainingPart, build_method
    from disjoint_centroids.evaluation.peers import L1LogisticCV, ShrunkenCentroidCV
    from disjoint_centroids.evaluation.stability import OwnershipStability
    from disjoint_centroids.evaluation.trials import Outcome, Trial, evaluate, fit_and_predict

__all__ = [
    "DEFAULT_METHODS",
    "METHODS",
    "PAPER_METHODS",
    "Builder",
    "Comparison",
    "HeldOutPredictions",
    "L1LogisticCV",
    "Outcome",
    "OwnershipStability",
    "ShrunkenCentroidCV",
    "TrainingPart",
    "Trial",
    "build_method",
    "compare",
    "compare_with_predictions",
    "error_interval",
    "evaluate",
    "false_selection_bounds",
    "fit_and_predict",
    "repeat_errors",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Builder": "methods",
        "Comparison": "comparison",
        "DEFAULT_METHODS": "comparison",
        "HeldOutPredictions": "held_out_predictions",
        "L1LogisticCV": "peers",
        "METHODS": "methods",
        "Outcome": "trials",
        "OwnershipStability": "stability",
        "PAPER_METHODS": "comparison",
        "ShrunkenCentroidCV": "peers",
        "TrainingPart": "methods",
        "Trial": "trials",
        "build_method": "methods",
        "compare": "comparison",
        "compare_with_predictions": "comparison",
        "error_interval": "intervals",
        "evaluate": "trials",
        "false_selection_bounds": "false_selections",
        "fit_and_predict": "trials",
        "repeat_errors": "intervals",
    },
)


def __dir__() -> list[str]:
    return __all__
