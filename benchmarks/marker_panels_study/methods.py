"""The programs of the study: a name, the probe that runs it, and what the page says of it.

To enter another, write a probe and add a line here; the next run does only what is new.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

SIZES = (2, 5, 10)
"""Markers per class."""


@dataclass(frozen=True, slots=True)
class Method:
    """A program: the file of its probe, its options, the package that must be there, and words about it."""

    probe: str
    about: str
    options: dict[str, Any] = field(default_factory=dict)
    package: str = ""
    is_ours: bool = False


OURS: dict[str, Method] = {
    "Panels": Method(
        "disjoint_panels.py",
        "`DisjointPanelClassifier(rounds=s)`, the method of `ndc fit --rounds s`",
        is_ours=True,
    ),
    "Panels, up": Method(
        "disjoint_panels.py",
        '`DisjointPanelClassifier(rounds=s, direction="up")`: a class owns only features that are higher in it',
        {"direction": "up"},
        is_ours=True,
    ),
}

DEFAULT, UP = OURS
"""Ours with which the page compares the others, and ours with the rule that lists for stains need."""

RIVALS: dict[str, Method] = {
    **{
        f"scanpy {method}": Method(
            "scanpy_ranking.py",
            f'`scanpy.tl.rank_genes_groups(method="{method}")`, every class against the rest',
            {"method": method},
            "scanpy",
        )
        for method in ("t-test", "wilcoxon", "logreg")
    },
    "COSG": Method("cosg_ranking.py", "`cosg.cosg(mu=1)`, the settings of its documentation", package="cosg"),
    "NS-Forest": Method(
        "nsforest_markers.py",
        "the markers that it names for a class, then the other genes that it lists, by binary score: at most ten per "
        "class, fewer where fewer have a median above zero",
        package="nsforest",
    ),
    "scGeneFit": Method(
        "scgenefit_markers.py",
        '`get_markers(method="centers", redundancy=0.25)`, as in its example; it names no classes',
        package="scGeneFit",
    ),
    "Spapros": Method(
        "spapros_probes.py",
        "`ProbesetSelector` with its default settings, among 1000 highly variable genes as in its tutorial; it names "
        "no classes",
        package="spapros",
    ),
    "mRMR": Method(
        "mrmr_features.py", "`mrmr.mrmr_classif`, which selects without regard to classes", package="mrmr-selection"
    ),
    "Random forest": Method(
        "forest_importance.py",
        "scikit-learn's `RandomForestClassifier` with 200 trees: the features with the largest mean decrease of "
        "impurity; it names no classes",
        package="scikit-learn",
    ),
    "L1 logistic": Method(
        "l1_logistic.py",
        "scikit-learn's `LogisticRegression` with an L1 penalty, every class against the rest, with the strongest "
        "penalty that leaves as many features",
        package="scikit-learn",
    ),
}

METHODS: dict[str, Method] = OURS | RIVALS
