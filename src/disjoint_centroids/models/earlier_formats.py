"""Panels from earlier model files, brought to the form that this release fits."""

from __future__ import annotations

from typing import Any

import numpy as np

from disjoint_centroids.panels import DisjointPanelClassifier

LATER_PARAMETERS = {"allowed": None, "min_features_per_class": None, "direction": "any", "detection": None}
"""Parameters of panels that were added after the first files of format 2 were written, with their defaults."""

LATER_FACTS = ("batches_", "new_batch_share_")
"""Fitted attributes of panels that earlier files lack; None stands for what is not known."""


def bring_up(classifier: Any, written: int) -> None:
    """Bring a classifier, as a file of an earlier format holds it, up to date in place; its answers stay the same.

    Parameters
    ----------
    classifier : classifier
        As built from the file, the models of its folds still dicts.
    written : int
        Format of the file.
    """
    if isinstance(classifier, DisjointPanelClassifier):
        for name, default in LATER_PARAMETERS.items():
            setattr(classifier, name, getattr(classifier, name, default))
        for name in LATER_FACTS:
            setattr(classifier, name, vars(classifier).get(name))
        if written < 2:
            _let_classes_read_their_own(classifier)


def _let_classes_read_their_own(classifier: Any) -> None:
    """Panels of format 1: every class read its own panel only, linear terms were fitted by ridge regression."""
    classifier.reads, classifier.reads_, classifier.regression = "own", "own", "ridge"
    n_classes = len(classifier.classes_)
    for name in ("coef_", "curvature_"):
        setattr(classifier, name, _by_class(getattr(classifier, name), classifier.owner_, n_classes))
    classifier.regression_ = "ridge" if classifier.terms_ == "linear" else "logistic"
    tried = dict(classifier.cv_results_)
    regression = np.where(np.asarray(tried["terms"]) == "linear", "ridge", "logistic")
    classifier.cv_results_ = {"terms": tried.pop("terms"), "regression": regression, **tried}
    classifier.fold_models_ = [_with_all_classes(fold, n_classes) for fold in classifier.fold_models_]


def _with_all_classes(fold: dict[str, Any], n_classes: int) -> dict[str, Any]:
    """Model of a fold with all classes, where format 1 held only those that the fold knew."""
    known, model = fold["known"], fold["model"]
    panels = [np.empty(0, dtype=np.intp)] * n_classes
    intercept = np.zeros(n_classes)
    for j, panel, start in zip(known, model["panels"], model["intercept"], strict=True):
        panels[j], intercept[j] = panel, start
    owners = np.repeat(np.arange(n_classes), [len(panel) for panel in panels])
    weight = _by_class(model["weight"], owners, n_classes)
    return fold | {"model": model | {"panels": tuple(panels), "weight": weight, "intercept": intercept}}


def _by_class(coefficients: np.ndarray, owners: np.ndarray, n_classes: int) -> np.ndarray:
    """Coefficients of features, each in the row of its owner, (n_classes, n_features); zero elsewhere."""
    return np.where(owners == np.arange(n_classes)[:, None], coefficients, 0.0)
