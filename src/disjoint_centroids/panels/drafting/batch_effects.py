"""Effects of batches (donors, plates, runs) on features, and the inner products of tables that are rid of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from disjoint_centroids.numerics.types import FloatArray, IntArray
from disjoint_centroids.panels.drafting.products import Left, Picked, RowSource
from disjoint_centroids.panels.drafting.standard import Gaps, Standard
from disjoint_centroids.rows.column_sums import ColumnSums


def joined_batches(weights: FloatArray) -> tuple[IntArray, IntArray]:
    """Find the batches and classes that can be compared with each other, because batches share classes.

    weights : (n_batches, n_classes) sums of the sample weights
    Returns the component of each batch, (n_batches,), and of each class, (n_classes,).
    """
    n_batches = len(weights)
    links = sparse.coo_array(weights > 0)
    ends = np.arange(sum(weights.shape))
    graph = sparse.coo_array((links.data, (ends[links.coords[0]], n_batches + links.coords[1])), (ends.size, ends.size))
    _, found = connected_components(graph, directed=False)
    return found[:n_batches], found[n_batches:]


def batch_effects(weights: FloatArray, first: FloatArray) -> FloatArray:
    """Fit class effects plus batch effects to the means of every class in every batch, by least squares.

    The effects of batches that share classes, directly or through others, have a weighted mean of zero. Batches that
    share none differ by more than their effects can say: the difference is left to the classes.

    weights : (n_batches, n_classes) sums of the sample weights, with classes balanced
    first : (n_batches, n_classes, n_features) weighted sums of the values
    Returns the effects, (n_batches, n_features).
    """
    of_batch, of_class = weights.sum(axis=1), weights.sum(axis=0)
    divisors = np.where(of_class > 0, of_class, 1.0)
    # Class effects are eliminated: what is left are as many equations as there are batches.
    shares = weights / divisors
    system = np.diag(of_batch) - shares @ weights.T
    right = first.sum(axis=1) - np.tensordot(shares, first.sum(axis=0), axes=1)
    effects: FloatArray = np.linalg.pinv(system, rcond=1e-10, hermitian=True) @ right
    component, _ = joined_batches(weights)
    for at in np.unique(component[of_batch > 0]):
        own = component == at
        effects[own] -= of_batch[own] @ effects[own] / of_batch[own].sum()
    effects[of_batch == 0] = 0.0
    return effects


def sums_without(sums: ColumnSums, effects: FloatArray, balance: FloatArray) -> ColumnSums:
    """Sums of the values less the effects of their batches; zeros are those of the values as they are.

    effects : (n_cells, n_features) effect on the samples of each cell, which are of one batch
    balance : (n_classes,) factors on the weights that balance the classes
    """
    g = effects[:, None, :]
    weights = sums.weights[:, :, None]
    first = sums.first - weights * g
    second = sums.second - 2.0 * g * sums.first + weights * g**2
    if sums.third is None or sums.fourth is None:
        return ColumnSums(sums.weights, first, second, zeros=sums.zeros)
    g = effects
    n, s, q = (sums.weights @ balance)[:, None], balance @ sums.first, balance @ sums.second
    third = sums.third - 3.0 * g * q + 3.0 * g**2 * s - n * g**3
    fourth = sums.fourth - 4.0 * g * sums.third + 6.0 * g**2 * q - 4.0 * g**3 * s + n * g**4
    return ColumnSums(sums.weights, first, second, third, fourth, zeros=sums.zeros)


class BatchRowSource(RowSource):
    """Inner products of rows less the effects of their batches, which differ between training parts.

    The table itself is not changed, so that a sparse one stays sparse.

    Parameters
    ----------
    values, shift, codes, weights, standards, gaps
        As for :class:`RowSource`; ``standards`` and ``gaps`` are those of the values less the effects.
    batches : array of shape (n_samples,)
        Batch of each sample.
    effects : array of shape (n_parts, n_batches, n_features)
        Effects in every training part.
    """

    def __init__(
        self,
        values: Any,
        shift: FloatArray,
        codes: IntArray,
        weights: FloatArray,
        standards: Sequence[Standard],
        gaps: Sequence[Gaps] | None,
        batches: IntArray,
        effects: FloatArray,
    ) -> None:
        order = np.argsort(batches, kind="stable")
        super().__init__(values[order], shift, codes[order], weights[:, order], standards, gaps)
        self._effects, self._batches = effects, batches[order]
        ends = np.cumsum(np.bincount(batches, minlength=effects.shape[1]))
        self._slices = [slice(begin, end) for begin, end in zip([0, *ends[:-1]], ends, strict=True)]

    def _block(self, part: int, features: IntArray) -> FloatArray:
        block = super()._block(part, features)
        effects = self._effects[part][:, features]
        less: FloatArray = block - effects[self._batches]
        return less

    def left(self, fits: Sequence[tuple[Picked, FloatArray]]) -> list[Left]:
        residuals = self._residuals(fits)
        n_features = self._shift.size
        firsts = [np.zeros((len(block), n_features)) for block in residuals]
        seconds = [
            np.zeros_like(first) if picked.with_squares else None
            for first, (picked, _) in zip(firsts, fits, strict=False)
        ]
        for batch, rows in enumerate(self._slices):
            if rows.start == rows.stop:
                continue
            some = [np.ascontiguousarray(block[:, rows]) for block in residuals]
            products = self._times_each(some, self._values[rows])
            squares = [] if self._squares is None else self._times_each(some, self._squares[rows])
            for at, (picked, _) in enumerate(fits):
                g, total = self._effects[picked.part, batch], some[at].sum(axis=1, keepdims=True)
                firsts[at] += products[at] - total * g
                second = seconds[at]
                if second is not None:
                    second += squares[at] - 2.0 * g * products[at] + total * g**2
        return [
            self._standardised(picked.part, residuals[at], firsts[at], seconds[at])
            for at, (picked, _) in enumerate(fits)
        ]

    def sum_products(self, part: int) -> FloatArray:
        standard = self.standards[part]
        m, effects = standard.center - self._shift, self._effects[part]
        sums = self._values @ (1.0 / standard.scale) - (m / standard.scale).sum()
        sums = sums - (effects @ (1.0 / standard.scale))[self._batches]
        weighted = self._weights[part] * sums
        of_batch = np.bincount(self._batches, weighted, len(effects))
        products = self._times(weighted[None], self._values)[0] - of_batch @ effects
        found: FloatArray = (products - m * weighted.sum()) / standard.scale
        return found
