"""Training rows in memory, dense or sparse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import sparse

from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.training import JudgedSearch, Part, Searched
from disjoint_centroids.rows.folds import Fold
from disjoint_centroids.rows.labelled_rows import LabelledRows
from disjoint_centroids.rows.training import TrainingSet


class RowsInMemory:
    """Training rows in memory: one block.

    Parameters
    ----------
    table : TrainingSet
        The samples.
    folds : list of pairs of arrays, default=()
        Positions of the training and the held-out samples of every fold.
    problem : search.Problem, default=None
        The same samples as the search takes them. None: made when it is first asked for.
    """

    in_one_pass = False
    sample_is_all = True

    def __init__(
        self, table: TrainingSet, folds: list[Fold] | None = None, problem: search.Problem | None = None
    ) -> None:
        self.table = table
        self._folds = folds or []
        if problem is not None:
            self.__dict__["problem"] = problem

    @property
    def classes(self) -> np.ndarray:
        """Class labels."""
        return self.table.classes

    @property
    def shared(self) -> np.ndarray:
        """Features that every class uses."""
        return self.table.shared

    @property
    def divided(self) -> bool:
        """True for the dn norm."""
        return self.table.divided

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self._folds)

    @property
    def sample(self) -> RowsInMemory:
        """All rows."""
        return self

    @cached_property
    def problem(self) -> search.Problem:
        """All rows as the search takes them."""
        own, shared = _divided_columns(self.table.values, self.shared)
        return search.prepare(
            own if sparse.issparse(own) else np.ascontiguousarray(own),
            self.table.codes,
            self.table.weights,
            len(self.classes),
            divided=self.divided,
            shared_values=shared,
        )

    def held_out(self, fold: int) -> np.ndarray:
        """Positions of the held-out samples of a fold."""
        return self._folds[fold][1]

    def part(self, fold: int) -> Part:
        """The training part of a fold."""
        train, test = self._folds[fold]
        rows = self.subset(train)
        occurs = np.isin(self.classes, rows.classes)
        codes = np.where(occurs, np.cumsum(occurs) - 1, -1)
        weights = np.bincount(self.table.codes[test], self.table.weights[test], len(self.classes))
        return Part(fold, rows.problem if occurs.sum() > 1 else None, codes, weights, rows)

    def subset(self, train: np.ndarray) -> RowsInMemory:
        """Some of the rows, with the classes that occur among them.

        Their Gram matrices are those of all rows less those of the others, where that is the shorter way.
        """
        table = self.table.subset(train)
        times = np.bincount(train, minlength=len(self.table.codes))
        others = np.flatnonzero(times == 0)
        keeps_classes = len(table.classes) == len(self.classes)
        if keeps_classes and others.size < train.size and times.max() == 1:
            return RowsInMemory(table, problem=self.problem.training_part(train, others))
        return RowsInMemory(table)

    def judge(self, searches: Iterable[Searched]) -> Iterator[JudgedSearch]:
        """Errors of everything that searches found: one search after the other, each of them when it is asked for."""
        for one in searches:
            train_errors = one.problem.errors(one.ends.owners, one.settings.n_threads)
            held_out_errors = None if one.part.fold is None else partial(self._held_out_errors, one, one.part.fold)
            yield JudgedSearch(one, train_errors, held_out_errors)

    def _held_out_errors(self, searched: Searched, fold: int, partitions: list[search.Partition]) -> np.ndarray:
        """Weighted misclassification of the held-out samples; a class unknown to the training part cannot be right."""
        rows = self.labelled_rows(self.held_out(fold))
        owners = np.stack([partition.owner for partition in partitions])
        return searched.problem.errors_on(rows, owners, searched.settings.n_threads, searched.part.codes)

    def labelled_rows(self, at: np.ndarray | slice = slice(None)) -> LabelledRows:
        """Some of the rows, the features that every class uses apart from the others."""
        own, shared = _divided_columns(self.table.values[at], self.shared)
        return LabelledRows(own, shared, self.table.codes[at], self.table.weights[at])

    def settle(self, partition: search.Partition, lam: float | None) -> tuple[search.Partition, search.Problem]:
        """The partition as it is: its distances are exact."""
        return partition, self.problem

    def error_of(self, predict: Callable[[Any], np.ndarray]) -> float:
        """Share of the rows that a rule classifies wrongly."""
        return float(np.average(predict(self.table.values) != self.table.codes, weights=self.table.weights))


def _divided_columns(values: Any, shared: np.ndarray) -> tuple[Any, Any]:
    """Features that the classes divide among them, and features that every class uses."""
    return (values[:, ~shared], values[:, shared]) if shared.any() else (values, values[:, :0])
