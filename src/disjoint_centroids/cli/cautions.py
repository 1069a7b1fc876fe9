"""Warnings about the data and a fitted model on standard error: those that the report has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from disjoint_centroids.cli.output import remark

if TYPE_CHECKING:
    import pandas as pd

    from disjoint_centroids.report.data_warnings import Warnings


def remark_on_data(values: pd.DataFrame | None, labels: Any) -> Warnings:
    """Print the warnings about a table, and return them; ``values`` is None if the table is not in memory.

    The scale is not among them: the remark on it comes with the choice of a transform.
    """
    import pandas as pd

    from disjoint_centroids.evaluation.methods import INNER_FOLDS
    from disjoint_centroids.report.data_warnings import data_warnings

    return _remark(data_warnings(values, pd.Series(labels), transformed=True, inner_folds=INNER_FOLDS))


def remark_on_error(model: Any, labels: Any) -> Warnings:
    """Print a warning, and return it, if the held-out error of a fitted classifier is no better than guessing."""
    import pandas as pd

    from disjoint_centroids.report.data_warnings import guessing_warnings

    return _remark(guessing_warnings(*_held_out_errors(model, labels), pd.Series(labels), chosen=True))


def _remark(found: Warnings) -> Warnings:
    for warning in found:
        remark(warning["text"])
    return found


def _held_out_errors(model: Any, labels: Any) -> tuple[float | None, float | None]:
    """Error and balanced error of the samples that cross-validation held out; None for what is not known."""
    import numpy as np
    from sklearn.metrics import balanced_accuracy_score

    if hasattr(model, "cv_errors_"):
        return float(model.cv_errors_[list(model.lams_).index(model.lam_)].mean()), None
    if not hasattr(model, "held_out_scores_"):
        return None, None
    scores = model.held_out_scores_
    seen = ~np.isnan(scores).any(axis=1)
    if not seen.any():
        return None, None
    true, told = np.asarray(labels)[seen], model.classes_[scores[seen].argmax(axis=1)]
    return float(np.mean(told != true)), 1.0 - float(balanced_accuracy_score(true, told))
