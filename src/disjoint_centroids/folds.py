"""Cross-validation of partitions: folds share the Gram matrices of the whole, each is one search for all lambdas."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import check_consistent_length, column_or_1d

from disjoint_centroids import engine
from disjoint_centroids.training import TrainingSet

Fold = tuple[np.ndarray, np.ndarray]
_INNER_FOLDS = 5
_BLOCK_CELLS = 2**22


@dataclass(frozen=True, slots=True)
class FoldFit:
    """What was found on the training part of one fold, and where to judge it.

    Attributes
    ----------
    training : TrainingSet
        The training part, with the classes that occur in it.
    partitions : list of engine.Partition
        One a lambda.
    test : array of int
        Positions of the held-out samples in the whole training set.
    """

    training: TrainingSet
    problem: engine.Problem
    partitions: list[engine.Partition]
    test: np.ndarray


Judge = Callable[[FoldFit], np.ndarray]


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
    return np.lexsort((engine.few_digits(sums), engine.few_digits(norms)))


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


def cross_validate(
    training: TrainingSet,
    whole: engine.Problem,
    folds: list[Fold],
    lams: np.ndarray | None,
    searches: list[engine.Settings],
    judge: Judge | None = None,
    tick: Callable[[], None] = lambda: None,
) -> list[np.ndarray]:
    """Held-out errors of the best partition at every lambda, for each way to search.

    Each is (n_lams, n_folds), with one row if ``lams`` is None. The searches share what a fold has to be made ready.
    A training part with one class only says nothing about lambda, and has no place beside scores that are no errors.
    """
    columns: list[list[np.ndarray]] = [[] for _ in searches]
    for train, test in folds:
        part = training.subset(train)
        has_classes = len(part.classes) > 1
        problem = fold_problem(training, whole, part, train) if has_classes else None
        for found, settings in zip(columns, searches, strict=True):
            if problem is not None:
                fitted = FoldFit(part, problem, engine.fit_partitions(problem, lams, settings), test)
                found.append(judge(fitted) if judge else _error(training, fitted, settings.n_threads))
            elif judge is None or len(folds) == 1:
                found.append(np.full(1 if lams is None else len(lams), _constant_error(training, part, test)))
            tick()
    return [np.column_stack(found) for found in columns]


def _constant_error(training: TrainingSet, part: TrainingSet, test: np.ndarray) -> float:
    """Where one class is all that a training part has, it is all that can be predicted, whatever lambda is."""
    wrong = training.classes[training.codes[test]] != part.classes[0]
    return float(np.average(wrong, weights=training.weights[test]))


def fold_problem(training: TrainingSet, whole: engine.Problem, part: TrainingSet, train: np.ndarray) -> engine.Problem:
    """The training part as the engine's problem, from the whole's Gram matrices where that is the shorter way."""
    times = np.bincount(train, minlength=len(training.codes))
    held_out = np.flatnonzero(times == 0)
    no_class_lost = len(part.classes) == len(training.classes)
    if no_class_lost and held_out.size < train.size and times.max() == 1:
        return whole.training_part(train, held_out)
    return part.problem()


def _error(training: TrainingSet, fitted: FoldFit, n_threads: int) -> np.ndarray:
    """Weighted misclassification of the held-out samples; a class unknown to the training part cannot be right."""
    codes = np.searchsorted(fitted.training.classes, training.classes)
    codes[~np.isin(training.classes, fitted.training.classes)] = -1
    test_codes, weights = codes[training.codes[fitted.test]], training.weights[fitted.test]
    known = test_codes >= 0
    at = fitted.test[known]
    if not at.size:
        return np.ones(len(fitted.partitions))
    shared = training.shared
    owners = np.stack([p.owner for p in fitted.partitions])
    values = training.values[at]
    rows = engine.LabelledRows(values[:, ~shared], values[:, shared], test_codes[known], weights[known])
    wrong = fitted.problem.errors_on(rows, owners, n_threads)
    share_known = weights[known].sum() / weights.sum()
    return wrong * share_known + (1.0 - share_known)


def choose_kind(
    training: TrainingSet,
    whole: engine.Problem,
    folds: list[Fold],
    lams: np.ndarray | None,
    settings: engine.Settings,
    judge: Judge | None = None,
    tick: Callable[[], None] = lambda: None,
) -> tuple[str, dict[str, np.ndarray]]:
    """The kind of start whose best lambda has the lowest cross-validated error, and the errors of every kind.

    Training error must not choose between kinds: some fit the training samples better and new ones worse.
    """
    if not folds:
        return engine.KINDS[0], {}
    searches = [settings.with_init(kind) for kind in engine.KINDS]
    found = cross_validate(training, whole, folds, lams, searches, judge, tick)
    errors = dict(zip(engine.KINDS, found, strict=True))
    best = min(engine.KINDS, key=lambda kind: lowest_error(errors[kind]))
    return best, errors


def lowest_error(errors: np.ndarray) -> float:
    """The error of the best lambda; sums that differ in the last bits are equal."""
    return round(float(errors.mean(axis=1).min()), 12)
