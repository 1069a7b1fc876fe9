"""Inner products that a draft needs, from the rows of a table or from the products of all pairs of its columns.

Both sources give the same numbers but for rounding. A source serves the drafts of all training parts at once: on rows,
a round of all of them is one product with the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from disjoint_centroids.numerics import threads_for
from disjoint_centroids.numerics.types import FloatArray, IntArray
from disjoint_centroids.panels.drafting.standard import Gaps, Standard


@dataclass(frozen=True, slots=True)
class NewColumns:
    """Columns of features that were just picked: ``on_z * z + on_square * (z² - mean of z²)``, one per entry."""

    features: IntArray
    on_z: FloatArray
    on_square: FloatArray


class Picked:
    """Columns picked so far in one draft, with their inner products under the balanced weights of a training part.

    Attributes
    ----------
    part : int
        The training part.
    with_squares : bool
        True if products of the squares are needed too.
    gram : array of shape (n_columns, n_columns)
        Inner products of the columns with each other.
    right : array of shape (n_columns, n_classes)
        Inner products with the class indicators, which are two apart.
    """

    def __init__(self, part: int, capacity: int, width: int, n_classes: int, *, with_squares: bool) -> None:
        self.part, self.with_squares = part, with_squares
        self.n_columns = 0
        self._lines = np.empty((capacity, width))
        self._gram = np.empty((capacity, capacity))
        self._right = np.empty((capacity, n_classes))
        self._features = np.empty(capacity, dtype=np.intp)
        self._on = np.empty((2, capacity))

    @property
    def gram(self) -> FloatArray:
        return self._gram[: self.n_columns, : self.n_columns]

    @property
    def right(self) -> FloatArray:
        return self._right[: self.n_columns]

    @property
    def lines(self) -> FloatArray:
        """One line per column: its values, or its products with all columns, depending on the source."""
        return self._lines[: self.n_columns]

    @property
    def columns(self) -> NewColumns:
        """All columns picked so far."""
        m = self.n_columns
        return NewColumns(self._features[:m], self._on[0, :m], self._on[1, :m])

    def append(self, new: NewColumns, lines: FloatArray, products: FloatArray, right: FloatArray) -> None:
        """Append columns; ``products`` are theirs with all columns, the new ones last, (n_new, n_columns + n_new)."""
        begin, end = self.n_columns, self.n_columns + new.features.size
        self._lines[begin:end] = lines
        self._gram[begin:end, :end] = products
        self._gram[:begin, begin:end] = products[:, :begin].T
        self._right[begin:end] = right
        self._features[begin:end] = new.features
        self._on[0, begin:end], self._on[1, begin:end] = new.on_z, new.on_square
        self.n_columns = end


@dataclass(frozen=True, slots=True)
class Left:
    """Inner products of all features with what a regression leaves of the indicators, by class.

    Attributes
    ----------
    linear : array of shape (n_classes, n_features)
        Products of z.
    squared : array of shape (n_classes, n_features) or None
        Products of z² less its mean.
    """

    linear: FloatArray
    squared: FloatArray | None


class Source(Protocol):
    """Inner products of the columns of every training part."""

    standards: Sequence[Standard]
    gaps: Sequence[Gaps] | None

    def open(self, part: int, capacity: int, *, with_squares: bool) -> Picked:
        """Begin a draft without any column."""

    def enter(self, entries: Sequence[tuple[Picked, NewColumns]]) -> None:
        """Append columns to those of drafts."""

    def left(self, fits: Sequence[tuple[Picked, FloatArray]]) -> list[Left]:
        """Products with the residuals of regressions, given as picked columns and coefficients (m, n_classes)."""

    def sum_products(self, part: int) -> FloatArray:
        """Inner product of every z with the sum of all z, (n_features,)."""


class RowSource:
    """Inner products from rows that are in memory: cheaper where features outnumber samples.

    Parameters
    ----------
    values : array or sparse matrix of shape (n_samples, n_features)
        Table, less a shift; ``shift`` is what was taken off.
    codes : array of shape (n_samples,)
        Class of each sample.
    weights : array of shape (n_parts, n_samples)
        Balanced weights of the samples in every training part; zero for those held out.
    standards, gaps : sequences of n_parts
        Standardisation; ``gaps`` is None if no squared terms are fitted.
    """

    def __init__(
        self,
        values: Any,
        shift: FloatArray,
        codes: IntArray,
        weights: FloatArray,
        standards: Sequence[Standard],
        gaps: Sequence[Gaps] | None,
    ) -> None:
        self.standards, self.gaps = standards, gaps
        self._values, self._shift, self._weights = values, shift, weights
        self._squares = None if gaps is None else values.multiply(values) if sparse.issparse(values) else values**2
        self._indicators = np.zeros((standards[0].known.size, codes.size))
        self._indicators[codes, np.arange(codes.size)] = 2.0

    def open(self, part: int, capacity: int, *, with_squares: bool) -> Picked:
        n_classes = len(self._indicators)
        return Picked(part, capacity, self._weights.shape[1], n_classes, with_squares=with_squares)

    def enter(self, entries: Sequence[tuple[Picked, NewColumns]]) -> None:
        for picked, new in entries:
            self._enter(picked, new)

    def _enter(self, picked: Picked, new: NewColumns) -> None:
        standard, weights = self.standards[picked.part], self._weights[picked.part]
        at, block = new.features, self._block(picked.part, new.features)
        z = (block.T - (standard.center - self._shift)[at, None]) / standard.scale[at, None]
        lines = new.on_z[:, None] * z
        if new.on_square.any():
            lines += new.on_square[:, None] * (z * z - standard.variance[at, None])
        weighted = lines * weights
        products = np.concatenate([weighted @ picked.lines.T, weighted @ lines.T], axis=1)
        picked.append(new, lines, products, weighted @ self._indicators.T)

    def _block(self, part: int, features: IntArray) -> FloatArray:
        """Values of some features less their shift, as a dense array."""
        block = self._values[:, features]
        dense: FloatArray = block.toarray() if sparse.issparse(block) else block
        return dense

    def _residuals(self, fits: Sequence[tuple[Picked, FloatArray]]) -> list[FloatArray]:
        """Weighted residuals of regressions, (n_classes, n_samples) each."""
        return [
            self._weights[picked.part] * (self._indicators - coefficients.T @ picked.lines)
            for picked, coefficients in fits
        ]

    def left(self, fits: Sequence[tuple[Picked, FloatArray]]) -> list[Left]:
        residuals = self._residuals(fits)
        firsts = self._times_each(residuals, self._values)
        squared = [at for at, (picked, _) in enumerate(fits) if picked.with_squares]
        seconds = dict(zip(squared, self._times_each([residuals[at] for at in squared], self._squares), strict=True))
        return [
            self._standardised(picked.part, residuals[at], firsts[at], seconds.get(at))
            for at, (picked, _) in enumerate(fits)
        ]

    def _standardised(self, part: int, residuals: FloatArray, first: FloatArray, second: FloatArray | None) -> Left:
        """Products of z, and of z² less its mean, from those of the values and their squares."""
        standard = self.standards[part]
        m, total = standard.center - self._shift, residuals.sum(axis=1, keepdims=True)
        linear = (first - m * total) / standard.scale
        if second is None:
            return Left(linear, None)
        squared = (second - 2.0 * m * first + m**2 * total) / standard.scale**2
        return Left(linear, squared - standard.variance * total)

    def _times_each(self, blocks: Sequence[FloatArray], table: Any) -> list[FloatArray]:
        """Products of blocks of rows with a table, taken together."""
        if not blocks:
            return []
        return np.split(self._times(np.concatenate(blocks), table), len(blocks))

    def sum_products(self, part: int) -> FloatArray:
        standard = self.standards[part]
        m = standard.center - self._shift
        sums = self._values @ (1.0 / standard.scale) - (m / standard.scale).sum()
        weighted = (self._weights[part] * sums)[None]
        found: FloatArray = (self._times(weighted, self._values)[0] - m * weighted.sum()) / standard.scale
        return found

    @staticmethod
    def _times(rows: FloatArray, table: Any) -> FloatArray:
        if sparse.issparse(table):
            return np.asarray((table.T @ rows.T).T)
        with threads_for(rows.size * float(table.shape[1])):
            return np.asarray(rows @ table)


class PairProducts(Protocol):
    """Products of pairs of columns with the balanced weights of every training part.

    Columns are the features less a shift, followed by their squares if squared terms are fitted.
    """

    def fetch(self, features: IntArray, *, with_squares: bool) -> None:
        """Announce features whose rows will be asked for, and whether those of their squares will be too."""

    def rows(self, part: int, columns: IntArray) -> FloatArray:
        """Products of some columns with all columns, (n_wanted, n_columns)."""

    def times(self, part: int, vector: FloatArray) -> FloatArray:
        """Products of all features with the sum of the features times a vector, (n_features,)."""


class AllPairs:
    """Products of all pairs of columns, in memory.

    Parameters
    ----------
    products : sequence of n_parts arrays of shape (n_columns, n_columns)
        The products.
    """

    def __init__(self, products: Sequence[FloatArray]) -> None:
        self._products = products

    def fetch(self, features: IntArray, *, with_squares: bool) -> None:
        """All products are there."""

    def rows(self, part: int, columns: IntArray) -> FloatArray:
        return self._products[part][columns]

    def times(self, part: int, vector: FloatArray) -> FloatArray:
        found: FloatArray = self._products[part][: vector.size, : vector.size] @ vector
        return found


class GramSource:
    """Inner products from those of pairs of columns: what follows costs nothing that depends on the samples.

    Parameters
    ----------
    products : PairProducts
        Products with balanced weights of the features less ``shift``, followed by their squares if ``gaps`` are given.
    shift : array of shape (n_features,)
        What was taken off the values.
    standards, gaps : sequences of n_parts
        Standardisation.
    """

    def __init__(
        self,
        products: PairProducts,
        shift: FloatArray,
        standards: Sequence[Standard],
        gaps: Sequence[Gaps] | None,
    ) -> None:
        self.standards, self.gaps = standards, gaps
        self._products, self._shift = products, shift

    def open(self, part: int, capacity: int, *, with_squares: bool) -> Picked:
        width = self._shift.size * (2 if with_squares else 1)
        return Picked(part, capacity, width, self.standards[part].known.size, with_squares=with_squares)

    def enter(self, entries: Sequence[tuple[Picked, NewColumns]]) -> None:
        features = np.unique(np.concatenate([new.features for _, new in entries]))
        self._products.fetch(features, with_squares=any(picked.with_squares for picked, _ in entries))
        for picked, new in entries:
            self._enter(picked, new)

    def _enter(self, picked: Picked, new: NewColumns) -> None:
        lines = new.on_z[:, None] * self._lines_of_z(picked.part, new.features, with_squares=picked.with_squares)
        if new.on_square.any():
            lines += new.on_square[:, None] * self._lines_of_squares(picked.part, new.features)
        older = picked.columns
        features = np.concatenate([older.features, new.features])
        products = np.concatenate([older.on_z, new.on_z]) * lines[:, features]
        if picked.with_squares:
            on_square = np.concatenate([older.on_square, new.on_square])
            products += on_square * lines[:, self._shift.size + features]
        linear, squared = self._indicated(picked.part, new.features)
        picked.append(new, lines, products, (new.on_z * linear + new.on_square * squared).T)

    def left(self, fits: Sequence[tuple[Picked, FloatArray]]) -> list[Left]:
        p = self._shift.size
        everything = np.arange(p)
        found = []
        for picked, coefficients in fits:
            fitted = coefficients.T @ picked.lines
            linear, squared = self._indicated(picked.part, everything)
            found.append(Left(linear - fitted[:, :p], squared - fitted[:, p:] if picked.with_squares else None))
        return found

    def sum_products(self, part: int) -> FloatArray:
        standard = self.standards[part]
        m, s = standard.center - self._shift, standard.scale
        sums = self._products.times(part, 1.0 / s) - standard.total * m * (m / s).sum()
        found: FloatArray = sums / s
        return found

    def _indicated(self, part: int, features: IntArray) -> tuple[FloatArray, FloatArray]:
        """Products of z, and of z² less its mean, with the indicators: (n_classes, n_features) each."""
        standard = self.standards[part]
        weight = 2.0 * (standard.balance * standard.weights)[:, None]
        c = standard.centroids[:, features]
        squares = standard.variances[:, features] / standard.scale[features] ** 2 + c**2
        return weight * c, weight * np.where(standard.known[:, None], squares - standard.variance[features], 0.0)

    def _lines_of_z(self, part: int, features: IntArray, *, with_squares: bool) -> FloatArray:
        """Products of some z with every z, and with every z² less its mean if there are squares."""
        standard, p = self.standards[part], self._shift.size
        m, s, n = standard.center - self._shift, standard.scale, standard.total
        f, rows = features[:, None], self._products.rows(part, features)
        centred = rows[:, :p] - n * m[f] * m
        with_z = centred / (s[f] * s)
        if not with_squares:
            return with_z
        squares = self._mean_squares(part)
        with_square = (rows[:, p:] - n * m[f] * squares - 2.0 * m * centred) / (s[f] * s**2)
        return np.concatenate([with_z, with_square], axis=1)

    def _lines_of_squares(self, part: int, features: IntArray) -> FloatArray:
        """Products of some z² less their mean with every z and every z² less its mean."""
        standard, p = self.standards[part], self._shift.size
        m, s, n = standard.center - self._shift, standard.scale, standard.total
        f, of_z = features[:, None], self._products.rows(part, features)
        rows = self._products.rows(part, p + features)
        squares = self._mean_squares(part)
        with_z = (rows[:, :p] - n * squares[f] * m - 2.0 * m[f] * (of_z[:, :p] - n * m[f] * m)) / (s[f] ** 2 * s)
        means = squares - 2.0 * m**2
        with_squares = rows[:, p:] - 2.0 * m * rows[:, :p] - 2.0 * m[f] * of_z[:, p:] + 4.0 * m[f] * m * of_z[:, :p]
        with_squares -= n * means[f] * means
        return np.concatenate([with_z, with_squares / (s[f] ** 2 * s**2)], axis=1)

    def _mean_squares(self, part: int) -> FloatArray:
        """Balanced means of the squares of the values less their shift."""
        standard = self.standards[part]
        squares: FloatArray = standard.variance * standard.scale**2 + (standard.center - self._shift) ** 2
        return squares
