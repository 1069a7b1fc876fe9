"""From what the user gave to what the engine takes: validated arrays, class codes, weights, shared features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from disjoint_centroids import engine
from disjoint_centroids._scikit import check_sample_weight

UNUSED, SHARED = -1, -2
"""Codes in ``owner_``: a feature that nobody uses (I_0), and one that every class uses."""


_LARGEST = 1e140  # squares, times ten thousand million samples or features, stay finite


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """The samples that count, ready for the engine.

    Attributes
    ----------
    values : array of shape (n_samples, n_features)
    codes : array of shape (n_samples,)
        Positions in ``classes``.
    rows : array of shape (n_samples,)
        Where each sample stood in the user's table: samples of weight zero are not here.
    shared : boolean array of shape (n_features,)
        Features that every class uses.
    """

    values: np.ndarray
    codes: np.ndarray
    weights: np.ndarray
    classes: np.ndarray
    rows: np.ndarray
    shared: np.ndarray
    divided: bool

    def problem(self) -> engine.Problem:
        """Hand the table to the engine."""
        return engine.prepare(
            self.values if not self.shared.any() else np.ascontiguousarray(self.values[:, ~self.shared]),
            self.codes,
            self.weights,
            len(self.classes),
            divided=self.divided,
            shared_values=self.values[:, self.shared],
        )

    def subset(self, positions: np.ndarray) -> TrainingSet:
        """Some of the samples, with only the classes that occur among them."""
        present, codes = np.unique(self.codes[positions], return_inverse=True)
        return TrainingSet(
            self.values[positions],
            codes,
            self.weights[positions],
            self.classes[present],
            self.rows[positions],
            self.shared,
            self.divided,
        )

    def whole_owner(self, owner: np.ndarray) -> np.ndarray:
        """Owners of all features from those of the features that are shared out."""
        whole = np.full(self.shared.size, SHARED, dtype=np.intp)
        whole[~self.shared] = owner
        return whole


def read_training_set(
    estimator: BaseEstimator, X: Any, y: Any, sample_weight: Any, shared_features: Any, *, divided: bool
) -> TrainingSet:
    """Validate a labelled table in the name of ``estimator``, which learns its features' names."""
    X, y = validate_data(estimator, X, y, dtype=np.float64, order="C", ensure_all_finite=False)
    refuse_missing(estimator, X)
    check_classification_targets(y)
    weights = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    rows = np.flatnonzero(weights > 0)
    if rows.size < weights.size:
        X, y, weights = X[rows], y[rows], weights[rows]
    classes, codes = np.unique(y, return_inverse=True)
    if classes.size < 2:
        given = f"only one class, {classes[0]}" if classes.size else "no sample of positive weight"
        raise ValueError(
            f"{type(estimator).__name__} needs samples of at least 2 classes; the data contains {given}. "
            "Check the label column and the sample weights."
        )
    shared = shared_mask(estimator, shared_features, X, y)
    return TrainingSet(X, codes, weights, classes, rows, shared, divided)


def read_samples(estimator: BaseEstimator, X: Any) -> np.ndarray:
    """Validate samples to be classified."""
    X = validate_data(estimator, X, dtype=np.float64, reset=False, ensure_all_finite=False)
    refuse_missing(estimator, X)
    return X


def refuse_missing(estimator: BaseEstimator, X: np.ndarray) -> None:
    """Say which columns hold NaN or infinity, and what to do about it."""
    with np.errstate(invalid="ignore", over="ignore"):
        if np.isfinite(X.sum()) or np.isfinite(X).all():  # the sum alone is quicker, and says yes for almost all
            refuse_huge(estimator, X)
            return
    is_nan = np.isnan(X)
    bad, what = (is_nan, "NaN") if is_nan.any() else (np.isinf(X), "infinity")
    columns = np.flatnonzero(bad.any(axis=0))
    names = getattr(estimator, "feature_names_in_", None)
    shown = ", ".join(str(names[c]) if names is not None else f"column {c}" for c in columns[:5])
    more = f" and {columns.size - 5} more" if columns.size > 5 else ""
    raise ValueError(
        f"Input X contains {what}: {int(bad.sum())} value(s) in {columns.size} feature(s) ({shown}{more}). "
        f"{type(estimator).__name__} needs a finite number in every cell: impute them (for example "
        "sklearn.impute.SimpleImputer in a Pipeline), or drop these samples or features."
    )


def refuse_huge(estimator: BaseEstimator, X: np.ndarray) -> None:
    """Values whose squares are no numbers any more cannot be told apart."""
    largest = max(X.max(initial=0.0), -X.min(initial=0.0))
    if largest > _LARGEST:
        raise ValueError(
            f"Input X holds values as large as {largest:.2g}, whose squared distances are infinity to the machine. "
            f"Divide X by a constant before {type(estimator).__name__}, or look for placeholders such as 1e300."
        )


def shared_mask(estimator: BaseEstimator, shared: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The features that every class uses, as a mask, from names, indices, a mask or a selector."""
    n_features = X.shape[1]
    mask = np.zeros(n_features, dtype=bool)
    if shared is None:
        return mask
    if hasattr(shared, "get_support"):
        return np.asarray(clone(shared).fit(X, y).get_support(), dtype=bool)
    chosen = np.asarray(shared)
    if chosen.size == 0:
        return mask
    if chosen.ndim != 1:
        raise ValueError(f"shared_features must be one-dimensional; got an array of shape {chosen.shape}.")
    if chosen.dtype == bool:
        if chosen.size != n_features:
            raise ValueError(f"shared_features as a mask needs {n_features} entries, one a feature; got {chosen.size}.")
        return chosen.copy()
    if chosen.dtype.kind in "iu":
        if chosen.min() < -n_features or chosen.max() >= n_features:
            wrong = chosen.max() if chosen.max() >= n_features else chosen.min()
            raise ValueError(
                f"shared_features as indices must lie from {-n_features} to {n_features - 1}, the features "
                f"of X; got {wrong}."
            )
        mask[chosen] = True
        return mask
    return _mask_from_names(estimator, chosen, n_features)


def _mask_from_names(estimator: BaseEstimator, chosen: np.ndarray, n_features: int) -> np.ndarray:
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        raise ValueError(
            f"shared_features={list(chosen[:5])!r} are names, but X has no column names. "
            "Give X as a data frame, or shared_features as indices or a mask."
        )
    unknown = [str(name) for name in chosen if name not in set(names)]
    if unknown:
        raise ValueError(f"shared_features not among the columns of X: {', '.join(unknown[:10])}.")
    mask: np.ndarray = np.isin(names, chosen)
    assert mask.size == n_features
    return mask
