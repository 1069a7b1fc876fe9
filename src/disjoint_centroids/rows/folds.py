"""Folds: which samples are held out when."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import check_consistent_length, column_or_1d

Fold = tuple[np.ndarray, np.ndarray]
_INNER_FOLDS = 5


def inner_folds(
    codes: np.ndarray, seed: int, at_most: int = _INNER_FOLDS, order: np.ndarray | None = None
) -> list[Fold]:
    """Up to five (or ``at_most``) stratified folds; none where every class has only one sample.

    ``order`` lists the samples in the order in which they are dealt out to the folds; None: as they stand.
    """
    n_splits = min(at_most, int(np.bincount(codes).max()))
    if n_splits < 2:
        return []
    splitter = StratifiedKFold(n_splits, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # A class with fewer samples than folds is held out in some of them only: nothing the user need act on.
        warnings.simplefilter("ignore", UserWarning)
        folds = list(splitter.split(codes, codes if order is None else codes[order]))
    if order is None:
        return folds
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
