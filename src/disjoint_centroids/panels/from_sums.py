"""Training parts from sums alone: no sample is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.pooling import pooled
from disjoint_centroids.panels.stand_ins import stand_ins
from disjoint_centroids.panels.table_sums import TableSums
from disjoint_centroids.panels.training_parts import Division, gram_source
from disjoint_centroids.rows.column_sums import ColumnSums

_MOST_STAND_INS = 200


class PartsFromSums:
    """Training parts of a table of which only sums are known.

    Panels and coefficients are those of the pooled table with the same rounds, penalty and reads. What needs single
    samples, the choice of these and the calibration of probabilities, uses stand-ins: for every fold and class as many
    rows, 200 at most, that have the mean and covariance of its samples on the picked features and are otherwise
    normally distributed.

    Parameters
    ----------
    sums : TableSums
        The sums.
    """

    def __init__(self, sums: TableSums) -> None:
        sums = self._sums = _without_empty_folds(sums)
        n_folds, n_classes = sums.counts.shape
        totals = sums.counts.sum(axis=0)
        balance = totals.sum() / n_classes / totals
        self._sizes = np.ceil(np.minimum(sums.counts, _MOST_STAND_INS)).astype(np.intp)
        groups = [(fold, j) for fold in range(n_folds) for j in range(n_classes)]
        sizes = np.array([self._sizes[group] for group in groups])
        cells = np.repeat([fold for fold, _ in groups], sizes)
        codes = np.repeat([j for _, j in groups], sizes)
        weights = np.repeat([sums.counts[group] / max(self._sizes[group], 1) for group in groups], sizes)
        held_out = range(n_folds if n_folds > 1 else 0)
        times = np.vstack([1.0 - np.eye(n_folds)[held_out], np.ones((1, n_folds))])
        folds = [(np.flatnonzero(cells != fold), np.flatnonzero(cells == fold)) for fold in held_out]
        self.division = Division(
            codes, weights, balance, cells, times, folds, np.ones(codes.size, dtype=bool), np.ones(codes.size)
        )
        self.source: drafting.Source = _source(sums, self.division)
        self._features = np.empty(0, dtype=np.intp)
        self._values = np.empty((codes.size, 0))

    def keep(self, features: np.ndarray) -> None:
        """Make stand-ins that have these features too."""
        wanted = np.union1d(self._features, features)
        if wanted.size == self._features.size:
            return
        sums, p = self._sums, self._sums.n_features
        values = stand_ins(
            sums.counts.ravel(),
            sums.means.reshape(-1, p),
            sums.scatters.reshape(-1, p, p),
            self._sizes.ravel(),
            wanted,
        )
        self._features, self._values = wanted, values

    def columns(self, rows: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Values of some features in some stand-ins."""
        return self._values[np.ix_(rows, np.searchsorted(self._features, features))]

    def trained_on(self, part: int, rows: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Values of some features in some samples, the same for all training parts."""
        return self.columns(rows, features)


def _without_empty_folds(sums: TableSums) -> TableSums:
    """Sums of the folds that have samples; of one fold, which is then held out by none, if no class has two."""
    kept = np.flatnonzero(sums.counts.sum(axis=1) > 0)
    if ((sums.counts > 0).sum(axis=0) < 2).all():
        single = [replace(sums, counts=c[None], means=m[None], scatters=s[None]) for c, m, s in _folds(sums)]
        return pooled(single)
    if kept.size == len(sums.counts):
        return sums
    return replace(sums, counts=sums.counts[kept], means=sums.means[kept], scatters=sums.scatters[kept])


def _folds(sums: TableSums) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    return zip(sums.counts, sums.means, sums.scatters, strict=True)


def _source(sums: TableSums, division: Division) -> drafting.GramSource:
    """Inner products of all pairs of columns, with balanced weights."""
    shift = np.tensordot(sums.counts, sums.means, axes=2) / sums.counts.sum()
    gaps = np.where(sums.counts[:, :, None] > 0, sums.means - shift, 0.0)
    counts = sums.counts[:, :, None]
    squares = np.diagonal(sums.scatters, axis1=2, axis2=3) + counts * gaps**2
    products = np.einsum("j,fjab->fab", division.balance, sums.scatters)
    weighted = (division.balance * sums.counts)[:, :, None] * gaps
    products += np.einsum("fja,fjb->fab", weighted, gaps)
    found = ColumnSums(sums.counts, counts * gaps, squares, None, None, products)
    return gram_source(found, division, shift, with_squares=False)
