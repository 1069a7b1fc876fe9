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

_find = lazy_names(
    __name__,
    {
        "comparison": ["Comparison", "DEFAULT_METHODS", "PAPER_METHODS", "compare", "compare_with_predictions"],
        "false_selections": ["false_selection_bounds"],
        "held_out_predictions": ["HeldOutPredictions"],
        "intervals": ["error_interval", "repeat_errors"],
        "methods": ["Builder", "METHODS", "TrainingPart", "build_method"],
        "peers": ["L1LogisticCV", "ShrunkenCentroidCV"],
        "stability": ["OwnershipStability"],
        "trials": ["Outcome", "Trial", "evaluate", "fit_and_predict"],
    },
)
if not TYPE_CHECKING:  # a type checker would believe every misspelt name
    __getattr__ = _find


def __dir__() -> list[str]:
    return __all__
