"""Training rows that come in batches and are not kept, as ``partial_fit`` takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.in_blocks import sample_size
from disjoint_centroids.centroids.in_memory import RowsInMemory
from disjoint_centroids.centroids.passes import dense_rows
from disjoint_centroids.centroids.training import JudgedSearch, Part, Searched
from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.rows.sketch import random_bits
from disjoint_centroids.rows.sums import GroupSums, RowBlock, sums_of_block
from disjoint_centroids.rows.training import TrainingSet
from disjoint_centroids.rows.usable_sums import check_sums

_SEED = 0  # which samples are kept for the temperature need not depend on the user's random state


def announced_classes(classes: Any) -> np.ndarray:
    """The classes given to the first call of ``partial_fit``."""
    if classes is None:
        raise ValueError(
            "The first call of partial_fit needs classes: all labels that will ever come, for example "
            "classes=np.unique(all_labels)."
        )
    found: np.ndarray = np.unique(np.asarray(classes))
    if found.size < 2:
        raise ValueError(f"classes must name at least 2 classes; got {classes!r}.")
    return found


def codes_among(known: np.ndarray, classes: Any, y: np.ndarray) -> np.ndarray:
    """Positions of labels among the known classes; ``classes``, if given again, must be the same."""
    if classes is not None and not np.array_equal(np.unique(np.asarray(classes)), known):
        raise ValueError(f"classes={classes!r} is not what the first call of partial_fit was given: {list(known)}.")
    unknown = np.setdiff1d(y, known)
    if unknown.size:
        raise ValueError(
            f"y has labels that were not announced: {list(unknown[:5])}. Name all classes in the first call of "
            "partial_fit."
        )
    return np.searchsorted(known, y)


@dataclass(slots=True)
class Stream:
    """Sums over all batches so far, and some of their rows.

    Attributes
    ----------
    classes : array of shape (n_classes,)
        All classes that were announced.
    shared : boolean array of shape (n_features,)
        Features that every class uses.
    divided : bool
        True for the dn norm.
    sums : GroupSums or None
        Sums per class; None before the first batch.
    n_seen : int
        Samples so far, those of weight zero included.
    """

    classes: np.ndarray
    shared: np.ndarray
    divided: bool
    sums: GroupSums | None = None
    n_seen: int = 0
    _rows: np.ndarray | None = None
    _known: np.ndarray | None = None  # code, weight and random number of each row that is kept

    def __post_init__(self) -> None:
        needed = 8.0 * len(self.classes) * int((~self.shared).sum()) ** 2
        if needed > get_sizes().product_bytes:
            raise ValueError(
                f"partial_fit keeps the inner products of all pairs of features, here {needed / 2**30:.1f} GiB. Select "
                "features first, or fit a dask array with compression='sketch'."
            )

    def add(self, estimator: BaseEstimator, values: Any, codes: np.ndarray, weights: np.ndarray) -> None:
        """Add a batch. One that cannot be used leaves everything as it was."""
        block = RowBlock(values, np.where(weights > 0, codes, -1), weights)
        sums = sums_of_block(block, self.shared, len(self.classes), 0)
        sums = sums if self.sums is None else self.sums + sums
        check_sums(estimator, sums)
        self.sums = sums
        self._keep_some(values, codes, weights)
        self.n_seen += codes.size

    def _keep_some(self, values: Any, codes: np.ndarray, weights: np.ndarray) -> None:
        """Of all samples so far, keep those with the lowest random numbers."""
        drawn = random_bits(_SEED, codes.size, self.n_seen).astype(np.float64)
        at = np.flatnonzero(weights > 0)
        rows, known = dense_rows(values, at), np.column_stack([codes, weights, drawn])[at]
        if self._rows is not None and self._known is not None:
            rows, known = np.concatenate([self._rows, rows]), np.concatenate([self._known, known])
        wanted = sample_size(self.shared.size)
        if len(rows) > wanted:
            kept = np.sort(np.argpartition(known[:, 2], wanted)[:wanted])
            rows, known = rows[kept], known[kept]
        self._rows, self._known = rows, known

    def rows(self) -> RowsInBatches:
        """All batches so far as training rows; every class must have come."""
        came = np.zeros(len(self.classes)) if self.sums is None else self.sums.weights
        if self.sums is None or self._rows is None or self._known is None or (came <= 0).any():
            missing = ", ".join(str(name) for name in self.classes[came <= 0])
            raise NotFittedError(
                f"No sample of positive weight came yet of the class(es) {missing}, announced to partial_fit. "
                "Give it samples of every class before you ask for the model."
            )
        codes, weights = self._known[:, 0].astype(np.intp), self._known[:, 1]
        at = np.arange(codes.size)
        sample = TrainingSet(self._rows, codes, weights, self.classes, at, self.shared, self.divided)
        return RowsInBatches(self.classes, self.shared, self.divided, self.sums, RowsInMemory(sample))


@dataclass(frozen=True)
class RowsInBatches:
    """Training rows that came in batches: their sums, and a sample of them.

    Attributes
    ----------
    classes, shared, divided, sums
        As those of :class:`Stream`.
    sample : RowsInMemory
        The rows that were kept: all, as long as there are few.
    """

    classes: np.ndarray
    shared: np.ndarray
    divided: bool
    sums: GroupSums
    sample: RowsInMemory

    n_folds: ClassVar[int] = 0
    in_one_pass: ClassVar[bool] = False
    sample_is_all: ClassVar[bool] = True  # nothing else is left to measure an error on

    @cached_property
    def problem(self) -> search.Problem:
        """All rows as the search takes them."""
        return search.problem_of_sums(self.sums, self.shared, divided=self.divided)

    def part(self, fold: int) -> Part:
        """Not available: there are no folds."""
        raise IndexError(f"There is no fold {fold}: batches are not divided into folds, which needs all rows at once.")

    def judge(self, searches: Iterable[Searched]) -> Iterator[JudgedSearch]:
        """Errors of everything that searches found, on the rows that were kept."""
        rows = self.sample.labelled_rows()
        for one in searches:
            yield JudgedSearch(one, one.problem.errors_on(rows, one.ends.owners, one.settings.n_threads))

    def settle(self, partition: search.Partition, lam: float | None) -> tuple[search.Partition, search.Problem]:
        """The partition as it is: its distances are exact."""
        return partition, self.problem

    def error_of(self, predict: Callable[[Any], np.ndarray]) -> float:
        """Share of the rows that were kept which a rule classifies wrongly."""
        return self.sample.error_of(predict)
