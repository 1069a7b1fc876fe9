"""Training parts of a table in blocks of rows that are not in memory: the passes over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.training_parts import Division, gram_source, standards_of
from disjoint_centroids.rows.blocks import BlockedTable, Rows, small
from disjoint_centroids.rows.column_sums import ColumnSums, Grouping, add_up
from disjoint_centroids.rows.training import LARGEST, refuse_tiny, shown_features


class PartsInBlocks:
    """Training parts of a table in blocks: sums of the rows are in memory, and of some rows the picked columns.

    One pass adds up the products of all pairs of columns. Where these would not fit into memory, a pass adds up the
    class sums, and one pass per round the products of the features that were just picked with all others.

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
    """

    def __init__(
        self, estimator: BaseEstimator, table: BlockedTable, division: Division, *, with_squares: bool
    ) -> None:
        self.division = division
        self._passes = _Passes(table, division)
        self._values = np.empty((int(division.kept.sum()), 0))
        self._place = np.cumsum(division.kept) - 1
        self._features = np.empty(0, dtype=np.intp)
        shift = self._passes.shift()
        in_one_pass = fits_in_memory(shift.size, division, with_squares=with_squares)
        sums = self._passes.sums(shift, with_squares=with_squares, with_products=in_one_pass)
        check_column_sums(estimator, sums, shift)
        self.source: drafting.Source
        if in_one_pass:
            self.source = gram_source(sums, division, shift, with_squares=with_squares)
        else:
            standards, gaps = standards_of(sums, division, shift, with_squares=with_squares)
            pairs = _FetchedPairs(self._passes, division, shift, with_squares=with_squares)
            self.source = drafting.GramSource(pairs, shift, standards, gaps)

    def keep(self, features: np.ndarray) -> None:
        """Take the values of features from the rows that are kept, in one pass."""
        new = np.setdiff1d(features, self._features)
        if new.size:
            self._values = np.concatenate([self._values, self._passes.columns(new)], axis=1)
            self._features = np.concatenate([self._features, new])

    def columns(self, rows: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Values of some features in some of the samples that are kept."""
        order = np.argsort(self._features)
        at = order[np.searchsorted(self._features, features, sorter=order)]
        return self._values[np.ix_(self._place[rows], at)]


def fits_in_memory(n_features: int, division: Division, *, with_squares: bool) -> bool:
    """True if the products of all pairs of columns of all parts fit into the memory allowed for them."""
    width = 2 * n_features if with_squares else n_features
    n_matrices = division.times.shape[1] + division.n_parts
    return 8.0 * width**2 * n_matrices <= get_sizes().product_bytes


def check_column_sums(estimator: BaseEstimator, sums: ColumnSums, shift: np.ndarray) -> None:
    """Raise an error if the sums are not finite, or of values too small to be squared."""
    with np.errstate(over="ignore", invalid="ignore"):
        totals = np.where(sums.weights > 0, sums.weights, 1.0)[:, :, None]
        scales = np.sqrt((sums.second / totals).max(axis=(0, 1))) + np.abs(shift)
    columns = np.flatnonzero(~(scales <= LARGEST))
    if columns.size:
        raise ValueError(
            "Input X contains NaN, infinity or values too large to be squared, in "
            f"{shown_features(estimator, columns)}. {type(estimator).__name__} needs a finite number in every cell: "
            "fill or drop them before (for example X.map_blocks(np.nan_to_num), or fillna on a frame)."
        )
    refuse_tiny(estimator, scales)


