"""Settings of the study: the paper's experiments, their repetitions and their methods."""

from __future__ import annotations

from dataclasses import dataclass

from disjoint_centroids.evaluation import PAPER_METHODS

N_INIT = 100
"""Restarts, as published."""

AUTO_METHODS = ("NDC auto", "NDC-S auto")
"""The paper's two classifiers with init="auto"."""

ALL_METHODS = (*PAPER_METHODS, *AUTO_METHODS)

PAPER = "https://arxiv.org/abs/2109.10436"
REAL_SETS = ("chowdary-2006", "golub-1999-v1", "west-2001")
SCALES = {"as distributed": "none", "log2": "log2"}
"""The paper used the values as distributed (10 to 16000)."""

PLAIN_FOLDS = "as distributed, plain folds"
"""The paper's scale again, with folds that do not keep the shares of the classes."""

OUTER_FOLDS = 3
INNER_FOLDS = 5

SELECTION_SET = "west-2001"
LAMBDAS = (0.04, 2.0, 40)
"""First, last and number of the lambdas along which the real sets are looked at."""

SHORT_GRID = tuple(tenth / 10 for tenth in range(1, 11))
"""Lambdas of somebody who thinks of lambda as a share: 0.1 to 1. The paper does not say which ones it tried."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """A block table whose distribution is known, for the ablation and the theory."""

    name: str
    k: int
    d: int
    mu: tuple[float, float]
    sigma: tuple[float, float]


ABLATION_BLOCKS = tuple(Blocks(f"c={c}", 4, 5, (c, 0.0), (1.0, 1.0 + c)) for c in (0.3, 0.6, 0.9))
ABLATION_SIZES = ((250, 250, 250, 250), (400, 200, 100, 50))
"""Samples of each class: as in Simulation 3 with d = 5, and unbalanced."""

THEORY_BLOCKS = (
    Blocks("four classes, variances differ", 4, 5, (0.0, 0.0), (1.0, 1.6)),
    Blocks("four classes, means and variances differ", 4, 5, (0.6, 0.0), (1.0, 1.6)),
    Blocks("two classes, variances differ", 2, 10, (0.0, 0.0), (1.0, 1.3)),
    Blocks("two classes, means and variances differ", 2, 10, (0.3, 0.0), (1.0, 1.3)),
)
THEORY_SIZES = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
"""Training samples of each class."""

THEORY_TEST_SIZE = 1000


@dataclass(frozen=True, slots=True)
class Study:
    """Numbers of repetitions, splits and runs."""

    name: str
    repetitions: int  # of each simulated setting, of the ablation and of the theory
    splits: int  # of each real set
    auto_splits: int  # the same for init="auto", which takes several times as long
    selection_runs: int


STUDIES = {
    "quick": Study("quick", repetitions=5, splits=2, auto_splits=0, selection_runs=2),
    "full": Study("full", repetitions=50, splits=20, auto_splits=10, selection_runs=100),
}
