"""Warnings about the data and a fitted model, as in the report, on standard error."""

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

    error, balanced_error = model._held_out_errors(labels)
    return _remark(guessing_warnings(error, balanced_error, pd.Series(labels), chosen=True))


def _remark(found: Warnings) -> Warnings:
    for warning in found:
        remark(warning["text"])
    return found
