"""Builders of all methods that commands, reports, comparisons and AnnData functions fit.

``ndc fit``, ``ndc report``, ``ndc compare``, ``ndc stability``, ``ndc demo`` and
:func:`disjoint_centroids.markers.disjoint_markers` all call :func:`build_method`: the same table, options and
seed give the same model everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from disjoint_centroids.centroids.classifier import NearestDisjointCentroid
from disjoint_centroids.centroids.cross_validated import NearestDisjointCentroidCV
from disjoint_centroids.evaluation.peers.classifiers import L1LogisticCV, ShrunkenCentroidCV, inner_splitter
from disjoint_centroids.panels import DisjointPanelClassifier

INNER_FOLDS = 5
"""Default number of folds for tuning."""

RESTARTS = 100
"""Default number of restarts of NDC and NDC-S, that of the paper."""

NEIGHBOURS = 15


@dataclass(frozen=True, slots=True)
class TrainingPart:
    """Training labels, folds to tune with, seed and restarts: everything that a method may be built from.

    Attributes
    ----------
    y : array of shape (n_samples,)
        Labels of the training samples.
    inner_folds : int
        Folds to tune with.
    seed : int, RandomState instance or None
        For everything random.
    n_init : int
        Restarts of NDC and NDC-S.
    """

    y: np.ndarray
    inner_folds: int = INNER_FOLDS
    seed: Any = 0
    n_init: int = RESTARTS

    def splitter(self) -> StratifiedKFold:
        """Stratified folds for methods that do not make their own, no more than the smallest class has samples."""
        return inner_splitter(self.y, self.inner_folds, self.seed)


Builder = Callable[..., BaseEstimator]
"""Function from a :class:`TrainingPart` to an estimator; those of our own methods take its parameters too."""


def _panel(part: TrainingPart, **parameters: Any) -> BaseEstimator:
    return DisjointPanelClassifier(**{"cv": part.inner_folds, "random_state": part.seed} | parameters)


def _ndc(part: TrainingPart, **parameters: Any) -> BaseEstimator:
    return NearestDisjointCentroid(**{"n_init": part.n_init, "random_state": part.seed} | parameters)


def _ndc_s(part: TrainingPart, **parameters: Any) -> BaseEstimator:
    if parameters.get("lam") is not None:  # a lambda that is given needs no folds to choose it
        return _ndc(part, **{name: value for name, value in parameters.items() if name != "rule"})
    own = {"n_init": part.n_init, "cv": part.inner_folds, "random_state": part.seed}
    return NearestDisjointCentroidCV(**own | {name: value for name, value in parameters.items() if name != "lam"})


METHODS: dict[str, Builder] = {
    "Panel": _panel,
    "NDC": _ndc,
    "NDC-S": _ndc_s,
    "NC": lambda part: NearestCentroid(),
    "NSC": lambda part: ShrunkenCentroidCV(cv=part.inner_folds, random_state=part.seed),
    "KNN": lambda part: KNeighborsClassifier(min(NEIGHBOURS, len(part.y))),
    "LDA": lambda part: LinearDiscriminantAnalysis(),
    "SVM": lambda part: make_pipeline(StandardScaler(), SVC(gamma="auto")),
    "Logistic": lambda part: L1LogisticCV(cv=part.inner_folds, random_state=part.seed),
    "Panel own": lambda part, **parameters: _panel(part, **{"reads": "own"} | parameters),
    "NDC auto": lambda part, **parameters: _ndc(part, **{"init": "auto"} | parameters),
    "NDC-S auto": lambda part, **parameters: _ndc_s(part, **{"init": "auto"} | parameters),
}
"""Builder of every method, by the name that comparisons give it."""

OURS = {"panel": "Panel", "ndc": "NDC", "ndc-s": "NDC-S"}
"""Names of our own methods in ``METHODS``, by the names that commands and AnnData functions take."""


def build_method(name: str, part: TrainingPart, **parameters: Any) -> BaseEstimator:
    """Build a method, not yet fitted, for a training part.

    Parameters
    ----------
    name : str
        A name of ``METHODS``.
    part : TrainingPart
        Labels of the samples that it will be fitted on, folds to tune with, seed, restarts.
    **parameters
        Of the estimator, for our own methods; in place of those that follow from ``part``. ``lam`` makes "NDC-S" the
        classifier with that lambda.

    Returns
    -------
    estimator
        Unfitted.

    Examples
    --------
    >>> import numpy as np
    >>> from disjoint_centroids.evaluation.methods import TrainingPart, build_method
    >>> part = TrainingPart(np.repeat(["a", "b"], 20), seed=3)
    >>> build_method("Panel", part, rounds=10)
    DisjointPanelClassifier(random_state=3, rounds=10)
    >>> build_method("NDC-S", part, lam=0.5)
    NearestDisjointCentroid(lam=0.5, random_state=3)
    """
    return method_builder(name)(part, **parameters)


def method_builder(name: str) -> Builder:
    """Builder of a named method.

    Parameters
    ----------
    name : str
        A name of ``METHODS``.

    Returns
    -------
    callable
        Takes a :class:`TrainingPart`.

    Examples
    --------
    >>> from disjoint_centroids.evaluation.methods import method_builder
    >>> from disjoint_centroids.evaluation.methods import TrainingPart
    >>> method_builder("NC")(TrainingPart(["a", "b"]))
    NearestCentroid()
    """
    if name not in METHODS:
        raise ValueError(f"There is no method {name!r}. The names are: {', '.join(METHODS)}.")
    return METHODS[name]
