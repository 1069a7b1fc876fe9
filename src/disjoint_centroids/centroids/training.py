"""Training rows as a fit keeps them, whatever they are: in memory, in blocks of a dask table, or in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from disjoint_centroids.centroids import search

if TYPE_CHECKING:
    from disjoint_centroids.centroids.in_memory import RowsInMemory


class TrainingTable(Protocol):
    """A table with labels of its rows, whatever its rows are.

    Attributes
    ----------
    classes : array of shape (n_classes,)
        Class labels.
    shared : boolean array of shape (n_features,)
        Features that every class uses.
    """

    @property
    def classes(self) -> np.ndarray:
        """Class labels."""

    @property
    def shared(self) -> np.ndarray:
        """Features that every class uses."""


@dataclass(frozen=True, slots=True)
class Part:
    """Rows that are searched together: all of them, or the training part of one fold.

    Attributes
    ----------
    fold : int or None
        Number of the fold; None for all rows.
    problem : search.Problem or None
        The rows as the search takes them; None if only one class occurs.
    codes : array of shape (n_classes,)
        The problem's number of every class of the table; -1 for classes that do not occur.
    held_out_weights : array of shape (n_classes,)
        Weight of the held-out samples of every class.
    rows : RowsInMemory or None
        The part as training rows of its own, if the rows are in memory.
    """

    fold: int | None
    problem: search.Problem | None
    codes: np.ndarray
    held_out_weights: np.ndarray
    rows: RowsInMemory | None = None


@dataclass(frozen=True, slots=True)
class Searched:
    """One search of one part, to be judged.

    Attributes
    ----------
    part : Part
        The rows that were searched.
    at : int
        Number of the search among those of the part.
    settings : search.Settings
        Settings of the search.
    ends : search.Search
        The partitions in which its restarts ended.
    """

    part: Part
    at: int
    settings: search.Settings
    ends: search.Search

    @property
    def problem(self) -> search.Problem:
        """The rows that were searched."""
        assert self.part.problem is not None  # parts of one class are not searched
        return self.part.problem


@dataclass(frozen=True, slots=True)
class JudgedSearch:
    """One search, and the errors of the partitions in which its restarts ended.

    Attributes
    ----------
    searched : Searched
        The search.
    train_errors : array of shape (n_candidates,)
        Error of each of ``searched.ends.owners`` on the rows that were searched.
    held_out_errors : callable or None
        Function from a list of partitions, chosen among the ends of the search, to their held-out errors. None if
        nothing was held out.
    """

    searched: Searched
    train_errors: np.ndarray
    held_out_errors: Callable[[list[search.Partition]], np.ndarray] | None = None


class Training(TrainingTable, Protocol):
    """Training rows as a fit keeps them, and the questions that it can ask of them.

    Attributes
    ----------
    classes, shared
        As those of :class:`TrainingTable`.
    divided : bool
        True if distances are divided by the number of samples and features (the dn norm).
    n_folds : int
        Number of folds that the rows were divided into.
    in_one_pass : bool
        True if all searches have to be judged together, because judging is a pass over rows that are not in memory.
    sample : RowsInMemory
        The rows that are in memory: all of them, or a random sample.
    sample_is_all : bool
        True if the sample is all rows, or all that can be asked.
    problem : search.Problem
        All rows as the search takes them.
    """

    @property
    def divided(self) -> bool:
        """True for the dn norm."""

    @property
    def n_folds(self) -> int:
        """Number of folds."""

    @property
    def in_one_pass(self) -> bool:
        """True if all searches are judged together."""

    @property
    def sample(self) -> RowsInMemory:
        """Rows in memory."""

    @property
    def sample_is_all(self) -> bool:
        """True if the sample is all rows."""

    @property
    def problem(self) -> search.Problem:
        """All rows as the search takes them."""

    def part(self, fold: int) -> Part:
        """The training part of a fold."""

    def judge(self, searches: Iterable[Searched]) -> Iterator[JudgedSearch]:
        """Errors of everything that searches found, in their order."""

    def settle(self, partition: search.Partition, lam: float | None) -> tuple[search.Partition, search.Problem]:
        """The final partition, and a problem that knows the exact distances of its features."""

    def error_of(self, predict: Callable[[Any], np.ndarray]) -> float:
        """Share of all rows that a rule, a function from values to class numbers, classifies wrongly."""


def whole(training: Training) -> Part:
    """All rows as one part: nothing is held out."""
    n_classes = len(training.classes)
    return Part(None, training.problem, np.arange(n_classes), np.zeros(n_classes))
