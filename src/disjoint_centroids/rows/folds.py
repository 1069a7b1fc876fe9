"""Folds: which samples are held out when."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import check_consistent_length, column_or_1d

from disjoint_centroids import numerics

Fold = tuple[np.ndarray, np.ndarray]
_INNER_FOLDS = 5
_BLOCK_CELLS = 2**22


def inner_folds(
    codes: np.ndarray, seed: int, at_most: int = _INNER_FOLDS, order: np.ndarray | None = None
) -> list[Fold]:
    """Up to five (or ``at_most``) stratified folds; none where every class has only one sample.

    ``order`` lists the samples in the order in which they are dealt out to the folds; None: as they stand.
    """
    n_splits = min(at_most, int(np.bincount(codes).max()))
    if n_splits < 2:
        return []
    order = np.arange(codes.size) if order is None else order
    splitter = StratifiedKFold(n_splits, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # A class with fewer samples than folds is held out in some of them only: nothing the user need act on.
        warnings.simplefilter("ignore", UserWarning)
        folds = list(splitter.split(codes, codes[order]))
    return [(np.sort(order[train]), np.sort(order[test])) for train, test in folds]


def warn_of_groups(cv: Any, X: Any, groups: Any) -> None:
    """Say that folds of a whole number ``cv`` do not keep groups together."""
    if groups is None:
        return
    check_consistent_length(X, groups)
    warnings.warn(
        f"cv={cv} makes stratified folds and ignores groups. To keep groups together give a splitter that does, such "
        "as sklearn.model_selection.StratifiedGroupKFold.",
        UserWarning,
        stacklevel=5,  # past the folds, fit and its validation, to the line that called fit
    )


def by_content(values: Any) -> np.ndarray:
    """Order of samples that follows from what is in them, not from the order of rows or columns.

    With columns centred, samples are sorted by their squared norm, then by their sum over the columns in which every
    column counts as much as it varies; what is equal in both stays as it stands.
    """
    cells = values.data if sparse.issparse(values) else values
    # Third powers of large numbers overflow; a power of two as unit changes no digit.
    unit = 2.0 ** -np.frexp(max(cells.max(initial=0.0), -cells.min(initial=0.0)))[1]
    norms, sums = _sparse_keys(values.tocsc(), unit) if sparse.issparse(values) else _dense_keys(values, unit)
    return np.lexsort((numerics.few_digits(sums), numerics.few_digits(norms)))


def _dense_keys(values: np.ndarray, unit: float) -> tuple[np.ndarray, np.ndarray]:
    """Squared norms and sums of centred rows, some columns at a time."""
    n_samples, n_features = values.shape
    norms, sums = np.zeros(n_samples), np.zeros(n_samples)
    width = max(1, _BLOCK_CELLS // n_samples)
    for begin in range(0, n_features, width):
        block = unit * values[:, begin : begin + width]
        block -= block.mean(axis=0)
        squares = block**2
        norms += squares.sum(axis=1)
        sums += block @ squares.sum(axis=0)
    return norms, sums


def _sparse_keys(values: Any, unit: float) -> tuple[np.ndarray, np.ndarray]:
    """The same of a CSC table, from its stored cells; columns without any zero are centred as dense ones are."""
    n_samples, n_features = values.shape
    n_stored = np.diff(values.indptr)
    column = np.repeat(np.arange(n_features), n_stored)
    cells = unit * values.data
    means = np.bincount(column, cells, n_features) / n_samples
    is_full = n_stored == n_samples
    at_zero = np.where(is_full, 0.0, -means)
    added = cells - np.where(is_full, means, 0.0)[column]
    squares = added * (added + 2.0 * at_zero[column])
    varies = np.bincount(column, squares, n_features) + n_samples * at_zero**2
    norms = np.bincount(values.indices, squares, n_samples) + at_zero @ at_zero
    sums = np.bincount(values.indices, added * varies[column], n_samples) + at_zero @ varies
    return norms, sums


def user_folds(cv: Any, X: Any, y: Any, groups: Any, rows: np.ndarray) -> list[Fold]:
    """The folds that the user's ``cv`` makes of the user's table, in positions among the samples that count (``rows``).

    Folds without a training or a held-out sample of positive weight say nothing, and are left out.
    """
    if groups is not None:
        check_consistent_length(X, groups)
    y = column_or_1d(np.asarray(y))
    positions = np.full(y.size, -1)
    positions[rows] = np.arange(rows.size)
    folds = []
    for fold in check_cv(cv, y, classifier=True).split(X, y, groups):
        # Positions or masks, as a splitter likes.
        train, test = (positions[np.asarray(part)] for part in fold)
        folds.append((train[train >= 0], test[test >= 0]))
    folds = [(train, test) for train, test in folds if train.size and test.size]
    if not folds:
        raise ValueError(f"cv={cv!r} gives no fold with both training and held-out samples of positive weight.")
    return folds
