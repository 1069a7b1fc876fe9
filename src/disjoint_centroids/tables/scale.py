"""Advice on the scale of a table: logarithms for raw intensities, standardised columns for different units."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

_DECADES = 100.0
_WITHIN_TO_BETWEEN = 0.5
"""Spread within columns over spread between them (standard deviations of logarithms) below which columns have units of
their own. It is 0.15 for scikit-learn's wine table, 0.13 for its breast cancer table, and 0.8 or more for every table
of raw intensities of the CompCancer collection."""


def scale_advice(values: pd.DataFrame | ArrayLike) -> str | None:
    """Recommend a transform for values that are positive and range over more than two decades.

    Parameters
    ----------
    values : DataFrame or array of shape (n_samples, n_features)
        The table before any transform; missing values are passed over.

    Returns
    -------
    str or None
        What was seen and what to do: that of :func:`raw_intensities` or of :func:`mixed_units`, whichever it is.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from disjoint_centroids.tables.scale import scale_advice
    >>> print(scale_advice(load_wine().data))
    The columns are on very different levels (medians from 0.34 to 673.5), and samples differ much less within a column:
    they look like columns in different units. Methods that compare columns then see the large ones only. Give
    transform='standardize'.
    """
    return raw_intensities(values) or mixed_units(values)


def raw_intensities(values: pd.DataFrame | ArrayLike) -> str | None:
    """Recommend a logarithm if no value is negative and positive ones range over two decades, also within columns.

    Parameters
    ----------
    values : DataFrame or array of shape (n_samples, n_features)
        The table before any transform; missing values are passed over.

    Returns
    -------
    str or None
        What was seen and what to do; None if the values do not look raw.

    Examples
    --------
    >>> from disjoint_centroids.tables import raw_intensities
    >>> print(raw_intensities([[10.0, 16000.0], [250.0, 31.5]]))
    The values range from 10 to 16000 and none is negative: they look like raw intensities. On such data the scale
    matters more than the method. Unless they are logarithms already, give transform='log2'.
    >>> raw_intensities([[-1.2, 0.3], [2.5, 0.1]]) is None
    True
    >>> raw_intensities([[1.0, 1600.0], [1.1, 1700.0]]) is None  # the columns differ, not the samples
    True
    """
    numbers = np.asarray(values, dtype=np.float64)
    if not _ranges_widely(numbers) or _has_units(numbers):
        return None
    finite = numbers[np.isfinite(numbers)]
    zeros = not (finite > 0).all()
    transform = "'log1p' (log2 cannot take the zeros)" if zeros else "'log2'"
    return (
        f"The values range from {finite.min():.6g} to {finite.max():.6g} and none is negative: they look like raw "
        "intensities. On such data the scale matters more than the method. Unless they are logarithms already, give "
        f"transform={transform}."
    )


def mixed_units(values: pd.DataFrame | ArrayLike) -> str | None:
    """Recommend standardised columns if positive values range over two decades between columns, not within them.

    Parameters
    ----------
    values : DataFrame or array of shape (n_samples, n_features)
        The table before any transform; missing values are passed over.

    Returns
    -------
    str or None
        What was seen and what to do; None if the columns may have one unit.

    Examples
    --------
    >>> from disjoint_centroids.tables.scale import mixed_units
    >>> mixed_units([[1.0, 1600.0], [1.1, 1700.0]])[:39]
    'The columns are on very different level'
    """
    numbers = np.asarray(values, dtype=np.float64)
    if not _ranges_widely(numbers) or not _has_units(numbers):
        return None
    middle = 10.0 ** _logarithms(numbers)[0]
    return (
        f"The columns are on very different levels (medians from {middle.min():.4g} to {middle.max():.4g}), and "
        "samples differ much less within a column: they look like columns in different units. Methods that compare "
        "columns then see the large ones only. Give transform='standardize'."
    )


def _ranges_widely(numbers: np.ndarray) -> bool:
    """True if no value is negative, and the positive ones range over more than two decades."""
    finite = numbers[np.isfinite(numbers)]
    if finite.size == 0 or finite.min() < 0:
        return False
    positive = finite[finite > 0]
    return bool(positive.size and positive.max() / _DECADES > positive.min())


def _has_units(numbers: np.ndarray) -> bool:
    """True if columns differ from each other much more than samples do within a column."""
    middle, spread = _logarithms(numbers)
    return bool(np.median(spread) < _WITHIN_TO_BETWEEN * np.std(middle))


def _logarithms(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Median and standard deviation of the decimal logarithms of positive values, for each column that has some."""
    usable = np.isfinite(numbers) & (numbers > 0)
    columns = usable.any(axis=0)
    logarithms = np.log10(np.where(usable, numbers, 1.0)[:, columns])
    logarithms[~usable[:, columns]] = np.nan
    return np.nanmedian(logarithms, axis=0), np.nanstd(logarithms, axis=0)
