"""Order of samples that follows from what is in them, for tables in memory and in blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from disjoint_centroids import numerics
from disjoint_centroids.rows.blocks import BlockedTable, Collected
from disjoint_centroids.rows.usable_sums import check_usable

_BLOCK_CELLS = 2**22


def by_content(values: Any) -> np.ndarray:
    """Order of samples that follows from what is in them, not from the order of rows or columns.

    With columns centred, samples are sorted by their squared norm, then by their sum over the columns in which every
    column counts as much as it varies; what is equal in both stays as it stands.
    """
    spread = _spread(values)
    return _sorted(_keys(values, spread), spread)


def blocks_by_content(estimator: BaseEstimator, table: BlockedTable) -> np.ndarray:
    """The same order of the rows that count in a table that is not in memory, in two passes.

    The first pass adds up what columns are centred and weighted by, the second computes the keys of the rows.
    ``estimator`` is the one in whose name cells that are no finite numbers are refused.
    """
    counted = [np.flatnonzero(part >= 0) for part in table.blocks.slices(table.labels.of_rows)]
    spread: ColumnSpread = table.blocks.total(_spread_of_block, [(rows,) for rows in counted], [], 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        check_usable(estimator, np.abs(spread.means) + np.sqrt(spread.squares / max(spread.n_samples, 1)))
    keys: Collected = table.blocks.total(_keys_of_block, list(enumerate(counted)), [spread], 0.0)
    return _sorted(keys.joined(), spread)


@dataclass(frozen=True, slots=True)
class ColumnSpread:
    """Means of columns and the squares about them, which add up over blocks of rows.

    Attributes
    ----------
    n_samples : int
        Number of rows.
    n_stored : array of shape (n_features,)
        Number of cells that are stored; of a dense table all.
    means, squares : arrays of shape (n_features,)
        Means, and sums of squared differences from them.
    largest : float
        Largest absolute value.
    """

    n_samples: int
    n_stored: np.ndarray
    means: np.ndarray
    squares: np.ndarray
    largest: float

    def __add__(self, other: ColumnSpread) -> ColumnSpread:
        n = self.n_samples + other.n_samples
        with np.errstate(over="ignore", invalid="ignore"):
            gaps, share = other.means - self.means, other.n_samples / max(n, 1)
            means = self.means + share * gaps
            squares = self.squares + other.squares + self.n_samples * share * gaps**2
        return ColumnSpread(n, self.n_stored + other.n_stored, means, squares, max(self.largest, other.largest))

    @property
    def unit(self) -> float:
        """Power of two that values are multiplied by: third powers of large numbers overflow, and no digit changes."""
        return float(2.0 ** -np.frexp(self.largest)[1])


def _sorted(keys: np.ndarray, spread: ColumnSpread) -> np.ndarray:
    norms, sums = keys.T
    # Where every column has its mirror image, the sums are nothing but rounding.
    largest = np.sqrt(norms.max(initial=0.0)) * np.linalg.norm(spread.unit**2 * spread.squares)
    return np.lexsort((numerics.few_digits(sums, numerics.CANCELLED * largest), numerics.few_digits(norms)))


def _spread_of_block(values: Any, rows: np.ndarray) -> ColumnSpread:
    with np.errstate(over="ignore", invalid="ignore"):
        return _spread(values[rows])


def _keys_of_block(values: Any, at: int, rows: np.ndarray, spread: ColumnSpread) -> Collected:
    return Collected({at: _keys(values[rows], spread)})


def _spread(values: Any) -> ColumnSpread:
    """Spread of the columns of a dense or sparse table."""
    n_samples, n_features = values.shape
    if n_samples == 0:
        zeros = np.zeros(n_features)
        return ColumnSpread(0, zeros, zeros, zeros, 0.0)
    cells = values.data if sparse.issparse(values) else values
    largest = float(max(cells.max(initial=0.0), -cells.min(initial=0.0)))
    if sparse.issparse(values):
        return ColumnSpread(n_samples, *_sparse_spread(values.tocoo()), largest)
    means = np.asarray(values.mean(axis=0), dtype=np.float64)
    squares = np.empty(n_features)
    for columns in _some_columns(values):
        squares[columns] = ((values[:, columns] - means[columns]) ** 2).sum(axis=0)
    return ColumnSpread(n_samples, np.full(n_features, float(n_samples)), means, squares, largest)


def _sparse_spread(cells: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers of stored cells, means and squares about them, of a COO table."""
    n_samples, n_features = cells.shape
    n_stored = np.bincount(cells.col, minlength=n_features)
    means = np.bincount(cells.col, cells.data, n_features) / n_samples
    squares = np.bincount(cells.col, (cells.data - means[cells.col]) ** 2, n_features)
    return n_stored, means, squares + (n_samples - n_stored) * means**2


def _keys(values: Any, spread: ColumnSpread) -> np.ndarray:
    """Squared norm of each centred row, and its sum over the columns weighted by how much they vary: (n_rows, 2)."""
    means, varies = spread.unit * spread.means, spread.unit**2 * spread.squares
    if sparse.issparse(values):
        return _sparse_keys(values.tocoo(), spread, means, varies)
    keys = np.zeros((values.shape[0], 2))
    for columns in _some_columns(values):
        centred = spread.unit * values[:, columns] - means[columns]
        keys[:, 0] += (centred**2).sum(axis=1)
        keys[:, 1] += centred @ varies[columns]
    return keys


def _sparse_keys(cells: Any, spread: ColumnSpread, means: np.ndarray, varies: np.ndarray) -> np.ndarray:
    """The same of a COO table, from its stored cells; columns without any zero are centred as dense ones are."""
    is_full = spread.n_stored == spread.n_samples
    at_zero = np.where(is_full, 0.0, -means)
    added = spread.unit * cells.data - np.where(is_full, means, 0.0)[cells.col]
    norms = np.bincount(cells.row, added * (added + 2.0 * at_zero[cells.col]), cells.shape[0]) + at_zero @ at_zero
    sums = np.bincount(cells.row, added * varies[cells.col], cells.shape[0]) + at_zero @ varies
    return np.column_stack([norms, sums])


def _some_columns(values: np.ndarray) -> list[slice]:
    """Columns of a dense table, some at a time."""
    width = max(1, _BLOCK_CELLS // max(len(values), 1))
    return [slice(begin, begin + width) for begin in range(0, values.shape[1], width)]
