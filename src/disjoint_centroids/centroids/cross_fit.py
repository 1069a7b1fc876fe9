"""The search of a table and of its folds, in several ways, and the choice between them by held-out error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.training import Part, Searched, Training, whole

Score = Callable[[Part, list[search.Partition]], np.ndarray]
"""Function from the training part of a fold and a partition per lambda to one minus the score at every lambda."""


@dataclass(frozen=True, slots=True)
class CrossFit:
    """Result of :func:`cross_fit`.

    Attributes
    ----------
    errors : list of arrays of shape (n_lams, n_folds)
        Held-out errors, one array per way to search.
    best : int
        Number of the way to search with the lowest error.
    partitions : list of search.Partition
        The best partition of all rows at every lambda, found in that way.
    """

    errors: list[np.ndarray]
    best: int
    partitions: list[search.Partition]


def cross_fit(
    training: Training,
    lams: np.ndarray | None,
    searches: list[search.Settings],
    score: Score | None = None,
    tick: Callable[[], None] = lambda: None,
) -> CrossFit:
    """Search the training part of every fold in every way, then all rows in the way that did best.

    The ways share what a part needs to be made ready. Rows that are not in memory are judged in one pass, so all of
    them are then searched in every way before that pass.

    Parameters
    ----------
    training : Training
        What is kept of the rows.
    lams : array of shape (n_lams,) or None
        Lambdas; None for Algorithm 1.
    searches : list of search.Settings
        The ways to search, in the order in which they win ties.
    score : callable, default=None
        What to choose by, for rows in memory. None: misclassification by the nearest centroid.
    tick : callable
        Called after every search of a fold.

    Returns
    -------
    CrossFit
        Without folds the first way to search is the best.
    """
    ways = list(enumerate(searches))
    errors: list[dict[int, np.ndarray]] = [{} for _ in searches]  # by fold
    partitions: dict[int, list[search.Partition]] = {}  # by way to search

    def skip(fold: int, part: Part) -> None:
        # A part with one class says nothing about lambda, and has no place beside scores that are no errors.
        for of_way in errors:
            if score is None or training.n_folds == 1:
                of_way[fold] = np.full(1 if lams is None else len(lams), _constant_error(part))
            tick()

    for judged in training.judge(_all_searches(training, lams, ways, skip)):
        one = judged.searched
        best_of_lams = one.ends.partitions(judged.train_errors)
        if one.part.fold is None or judged.held_out_errors is None:
            partitions[one.at] = best_of_lams
            continue
        held_out = score(one.part, best_of_lams) if score else judged.held_out_errors(best_of_lams)
        errors[one.at][one.part.fold] = held_out
        tick()
    columns = [np.column_stack([of_way[fold] for fold in sorted(of_way)]) for of_way in errors if training.n_folds]
    best = int(np.argmin([lowest_error(of_way) for of_way in columns])) if columns else 0
    if best not in partitions:
        (judged,) = training.judge(_searched(whole(training), lams, [ways[best]]))
        partitions[best] = judged.searched.ends.partitions(judged.train_errors)
    return CrossFit(columns, best, partitions[best])


def _all_searches(
    training: Training,
    lams: np.ndarray | None,
    ways: list[tuple[int, search.Settings]],
    skip: Callable[[int, Part], None],
) -> Iterator[Searched]:
    """Search the training parts of all folds, but for those of one class, and all rows if they are judged with them."""
    for fold in range(training.n_folds):
        part = training.part(fold)
        if part.problem is None:
            skip(fold, part)
        else:
            yield from _searched(part, lams, ways)
    if training.in_one_pass:
        yield from _searched(whole(training), lams, ways)


def _searched(part: Part, lams: np.ndarray | None, ways: list[tuple[int, search.Settings]]) -> Iterator[Searched]:
    assert part.problem is not None
    for at, settings in ways:
        yield Searched(part, at, settings, search.search_partitions(part.problem, lams, settings))


def _constant_error(part: Part) -> float:
    """Error of the only class of a training part: nothing else can be predicted, whatever lambda is."""
    return float(part.held_out_weights[part.codes < 0].sum() / part.held_out_weights.sum())


def lowest_error(errors: np.ndarray) -> float:
    """The error of the best lambda; sums that differ in the last bits are equal."""
    return round(float(errors.mean(axis=1).min()), 12)
