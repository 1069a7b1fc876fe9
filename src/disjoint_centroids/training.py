"""From what the user gave to what the engine takes: validated arrays, class codes, weights, shared features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from disjoint_centroids import engine
from disjoint_centroids._scikit import check_sample_weight
from disjoint_centroids.features import feature_indices

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
    estimator: BaseEstimator,
    X: Any,
    y: Any,
    sample_weight: Any,
    shared_features: Any = None,
    *,
    divided: bool = True,
    accept_sparse: bool = False,
) -> TrainingSet:
    """Validate a labelled table in the name of ``estimator``, which learns its features' names.

    With ``accept_sparse`` a sparse table stays one, as CSC.
    """
    X, y = validate_data(
        estimator,
        X,
        y,
        dtype=np.float64,
        order="C",
        ensure_all_finite=False,
        accept_sparse="csc" if accept_sparse else False,
    )
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


def read_samples(estimator: BaseEstimator, X: Any, *, accept_sparse: bool = False) -> Any:
    """Validate samples to be classified."""
    X = validate_data(
        estimator,
        X,
        dtype=np.float64,
        reset=False,
        ensure_all_finite=False,
        accept_sparse="csr" if accept_sparse else False,
    )
    refuse_missing(estimator, X)
    return X


def refuse_missing(estimator: BaseEstimator, X: Any) -> None:
    """Say which columns hold NaN or infinity, and what to do about it."""
    values = X.data if sparse.issparse(X) else X
    with np.errstate(invalid="ignore", over="ignore"):
        if np.isfinite(values.sum()) or np.isfinite(values).all():  # the sum alone is quicker, and almost always enough
            refuse_huge(estimator, values)
            return
    is_nan = np.isnan(values)
    bad, what = (is_nan, "NaN") if is_nan.any() else (np.isinf(values), "infinity")
    columns = np.unique(X.tocoo().col[bad]) if sparse.issparse(X) else np.flatnonzero(bad.any(axis=0))
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
    if hasattr(shared, "get_support"):
        return np.asarray(clone(shared).fit(X, y).get_support(), dtype=bool)
    mask = np.zeros(X.shape[1], dtype=bool)
    mask[feature_indices(estimator, shared, X.shape[1], "shared_features")] = True
    return mask
