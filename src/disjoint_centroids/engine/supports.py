"""Supports: the samples that a cluster of features looks at, in the form that is cheapest to work with.

Distances between features need only inner products of columns. A support with more samples than features is
therefore kept as its Gram matrix: exact, and from then on the cost does not depend on the number of samples.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from disjoint_centroids.engine.threads import WORTH_A_THREAD, default_threads, run_all
from disjoint_centroids.engine.types import FloatArray, IntArray

GRAM_BELOW = 256
"""Up to this many features a Gram matrix stays in cache, and beats the columns even with few samples."""

EVERYONE = -1
"""The label of the support that is all samples."""

_SAMPLES_AT_ONCE = 4096
_TOO_MUCH = 1e3


@dataclass(frozen=True, slots=True)
class Support:
    """A set of samples, seen from the features.

    Attributes
    ----------
    rows : array of shape (n_features, >= left + width)
        Row f holds feature f's values on the support (columns ``left … left + width - 1``) or, if ``is_gram``, its
        inner products with every feature.
    squares : array of shape (n_features,)
        The squared length of each feature on the support.
    divisor : float
        What squared distances are divided by: the number (or weight) of samples; 1 for the Euclidean norm.
    label : int
        The class whose samples these are; ``EVERYONE`` for all samples.
    """

    rows: FloatArray
    squares: FloatArray
    divisor: float
    label: int
    is_gram: bool
    left: int
    width: int

    def window(self, start: int, stop: int) -> FloatArray:
        """Columns of the support for a block of features, without a copy."""
        return self.rows[start:stop, self.left : self.left + self.width]


@dataclass(frozen=True, slots=True)
class Clusters:
    """Which clusters there are and which support each looks at: support s serves clusters ``ranges[s]``.

    ``grams`` (n_supports, n_features, n_features) is there if every support is a Gram matrix: the same numbers in one
    array. With ``has_pool`` cluster 0 is I_0, the features nobody uses: its distance is multiplied by lambda, and it
    may be empty. Every other cluster must keep a feature for a run to count, unless ``may_be_empty``.
    """

    supports: tuple[Support, ...]
    ranges: tuple[tuple[int, int], ...]
    grams: FloatArray | None
    has_pool: bool = False
    may_be_empty: bool = False

    @property
    def n_clusters(self) -> int:
        return self.ranges[-1][1]


@dataclass(frozen=True, slots=True)
class Table:
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
        Whether distances are divided by the weight of the support (the dn norm) or not (Euclidean).
    """

    values: FloatArray
    codes: IntArray
    weights: FloatArray
    n_classes: int
    divided: bool = True
    grams: tuple[FloatArray | None, ...] | None = None
    shift: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        # A constant taken from every entry of a sample changes no distance between features, and keeps the inner
        # products of tables far from zero from losing their digits.
        object.__setattr__(self, "shift", self.values.mean(axis=1))

    @property
    def n_features(self) -> int:
        return int(self.values.shape[1])

    def samples_of(self, label: int) -> IntArray:
        """The samples of a class, or of everyone."""
        return np.arange(self.codes.size) if label == EVERYONE else np.flatnonzero(self.codes == label)

    def shifted(self, samples: IntArray, features: IntArray | None = None) -> FloatArray:
        """Rows of the table, or some of their columns, with each sample's own mean taken out."""
        part = self.values[samples] if features is None else self.values[np.ix_(samples, features)]
        shifted: FloatArray = part - self.shift[samples, None]
        return shifted

    def class_grams(self) -> tuple[FloatArray | None, ...]:
        """The Gram matrix of each class, or None for a class that is better kept as columns."""
        if self.grams is not None:
            return self.grams

        def of_class(label: int) -> FloatArray | None:
            samples = self.samples_of(label)
            return gram(self, samples) if self.prefers_gram(samples.size) else None

        return tuple(run_all(of_class, range(self.n_classes), self.n_threads_for_grams))

    @property
    def n_threads_for_grams(self) -> int:
        """How many classes to add up at a time."""
        return default_threads() if self.codes.size * self.n_features**2 > 10 * WORTH_A_THREAD else 1

    def prefers_gram(self, n_samples: int) -> bool:
        """Whether that many samples are cheaper as a Gram matrix than as columns."""
        return self.n_features <= max(n_samples, GRAM_BELOW)


