"""Methods of the benchmark: a name, how it is built from a training part, and what the page says of it.

To enter another, add a line to ``RIVALS`` or ``OURS``; the next run does only what is new.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from disjoint_centroids import DisjointPanelClassifier, NearestDisjointCentroid, NearestDisjointCentroidCV
from disjoint_centroids.evaluation import Builder, TrainingPart
from disjoint_centroids.evaluation.peers.classifiers import L1LogisticCV, ShrunkenCentroidCV
from real_data_study.clanc import ClassSpecificCentroidCV
from real_data_study.rank_panels import RankPanelCV

OUTER_FOLDS = 3
INNER_FOLDS = 5
REPEATS = 5
N_INIT = 20
"""Restarts of what searches for a partition of the features; the paper's 100 would take five times as long."""

TREES = 200


@dataclass(frozen=True, slots=True)
class Method:
    """A method: its builder, the words of the page about it, and the number of repeats it takes part in.

    ``about`` is the method's line in the list of methods, ``gives`` what a user gets from it, in a few words.
    """

    build: Builder
    about: str
    gives: str = ""
    repeats: int = REPEATS


def _standardised(model: BaseEstimator) -> Pipeline:
    return make_pipeline(StandardScaler(), model)


def _centred(model: BaseEstimator) -> Pipeline:
    """Columns centred on the training part: NDC compares features with each other, and levels of genes say nothing."""
    return make_pipeline(StandardScaler(with_std=False), model)


def _ndc(part: TrainingPart, **settings: bool) -> NearestDisjointCentroid:
    return NearestDisjointCentroid(n_init=part.n_init, random_state=part.seed, **settings)


def _logistic(part: TrainingPart) -> BaseEstimator:
    from disjoint_centroids.centroids.extensions import DisjointLogisticRegression

    return _centred(DisjointLogisticRegression(estimator=_ndc(part), cv=part.splitter(), random_state=part.seed))


def _neighbours(part: TrainingPart) -> BaseEstimator:
    from disjoint_centroids.centroids.extensions import DisjointKNeighborsClassifier

    return _centred(DisjointKNeighborsClassifier(estimator=_ndc(part)))


def _overlapping(part: TrainingPart) -> BaseEstimator:
    from disjoint_centroids.centroids.extensions import OverlappingCentroidClassifier

    return _centred(OverlappingCentroidClassifier(n_init=part.n_init, random_state=part.seed))


def _panel(**settings: Any) -> Builder:
    """Builder of panels with some settings that are not the default ones."""
    return lambda part: DisjointPanelClassifier(random_state=part.seed, **settings)


NO_LISTS = "no lists"
DISJOINT = "disjoint lists"
OVERLAPPING = "overlapping lists"
SHARED_OUT = "disjoint lists, all genes"

RIVALS: dict[str, Method] = {
    "Nearest centroid": Method(
        lambda part: _standardised(NearestCentroid()), "class means of standardised columns, all genes", NO_LISTS
    ),
    "NSC": Method(
        lambda part: ShrunkenCentroidCV(ties="fewest", cv=part.inner_folds, random_state=part.seed),
        "nearest shrunken centroids; the threshold is chosen by cross-validation, ties go to the fewest genes",
        OVERLAPPING,
    ),
    "ClaNC": Method(
        lambda part: ClassSpecificCentroidCV(cv=part.inner_folds, random_state=part.seed),
        "class-specific genes without overlap, nearest centroid on all of them; the number of genes per class is "
        "chosen by cross-validation",
        DISJOINT,
    ),
    "Rank panels": Method(
        lambda part: RankPanelCV(cv=part.inner_folds, random_state=part.seed),
        "every class gets the genes that separate it best one by one, no gene twice; the score of a class is a ridge "
        "regression on its own genes; the number of genes is chosen by cross-validation",
        DISJOINT,
    ),
    "L1 logistic": Method(
        lambda part: L1LogisticCV(cv=part.inner_folds, random_state=part.seed),
        "multinomial logistic regression with an L1 penalty on glmnet's path; the penalty is chosen by "
        "cross-validation",
        OVERLAPPING,
    ),
    "Linear SVM": Method(
        lambda part: _standardised(SVC(kernel="linear", C=0.1)), "standardised columns, C = 0.1, all genes", NO_LISTS
    ),
    "Random forest": Method(
        lambda part: RandomForestClassifier(TREES, n_jobs=1, random_state=part.seed),
        f"{TREES} trees, all genes",
        NO_LISTS,
    ),
}

OURS: dict[str, Method] = {
    "NDC": Method(
        lambda part: _centred(_ndc(part)),
        "the paper's Algorithm 1, columns centred; all genes",
        SHARED_OUT,
    ),
    "NDC-S": Method(
        lambda part: _centred(
            NearestDisjointCentroidCV(n_init=part.n_init, cv=part.splitter(), random_state=part.seed)
        ),
        "the paper's Algorithm 2, columns centred; lambda is chosen by cross-validation",
        DISJOINT,
        repeats=1,  # ten times the time of any other
    ),
    "NDC refined": Method(
        lambda part: _centred(_ndc(part, refine=True)),
        "NDC, then single genes are moved while this lowers the training loss. How much the loss has to fall for a "
        "move was decided with the results on chowdary-2006, golub-1999-v1 and west-2001 known; west-2001 is one of "
        "the sets not used in design",
        SHARED_OUT,
    ),
    "Disjoint logistic": Method(
        _logistic, "logistic regression on the distances to NDC's centroids; all genes", SHARED_OUT
    ),
    "Disjoint k-NN": Method(
        _neighbours,
        "15 nearest neighbours; the distance to a training sample is measured on the genes of its class",
        SHARED_OUT,
    ),
    "Overlapping": Method(
        _overlapping,
        "for each class on its own, a list of the genes that vary less around the class than around all samples",
        OVERLAPPING,
    ),
    "Panel": Method(
        _panel(),
        "`DisjointPanelClassifier()` with its default settings, the method of `ndc fit`; the number of genes and the "
        "kind of terms are chosen by cross-validation",
        DISJOINT,
    ),
    "Panel 10": Method(
        _panel(max_features_per_class=10),
        "`DisjointPanelClassifier(max_features_per_class=10)`, the method of `ndc fit --max-features-per-class 10`: 20 "
        "genes per class are drafted and cut back to 10",
        "disjoint lists, 10 genes per class",
    ),
    "Panel 1se": Method(
        _panel(rule="1se"),
        '`DisjointPanelClassifier(rule="1se")`, the method of `ndc fit --rule 1se`: the fewest genes within one '
        "standard error of the default panels",
        DISJOINT,
    ),
    "Panel own": Method(
        _panel(reads="own"),
        '`DisjointPanelClassifier(reads="own")`, the method of `ndc fit --reads own`: the score of a class reads its '
        "own genes only",
        DISJOINT,
    ),
}

METHODS: dict[str, Method] = RIVALS | OURS

PANELS = ("Panel", "Panel 10")
"""Panel classifiers with which the page compares all others. The first is the default one."""
