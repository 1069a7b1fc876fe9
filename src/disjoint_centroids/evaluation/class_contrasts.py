"""Contrast of each class with the other classes, on the features that it owns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from disjoint_centroids.fitted import class_codes, classifier_of, columns_seen, feature_names

if TYPE_CHECKING:
    import pandas as pd

_NO_SPREAD = 1e-9  # of the whole spread: a deviation within classes that is rounding


def class_contrasts(estimator: Any, X: Any, y: Any, *, n_features: int = 10) -> pd.DataFrame:
    """Compare the means of the classes on the features that each owns.

    Parameters
    ----------
    estimator : classifier or Pipeline
        Fitted model, or a pipeline that ends in one; values are then those after its transforms.
    X : array-like of shape (n_samples, n_features)
        The table, training data or new.
    y : array-like of shape (n_samples,)
        Its labels.
    n_features : int, default=10
        At most so many features per class, those in which it stands out most.

    Returns
    -------
    pandas.DataFrame
        One row per class and feature: ``class``, ``feature``, ``stands_out`` (the mean of the class) and, for every
        class, ``mean_<class>``; all minus the average of the other classes' means, in units of the pooled standard
        deviation within classes. Sorted by class, then by how far the class stands out.

    Examples
    --------
    >>> from disjoint_centroids import NearestDisjointCentroid
    >>> from disjoint_centroids.datasets import make_blocks
    >>> from disjoint_centroids.evaluation.class_contrasts import class_contrasts
    >>> X, y = make_blocks(k=3, n=20, d=5, irrelevant=10, random_state=0)
    >>> model = NearestDisjointCentroid(n_init=10, random_state=0).fit(X, y)
    >>> class_contrasts(model, X, y, n_features=2).columns.tolist()
    ['class', 'feature', 'stands_out', 'mean_0', 'mean_1', 'mean_2']
    """
    import pandas as pd

    classifier = classifier_of(estimator)
    if n_features < 1:
        raise ValueError(f"n_features must be at least 1, the features of each class; got {n_features}.")
    used = np.unique(np.concatenate(classifier.feature_sets_))
    table = columns_seen(estimator, X, used)
    codes = class_codes(classifier.classes_, table, y)
    means = _class_means(table, codes, len(classifier.classes_))
    spread = _within_spread(table, codes, means)
    names = feature_names(estimator)[used]
    parts = []
    for j, features in enumerate(classifier.feature_sets_):
        own = np.searchsorted(used, features)
        others = np.delete(means[:, own], j, axis=0)
        shifted = (means[:, own] - _average_of_present(others)) / spread[own]
        # Without samples a class does not stand out at all: its features keep their order.
        top = np.argsort(-np.nan_to_num(np.abs(shifted[j])), kind="stable")[:n_features]
        columns = {"class": np.repeat(classifier.classes_[j], top.size), "feature": names[own[top]]}
        columns |= {"stands_out": shifted[j, top]}
        columns |= {f"mean_{c}": shifted[i, top] for i, c in enumerate(classifier.classes_)}
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def _class_means(table: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Means of each class, (n_classes, n_features); NaN for a class without samples."""
    sums = np.stack([table[codes == j].sum(axis=0) for j in range(n_classes)])
    sizes = np.bincount(codes, minlength=n_classes)[:, None]
    return np.divide(sums, sizes, out=np.full_like(sums, np.nan), where=sizes > 0)


def _within_spread(table: np.ndarray, codes: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Pooled standard deviation within classes; where that is zero, the deviation of all samples, or 1."""
    gaps = table - means[codes]
    free = len(table) - np.unique(codes).size
    within = np.sqrt((gaps**2).sum(axis=0) / max(free, 1))
    whole = table.std(axis=0)
    return np.where(within > _NO_SPREAD * whole, within, np.where(whole > 0, whole, 1.0))


def _average_of_present(means: np.ndarray) -> np.ndarray:
    """Average over the classes that have samples."""
    present = np.isfinite(means).all(axis=1)
    return means[present].mean(axis=0) if present.any() else np.full(means.shape[1], np.nan)
