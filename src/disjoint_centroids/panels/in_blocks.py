"""Training parts of a table in blocks of rows that are not in memory: the passes over them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.numerics.stored import dense
from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.training_parts import (
    Division,
    cells_of,
    gram_source,
    moderate_unit,
    products_of,
    standards_of,
)
from disjoint_centroids.rows.blocks import BlockedTable, Collected, Rows, ScaledRows, small
from disjoint_centroids.rows.column_sums import ColumnSums, Grouping, add_up, count_zeros, less_shift, shift_of_block
from disjoint_centroids.rows.training import check_not_huge
from disjoint_centroids.rows.usable_sums import check_usable


def blocks_in_moderate_units(table: BlockedTable) -> tuple[BlockedTable, float]:
    """Table divided by a power of two, and that power, by the values of its first block."""
    unit = moderate_unit(table.blocks.first())
    return (table, 1.0) if unit == 1.0 else (replace(table, blocks=ScaledRows(table.blocks, unit)), unit)


class PartsInBlocks:
    """Training parts of a table in blocks: sums of the rows are in memory, and of some rows the picked columns.

    One pass adds up the products of all pairs of columns. Where these would not fit into memory, a pass adds up the
    class sums, and one pass per round the products of the features that were just picked with all others. Where they
    would fit without squares, two passes add up class sums and products of features, and only rounds with squared terms
    need passes of their own.

    Parameters
    ----------
    estimator : estimator
        In whose name errors are raised.
    table : BlockedTable
        The table.
    division : Division
        Its samples and their parts.
    with_squares : bool
        True if squared terms are fitted.
    unit : float, default=1.0
        What the table was divided by, so that errors speak of the values as they were.
    with_zeros : bool, default=False
        True if zeros are counted.
    """

    def __init__(
        self,
        estimator: BaseEstimator,
        table: BlockedTable,
        division: Division,
        *,
        with_squares: bool,
        unit: float = 1.0,
        with_zeros: bool = False,
    ) -> None:
        self.division = division
        passes = self._passes = _Passes(table, division)
        self._values = np.empty((int(division.kept.sum()), 0))
        self._place = division.place
        self._features = np.empty(0, dtype=np.intp)
        in_one_pass = fits_in_memory(passes.shift.size, division, with_squares=with_squares)
        sums = passes.sums(with_squares=with_squares, with_products=in_one_pass, with_zeros=with_zeros)
        _check_column_sums(estimator, sums, passes.shift, unit)
        self.source: drafting.Source
        if in_one_pass:
            self.source = gram_source(sums, division, passes.shift, with_squares=with_squares)
            return
        linear = None
        if with_squares and fits_in_memory(passes.shift.size, division, with_squares=False):
            linear = products_of(passes.sums(with_squares=False, with_products=True), division)
        standards, gaps = standards_of(sums, division, passes.shift, with_squares=with_squares)
        self.source = drafting.GramSource(_FetchedPairs(passes, division, linear), passes.shift, standards, gaps)

    def keep(self, features: np.ndarray) -> None:
        """Take the values of features from the rows that are kept, in one pass; of all features if they are few."""
        new = np.setdiff1d(features, self._features)
        if not new.size:
            return
        every = np.arange(self._passes.shift.size)
        if 8.0 * len(self._values) * every.size <= get_sizes().sample_bytes:
            new = np.setdiff1d(every, self._features)
        self._values = np.concatenate([self._values, self._passes.columns(new)], axis=1)
        self._features = np.concatenate([self._features, new])

    def columns(self, rows: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Values of some features in some of the samples that are kept."""
        order = np.argsort(self._features)
        at = order[np.searchsorted(self._features, features, sorter=order)]
        return cells_of(self._values, self._place[rows], at)

    def trained_on(self, part: int, rows: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Values of some features in some samples, the same for all training parts."""
        return self.columns(rows, features)


def fits_in_memory(n_features: int, division: Division, *, with_squares: bool) -> bool:
    """True if the products of all pairs of columns of all parts fit into the memory allowed for them."""
    width = 2 * n_features if with_squares else n_features
    n_matrices = division.times.shape[1] + division.n_parts
    return 8.0 * width**2 * n_matrices <= get_sizes().product_bytes


def _check_column_sums(estimator: BaseEstimator, sums: ColumnSums, shift: np.ndarray, unit: float) -> None:
    """Raise an error if the sums are not finite, or of values too large or too small for their powers."""
    with np.errstate(over="ignore", invalid="ignore"):
        totals = np.where(sums.weights > 0, sums.weights, 1.0)[:, :, None]
        scales = np.sqrt((sums.second / totals).max(axis=(0, 1))) + np.abs(shift)
        check_usable(estimator, scales * unit)
    if sums.fourth is not None and not np.isfinite(sums.fourth).all():
        check_not_huge(estimator, scales * unit, at_most=0.0)


class _Passes:
    """Passes over the rows of a table."""

    def __init__(self, table: BlockedTable, division: Division) -> None:
        self.rows: Rows = table.blocks
        n_rows = sum(self.rows.lengths)
        codes, cells = np.zeros(n_rows, dtype=np.intp), np.full(n_rows, -1, dtype=np.intp)
        codes[table.rows], cells[table.rows] = division.codes, division.cells
        weights, kept = np.zeros(n_rows), np.zeros(n_rows, dtype=bool)
        weights[table.rows], kept[table.rows] = division.weights, division.kept
        parts = zip(small(self.rows, codes), small(self.rows, cells), self.rows.slices(weights), strict=True)
        self._members = [(_Members(*part),) for part in parts]
        self._kept = [np.flatnonzero(part) for part in self.rows.slices(kept)]
        # Sums keep their digits near the means of a block.
        self.shift = shift_of_block(self.rows.first())
        self._common = _Common(self.shift, division.balance, division.times.shape[1])

    def sums(self, *, with_squares: bool, with_products: bool, with_zeros: bool = False) -> ColumnSums:
        """Sums of all rows, by class and cell."""
        n_features, n_classes, n_cells = self.shift.size, self._common.balance.size, self._common.n_cells
        width = n_features * (2 if with_squares else 1)
        n_bytes = 8.0 * n_cells * (width**2 if with_products else 2 * n_classes * n_features)
        arguments = [self._common, with_squares, with_products, with_zeros]
        found: ColumnSums = self.rows.total(_sums_of_block, self._members, arguments, n_bytes)
        return found

    def products(self, features: np.ndarray, *, with_squares: bool) -> np.ndarray:
        """Products of some features (and of their squares) with all columns, by cell: (n_cells, n_wanted, width)."""
        found: np.ndarray = self.rows.total(
            _products_of_block, self._members, [self._common, features, with_squares], 0.0
        )
        return found

    def times(self, vectors: np.ndarray) -> np.ndarray:
        """Products of all features with the sum of the features times each of some vectors: (n_cells, n, p)."""
        found: np.ndarray = self.rows.total(_times_of_block, self._members, [self._common, vectors], 0.0)
        return found

    def columns(self, features: np.ndarray) -> np.ndarray:
        """Values of some features in the rows that are kept."""
        found: Collected = self.rows.total(_columns_of_block, list(enumerate(self._kept)), [features], 0.0)
        return found.joined()


class _FetchedPairs:
    """Products of pairs of columns, fetched by one pass for the features that were just picked.

    Parameters
    ----------
    passes : _Passes
        The passes.
    division : Division
        The parts.
    linear : AllPairs or None
        Products of all pairs of features without their squares, if there is room for them.
    """

    def __init__(self, passes: _Passes, division: Division, linear: drafting.AllPairs | None) -> None:
        self._passes, self._division, self._linear = passes, division, linear
        self._rows: dict[int, np.ndarray] = {}

    def fetch(self, features: np.ndarray, *, with_squares: bool) -> None:
        """Make one pass for features that have not been picked before, or not where their squares mattered."""
        if self._linear is not None and not with_squares:
            return
        p = self._passes.shift.size
        wanted = [f for f in features.tolist() if (p + f if with_squares else f) not in self._rows]
        if not wanted:
            return
        found = self._passes.products(np.array(wanted, dtype=np.intp), with_squares=with_squares)
        for at, feature in enumerate(wanted):
            self._rows[feature] = found[:, at]
            if with_squares:
                self._rows[p + feature] = found[:, len(wanted) + at]

    def rows(self, part: int, columns: np.ndarray) -> np.ndarray:
        """Products of some columns with all columns."""
        wanted = columns.tolist()
        if self._linear is not None and any(column not in self._rows for column in wanted):
            return self._linear.rows(part, columns)
        width = min(self._rows[column].shape[1] for column in wanted)  # some may have been fetched without squares
        by_cell = np.stack([self._rows[column][:, :width] for column in wanted], axis=1)
        found: np.ndarray = np.tensordot(self._division.times[part], by_cell, axes=1)
        return found

    def times(self, part: int, vector: np.ndarray) -> np.ndarray:
        """Products of all features with the sum of the features times a vector, in one pass."""
        if self._linear is not None:
            return self._linear.times(part, vector)
        found: np.ndarray = np.tensordot(self._division.times[part], self._passes.times(vector[None])[:, 0], axes=1)
        return found


@dataclass(frozen=True, slots=True)
class _Members:
    """Class, cell and weight of each row of a block; rows with a negative cell do not count."""

    codes: np.ndarray
    cells: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True, slots=True)
class _Common:
    """Values that all blocks share: shift of the features, balance of the classes, number of cells."""

    shift: np.ndarray
    balance: np.ndarray
    n_cells: int

    def by_cell(self, values: Any, members: _Members) -> Iterator[tuple[Any, np.ndarray]]:
        """Shifted rows of every cell of a block, and their balanced weights as a column."""
        balanced = members.weights * self.balance[members.codes]
        shifted = less_shift(values, self.shift)
        for cell in range(self.n_cells):
            rows = np.flatnonzero(members.cells == cell)
            yield shifted[rows], balanced[rows, None]


def _sums_of_block(
    values: Any, members: _Members, common: _Common, with_squares: bool, with_products: bool, with_zeros: bool
) -> ColumnSums:
    codes = members.codes.astype(np.intp)
    grouping = Grouping(
        codes,
        members.cells.astype(np.intp),
        members.weights,
        members.weights * common.balance[codes],
        common.balance.size,
        common.n_cells,
        with_squares,
        with_products,
    )
    with np.errstate(over="ignore", invalid="ignore"):
        sums = add_up(values, common.shift, grouping)
    return replace(sums, zeros=count_zeros(values, grouping)) if with_zeros else sums


def _products_of_block(
    values: Any, members: _Members, common: _Common, features: np.ndarray, with_squares: bool
) -> np.ndarray:
    found = []
    for x, weights in common.by_cell(values, members):
        picked = dense(x[:, features])
        if with_squares:
            picked = np.concatenate([picked, picked**2], axis=1)
        picked = picked * weights
        products = dense(x.T @ picked).T
        if with_squares:
            squares = x.multiply(x) if sparse.issparse(x) else x**2
            products = np.concatenate([products, dense(squares.T @ picked).T], axis=1)
        found.append(products)
    return np.stack(found)


def _times_of_block(values: Any, members: _Members, common: _Common, vectors: np.ndarray) -> np.ndarray:
    return np.stack([dense(x.T @ (weights * (x @ vectors.T))).T for x, weights in common.by_cell(values, members)])


def _columns_of_block(values: Any, at: int, rows: np.ndarray, features: np.ndarray) -> Collected:
    return Collected({at: dense(values[rows][:, features]).astype(np.float64, copy=False)})
