"""A dense table of training samples, and its supports in their cheapest forms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from disjoint_centroids.centroids.search.supports import (
    EVERYONE,
    ColumnSupport,
    GramSupport,
    Support,
    Supports,
    prefers_gram,
)
from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.numerics.threads import default_threads, run_all
from disjoint_centroids.numerics.types import FloatArray, IntArray

_NUMBERS_AT_ONCE = 2**20
_TOO_MUCH = 1e3


@dataclass(frozen=True, slots=True)
class DenseTable:
    """The training samples as the engine sees them.

    Attributes
    ----------
    values : array of shape (n_samples, n_features)
        The features to be shared out among the classes. Never written to.
    codes : array of shape (n_samples,)
        Class of each sample, 0 … n_classes - 1; every class occurs.
    weights : array of shape (n_samples,)
        Positive sample weights.
    divided : bool
        True if distances are divided by the weight of the support (the dn norm), False if not (Euclidean).
    grams : tuple of n_classes arrays of shape (n_features, n_features) or None
        Gram matrix of each class, None for a class that is kept as columns. None for all: not computed yet.
    sample_means : array of shape (n_samples,)
        Mean of each sample over the features, computed unless it is given.
    """

    values: FloatArray
    codes: IntArray
    weights: FloatArray
    n_classes: int
    divided: bool = True
    grams: tuple[FloatArray | None, ...] | None = None
    sample_means: FloatArray | None = None

    def __post_init__(self) -> None:
        if self.sample_means is None:
            object.__setattr__(self, "sample_means", self.values.mean(axis=1))

    @property
    def n_features(self) -> int:
        return int(self.values.shape[1])

    def samples_of(self, label: int) -> IntArray:
        """The samples of a class, or of everyone."""
        return np.arange(self.codes.size) if label == EVERYONE else np.flatnonzero(self.codes == label)

    def shifted(self, samples: IntArray) -> FloatArray:
        """Rows of the table with each sample's own mean taken out.

        A constant taken from every entry of a sample changes no distance between features, and keeps the inner
        products of tables far from zero from losing their digits.
        """
        assert self.sample_means is not None  # set when the table was made
        shifted: FloatArray = self.values[samples] - self.sample_means[samples, None]
        return shifted

    def class_grams(self) -> tuple[FloatArray | None, ...]:
        """The Gram matrix of each class, or None for a class that is better kept as columns."""
        if self.grams is not None:
            return self.grams

        def of_class(label: int) -> FloatArray | None:
            samples = self.samples_of(label)
            return gram(self, samples) if prefers_gram(self.n_features, samples.size) else None

        return tuple(run_all(of_class, range(self.n_classes), self.n_threads_for_grams))

    @property
    def n_threads_for_grams(self) -> int:
        """Number of classes whose Gram matrices are added up at a time."""
        work = self.codes.size * self.n_features**2
        return default_threads() if work > 10 * get_sizes().thread_operations else 1

    def supports(self) -> Supports:
        """Bring every support into its cheapest form."""
        return _build_supports(self)

    def squared_gaps(self, label: int, groups: list[IntArray], features: IntArray | None) -> FloatArray:
        """Weighted sums of squared differences between features and the mean column of each group, by subtraction.

        Over the samples of a support: (groups, features). Of all features, if none are named. Infinite for a group
        without members. Of the values as they are: next to a column of another scale a sample's mean would swallow
        the digits of the rest.
        """
        samples = self.samples_of(label)
        n_asked = self.n_features if features is None else features.size
        found = np.where([[members.size > 0] for members in groups], np.zeros(n_asked), np.inf)
        for chunk in _chunks(samples):
            values = self.values[chunk] if features is None else self.values[np.ix_(chunk, features)]
            for at, members in enumerate(groups):
                if members.size:
                    own = values[:, members] if features is None else self.values[np.ix_(chunk, members)]
                    gaps = values - own.mean(axis=1)[:, None]
                    found[at] += self.weights[chunk] @ np.square(gaps, out=gaps)
        return found

    def squared_lengths(self, support: Support, features: IntArray) -> FloatArray:
        """Weighted sums of squares of some features over the samples of a support, nothing taken out of the samples."""
        samples = self.samples_of(support.label)
        found = np.zeros(features.size)
        for chunk in _chunks(samples):
            found += self.weights[chunk] @ self.values[np.ix_(chunk, features)] ** 2
        return found


def _chunks(samples: IntArray) -> Iterator[IntArray]:
    """Samples in pieces that are worked on at a time."""
    at_once = get_sizes().samples_at_once
    return (samples[begin : begin + at_once] for begin in range(0, samples.size, at_once))


def gram(table: DenseTable, samples: IntArray) -> FloatArray:
    """Inner products of all pairs of features over some samples, a chunk of rows at a time."""
    total = np.zeros((table.n_features, table.n_features))
    for chunk in _chunks(samples):
        part = table.shifted(chunk)
        part *= np.sqrt(table.weights[chunk, None])
        total += part.T @ part
    return total


def without(table: DenseTable, held_out: IntArray, keep: IntArray) -> DenseTable:
    """The table of the samples ``keep``, its Gram matrices got by taking the held-out samples from the whole's.

    The two index arrays together must be all samples, and every class must occur in ``keep``.
    """
    rest, kept = (
        DenseTable(table.values[at], table.codes[at], table.weights[at], table.n_classes, table.divided)
        for at in (held_out, keep)
    )
    wholes = table.class_grams()

    def of_class(label: int) -> FloatArray | None:
        whole = wholes[label]
        return None if whole is None else _difference(whole, rest, kept, label)

    return replace(kept, grams=tuple(run_all(of_class, range(table.n_classes), table.n_threads_for_grams)))


def _difference(whole: FloatArray, held_out: DenseTable, kept: DenseTable, label: int) -> FloatArray:
    rest = whole - gram(held_out, held_out.samples_of(label))
    if (np.diagonal(whole) > _TOO_MUCH * np.diagonal(rest)).any():
        # Almost all of some feature was held out, and what is left owes its digits to that: add up anew.
        return gram(kept, kept.samples_of(label))
    return rest


def _build_supports(table: DenseTable) -> Supports:
    grams = table.class_grams()
    all_grams = prefers_gram(table.n_features, table.codes.size) and all(g is not None for g in grams)
    if all_grams:
        stack = np.stack([np.sum(np.asarray(grams), axis=0), *(g for g in grams if g is not None)])
        everyone, *classes = (_from_gram(table, label, stack[label + 1]) for label in range(-1, table.n_classes))
        return Supports(everyone, tuple(classes), stack)
    columns = _columns_by_class(table)
    ends = np.cumsum(np.bincount(table.codes, minlength=table.n_classes))
    classes = []
    for label, matrix in enumerate(grams):
        left = int(ends[label - 1]) if label else 0
        in_columns = _from_columns(table, label, columns, left, int(ends[label]))
        classes.append(in_columns if matrix is None else _from_gram(table, label, matrix))
    if prefers_gram(table.n_features, table.codes.size):
        everyone = _from_gram(table, EVERYONE, columns @ columns.T)
    else:
        everyone = _from_columns(table, EVERYONE, columns, 0, table.codes.size)
    return Supports(everyone, tuple(classes), None)


def _columns_by_class(table: DenseTable) -> FloatArray:
    """One row per feature, its samples sorted by class; filled in pieces, so that the table is not held three times."""
    order = np.argsort(table.codes, kind="stable")
    columns = np.empty((table.n_features, order.size))
    step = max(1, _NUMBERS_AT_ONCE // max(table.n_features, 1))
    for begin in range(0, order.size, step):
        part = order[begin : begin + step]
        columns[:, begin : begin + step] = (table.shifted(part) * np.sqrt(table.weights[part, None])).T
    return columns


def _divisor(table: DenseTable, label: int) -> float:
    return float(table.weights[table.samples_of(label)].sum()) if table.divided else 1.0


def _from_gram(table: DenseTable, label: int, matrix: FloatArray) -> Support:
    return GramSupport(matrix, _divisor(table, label), label)


def _from_columns(table: DenseTable, label: int, columns: FloatArray, left: int, right: int) -> Support:
    part = columns[:, left:right]
    squares = np.einsum("fi,fi->f", part, part)
    return ColumnSupport(columns, squares, _divisor(table, label), label, left, right - left)
