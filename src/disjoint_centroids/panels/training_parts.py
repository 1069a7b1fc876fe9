"""Training parts of a table: the folds and the whole, as sums and inner products of their columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.panels import drafting
from disjoint_centroids.rows.column_sums import ColumnSums, Grouping, add_up, count_zeros, shifted_table
from disjoint_centroids.rows.folds import Fold
from disjoint_centroids.rows.sketch import random_bits
from disjoint_centroids.rows.training import TrainingSet

_SHARE_OF_A_CLASS = 0.02
"""Share of the samples to keep that are drawn of every class at least, if it has as many: 200 of 10 000."""

_SMALL, _LARGE = 1e-30, 1e30  # largest values of a table in ordinary units
_MOST_CELLS = 16
"""Number of cells above which products of all pairs of columns are not kept for each of them."""


@dataclass(frozen=True, slots=True)
class Division:
    """Samples of a table and the training parts they are in: one per fold, and last the whole.

    Attributes
    ----------
    codes, weights : arrays of shape (n_samples,)
        Classes and sample weights.
    balance : array of shape (n_classes,)
        Factor on the weights of each class that balances the classes. It is the same in all parts, so that sums of
        a part are those of its cells.
    cells : array of shape (n_samples,)
        Cell of each sample: those of a cell are in the same parts.
    times : array of shape (n_parts, n_cells)
        How many times a part has the samples of a cell: 0 or 1, unless a fold repeats samples.
    folds : list of pairs of arrays
        Positions of training and held-out samples.
    kept : boolean array of shape (n_samples,)
        Samples that candidates are judged by and logistic regressions fitted to: all, or a random choice of a large
        table.
    factors : array of shape (n_samples,)
        Factors on the weights of the samples that are kept, which undo that rare classes are kept more often.
    """

    codes: np.ndarray
    weights: np.ndarray
    balance: np.ndarray
    cells: np.ndarray
    times: np.ndarray
    folds: list[Fold]
    kept: np.ndarray
    factors: np.ndarray

    @property
    def n_parts(self) -> int:
        """Number of training parts, the whole included."""
        return len(self.times)

    def held_out(self, fold: int) -> np.ndarray:
        """Positions of the samples that a fold holds out, as far as they are kept."""
        test = self.folds[fold][1]
        return test[self.kept[test]]

    @property
    def place(self) -> np.ndarray:
        """Number of each sample among those that are kept."""
        return np.cumsum(self.kept) - 1

    @property
    def balanced(self) -> np.ndarray:
        """Balanced sample weights."""
        return self.weights * self.balance[self.codes]


def is_small(n_samples: int) -> bool:
    """True if all samples are kept.

    Folds of such a table are dealt out by content and all kinds of terms are tried, wherever the table lives.
    """
    return n_samples <= get_sizes().kept_samples


def divide(codes: np.ndarray, weights: np.ndarray, n_classes: int, folds: list[Fold], seed: int = 0) -> Division:
    """Divide samples by the folds that train on them; ``seed`` chooses which of a large table are kept."""
    totals = np.bincount(codes, weights, n_classes)
    times, cells = _cells([train for train, _ in folds], codes.size)
    balance = weights.sum() / n_classes / totals
    wanted = codes.size if is_small(codes.size) else get_sizes().drawn_samples
    share = min(wanted / codes.size, 1.0)
    # Of a rare class more samples are kept, and each counts for less.
    rates = np.clip(_SHARE_OF_A_CLASS * wanted / np.maximum(np.bincount(codes, minlength=n_classes), 1), share, 1.0)
    kept = random_bits(seed, codes.size) / 2.0**64 < rates[codes] if share < 1.0 else np.ones(codes.size, dtype=bool)
    factors = share / rates[codes]
    return Division(codes, weights, balance, cells, times, folds, kept, factors)


def _cells(training: list[np.ndarray], n_samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Counts of the samples of a cell in each training part (the whole has them once), and the cell of each sample."""
    cells = np.zeros(n_samples, dtype=np.intp)
    counts = []
    for train in training:  # numbers are few, and counting them is much faster than sorting columns
        found = np.bincount(train, minlength=n_samples)
        most = int(found.max(initial=0))
        counts.append(found.astype(np.min_scalar_type(most)))
        numbers = cells * (most + 1) + found
        cells = (np.cumsum(np.bincount(numbers) > 0) - 1)[numbers]
    first = np.empty(cells.max(initial=-1) + 1, dtype=np.intp)
    first[cells[::-1]] = np.arange(n_samples)[::-1]  # of the samples of a cell the first is written last
    return np.array([*(found[first] for found in counts), np.ones(first.size)], dtype=np.float64), cells


