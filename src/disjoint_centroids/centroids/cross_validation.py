"""Cross-validation of partitions: folds share the Gram matrices of the whole, each is one search for all lambdas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.problems import problem_of
from disjoint_centroids.rows.folds import Fold
from disjoint_centroids.rows.labelled_rows import LabelledRows
from disjoint_centroids.rows.training import TrainingSet


@dataclass(frozen=True, slots=True)
class FoldFit:
    """What was found on the training part of one fold, and where to judge it.

    Attributes
    ----------
    training : TrainingSet
        The training part, with the classes that occur in it.
    partitions : list of search.Partition
        One a lambda.
    test : array of int
        Positions of the held-out samples in the whole training set.
    """

    training: TrainingSet
    problem: search.Problem
    partitions: list[search.Partition]
    test: np.ndarray


Judge = Callable[[FoldFit], np.ndarray]


def cross_validate(
    training: TrainingSet,
    whole: search.Problem,
    folds: list[Fold],
    lams: np.ndarray | None,
    searches: list[search.Settings],
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
                fitted = FoldFit(part, problem, search.fit_partitions(problem, lams, settings), test)
                found.append(judge(fitted) if judge else _error(training, fitted, settings.n_threads))
            elif judge is None or len(folds) == 1:
                found.append(np.full(1 if lams is None else len(lams), _constant_error(training, part, test)))
            tick()
    return [np.column_stack(found) for found in columns]


def _constant_error(training: TrainingSet, part: TrainingSet, test: np.ndarray) -> float:
    """Where one class is all that a training part has, it is all that can be predicted, whatever lambda is."""
    wrong = training.classes[training.codes[test]] != part.classes[0]
    return float(np.average(wrong, weights=training.weights[test]))


def fold_problem(training: TrainingSet, whole: search.Problem, part: TrainingSet, train: np.ndarray) -> search.Problem:
    """The training part as the engine's problem, from the whole's Gram matrices where that is the shorter way."""
    times = np.bincount(train, minlength=len(training.codes))
    held_out = np.flatnonzero(times == 0)
    no_class_lost = len(part.classes) == len(training.classes)
    if no_class_lost and held_out.size < train.size and times.max() == 1:
        return whole.training_part(train, held_out)
    return problem_of(part)


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
    rows = LabelledRows(values[:, ~shared], values[:, shared], test_codes[known], weights[known])
    wrong = fitted.problem.errors_on(rows, owners, n_threads)
    share_known = weights[known].sum() / weights.sum()
    return wrong * share_known + (1.0 - share_known)


def choose_kind(
    training: TrainingSet,
    whole: search.Problem,
    folds: list[Fold],
    lams: np.ndarray | None,
    settings: search.Settings,
    judge: Judge | None = None,
    tick: Callable[[], None] = lambda: None,
) -> tuple[str, dict[str, np.ndarray]]:
    """The kind of start whose best lambda has the lowest cross-validated error, and the errors of every kind.

    Training error must not choose between kinds: some fit the training samples better and new ones worse.
    """
    if not folds:
        return search.KINDS[0], {}
    searches = [settings.with_init(kind) for kind in search.KINDS]
    found = cross_validate(training, whole, folds, lams, searches, judge, tick)
    errors = dict(zip(search.KINDS, found, strict=True))
    best = min(search.KINDS, key=lambda kind: lowest_error(errors[kind]))
    return best, errors


def lowest_error(errors: np.ndarray) -> float:
    """The error of the best lambda; sums that differ in the last bits are equal."""
    return round(float(errors.mean(axis=1).min()), 12)
