"""Batches of samples for panels: they are added up and not kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from disjoint_centroids.panels.pooling import pooled
from disjoint_centroids.panels.sums_file import check_room
from disjoint_centroids.panels.table_sums import TableSums, deal_folds
from disjoint_centroids.rows.batches import check_all_came
from disjoint_centroids.rows.usable_sums import check_usable


@dataclass(slots=True)
class PanelStream:
    """Sums over all batches so far.

    Attributes
    ----------
    classes : array of shape (n_classes,)
        All classes that were announced.
    n_folds : int
        Number of folds that the samples of every class are dealt out to, as they come.
    n_samples : array of shape (n_classes,)
        Samples of positive weight so far.
    has_counts : bool
        True if all weights so far are whole numbers.
    """

    classes: np.ndarray
    n_folds: int
    n_samples: np.ndarray
    has_counts: bool = True
    _sums: TableSums | None = None

    def add(self, estimator: BaseEstimator, values: Any, codes: np.ndarray, weights: np.ndarray) -> None:
        """Add a batch. One that cannot be used leaves everything as it was."""
        check_room(
            self.n_folds,
            len(self.classes),
            values.shape[1],
            "partial_fit keeps the products of all pairs of features for every fold and class",
            "Select features first, give a smaller number as cv, or fit a dask array.",
        )
        rows = np.flatnonzero(weights > 0)
        values, codes, weights = values[rows], codes[rows], weights[rows]
        folds = deal_folds(codes, self.n_folds, before=self.n_samples)
        sums = TableSums.by_group(values, codes, weights, folds, self.classes, self.n_folds)
        sums = sums if self._sums is None else pooled([self._sums, sums])
        with np.errstate(over="ignore", invalid="ignore"):
            totals = np.where(sums.counts > 0, sums.counts, 1.0)[:, :, None]
            variances = np.diagonal(sums.scatters, axis1=2, axis2=3) / totals
            check_usable(estimator, np.maximum(np.abs(sums.means), np.sqrt(variances)).max(axis=(0, 1)))
        self._sums = sums
        self.n_samples = self.n_samples + np.bincount(codes, minlength=self.n_samples.size)
        self.has_counts = self.has_counts and bool((weights == np.round(weights)).all())

    def sums(self) -> TableSums:
        """Sums over all batches so far; every class must have come.

        Weights that are not all whole numbers are scaled to a mean of one, as a fit of all samples does.
        """
        check_all_came(self.classes, self.n_samples)
        assert self._sums is not None
        if self.has_counts:
            return self._sums
        factor = self.n_samples.sum() / self._sums.counts.sum()
        return replace(self._sums, counts=factor * self._sums.counts, scatters=factor * self._sums.scatters)
