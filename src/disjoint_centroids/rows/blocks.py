"""Rows that are not in memory: their blocks, labels and weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from disjoint_centroids.rows.features import feature_indices
from disjoint_centroids.rows.training import check_two_classes, is_lazy


class Rows(Protocol):
    """Rows of a table in blocks."""

    @property
    def n_features(self) -> int:
        """Number of features."""

    @property
    def lengths(self) -> list[int]:
        """Number of rows in each block."""

    @property
    def columns(self) -> list[Any] | None:
        """Names of the columns of a frame."""

    def slices(self, values: np.ndarray) -> list[np.ndarray]:
        """Parts of an array with one entry per row, one part per block."""

    def first(self) -> Any:
        """Values of the first block."""

    def total(
        self, work: Callable[..., Any], of_blocks: Sequence[Sequence[Any]], of_all: Sequence[Any], result_bytes: float
    ) -> Any:
        """The sum of ``work(values, *of_blocks[b], *of_all)`` over all blocks b: one pass."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Label and weight of every row, and the features that every class uses.

    Attributes
    ----------
    of_rows : array of shape (n_rows,)
        Position of each row's label in ``classes``; -1 for rows of weight zero.
    weights : array of shape (n_rows,)
    shared : boolean array of shape (n_features,)
        Features that every class uses.
    """

    of_rows: np.ndarray
    weights: np.ndarray
    classes: np.ndarray
    shared: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        """Positions of the rows that count."""
        return np.flatnonzero(self.of_rows >= 0)

    def small_weights(self, rows: Rows) -> Sequence[np.ndarray | None]:
        """The weights of each block; None where every row weighs one."""
        return [None] * len(rows.lengths) if (self.weights == 1).all() else rows.slices(self.weights)


@dataclass(frozen=True, slots=True)
class ScaledRows:
    """Rows divided by a number.

    Attributes
    ----------
    rows : Rows
        The rows as they are.
    unit : float
        What they are divided by; a power of two changes no digit.
    """

    rows: Rows
    unit: float

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.rows.n_features

    @property
    def lengths(self) -> list[int]:
        """Number of rows in each block."""
        return self.rows.lengths

    @property
    def columns(self) -> list[Any] | None:
        """Names of the columns of a frame."""
        return self.rows.columns

    def slices(self, values: np.ndarray) -> list[np.ndarray]:
        """Parts of an array with one entry per row, one part per block."""
        return self.rows.slices(values)

    def first(self) -> Any:
        """Values of the first block."""
        return self.rows.first() / self.unit

    def total(
        self, work: Callable[..., Any], of_blocks: Sequence[Sequence[Any]], of_all: Sequence[Any], result_bytes: float
    ) -> Any:
        """The sum of ``work`` over all blocks, in one pass."""
        return self.rows.total(partial(_on_scaled, work, self.unit), of_blocks, of_all, result_bytes)


def _on_scaled(work: Callable[..., Any], unit: float, values: Any, *others: Any) -> Any:
    return work(values / unit, *others)


@dataclass(frozen=True, slots=True)
class Collected:
    """Arrays with one row per sample, by block; adding joins them.

    Attributes
    ----------
    parts : dict
        From the position of a block to its rows.
    """

    parts: dict[int, np.ndarray]

    def __add__(self, other: Collected) -> Collected:
        return Collected(self.parts | other.parts)

    def joined(self) -> np.ndarray:
        """All rows, in the order of the blocks."""
        return np.concatenate([self.parts[at] for at in sorted(self.parts)])


def small(rows: Rows, codes: np.ndarray) -> list[np.ndarray]:
    """Whole numbers of each block, in as few bytes as hold them: they travel with every task."""
    highest = max(int(codes.max(initial=0)), -int(codes.min(initial=0)))
    kind = next(kind for kind in (np.int8, np.int16, np.int32, np.int64) if highest <= np.iinfo(kind).max)
    return rows.slices(codes.astype(kind))


@dataclass(frozen=True, slots=True)
class BlockedTable:
    """A labelled table in blocks of rows that are not in memory.

    Attributes
    ----------
    blocks : Rows
        The blocks.
    labels : Labels
        Label and weight of every row.
    """

    blocks: Rows
    labels: Labels

    @property
    def classes(self) -> np.ndarray:
        """Class labels."""
        return self.labels.classes

    @property
    def shared(self) -> np.ndarray:
        """Features that every class uses."""
        return self.labels.shared

    @property
    def codes(self) -> np.ndarray:
        """Position in ``classes`` of the labels of the rows that count."""
        return self.labels.of_rows[self.rows]

    @property
    def rows(self) -> np.ndarray:
        """Positions of the rows that count."""
        return self.labels.rows

    @property
    def weights(self) -> np.ndarray:
        """Weights of the rows that count."""
        return self.labels.weights[self.rows]


def read_rows(estimator: BaseEstimator, X: Any, y: Any, sample_weight: Any, shared_features: Any) -> BlockedTable:
    """Validate a dask table and the labels of its rows; ``estimator`` learns its features' names."""
    from disjoint_centroids.rows import dask_blocks as distributed

    labels, lengths = distributed.gather(y)
    rows = distributed.RowBlocks(X, lengths, verbose=getattr(estimator, "verbose", 0))
    learn_names(estimator, rows)
    weights = np.ones(labels.shape[0]) if sample_weight is None else in_memory(sample_weight).astype(np.float64)
    return BlockedTable(rows, labelled(estimator, rows, labels, weights, shared_features))


def in_memory(values: Any) -> np.ndarray:
    """Labels or groups as an array, whether dask holds them or not."""
    if not is_lazy(values):
        return np.asarray(values)
    from disjoint_centroids.rows import dask_blocks as distributed

    return distributed.gather(values)[0]


def learn_names(estimator: BaseEstimator, rows: Rows) -> None:
    """Number and names of the features, as scikit-learn's validation would set them."""
    estimator.n_features_in_ = rows.n_features
    if rows.columns is not None and all(isinstance(name, str) for name in rows.columns):
        estimator.feature_names_in_ = np.asarray(rows.columns, dtype=object)
    else:
        estimator.__dict__.pop("feature_names_in_", None)


def labelled(estimator: BaseEstimator, rows: Rows, y: np.ndarray, weights: np.ndarray, shared_features: Any) -> Labels:
    """Validate labels and weights of rows that are not at hand."""
    y = column_or_1d(y, warn=True)
    n_rows = sum(rows.lengths)
    for name, given in (("y", y), ("sample_weight", weights)):
        if given.shape != (n_rows,):
            raise ValueError(f"X has {n_rows} rows; {name} has shape {given.shape}. It needs one entry per row.")
        assert_all_finite(given, input_name=name)
    check_classification_targets(y)
    if (weights < 0).any():
        raise ValueError(f"sample_weight holds {weights.min():g}; weights must not be negative.")
    counted = weights > 0
    classes, codes = np.unique(y[counted], return_inverse=True)
    check_two_classes(estimator, classes)
    if hasattr(shared_features, "get_support"):
        raise ValueError(
            "shared_features as a selector needs the table in memory. Fit the selector on a sample of the rows and "
            "give its get_support() instead."
        )
    shared = np.zeros(rows.n_features, dtype=bool)
    shared[feature_indices(estimator, shared_features, rows.n_features, "shared_features")] = True
    of_rows = np.full(n_rows, -1, dtype=np.intp)
    of_rows[counted] = codes
    return Labels(of_rows, weights, classes, shared)
