"""Validation of the user's training tables: arrays, class codes, weights, shared features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from disjoint_centroids._listed import listed
from disjoint_centroids._scikit import check_sample_weight
from disjoint_centroids.rows.features import feature_indices
from disjoint_centroids.rows.text_cells import check_no_text, text_columns

UNUSED, SHARED = -1, -2
"""Codes in ``owner_``: a feature that nobody uses (I_0), and one that every class uses."""


AS_THEY_ARE = ("csr", "csc")
"""Formats of sparse tables that need not be converted, nor their numbers: the engine makes its one copy from either."""

SMALLEST, LARGEST = 1e-140, 1e140
"""Scales of a feature at which squares, and sums of ten thousand million of them, keep all of their digits."""


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """The samples that count, ready for the engine.

    Attributes
    ----------
    values : array or sparse matrix of shape (n_samples, n_features)
        A sparse one lists no cell twice, and holds numbers of any real type.
    codes : array of shape (n_samples,)
        Positions in ``classes``.
    rows : array of shape (n_samples,)
        Where each sample stood in the user's table: samples of weight zero are not here.
    shared : boolean array of shape (n_features,)
        Features that every class uses.
    """

    values: Any
    codes: np.ndarray
    weights: np.ndarray
    classes: np.ndarray
    rows: np.ndarray
    shared: np.ndarray
    divided: bool

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


def whole_owner(owner: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """Owners of all features from those of the features that are shared out."""
    whole = np.full(shared.size, SHARED, dtype=np.intp)
    whole[~shared] = owner
    return whole


def read_training_set(
    estimator: BaseEstimator,
    X: Any,
    y: Any,
    sample_weight: Any,
    shared_features: Any = None,
    *,
    divided: bool = True,
    accept_sparse: bool | tuple[str, ...] = False,
) -> TrainingSet:
    """Validate a labelled table in the name of ``estimator``, which learns its features' names.

    With ``accept_sparse`` a sparse table stays one, as CSC, or as it is if its format is among those named.
    """
    check_in_memory(
        X,
        "NearestDisjointCentroid, NearestDisjointCentroidCV and DisjointPanelClassifier fit it as it is; for others: "
        "X.compute().",
    )
    X, y = _validated(
        estimator,
        X,
        y,
        dtype=_dtype(X, accept_sparse),
        order="C",
        ensure_all_finite=False,
        accept_sparse="csc" if accept_sparse is True else accept_sparse,
    )
    X = _each_cell_once(X)
    check_no_missing(estimator, X)
    check_not_tiny(estimator, _largest_by_column(X))
    check_classification_targets(y)
    weights = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    rows = np.flatnonzero(weights > 0)
    if rows.size < weights.size:
        X, y, weights = X[rows], y[rows], weights[rows]
    classes, codes = np.unique(y, return_inverse=True)
    check_two_classes(estimator, classes)
    shared = shared_mask(estimator, shared_features, X, y)
    return TrainingSet(X, codes, weights, classes, rows, shared, divided)


def read_batch(
    estimator: BaseEstimator, X: Any, y: Any, sample_weight: Any, *, reset: bool
) -> tuple[Any, np.ndarray, np.ndarray]:
    """Validate some of the training samples; the first batch (``reset``) teaches the features' names."""
    check_in_memory(X, "Use fit, which takes it as it is.")
    X, y = _validated(
        estimator, X, y, dtype=np.float64, order="C", ensure_all_finite=False, accept_sparse="csr", reset=reset
    )
    check_no_missing(estimator, X)
    check_classification_targets(y)
    return X, y, check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)


def read_samples(estimator: BaseEstimator, X: Any, *, accept_sparse: bool | tuple[str, ...] = False) -> Any:
    """Validate samples to be classified; sparse ones become CSR, or stay what they are if that is named."""
    rows = (
        "X.partitions[0].compute()" if hasattr(X, "npartitions") and not hasattr(X, "chunks") else "X[:100].compute()"
    )
    check_in_memory(X, f"Take the rows that you want to look at: {rows}.")
    X = _validated(
        estimator,
        X,
        dtype=_dtype(X, accept_sparse),
        reset=False,
        ensure_all_finite=False,
        accept_sparse="csr" if accept_sparse is True else accept_sparse,
    )
    X = _each_cell_once(X)
    check_no_missing(estimator, X)
    return X


def sample_names(X: Any, n_samples: int) -> np.ndarray:
    """Return the index of a pandas frame, and numbers from 0 for any other table."""
    has_index = hasattr(X, "index") and not callable(X.index)
    return np.asarray(X.index) if has_index else np.arange(n_samples)


def _validated(estimator: BaseEstimator, X: Any, *y: Any, **options: Any) -> Any:
    """Validate as scikit-learn does; where it stumbles over text, name the columns."""
    try:
        return validate_data(estimator, X, *y, **options)
    except (TypeError, ValueError):
        if text_columns(X) and not options.get("reset", True):
            # Columns that are not the model's are said first.
            validate_data(estimator, X, reset=False, skip_check_array=True)
        check_no_text(type(estimator).__name__, X)
        raise


