"""Training rows in blocks that are not in memory: the passes over them, and the sums that are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.in_memory import RowsInMemory
from disjoint_centroids.centroids.passes import FirstPass, Gaps, Wrong, first_pass, gaps_of_block, judge_block
from disjoint_centroids.centroids.training import JudgedSearch, Part, Searched
from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.rows.blocks import BlockedTable, Labels, Rows, small
from disjoint_centroids.rows.folds import Fold
from disjoint_centroids.rows.roles import Roles, roles_of
from disjoint_centroids.rows.sketch import Sketch, random_bits, rows_for
from disjoint_centroids.rows.sums import GroupSums
from disjoint_centroids.rows.training import TrainingSet
from disjoint_centroids.rows.usable_sums import check_sums

_SKETCH_ERROR = 0.1
"""Standard deviation of a squared distance, as a share of it, that a sketch aims at."""

_PASSES = 6
"""Passes after a sketch, at most; in each but the last, features move to the exactly nearest centre."""


@dataclass(frozen=True)
class RowsInBlocks:
    """A training table in blocks of rows that are not in memory: sums of them are, and they can be passed over again.

    Attributes
    ----------
    rows : Rows
        The blocks.
    labels : Labels
        Label and weight of every row.
    roles : Roles
        Roles of the rows in the folds.
    sums : GroupSums
        Group ``role * n_classes + code`` holds the rows of a class in a role.
    sketch : Sketch or None
        The sketch that stands for inner products of all pairs of features; None if there are these.
    sample : RowsInMemory
        Some of the rows, or all.
    """

    rows: Rows
    labels: Labels
    roles: Roles
    sums: GroupSums
    sketch: Sketch | None
    sample: RowsInMemory
    divided: bool

    in_one_pass: ClassVar[bool] = True

    @property
    def classes(self) -> np.ndarray:
        """Class labels."""
        return self.labels.classes

    @property
    def shared(self) -> np.ndarray:
        """Features that every class uses."""
        return self.labels.shared

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.roles.train)

    @property
    def sample_is_all(self) -> bool:
        """True if the sample is all rows."""
        return self.sample.table.codes.size == self.labels.rows.size

    @cached_property
    def problem(self) -> search.Problem:
        """All rows as the search takes them."""
        problem, _ = self._problem(np.ones(self.roles.n_roles, bool))
        assert problem is not None  # labels of one class only are refused
        return problem

    def part(self, fold: int) -> Part:
        """The training part of a fold."""
        problem, codes = self._problem(self.roles.train[fold])
        weights = self._role_weights()[self.roles.test[fold]].sum(axis=0)
        return Part(fold, problem, codes, weights)

    def judge(self, searches: Iterable[Searched]) -> Iterator[JudgedSearch]:
        """Errors of everything that searches found: one pass over the rows, after the last search."""
        searched = list(searches)
        candidates = [one.problem.candidates(one.ends.owners, one.part.codes) for one in searched]
        weights = self._role_weights().sum(axis=1)
        for one, wrong in zip(searched, self._wrong(candidates), strict=True):
            fold = one.part.fold
            train = slice(None) if fold is None else self.roles.train[fold]
            train_errors = wrong[:, train].sum(axis=1) / weights[train].sum()
            held_out_errors = None if fold is None else partial(self._held_out_errors, one, fold, wrong)
            yield JudgedSearch(one, train_errors, held_out_errors)

    def settle(self, partition: search.Partition, lam: float | None) -> tuple[search.Partition, search.Problem]:
        """After a sketch: move features to the exactly nearest centre, one pass after the other, until none moves.

        Returns the partition, with its exact training error, and a problem that knows the exact distances of its
        features.
        """
        problem = self.problem
        if self.sketch is None:
            return partition, problem
        for at in range(1, _PASSES + 1):
            gaps = self._gaps(problem, partition.owner)
            exact = search.with_exact_gaps(problem, partition.owner, gaps.squares)
            moved = search.nearest_owner(exact, partition.owner, lam)
            nobody_moves = bool((moved == partition.owner).all())
            class_would_lose_all = np.unique(moved[moved >= 0]).size < len(self.classes)
            if nobody_moves or class_would_lose_all or at == _PASSES:
                break
            partition = replace(partition, owner=moved)
        error = float(gaps.wrong.weights[0].sum() / self.labels.weights.sum())
        risk = float(problem.risks(partition.owner[None])[0])
        return replace(partition, train_error=error, risk=risk), exact

    def error_of(self, predict: Callable[[Any], np.ndarray]) -> float:
        """Share of the rows that a rule classifies wrongly, in one more pass over them."""
        wrong = self.rows.total(_wrong_weight, self._known_of_blocks(), [predict], 0.0)
        return float(wrong / self.labels.weights[self.labels.rows].sum())

    def _problem(self, roles: np.ndarray) -> tuple[search.Problem | None, np.ndarray]:
        """The rows of some roles, and the numbers there of all classes, -1 for those that do not occur.

        None where only one class occurs.
        """
        n_classes = len(self.classes)
        groups_of = [np.flatnonzero(roles) * n_classes + code for code in range(n_classes)]
        present = np.array([self.sums.weights[groups].sum() > 0 for groups in groups_of])
        codes = np.where(present, np.cumsum(present) - 1, -1)
        if present.sum() < 2:
            return None, codes
        groups_of = [groups for groups, is_here in zip(groups_of, present, strict=True) if is_here]
        sums = self.sums.merged(groups_of)
        table = None
        if self.sketch is not None and self.sums.sketch is not None:
            table = search.sketched_table(self.sketch, self.sums.sketch, groups_of, sums.weights, divided=self.divided)
        return search.problem_of_sums(sums, self.shared, divided=self.divided, sketch=table), codes

    def _role_weights(self) -> np.ndarray:
        """The weight of each class in each role, (n_roles, n_classes)."""
        return self.sums.weights.reshape(self.roles.n_roles, len(self.classes))

    def _held_out_errors(
        self, searched: Searched, fold: int, wrong: np.ndarray, partitions: list[search.Partition]
    ) -> np.ndarray:
        """Held-out errors of partitions, which are among those that the pass judged."""
        places = {owner.tobytes(): at for at, owner in enumerate(searched.ends.owners.astype(np.intp))}
        at = [places[partition.owner.tobytes()] for partition in partitions]
        test = self.roles.test[fold]
        errors: np.ndarray = wrong[at][:, test].sum(axis=1) / searched.part.held_out_weights.sum()
        return errors

    def _known_of_blocks(self) -> list[tuple[Any, ...]]:
        """Labels and weights of every block."""
        labels = self.labels
        return list(zip(small(self.rows, labels.of_rows), labels.small_weights(self.rows), strict=True))

    def _wrong(self, candidates: list[search.Candidates]) -> list[np.ndarray]:
        """Let all candidates classify all rows, in one pass: the weight that each gets wrong in each role."""
        roles = small(self.rows, self.roles.of_row)
        arguments = [
            (codes, role, weights) for (codes, weights), role in zip(self._known_of_blocks(), roles, strict=True)
        ]
        found: Wrong = self.rows.total(judge_block, arguments, [candidates, self.shared, self.roles.n_roles], 0.0)
        return found.weights

    def _gaps(self, problem: search.Problem, owner: np.ndarray) -> Gaps:
        """Exact distances of all features to the centres of a partition, and what it gets wrong, in one pass."""
        candidates = [problem.candidates(owner[None])]
        found: Gaps = self.rows.total(gaps_of_block, self._known_of_blocks(), [owner, candidates, self.shared], 0.0)
        return found


def _wrong_weight(values: Any, codes: np.ndarray, weights: np.ndarray, predict: Callable[[Any], np.ndarray]) -> float:
    counted = codes >= 0
    wrong = predict(values[counted]) != codes[counted]
    return float(wrong.sum() if weights is None else weights[counted] @ wrong)


def compress(
    estimator: BaseEstimator, table: BlockedTable, folds: list[Fold], compression: Any, *, divided: bool, seed: int
) -> RowsInBlocks:
    """Make the first pass over the rows of a table."""
    rows, labels = table.blocks, table.labels
    roles = roles_of(folds, labels)
    n_classes, n_features = len(labels.classes), int((~labels.shared).sum())
    n_groups = roles.n_roles * n_classes
    groups = np.where(labels.of_rows >= 0, roles.of_row * n_classes + labels.of_rows, -1)
    error = _error_target(compression, n_groups, n_features)
    sketch = None
    if error is not None:
        size = -(-rows_for(error) // max(roles.n_roles - 1, 1))
        sketch = Sketch(np.minimum(np.bincount(groups[groups >= 0], minlength=n_groups), size), seed)
    lots = [None] * len(rows.lengths) if sketch is None else small(rows, sketch.lots(groups))
    sampled = [np.flatnonzero(part) for part in rows.slices(_sampled(labels, rows.n_features, seed))]
    first = np.cumsum([0, *rows.lengths[:-1]])
    arguments = list(zip(small(rows, groups), labels.small_weights(rows), lots, sampled, first.tolist(), strict=True))
    n_sketched = 0 if sketch is None else int(sketch.sizes.sum())
    result_bytes = 8.0 * n_features * (n_sketched if sketch is not None else n_groups * n_features)
    found: FirstPass = rows.total(first_pass, arguments, [labels.shared, n_groups, n_sketched], result_bytes)
    positions, kept = np.concatenate(found.positions), np.concatenate(found.rows)
    order = np.argsort(positions)
    at = positions[order]
    check_sums(estimator, found.sums)
    sample = TrainingSet(
        kept[order], labels.of_rows[at], labels.weights[at], labels.classes, at, labels.shared, divided
    )
    return RowsInBlocks(rows, labels, roles, found.sums, sketch, RowsInMemory(sample), divided)


def _error_target(compression: Any, n_groups: int, n_features: int) -> float | None:
    """The error that a sketch should have; None for exact sums."""
    if compression == "auto":
        needed = 8.0 * n_groups * n_features**2
        compression = "sketch" if needed > get_sizes().product_bytes else "exact"
    if compression == "exact":
        return None
    return _SKETCH_ERROR if compression == "sketch" else float(compression)


def sample_size(n_columns: int) -> int:
    """Number of rows to keep, to fit the temperature of the probabilities."""
    sizes = get_sizes()
    return max(sizes.smallest_sample, sizes.sample_bytes // (8 * max(n_columns, 1)))


def _sampled(labels: Labels, n_columns: int, seed: int) -> np.ndarray:
    """True for the rows to keep: all, or about as many as fit, drawn at random."""
    wanted = sample_size(n_columns)
    counted = labels.of_rows >= 0
    if counted.sum() <= wanted:
        return counted
    bar = np.uint64(2.0**64 * wanted / counted.sum())
    sampled: np.ndarray = counted & (random_bits(seed + 1, counted.size) < bar)
    return sampled