def gram(table: Table, samples: IntArray) -> FloatArray:
    """Inner products of all pairs of features over some samples, a chunk of rows at a time."""
    total = np.zeros((table.n_features, table.n_features))
    for begin in range(0, samples.size, _SAMPLES_AT_ONCE):
        chunk = samples[begin : begin + _SAMPLES_AT_ONCE]
        part = table.shifted(chunk)
        part *= np.sqrt(table.weights[chunk, None])
        total += part.T @ part
    return total


def without(table: Table, held_out: IntArray, keep: IntArray) -> Table:
    """The table of the samples ``keep``, its Gram matrices got by taking the held-out samples from the whole's.

    The two index arrays together must be all samples, and every class must occur in ``keep``.
    """
    rest, kept = (
        Table(table.values[at], table.codes[at], table.weights[at], table.n_classes, table.divided)
        for at in (held_out, keep)
    )
    wholes = table.class_grams()

    def of_class(label: int) -> FloatArray | None:
        whole = wholes[label]
        return None if whole is None else _difference(whole, rest, kept, label)

    return replace(kept, grams=tuple(run_all(of_class, range(table.n_classes), table.n_threads_for_grams)))


def _difference(whole: FloatArray, held_out: Table, kept: Table, label: int) -> FloatArray:
    rest = whole - gram(held_out, held_out.samples_of(label))
    if (np.diagonal(whole) > _TOO_MUCH * np.diagonal(rest)).any():
        # Almost all of some feature was held out, and what is left owes its digits to that: add up anew.
        return gram(kept, kept.samples_of(label))
    return rest


@dataclass(frozen=True, slots=True)
class Supports:
    """The support of all samples and that of each class; ``grams`` stacks them, everyone first, if all are."""

    everyone: Support
    classes: tuple[Support, ...]
    grams: FloatArray | None


def build_supports(table: Table) -> Supports:
    """Bring every support into its cheapest form."""
    grams = table.class_grams()
    all_grams = table.prefers_gram(table.codes.size) and all(g is not None for g in grams)
    if all_grams:
        stack = np.stack([np.sum(np.asarray(grams), axis=0), *(g for g in grams if g is not None)])
        everyone, *classes = (_from_gram(table, label, stack[label + 1]) for label in range(-1, table.n_classes))
        return Supports(everyone, tuple(classes), stack)
    order = np.argsort(table.codes, kind="stable")
    columns = np.ascontiguousarray(table.shifted(order).T)
    columns *= np.sqrt(table.weights[order])
    ends = np.cumsum(np.bincount(table.codes, minlength=table.n_classes))
    classes = []
    for label, matrix in enumerate(grams):
        left = int(ends[label - 1]) if label else 0
        in_columns = _from_columns(table, label, columns, left, int(ends[label]))
        classes.append(in_columns if matrix is None else _from_gram(table, label, matrix))
    if table.prefers_gram(table.codes.size):
        everyone = _from_gram(table, EVERYONE, columns @ columns.T)
    else:
        everyone = _from_columns(table, EVERYONE, columns, 0, table.codes.size)
    return Supports(everyone, tuple(classes), None)


def _divisor(table: Table, label: int) -> float:
    return float(table.weights[table.samples_of(label)].sum()) if table.divided else 1.0


def _from_gram(table: Table, label: int, matrix: FloatArray) -> Support:
    squares = np.maximum(np.diagonal(matrix), 0.0)
    return Support(matrix, squares, _divisor(table, label), label, True, 0, matrix.shape[0])


def _from_columns(table: Table, label: int, columns: FloatArray, left: int, right: int) -> Support:
    part = columns[:, left:right]
    squares = np.einsum("fi,fi->f", part, part)
    return Support(columns, squares, _divisor(table, label), label, False, left, right - left)


def k_means_clusters(supports: Supports, n_clusters: int) -> Clusters:
    """k-means on the features: every cluster looks at all samples."""
    grams = supports.everyone.rows[None] if supports.everyone.is_gram else None
    return Clusters((supports.everyone,), ((0, n_clusters),), grams)


def disjoint_clusters(supports: Supports, *, has_pool: bool, may_be_empty: bool = False) -> Clusters:
    """Algorithm 1: a cluster a class, on its own samples. Algorithm 2: before them cluster 0, on all samples."""
    looked_at = (supports.everyone, *supports.classes) if has_pool else supports.classes
    ranges = tuple((c, c + 1) for c in range(len(looked_at)))
    grams = supports.grams
    if grams is not None and not has_pool:
        grams = grams[1:]
    return Clusters(looked_at, ranges, grams, has_pool, may_be_empty)
