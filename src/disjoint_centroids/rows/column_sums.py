"""Sums over the rows of a table that fits by least squares need: class sums, powers, and products of columns.

They add up over blocks of rows, over machines and over sites, and those of a training part are those of the whole less
those of what is held out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.numerics.stored import dense
from disjoint_centroids.numerics.types import FloatArray, IntArray

_FAR = 30.0  # standard deviations from zero: its fourth power costs six of sixteen digits
_ENOUGH_ROWS = 30  # in fewer, columns with many zeros may happen to have none


@dataclass(frozen=True, slots=True)
class ColumnSums:
    """Sums over rows by class and cell, a cell being a set of rows that no fold tells apart.

    Attributes
    ----------
    weights : array of shape (n_cells, n_classes)
        Sums of the sample weights.
    first, second : arrays of shape (n_cells, n_classes, n_features)
        Weighted sums of the values, less a shift, and of their squares.
    third, fourth : arrays of shape (n_cells, n_features), or None
        Sums of the third and fourth powers, with balanced weights; only where squared terms are fitted.
    products : array of shape (n_cells, n_columns, n_columns), or None
        Products of all pairs of columns, with balanced weights. Columns are the features, followed by their squares
        where squared terms are fitted.
    zeros : array of shape (n_cells, n_classes, n_features), or None
        Sums of the weights of the samples in which the feature is zero; only where a rule of the draft asks for them.
    """

    weights: FloatArray
    first: FloatArray
    second: FloatArray
    third: FloatArray | None = None
    fourth: FloatArray | None = None
    products: FloatArray | None = None
    zeros: FloatArray | None = None

    def __add__(self, other: ColumnSums) -> ColumnSums:
        return ColumnSums(
            self.weights + other.weights,
            self.first + other.first,
            self.second + other.second,
            _added(self.third, other.third),
            _added(self.fourth, other.fourth),
            _added(self.products, other.products),
            _added(self.zeros, other.zeros),
        )

    def __iadd__(self, other: ColumnSums) -> ColumnSums:
        for own, added in zip(self._arrays(), other._arrays(), strict=True):
            own += added
        return self

    def _arrays(self) -> list[FloatArray]:
        """Arrays of all sums that were computed."""
        every = (self.weights, self.first, self.second, self.third, self.fourth, self.products, self.zeros)
        return [sums for sums in every if sums is not None]

    def of(self, times: FloatArray) -> ColumnSums:
        """Sums over the cells, each counted as many times as ``times`` says, as those of one cell."""
        return ColumnSums(
            _counted(times, self.weights),
            _counted(times, self.first),
            _counted(times, self.second),
            None if self.third is None else _counted(times, self.third),
            None if self.fourth is None else _counted(times, self.fourth),
            None if self.products is None else _counted(times, self.products),
            None if self.zeros is None else _counted(times, self.zeros),
        )


def _counted(times: FloatArray, sums: FloatArray) -> FloatArray:
    counted: FloatArray = np.tensordot(times, sums, axes=1)[None]
    return counted


def _added(one: FloatArray | None, other: FloatArray | None) -> FloatArray | None:
    return None if one is None or other is None else one + other


@dataclass(frozen=True, slots=True)
class Grouping:
    """Membership of the rows of a block, and what is to be added up.

    Attributes
    ----------
    codes, cells : arrays of shape (n_rows,)
        Class and cell of each row; rows with a negative cell do not count.
    weights, balanced : arrays of shape (n_rows,)
        Sample weights, and the same with classes balanced.
    n_classes, n_cells : int
        Numbers of classes and cells.
    with_squares : bool
        True if squares are columns too.
    with_products : bool
        True if products of columns are added up.
    """

    codes: IntArray
    cells: IntArray
    weights: FloatArray
    balanced: FloatArray
    n_classes: int
    n_cells: int
    with_squares: bool
    with_products: bool


def shifted_table(values: Any) -> tuple[Any, FloatArray]:
    """Table less a shift near its means, so that data far from zero do not lose their digits, and the shift.

    Of a sparse table only columns without any zero are shifted: it stays sparse.
    """
    if not sparse.issparse(values):
        shift = np.asarray(values.mean(axis=0), dtype=np.float64)
        return values - shift, shift
    columns = sparse.csc_array(values, dtype=np.float64, copy=True)
    n_stored = np.diff(columns.indptr)
    is_full = n_stored == columns.shape[0]
    shift = np.where(is_full, np.asarray(columns.mean(axis=0)).ravel(), 0.0)
    columns.data -= np.repeat(shift, n_stored)
    rows = columns.tocsr()
    rows.sort_indices()
    return rows, shift


def shift_of_block(values: Any) -> FloatArray:
    """Shift by which all blocks of rows keep their digits, from one of them.

    Of sparse blocks only columns without any zero that lie far from it are shifted: elsewhere they may have zeros,
    which are then stored.
    """
    means = np.asarray(values.mean(axis=0), dtype=np.float64).ravel()
    if not sparse.issparse(values):
        return means
    n_rows = values.shape[0]
    if n_rows < _ENOUGH_ROWS:
        return np.zeros(values.shape[1])
    columns = sparse.csc_array(values)
    full = np.flatnonzero(np.diff(columns.indptr) == n_rows)
    spread = np.asarray(columns[:, full].toarray(), dtype=np.float64).std(axis=0)
    shift = np.zeros(values.shape[1])
    shift[full] = np.where(np.abs(means[full]) > _FAR * spread, means[full], 0.0)
    return shift


def less_shift(values: Any, shift: FloatArray) -> Any:
    """Rows less a shift; a sparse block then stores every cell of the columns that are shifted."""
    if not sparse.issparse(values):
        return values - shift
    columns = np.flatnonzero(shift)
    if not columns.size:
        return values
    cells = sparse.coo_array(values)
    others = shift[cells.col] == 0.0
    shifted = dense(values[:, columns]) - shift[columns]
    rows, places = (grid.ravel() for grid in np.meshgrid(np.arange(values.shape[0]), columns, indexing="ij"))
    at = (np.concatenate([cells.row[others], rows]), np.concatenate([cells.col[others], places]))
    found = sparse.csr_array((np.concatenate([cells.data[others], shifted.ravel()]), at), values.shape)
    found.sort_indices()
    return found


def add_up(values: Any, shift: FloatArray, grouping: Grouping) -> ColumnSums:
    """Add up the rows of a dense or sparse block less a shift."""
    if sparse.issparse(values):
        return _sparse_sums(less_shift(values, shift).tocsr(), grouping)
    n_features = values.shape[1]
    step = max(1, get_sizes().dense_at_once // max(n_features, 1))
    found = None
    for begin in range(0, max(values.shape[0], 1), step):
        rows = slice(begin, begin + step)
        part = _dense_sums(np.ascontiguousarray(values[rows]), shift, rows, grouping)
        if found is None:
            found = part
        else:
            found += part
    assert found is not None
    return found


def _dense_sums(values: FloatArray, shift: FloatArray, rows: slice, grouping: Grouping) -> ColumnSums:
    from disjoint_centroids.rows import kernels

    codes, cells = grouping.codes[rows], grouping.cells[rows]
    n_features = values.shape[1]
    n_columns = n_features * (2 if grouping.with_squares else 1) if grouping.with_products else 0
    ends = np.cumsum(np.bincount(cells[cells >= 0], minlength=grouping.n_cells))
    begins = np.concatenate([[0], ends[:-1]])
    lines = np.empty((ends[-1], n_columns))
    sums = _zeros(grouping, n_features)
    members = (codes, cells, grouping.weights[rows], grouping.balanced[rows])
    kernels.add_dense_rows(values, shift, *members, grouping.with_squares, begins.copy(), lines, *sums)
    products = None
    if grouping.with_products:
        products = np.empty((grouping.n_cells, n_columns, n_columns))
        for cell, (begin, end) in enumerate(zip(begins, ends, strict=True)):
            np.matmul(lines[begin:end].T, lines[begin:end], out=products[cell])
    return _with_products(sums, products, grouping)


def _zeros(grouping: Grouping, n_features: int) -> tuple[FloatArray, ...]:
    """Sums of weights, first and second powers by cell and class; third and fourth ones by cell: all zero."""
    shape = (grouping.n_cells, grouping.n_classes, n_features)
    third, fourth = np.zeros((2, grouping.n_cells, n_features))
    return np.zeros(shape[:2]), np.zeros(shape), np.zeros(shape), third, fourth


def _with_products(sums: tuple[FloatArray, ...], products: FloatArray | None, grouping: Grouping) -> ColumnSums:
    totals, first, second, *powers = sums
    third, fourth = powers if grouping.with_squares else (None, None)
    return ColumnSums(totals, first, second, third, fourth, products)


def _sparse_sums(rows: sparse.csr_array, grouping: Grouping) -> ColumnSums:
    from disjoint_centroids.rows import kernels

    n_features = rows.shape[1]
    sums = _zeros(grouping, n_features)
    data = np.asarray(rows.data, dtype=np.float64)
    kernels.add_sparse_powers(
        data, rows.indices, rows.indptr, grouping.codes, grouping.cells, grouping.weights, grouping.balanced, *sums
    )
    products = None
    if grouping.with_products:
        n_columns = 2 * n_features if grouping.with_squares else n_features
        products = np.zeros((grouping.n_cells, n_columns, n_columns))
        kernels.add_sparse_products(
            data, rows.indices, rows.indptr, grouping.cells, grouping.balanced, grouping.with_squares, products
        )
        for product in products:  # the kernel fills the upper triangle
            product += np.triu(product, 1).T
    return _with_products(sums, products, grouping)


def count_zeros(values: Any, grouping: Grouping) -> FloatArray:
    """Weights of the rows in which each feature is zero, by cell and class; of the values as they are, not shifted."""
    counted = np.flatnonzero(grouping.cells >= 0)
    group = grouping.cells[counted] * grouping.n_classes + grouping.codes[counted]
    shape = (grouping.n_cells * grouping.n_classes, values.shape[0])
    members = sparse.csr_array((grouping.weights[counted], (group, counted)), shape)
    if sparse.issparse(values):
        is_on = sparse.csr_array(values != 0, dtype=np.float64)
        found = members.sum(axis=1)[:, None] - (members @ is_on).toarray()
    else:
        found = np.zeros((shape[0], values.shape[1]))
        step = max(1, get_sizes().dense_at_once // max(values.shape[1], 1))
        for begin in range(0, shape[1], step):
            rows = slice(begin, begin + step)
            found += members[:, rows] @ (values[rows] == 0).astype(np.float64)
    by_class: FloatArray = found.reshape(grouping.n_cells, grouping.n_classes, values.shape[1])
    return by_class
