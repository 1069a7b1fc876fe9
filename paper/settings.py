"""What is run: the paper's experiments, how often, and with which methods. Everything else follows from here."""

from __future__ import annotations

from dataclasses import dataclass

from disjoint_centroids.comparison import METHODS

REAL_SETS = ("chowdary-2006", "golub-1999-v1", "west-2001")
SCALES = {"as distributed": "none", "log2": "log2"}
"""The paper used the values as distributed (10 to 16000); on their logarithm everything is better."""

SELECTION_SET = "west-2001"
ALL_METHODS = tuple(METHODS)
OUTER_FOLDS = 3
INNER_FOLDS = 5


@dataclass(frozen=True, slots=True)
class Study:
    """How much of everything."""

    name: str
    repetitions: int  # of each simulation setting
    splits: int  # of each real set
    selection_runs: int
    n_init: int = 100


STUDIES = {
    "quick": Study("quick", repetitions=5, splits=3, selection_runs=5),
    "full": Study("full", repetitions=50, splits=20, selection_runs=100),
}