def _dtype(X: Any, accept_sparse: bool | tuple[str, ...]) -> Any:
    return "numeric" if sparse.issparse(X) and isinstance(accept_sparse, tuple) else np.float64


def _each_cell_once(X: Any) -> Any:
    """Sort a sparse table and add up cells that it lists twice, in a copy."""
    if not sparse.issparse(X) or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def check_two_classes(estimator: BaseEstimator, classes: np.ndarray) -> None:
    """Raise an error if there are fewer than two classes."""
    if classes.size < 2:
        given = f"only one class, {classes[0]}" if classes.size else "no sample of positive weight"
        raise ValueError(
            f"{type(estimator).__name__} needs samples of at least 2 classes; the data contains {given}. "
            "Check the label column and the sample weights."
        )


def is_lazy(X: Any) -> bool:
    """True if a table is a dask collection, whose rows are read block by block."""
    return hasattr(X, "__dask_graph__")


def check_in_memory(X: Any, cure: str) -> None:
    """Raise an error for a dask table, which would be loaded whole."""
    if is_lazy(X):
        raise TypeError(f"This needs a table in memory, and X is a dask {type(X).__name__}. {cure}")


def check_no_missing(estimator: BaseEstimator, X: Any) -> None:
    """Raise an error that names the columns with NaN or infinity, and what to do about it."""
    values = X.data if sparse.issparse(X) else X
    if values.dtype.kind != "f":  # whole numbers are neither missing nor too large
        return
    with np.errstate(invalid="ignore", over="ignore"):
        if np.isfinite(values.sum()) or np.isfinite(values).all():  # the sum alone is quicker, and almost always enough
            check_not_huge(estimator, values)
            return
    is_nan = np.isnan(values)
    bad, what = (is_nan, "NaN") if is_nan.any() else (np.isinf(values), "infinity")
    columns = np.unique(X.tocoo().col[bad]) if sparse.issparse(X) else np.flatnonzero(bad.any(axis=0))
    raise ValueError(
        f"Input X contains {what}: {int(bad.sum())} value(s) in {shown_features(estimator, columns)}. "
        f"{type(estimator).__name__} needs a finite number in every cell: impute them (for example "
        "sklearn.impute.SimpleImputer in a Pipeline), or drop these samples or features."
    )


def shown_features(estimator: BaseEstimator, columns: np.ndarray) -> str:
    """Number of features, and the names (or numbers) of the first of them, as text."""
    # A caller that knows the names of an array's columns may have set them.
    names = getattr(estimator, "feature_names_in_", getattr(estimator, "_shown_names", None))
    shown = (names[c] if names is not None else f"column {c}" for c in columns)
    return f"{columns.size} feature(s) ({listed(shown, 5)})"


def check_not_huge(estimator: BaseEstimator, X: np.ndarray, at_most: float = LARGEST) -> None:
    """Raise an error for values whose powers overflow: those larger than ``at_most``."""
    largest = max(X.max(initial=0.0), -X.min(initial=0.0))
    if largest > at_most:
        raise ValueError(
            f"Input X holds values as large as {largest:.2g}, whose squared distances are infinity to the machine. "
            f"Divide X by a constant before {type(estimator).__name__}, or look for placeholders such as 1e300."
        )


def check_not_tiny(estimator: BaseEstimator, scales: np.ndarray) -> None:
    """Refuse features whose squared differences are zero to the machine.

    ``scales`` (n_features,) are their largest absolute values; a feature that is zero in every sample is not refused.
    """
    columns = np.flatnonzero((scales > 0) & (scales < SMALLEST))
    if columns.size:
        raise ValueError(
            f"Input X holds no value larger than {scales[columns].max():.2g} in {shown_features(estimator, columns)}: "
            f"squared differences are zero to the machine there. {type(estimator).__name__} needs features whose "
            f"largest absolute value is 0 or between {SMALLEST:g} and {LARGEST:g}: multiply X by a constant, take "
            "logarithms, or drop these features."
        )


def _largest_by_column(X: Any) -> np.ndarray:
    """Largest absolute value of each column; of a sparse table only where some stored value is tiny, else ones."""
    if not sparse.issparse(X):
        largest: np.ndarray = np.maximum(X.max(axis=0), -X.min(axis=0))
        return largest
    scales = np.ones(X.shape[1])
    if X.dtype.kind == "f" and ((X.data < SMALLEST) & (X.data > -SMALLEST) & (X.data != 0)).any():
        cells = X.tocoo()
        scales[:] = 0.0
        np.maximum.at(scales, cells.col, np.abs(cells.data))
    return scales


def shared_mask(estimator: BaseEstimator, shared: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The features that every class uses, as a mask, from names, indices, a mask or a selector."""
    if hasattr(shared, "get_support"):
        return np.asarray(clone(shared).fit(X, y).get_support(), dtype=bool)
    mask = np.zeros(X.shape[1], dtype=bool)
    mask[feature_indices(estimator, shared, X.shape[1], "shared_features")] = True
    return mask