class _Passes:
    """Passes over the rows of a table."""

    def __init__(self, table: BlockedTable, division: Division) -> None:
        self.rows: Rows = table.blocks
        n_rows = sum(self.rows.lengths)
        codes, cells = np.zeros(n_rows, dtype=np.intp), np.full(n_rows, -1, dtype=np.intp)
        codes[table.rows], cells[table.rows] = division.codes, division.cells
        weights = np.zeros(n_rows)
        weights[table.rows] = division.weights
        self._of_blocks = list(
            zip(small(self.rows, codes), small(self.rows, cells), self.rows.slices(weights), strict=True)
        )
        kept = np.zeros(n_rows, dtype=bool)
        kept[table.rows] = division.kept
        self._kept = [np.flatnonzero(part) for part in self.rows.slices(kept)]
        self._division = division

    def shift(self) -> np.ndarray:
        """Means of a block, near which sums keep their digits; zeros for a sparse table."""
        first = self.rows.first()
        return np.zeros(self.rows.n_features) if sparse.issparse(first) else np.asarray(first).mean(axis=0)

    def sums(self, shift: np.ndarray, *, with_squares: bool, with_products: bool) -> ColumnSums:
        """Sums of all rows, by class and cell."""
        balance, n_cells = self._division.balance, self._division.times.shape[1]
        width = shift.size * (2 if with_squares else 1)
        n_bytes = 8.0 * n_cells * (width**2 if with_products else 2 * balance.size * shift.size)
        arguments = [shift, balance, n_cells, with_squares, with_products]
        found: ColumnSums = self.rows.total(_sums_of_block, self._of_blocks, arguments, n_bytes)
        return found

    def products(self, shift: np.ndarray, features: np.ndarray, *, with_squares: bool) -> np.ndarray:
        """Products of some features (and of their squares) with all columns, by cell: (n_cells, n_wanted, width)."""
        balance, n_cells = self._division.balance, self._division.times.shape[1]
        arguments = [shift, balance, n_cells, features, with_squares]
        found: np.ndarray = self.rows.total(_products_of_block, self._of_blocks, arguments, 0.0)
        return found

    def times(self, shift: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        """Products of all features with the sum of the features times each of some vectors: (n_cells, n, p)."""
        balance, n_cells = self._division.balance, self._division.times.shape[1]
        arguments = [shift, balance, n_cells, vectors]
        found: np.ndarray = self.rows.total(_times_of_block, self._of_blocks, arguments, 0.0)
        return found

    def columns(self, features: np.ndarray) -> np.ndarray:
        """Values of some features in the rows that are kept."""
        of_blocks = [(at, rows) for at, rows in enumerate(self._kept)]
        found: _Collected = self.rows.total(_columns_of_block, of_blocks, [features], 0.0)
        return np.concatenate([found.parts[at] for at in sorted(found.parts)])


class _FetchedPairs:
    """Products of pairs of columns, fetched by one pass for the features that were just picked."""

    def __init__(self, passes: _Passes, division: Division, shift: np.ndarray, *, with_squares: bool) -> None:
        self._passes, self._division, self._shift, self._with_squares = passes, division, shift, with_squares
        self._rows: dict[int, np.ndarray] = {}

    def fetch(self, features: np.ndarray) -> None:
        """Make one pass for features that have not been picked before."""
        new = np.array([f for f in features.tolist() if f not in self._rows], dtype=np.intp)
        if not new.size:
            return
        found = self._passes.products(self._shift, new, with_squares=self._with_squares)
        for at, feature in enumerate(new.tolist()):
            self._rows[feature] = found[:, at]
            if self._with_squares:
                self._rows[self._shift.size + feature] = found[:, new.size + at]

    def rows(self, part: int, columns: np.ndarray) -> np.ndarray:
        """Products of some columns with all columns."""
        by_cell = np.stack([self._rows[column] for column in columns.tolist()], axis=1)
        found: np.ndarray = np.tensordot(self._division.times[part], by_cell, axes=1)
        return found

    def times(self, part: int, vector: np.ndarray) -> np.ndarray:
        """Products of all features with the sum of the features times a vector, in one pass."""
        found: np.ndarray = np.tensordot(
            self._division.times[part], self._passes.times(self._shift, vector[None])[:, 0], axes=1
        )
        return found


@dataclass(frozen=True, slots=True)
class _Collected:
    """Values by block; adding joins them."""

    parts: dict[int, np.ndarray]

    def __add__(self, other: _Collected) -> _Collected:
        return _Collected(self.parts | other.parts)


def _sums_of_block(
    values: Any,
    codes: np.ndarray,
    cells: np.ndarray,
    weights: np.ndarray,
    shift: np.ndarray,
    balance: np.ndarray,
    n_cells: int,
    with_squares: bool,
    with_products: bool,
) -> ColumnSums:
    codes = codes.astype(np.intp)
    grouping = Grouping(
        codes,
        cells.astype(np.intp),
        weights,
        weights * balance[codes],
        balance.size,
        n_cells,
        with_squares,
        with_products,
    )
    with np.errstate(over="ignore", invalid="ignore"):
        return add_up(values, shift, grouping)


def _products_of_block(
    values: Any,
    codes: np.ndarray,
    cells: np.ndarray,
    weights: np.ndarray,
    shift: np.ndarray,
    balance: np.ndarray,
    n_cells: int,
    features: np.ndarray,
    with_squares: bool,
) -> np.ndarray:
    found = []
    for cell in range(n_cells):
        rows = np.flatnonzero(cells == cell)
        x = values[rows] if sparse.issparse(values) else values[rows] - shift
        picked = x[:, features].toarray() if sparse.issparse(x) else x[:, features]
        if with_squares:
            picked = np.concatenate([picked, picked**2], axis=1)
        picked = picked * (weights * balance[codes])[rows, None]
        products = _dense(x.T @ picked).T
        if with_squares:
            squares = x.multiply(x) if sparse.issparse(x) else x**2
            products = np.concatenate([products, _dense(squares.T @ picked).T], axis=1)
        found.append(products)
    return np.stack(found)


def _times_of_block(
    values: Any,
    codes: np.ndarray,
    cells: np.ndarray,
    weights: np.ndarray,
    shift: np.ndarray,
    balance: np.ndarray,
    n_cells: int,
    vectors: np.ndarray,
) -> np.ndarray:
    found = []
    for cell in range(n_cells):
        rows = np.flatnonzero(cells == cell)
        x = values[rows] if sparse.issparse(values) else values[rows] - shift
        weighted = (weights * balance[codes])[rows, None] * (x @ vectors.T)
        found.append(_dense(x.T @ weighted).T)
    return np.stack(found)


def _columns_of_block(values: Any, at: int, rows: np.ndarray, features: np.ndarray) -> _Collected:
    block = values[rows][:, features]
    return _Collected({at: block.toarray() if sparse.issparse(block) else np.asarray(block, dtype=np.float64)})


def _dense(values: Any) -> np.ndarray:
    return values.toarray() if sparse.issparse(values) else np.asarray(values)
