"""A training table of which only sums are kept: the first pass over the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from disjoint_centroids import numerics
from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.passes import FirstLook, Wrong, look_again, look_first
from disjoint_centroids.rows.blocks import Labels, Rows, small
from disjoint_centroids.rows.cells import Cells, cells_of
from disjoint_centroids.rows.folds import Fold
from disjoint_centroids.rows.labelled_rows import LabelledRows
from disjoint_centroids.rows.sketch import Sketch, random_bits, rows_for
from disjoint_centroids.rows.sums import GroupSums, moments_of_sums
from disjoint_centroids.rows.training import LARGEST, refuse_tiny, shown_features, whole_owner

PRODUCT_BYTES = 2**31
"""Inner products of all classes (and cells) larger than this are replaced by a sketch, if the user leaves it to us."""

_SAMPLE_BYTES, _SMALLEST_SAMPLE = 2**24, 500
"""Rows kept to fit the temperature of the probabilities."""

_OUTSCALED = 1e5
"""Average scale of the features over their median, up to which inner products decide owners as differences do."""

_USUAL_ERROR = 0.1
"""Standard deviation of a squared distance, as a share of it, that a sketch aims at."""


@dataclass(frozen=True, slots=True)
class CompressedTraining:
    """A training table of which only sums are kept.

    Attributes
    ----------
    rows : Rows
        Where the table can be looked at again.
    sums : GroupSums
        Group ``cell * n_classes + code`` holds the rows of a class in a cell.
    sample : LabelledRows
        Some of the rows, all of their columns as values.
    """

    rows: Rows
    labels: Labels
    cells: Cells
    sums: GroupSums
    sketch: Sketch | None
    sample: LabelledRows
    divided: bool

    @property
    def classes(self) -> np.ndarray:
        """Labels of the classes."""
        return self.labels.classes

    @property
    def shared(self) -> np.ndarray:
        """Features that every class uses."""
        return self.labels.shared

    @property
    def sample_decides(self) -> bool:
        """Whether the sample is all rows, and so knows the training error."""
        return self.sample.codes.size == self.labels.rows.size

    def whole_owner(self, owner: np.ndarray) -> np.ndarray:
        """Owners of all features from those of the features that are shared out."""
        return whole_owner(owner, self.shared)

    def moments(self) -> numerics.Moments:
        """Moments of all features."""
        return moments_of_sums(self.sums.merged(self._groups_of(np.ones(self.cells.n_cells, bool))))

    def error_of(self, predict: Callable[[Any], np.ndarray]) -> float:
        """Share of the rows that a rule classifies wrongly, in one more pass over them."""
        arguments = list(zip(small(self.rows, self.labels.codes), self.labels.small_weights(self.rows), strict=True))
        wrong = self.rows.total(_wrong_weight, arguments, [predict], 0.0)
        return float(wrong / self.labels.weights[self.labels.rows].sum())

    def problem(self) -> search.Problem:
        """The whole table as the engine's problem."""
        problem, _ = self._problem(np.ones(self.cells.n_cells, bool))
        assert problem is not None  # labels of one class only are refused
        return problem

    def fold_problem(self, fold: int) -> tuple[search.Problem | None, np.ndarray]:
        """The training part of a fold, and the numbers there of all classes, -1 for those that do not occur.

        None where only one class occurs.
        """
        return self._problem(self.cells.train[fold])

    def _problem(self, cells: np.ndarray) -> tuple[search.Problem | None, np.ndarray]:
        groups_of = self._groups_of(cells)
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

    def _groups_of(self, cells: np.ndarray) -> list[np.ndarray]:
        """For each class its groups in the marked cells."""
        n_classes = len(self.classes)
        return [np.flatnonzero(cells) * n_classes + code for code in range(n_classes)]

    def cell_weights(self) -> np.ndarray:
        """The weight of each class in each cell, (n_cells, n_classes)."""
        return self.sums.weights.reshape(self.cells.n_cells, len(self.classes))

    def wrong(self, candidates: list[search.Candidates]) -> list[np.ndarray]:
        """Let all candidates classify all rows, in one pass: what each gets wrong in each cell."""
        rows, labels = self.rows, self.labels
        arguments = list(
            zip(small(rows, labels.codes), small(rows, self.cells.of_row), labels.small_weights(rows), strict=True)
        )
        found: Wrong = rows.total(look_again, arguments, [candidates, self.shared, self.cells.n_cells], 0.0)
        return found.weights


def _wrong_weight(values: Any, codes: np.ndarray, weights: np.ndarray, predict: Callable[[Any], np.ndarray]) -> float:
    counted = codes >= 0
    wrong = predict(values[counted]) != codes[counted]
    return float(wrong.sum() if weights is None else weights[counted] @ wrong)


