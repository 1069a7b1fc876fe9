"""What in a table makes its results less trustworthy: scale, imbalance, duplicates, few samples."""

from __future__ import annotations

import pandas as pd

from disjoint_centroids.datasets import raw_intensities

IMBALANCE = 3
FEW = 10
_NAMED = 5


def data_warnings(
    values: pd.DataFrame, labels: pd.Series, *, transformed: bool = False, inner_folds: int = 5
) -> list[dict[str, str]]:
    """Everything about a table that its reader should know before believing the error.

    Parameters
    ----------
    values : pandas.DataFrame
        Samples in rows; missing values are NaN.
    labels : pandas.Series
        A label a sample.
    transformed : bool, default=False
        Whether the model changes the scale, so that raw intensities are no matter.
    inner_folds : int, default=5
        Folds that the model is tuned with.

    Returns
    -------
    list of dict
        ``kind`` ("scale", "missing", "imbalance", "duplicate samples", "duplicate features", "constant features" or
        "few samples") and ``text``: what was found, why it matters, what to do.

    Examples
    --------
    >>> import pandas as pd
    >>> from disjoint_centroids.report.data_warnings import data_warnings
    >>> values = pd.DataFrame({"g1": range(20), "g2": 1.0})
    >>> labels = pd.Series(["A", "B"] * 10)
    >>> [found["kind"] for found in data_warnings(values, labels)]
    ['constant features']
    """
    counts = labels.value_counts()
    found = [
        ("scale", None if transformed else raw_intensities(values)),
        ("missing", _missing(values)),
        ("imbalance", _imbalance(counts)),
        ("duplicate samples", _duplicate_samples(values, labels)),
        ("duplicate features", _duplicate_features(values)),
        ("constant features", _constant_features(values)),
        ("few samples", _few_samples(counts, inner_folds)),
    ]
    return [{"kind": kind, "text": text} for kind, text in found if text]


def _missing(values: pd.DataFrame) -> str:
    missing = values.isna()
    if not missing.to_numpy().any():
        return ""
    return (
        f"{int(missing.to_numpy().sum())} values are missing, in {int(missing.any(axis=0).sum())} features and "
        f"{int(missing.any(axis=1).sum())} samples. They are filled in from the training samples of each fit."
    )


def _imbalance(counts: pd.Series) -> str:
    largest, smallest = counts.iloc[0], counts.iloc[-1]
    if largest < IMBALANCE * smallest:
        return ""
    return (
        f"The classes are of very different size: {largest} samples of “{counts.index[0]}”, {smallest} of "
        f"“{counts.index[-1]}”. Always answering “{counts.index[0]}” errs on only "
        f"{100 * (1 - largest / counts.sum()):.1f} % of the samples: look at the balanced error, in which every class "
        "counts the same, and at the confusion matrix."
    )


def _duplicate_samples(values: pd.DataFrame, labels: pd.Series) -> str:
    groups = values.groupby(pd.util.hash_pandas_object(values, index=False).to_numpy(), sort=False).indices
    copies = [rows for rows in groups.values() if len(rows) > 1]
    if not copies:
        return ""
    text = (
        f"{_list([' = '.join(map(str, values.index[rows][:_NAMED])) for rows in copies])}: samples with exactly the "
        "same values. If one of them is held out while its copy is trained on, the error comes out too low: keep one."
    )
    if any(labels.iloc[rows].nunique() > 1 for rows in copies):
        text += " Some of these carry different labels, so at least one label is wrong."
    return text


def _duplicate_features(values: pd.DataFrame) -> str:
    varying = values.loc[:, values.nunique(dropna=False).to_numpy() > 1].T
    repeated = varying.index[pd.util.hash_pandas_object(varying, index=False).duplicated().to_numpy()]
    if not len(repeated):
        return ""
    return (
        f"{_count(repeated, 'feature repeats', 'features repeat')} an earlier column exactly: {_list(repeated)}. "
        "A repeated feature counts twice: drop it."
    )


def _constant_features(values: pd.DataFrame) -> str:
    constant = values.columns[values.nunique().to_numpy() <= 1]
    if not len(constant):
        return ""
    return (
        f"{_count(constant, 'feature has', 'features have')} the same value in every sample: {_list(constant)}. "
        "Such a feature tells no class from another: drop it."
    )


def _few_samples(counts: pd.Series, inner_folds: int) -> str:
    few = counts[counts < FEW]
    if few.empty:
        return ""
    text = (
        f"{_list([f'“{label}” has {count}' for label, count in few.items()])} samples. With fewer than {FEW} in a "
        "class, an error is a rough figure: one sample more or less changes it visibly."
    )
    if counts.iloc[-1] < inner_folds:
        text += (
            f" The model is tuned with {inner_folds} folds, more than the smallest class has samples; "
            "fewer folds are used."
        )
    return text


def _count(names: pd.Index, one: str, many: str) -> str:
    return f"{len(names)} {one if len(names) == 1 else many}"


def _list(names: list[str] | pd.Index) -> str:
    more = len(names) - _NAMED
    return ", ".join(map(str, names[:_NAMED])) + (f" and {more} more" if more > 0 else "")