class Parts(Protocol):
    """Training parts ready to be drafted from."""

    @property
    def division(self) -> Division:
        """Samples and their parts."""

    @property
    def source(self) -> drafting.Source:
        """Inner products of the columns of every part."""

    def keep(self, features: np.ndarray) -> None:
        """Announce features whose values will be asked for."""

    def columns(self, rows: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Values of some features in some of the samples that are kept, as a dense array."""

    def trained_on(self, part: int, rows: np.ndarray, features: np.ndarray) -> np.ndarray:
        """The same as fits of a training part see them: less the effects of batches, if there are any."""


@dataclass(frozen=True, slots=True)
class PartsInMemory:
    """Training parts of a table in memory.

    Attributes
    ----------
    division : Division
        Samples and their parts.
    source : Source
        Inner products of the columns of every part.
    values : array or sparse matrix of shape (n_samples, n_features)
        The table.
    """

    division: Division
    source: drafting.Source
    values: Any

    def keep(self, features: np.ndarray) -> None:
        """All values are there."""

    def columns(self, rows: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Values of some features in some samples, as a dense array."""
        if sparse.issparse(self.values):
            return self.values[rows][:, features].toarray()
        return cells_of(self.values, rows, features)

    def trained_on(self, part: int, rows: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Values of some features in some samples, the same for all training parts."""
        return self.columns(rows, features)


def cells_of(values: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Values of some columns in some rows of a dense table."""
    if values.flags.c_contiguous:  # places in memory are looked up faster than rows and columns
        return np.asarray(values.ravel().take(rows[:, None] * values.shape[1] + columns), dtype=np.float64)
    return np.asarray(values[np.ix_(rows, columns)], dtype=np.float64)


def parts_in_memory(
    values: Any, division: Division, *, with_squares: bool, n_rounds: int, n_kinds: int, with_zeros: bool = False
) -> PartsInMemory:
    """Add up a table in memory, and choose the cheaper source of inner products.

    Parameters
    ----------
    values : array or sparse matrix of shape (n_samples, n_features)
        Training samples.
    division : Division
        Their parts.
    with_squares : bool
        True if squared terms are fitted.
    n_rounds, n_kinds : int
        Longest draft, and number of drafts per part, for the choice of the source.
    with_zeros : bool
        True if zeros are counted.
    """
    shifted, shift = shifted_table(values)
    with_products = _gram_pays(shifted, division, with_squares=with_squares, n_rounds=n_rounds, n_kinds=n_kinds)
    grouping = Grouping(
        division.codes,
        division.cells,
        division.weights,
        division.balanced,
        division.balance.size,
        division.times.shape[1],
        with_squares,
        with_products,
    )
    sums = add_up(shifted, np.zeros(shift.size), grouping)
    sums = replace(sums, zeros=count_zeros(values, grouping)) if with_zeros else sums
    source: drafting.Source
    if with_products:
        source = gram_source(sums, division, shift, with_squares=with_squares)
    else:
        standards, gaps = standards_of(sums, division, shift, with_squares=with_squares)
        rows = shifted if sparse.issparse(shifted) else np.ascontiguousarray(shifted)
        weights = division.times[:, division.cells] * division.balanced
        source = drafting.RowSource(rows, shift, division.codes, weights, standards, gaps)
    return PartsInMemory(division, source, values)


def gram_source(sums: ColumnSums, division: Division, shift: np.ndarray, *, with_squares: bool) -> drafting.GramSource:
    """Source of inner products from sums alone."""
    standards, gaps = standards_of(sums, division, shift, with_squares=with_squares)
    return drafting.GramSource(products_of(sums, division), shift, standards, gaps)


def products_of(sums: ColumnSums, division: Division) -> drafting.AllPairs:
    """Products of all pairs of columns in every part."""
    assert sums.products is not None
    return drafting.AllPairs([np.tensordot(times, sums.products, axes=1) for times in division.times])


def standards_of(
    sums: ColumnSums, division: Division, shift: np.ndarray, *, with_squares: bool
) -> tuple[list[drafting.Standard], list[drafting.Gaps] | None]:
    """Standardisation of every part."""
    without = replace(sums, products=None)
    of_parts = [without.of(times) for times in division.times]
    return standardised_parts(of_parts, shift, division.balance, with_squares=with_squares)


def standardised_parts(
    of_parts: list[ColumnSums], shift: np.ndarray, balance: np.ndarray, *, with_squares: bool
) -> tuple[list[drafting.Standard], list[drafting.Gaps] | None]:
    """Standardisation of training parts by the sums of each."""
    standards = [drafting.standard_of(part, shift, balance) for part in of_parts]
    if not with_squares:
        return standards, None
    return standards, [
        drafting.gaps_of(standard, part, shift) for standard, part in zip(standards, of_parts, strict=True)
    ]


def in_moderate_units(table: TrainingSet) -> tuple[TrainingSet, float]:
    """Table divided by a power of two, and that power, so that fourth powers of its values are numbers.

    A power of two changes no digit. A table in ordinary units is left as it is.
    """
    unit = moderate_unit(table.values)
    return (table, 1.0) if unit == 1.0 else (replace(table, values=table.values / unit), unit)


def moderate_unit(values: Any) -> float:
    """Power of two near the largest value of a table; 1 in ordinary units, and where values are not finite."""
    cells = values.data if sparse.issparse(values) else values
    largest = max(float(cells.max(initial=0.0)), -float(cells.min(initial=0.0)))
    if largest == 0.0 or _SMALL < largest < _LARGE or not np.isfinite(largest):
        return 1.0
    return float(2.0 ** np.floor(np.log2(largest)))


def _gram_pays(values: Any, division: Division, *, with_squares: bool, n_rounds: int, n_kinds: int) -> bool:
    """True if products of all pairs of columns cost less than a product with the rows in every round."""
    n, p = values.shape
    width = 2 * p if with_squares else p
    n_cells, n_classes = division.times.shape[1], division.balance.size
    n_bytes = 8.0 * width**2 * (n_cells + division.n_parts)
    if n_cells > _MOST_CELLS or n_bytes > get_sizes().product_bytes:
        return False
    share = values.nnz / max(n * p, 1) if sparse.issparse(values) else 1.0
    drafts = division.n_parts * n_kinds
    picked = min(n_rounds * n_classes, p)
    by_gram = n * (share * width) ** 2 / 2 + drafts * n_rounds * width * picked * n_classes / 2
    by_rows = drafts * n_rounds * n_classes * n * (share * width + picked / 2)
    return bool(by_gram < by_rows)