def refuse_unusable(estimator: BaseEstimator, sums: GroupSums) -> None:
    """Refuse tables whose sums have lost what the search needs: numbers that are finite, and digits.

    A non-finite sum means that a block held a non-finite value, or one too large to be squared.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        variances = sums.scatters / np.where(sums.weights > 0, sums.weights, 1.0)[:, None]
        scales = np.maximum(np.abs(sums.means), np.sqrt(variances)).max(axis=0)
    columns = np.flatnonzero(~(scales <= LARGEST))
    if columns.size:
        raise ValueError(
            "Input X contains NaN, infinity or values too large to be squared, in "
            f"{shown_features(estimator, columns)}. {type(estimator).__name__} needs a finite number in every cell: "
            "fill or drop them before (for example X.map_blocks(np.nan_to_num), or fillna on a frame)."
        )
    refuse_tiny(estimator, scales)
    if sums.products is not None:
        _refuse_outscaled(estimator, scales)


def _refuse_outscaled(estimator: BaseEstimator, scales: np.ndarray) -> None:
    """Refuse a table whose largest features leave no digits to the others once the samples' means are taken out."""
    usual = float(np.median(scales[scales > 0])) if (scales > 0).any() else 0.0
    if scales.mean() > _OUTSCALED * usual:
        columns = np.flatnonzero(scales > _OUTSCALED * usual)
        raise ValueError(
            f"Input X holds values of about {scales.max():.2g} in {shown_features(estimator, columns)}, and of about "
            f"{usual:.2g} in half of the features. Sums over blocks of rows have no digits left for the smaller ones. "
            f"{type(estimator).__name__} needs features of comparable scale there: standardize X (for example with "
            "sklearn.preprocessing.StandardScaler), drop the large features, or fit the table in memory."
        )


def compress(
    estimator: BaseEstimator,
    rows: Rows,
    labels: Labels,
    folds: list[Fold],
    compression: Any,
    *,
    divided: bool,
    seed: int,
) -> CompressedTraining:
    """The first pass over the rows."""
    cells = cells_of(folds, labels)
    n_classes, n_features = len(labels.classes), int((~labels.shared).sum())
    n_groups = cells.n_cells * n_classes
    groups = np.where(labels.codes >= 0, cells.of_row * n_classes + labels.codes, -1)
    error = _error_target(compression, n_groups, n_features)
    sketch = None
    if error is not None:
        size = -(-rows_for(error) // max(cells.n_cells - 1, 1))
        sketch = Sketch(np.minimum(np.bincount(groups[groups >= 0], minlength=n_groups), size), seed)
    lots = [None] * len(rows.lengths) if sketch is None else small(rows, sketch.lots(groups))
    sampled = [np.flatnonzero(part) for part in rows.slices(_sampled(labels, rows.n_features, seed))]
    first = np.cumsum([0, *rows.lengths[:-1]])
    arguments = list(zip(small(rows, groups), labels.small_weights(rows), lots, sampled, first.tolist(), strict=True))
    n_sketched = 0 if sketch is None else int(sketch.sizes.sum())
    result_bytes = 8.0 * n_features * (n_sketched if sketch is not None else n_groups * n_features)
    look: FirstLook = rows.total(look_first, arguments, [labels.shared, n_groups, n_sketched], result_bytes)
    positions, kept = np.concatenate(look.positions), np.concatenate(look.rows)
    order = np.argsort(positions)
    at = positions[order]
    refuse_unusable(estimator, look.sums)
    sample = LabelledRows(kept[order], kept[:, :0], labels.codes[at], labels.weights[at])
    return CompressedTraining(rows, labels, cells, look.sums, sketch, sample, divided)


def _error_target(compression: Any, n_groups: int, n_features: int) -> float | None:
    """The error that a sketch should have; None for exact sums."""
    if compression == "auto":
        compression = "sketch" if 8.0 * n_groups * n_features**2 > PRODUCT_BYTES else "exact"
    if compression == "exact":
        return None
    return _USUAL_ERROR if compression == "sketch" else float(compression)


def sample_size(n_columns: int) -> int:
    """How many rows to keep."""
    return max(_SMALLEST_SAMPLE, _SAMPLE_BYTES // (8 * max(n_columns, 1)))


def _sampled(labels: Labels, n_columns: int, seed: int) -> np.ndarray:
    """Which rows to keep: all, or about as many as fit, by lot."""
    wanted = sample_size(n_columns)
    counted = labels.codes >= 0
    if counted.sum() <= wanted:
        return counted
    bar = np.uint64(2.0**64 * wanted / counted.sum())
    sampled: np.ndarray = counted & (random_bits(seed + 1, counted.size) < bar)
    return sampled
