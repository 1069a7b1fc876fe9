"""Summary of a comparison: one row per method."""

from __future__ import annotations

import numpy as np
import pandas as pd

from disjoint_centroids.evaluation.intervals import error_interval, repeat_errors


def comparison_summary(table: pd.DataFrame) -> pd.DataFrame:
    """Average the results of :func:`disjoint_centroids.evaluation.comparison.compare` over repeats and folds.

    Parameters
    ----------
    table : pandas.DataFrame
        One row per method, repeat and fold.

    Returns
    -------
    pandas.DataFrame
        One row per method, the lowest error first: ``error``, the share of samples, averaged over the repeats;
        ``standard_error``, that of one run through the folds,
        averaged over the repeats (repeats of the same samples do not make it smaller); ``low`` and ``high``, the 95 %
        confidence interval, in which every sample counts once; ``lowest`` and ``highest``, the range over the repeats;
        ``balanced_error``, ``features`` and ``seconds``.

    Examples
    --------
    >>> import pandas as pd
    >>> from disjoint_centroids.evaluation.comparison_summary import comparison_summary
    >>> fold = {"method": "NC", "repeat": 0, "samples": 50, "balanced_error": 0.2, "features": 4, "seconds": 0.1}
    >>> table = pd.DataFrame([fold | {"error": 0.1}, fold | {"error": 0.3}])
    >>> comparison_summary(table)[["error", "standard_error"]].loc["NC"].round(6).tolist()
    [0.2, 0.1]
    """
    summary = table.groupby("method")[["error", "balanced_error", "features", "seconds"]].mean()
    repeats = repeat_errors(table).groupby("method")
    summary["error"] = repeats.mean()
    runs = table.groupby(["method", "repeat"])["error"]
    counts = table.groupby(["method", "repeat"])["samples"].sum().groupby("method").max()
    pairs = zip(summary["error"], counts.loc[summary.index], strict=True)
    ends = [error_interval(error, int(n_samples)) for error, n_samples in pairs]
    columns = {
        "standard_error": (runs.std() / np.sqrt(runs.size())).groupby("method").mean(),
        "low": [low for low, _ in ends],
        "high": [high for _, high in ends],
        "lowest": repeats.min(),
        "highest": repeats.max(),
    }
    for at, (name, values) in enumerate(columns.items()):
        summary.insert(1 + at, name, values)
    return summary.sort_values(["error", "features"], kind="stable")
