"""Training rows that come in batches and are not kept, as ``partial_fit`` takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.in_blocks import sample_size
from disjoint_centroids.centroids.in_memory import RowsInMemory
from disjoint_centroids.centroids.passes import dense_rows
from disjoint_centroids.centroids.training import JudgedSearch, Part, Searched
from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.rows.batches import check_all_came
from disjoint_centroids.rows.sketch import random_bits
from disjoint_centroids.rows.sums import GroupSums, RowBlock, sums_of_block
from disjoint_centroids.rows.training import TrainingSet
from disjoint_centroids.rows.usable_sums import check_sums

_SEED = 0  # which samples are kept for the temperature need not depend on the user's random state


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
        check_all_came(self.classes, np.zeros(len(self.classes)) if self.sums is None else self.sums.weights)
        assert self.sums is not None and self._rows is not None and self._known is not None
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
