"""Confidence interval of an error that was measured on samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scipy.stats import beta

if TYPE_CHECKING:
    import pandas as pd

CONFIDENCE = 0.95
"""Confidence of the intervals that are printed."""


def error_interval(error: float, n_samples: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Clopper-Pearson interval of an error, in which every sample counts once.

    With repeated cross-validation, ``error`` is the mean over samples of each sample's mean error over the repeats:
    a sample is one observation, however often it was predicted.

    Parameters
    ----------
    error : float
        Share of the samples that were misclassified, the mean over repeats.
    n_samples : int
        Number of samples, each counted once.
    confidence : float, default=0.95
        Share of the tables whose interval holds the error that models fitted on parts of this size have on new samples.

    Returns
    -------
    tuple of float
        Lower and upper end.

    Notes
    -----
    Errors of cross-validation share their training samples and vary more than as many independent ones, and with few
    samples a bootstrap over samples is too narrow (no error seen: of width zero). The Clopper-Pearson interval is the
    widest of the usual ones for a share. A simulation of 3-fold cross-validation with 5 repeats (two classes, nearest
    centroid, 20 and 30 samples) is among the tests: the interval holds the error of such fits on new samples in 95 % of
    the tables or more, the range over the repeats in about half of them. A model fitted on all samples may be better
    than those fitted on parts.

    Examples
    --------
    Of 20 samples one in ten was wrong, and none:

    >>> from disjoint_centroids.evaluation.error_interval import error_interval
    >>> [round(float(end), 3) for end in error_interval(0.1, 20)]
    [0.012, 0.317]
    >>> [round(float(end), 3) for end in error_interval(0.0, 20)]
    [0.0, 0.168]
    """
    wrong, tail = error * n_samples, (1.0 - confidence) / 2.0
    right = n_samples - wrong
    # With repeats the number of wrong samples need not be whole: the quantiles are defined all the same.
    low = float(beta.ppf(tail, wrong, right + 1.0)) if wrong > 0.0 else 0.0
    high = float(beta.ppf(1.0 - tail, wrong + 1.0, right)) if right > 0.0 else 1.0
    return low, high


def repeat_errors(table: pd.DataFrame) -> pd.Series:
    """Error of every method in every repeat of a comparison: the share of all samples that were misclassified.

    Folds of different size weigh by their samples, so that every sample counts once.

    Parameters
    ----------
    table : pandas.DataFrame
        One row per method, repeat and fold, as :func:`disjoint_centroids.evaluation.comparison.compare` returns them.

    Returns
    -------
    pandas.Series
        One error per method and repeat.

    Examples
    --------
    >>> import pandas as pd
    >>> from disjoint_centroids.evaluation.error_interval import repeat_errors
    >>> table = pd.DataFrame({"method": "NC", "repeat": 0, "error": [0.5, 0.0], "samples": [4, 6]})
    >>> repeat_errors(table).tolist()
    [0.2]
    """
    keys = [table["method"], table["repeat"]]
    samples = table["samples"].where(table["error"].notna())
    errors: pd.Series = (table["error"] * samples).groupby(keys).sum() / samples.groupby(keys).sum()
    return errors
