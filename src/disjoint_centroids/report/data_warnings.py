"""Reasons to trust results less: scale, imbalance, duplicates, few samples, an error no better than guessing.

The report and ``ndc fit`` show the same warnings, computed here.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from disjoint_centroids._listed import listed
from disjoint_centroids.report.formatting import percent
from disjoint_centroids.tables.scale import scale_advice

IMBALANCE = 3
FEW = 10
_NAMED = 5
_CLEARLY = 2.0  # standard errors by which an error must be below that of guessing
_CHOSEN = 3.0  # the same for the error of a candidate that was chosen by it, which is optimistic

Warnings = list[dict[str, str]]


def data_warnings(
    values: pd.DataFrame | None, labels: pd.Series, *, transformed: bool = False, inner_folds: int = 5
) -> Warnings:
    """List everything about a table that its reader should know before believing the error.

    Parameters
    ----------
    values : pandas.DataFrame or None
        Samples in rows; missing values are NaN. None for a table that is not in memory: only the classes are checked.
    labels : pandas.Series
        One label per sample.
    transformed : bool, default=False
        True if the model changes the scale, so that raw intensities and different units are no matter.
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
    found = [("imbalance", _imbalance(counts)), ("few samples", _few_samples(counts, inner_folds))]
    if values is not None:
        found = [
            ("scale", "" if transformed else scale_advice(values) or ""),
            ("missing", _missing(values)),
            found[0],
            ("duplicate samples", _duplicate_samples(values, labels)),
            ("duplicate features", _duplicate_features(values)),
            ("constant features", _constant_features(values)),
            found[1],
        ]
    return [{"kind": kind, "text": text} for kind, text in found if text]


def guessing_warnings(
    error: float | None, balanced_error: float | None, labels: pd.Series, *, chosen: bool = False
) -> Warnings:
    """Warn of a held-out error that is not clearly better than that of guessing.

    Guessing errs on all samples but those of the largest class, and on all classes but one where every class counts the
    same. An error that is lower than either by two standard errors, or three if it was the lowest of many, is better
    than guessing.

    Parameters
    ----------
    error, balanced_error : float or None
        Of samples that the model was not fitted on; None if it is not known.
    labels : pandas.Series
        One label per sample.
    chosen : bool, default=False
        True if the model was chosen by this error among others.

    Returns
    -------
    list of dict
        Empty, or one with ``kind`` "guessing" and ``text``.

    Examples
    --------
    >>> import pandas as pd
    >>> from disjoint_centroids.report.data_warnings import guessing_warnings
    >>> labels = pd.Series(["A", "B"] * 10)
    >>> guessing_warnings(0.1, 0.1, labels)
    []
    >>> [found["kind"] for found in guessing_warnings(0.45, 0.45, labels)]
    ['guessing']
    """
    if error is None:
        return []
    shares = labels.value_counts(normalize=True)
    least = 1.0 - float(shares.iloc[0])
    clearly = _CHOSEN if chosen else _CLEARLY
    if error < least - clearly * np.sqrt(least * (1 - least) / len(labels)):
        return []
    balanced = 1.0 - 1.0 / len(shares)
    # The classes' errors are of as many samples as each has.
    spread = np.sqrt(balanced * (1 - balanced) * np.sum(1.0 / labels.value_counts())) / len(shares)
    if balanced_error is not None and balanced_error < balanced - clearly * spread:
        return []
    text = (
        f"The held-out error, {percent(error)}, is not clearly better than guessing: always answering "
        f"“{shares.index[0]}” errs on {percent(least)} of the {len(labels)} samples. What the model says of single "
        "features may be chance as well."
    )
    return [{"kind": "guessing", "text": text}]


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
        f"“{counts.index[-1]}”. Always answering “{counts.index[0]}” errs on "
        f"{100 * (1 - largest / counts.sum()):.1f} % of the samples. The error mostly tells how large classes fare: "
        "look also at the balanced error, in which every class counts the same, and at the confusion matrix."
    )


def _duplicate_samples(values: pd.DataFrame, labels: pd.Series) -> str:
    groups = values.groupby(pd.util.hash_pandas_object(values, index=False).to_numpy(), sort=False).indices
    copies = [rows for rows in groups.values() if len(rows) > 1]
    if not copies:
        return ""
    equal = (" = ".join(map(str, values.index[rows][:_NAMED])) for rows in copies)
    text = (
        f"{listed(equal, _NAMED)}: samples with exactly the same values. If one of them is held out while its copy "
        "is trained on, the error comes out too low: keep one."
    )
    if any(labels.iloc[rows].nunique() > 1 for rows in copies):
        text += " Some of these carry different labels, so at least one label is wrong."
    return text


def _duplicate_features(values: pd.DataFrame) -> str:
    varying = values.loc[:, ~_is_constant(values) | values.isna().any(axis=0).to_numpy()].T
    repeated = varying.index[pd.util.hash_pandas_object(varying, index=False).duplicated().to_numpy()]
    if not len(repeated):
        return ""
    return (
        f"{_count(repeated, 'feature repeats', 'features repeat')} an earlier column exactly: "
        f"{listed(repeated, _NAMED)}. A repeated feature counts twice: drop it."
    )


def _constant_features(values: pd.DataFrame) -> str:
    constant = values.columns[_is_constant(values)]
    if not len(constant):
        return ""
    return (
        f"{_count(constant, 'feature has', 'features have')} the same value in every sample: "
        f"{listed(constant, _NAMED)}. Such a feature tells no class from another: drop it."
    )


def _is_constant(values: pd.DataFrame) -> np.ndarray:
    """For each column, True if it has no two different values; missing ones are passed over."""
    lowest, highest = values.min(axis=0).to_numpy(), values.max(axis=0).to_numpy()
    return np.asarray((lowest == highest) | (lowest != lowest))


def _few_samples(counts: pd.Series, inner_folds: int) -> str:
    few = counts[counts < FEW]
    if few.empty:
        return ""
    text = (
        f"{_class_sizes(few)}. With fewer than {FEW} samples in a class, an error is a rough figure: one sample more "
        "or less changes it visibly."
    )
    if counts.iloc[-1] < inner_folds:
        text += (
            f" The model is tuned with {inner_folds} folds, more than the smallest class has samples: some folds hold "
            "out none of them."
        )
    return text


def _class_sizes(few: pd.Series) -> str:
    named = (f"“{label}” has {count} sample{'' if count == 1 else 's'}" for label, count in few.items())
    others = "more class has" if len(few) == _NAMED + 1 else "more classes have"
    return listed(named, _NAMED, total=len(few), more=f"{others} fewer than {FEW}")


def _count(names: pd.Index, one: str, many: str) -> str:
    return f"{len(names)} {one if len(names) == 1 else many}"
