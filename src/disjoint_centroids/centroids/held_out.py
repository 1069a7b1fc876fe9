"""Distances of samples to centroids that were found without them, which probabilities are fitted to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.in_memory import RowsInMemory
from disjoint_centroids.centroids.training import Training
from disjoint_centroids.rows.folds import Fold
from disjoint_centroids.rows.training import SHARED, whole_owner

_FOLDS = 5
_CAUTION, _CHOSEN = 2.0, 3.0  # standard errors below the best factor; where lambda was chosen by the same samples
_BITS = 32


@dataclass(frozen=True, slots=True)
class HeldOutDistances:
    """One row for each time that a sample was held out.

    Attributes
    ----------
    squared : array of shape (n_rows, n_classes)
        Squared distances to the centroids of the other folds.
    codes : array of shape (n_rows,)
        Class of the sample.
    weights : array of shape (n_rows,)
        Weight of the sample over the number of times that it was held out.
    standard_errors : float
        Caution that they call for: more if the model was chosen by the same samples.
    """

    squared: np.ndarray
    codes: np.ndarray
    weights: np.ndarray
    standard_errors: float


def hold_out(
    training: Training,
    partition: search.Partition,
    lam: float | None,
    settings: search.Settings,
    folds: list[Fold] | None = None,
) -> HeldOutDistances | None:
    """Search without each fold, and measure the distances of its samples.

    Folds by which the model was chosen are searched as the whole table was: the chosen lambda fits them a little too
    well already. Folds of our own are searched from the fitted partition alone, which is quick, and keeps apart what
    differs because samples were held out from what differs because another start ends elsewhere. Of a table that is
    not in memory the sample of its rows is divided into folds.

    Parameters
    ----------
    training : Training
        What is kept of the rows that the model is fitted to.
    partition : search.Partition
        The model's partition.
    lam : float or None
        Lambda of the model.
    settings : search.Settings
        Of the search that found the model's partition.
    folds : list of pairs of arrays, default=None
        Folds by which the model was chosen, in positions of the samples that count. None, or where the sample is not
        the whole table: folds of its own, which follow from the samples' content.

    Returns
    -------
    HeldOutDistances or None
        None if no sample can be held out: with one sample per class, or without a fold whose training part has every
        class.
    """
    sample = training.sample
    codes, weights = sample.table.codes, sample.table.weights
    if np.unique(codes).size < len(training.classes):  # the sample of a large table misses a rare class
        return None
    caution = _CHOSEN
    if folds is None or not training.sample_is_all:
        folds = content_folds(sample.table.values, codes)
        settings = replace(settings, n_init=1, init=partition.owner[None])
        caution = _CAUTION
    found = [_fold_distances(sample, fold, lam, settings) for fold in folds]
    kept = [(test, squared) for (_, test), squared in zip(folds, found, strict=True) if squared is not None]
    if not kept:
        return None
    at = np.concatenate([test for test, _ in kept])
    times = np.bincount(at, minlength=codes.size)
    squared = np.concatenate([found for _, found in kept])
    return HeldOutDistances(squared, codes[at], weights[at] / times[at], caution)


def content_folds(values: Any, codes: np.ndarray) -> list[Fold]:
    """Up to five stratified folds that follow from what is in the samples; none where every class has only one.

    Copies of a sample are in the same fold, so that a sample of weight two is held out as two samples are, and neither
    the order of the rows nor the names of the classes matter. The samples of a class are dealt out by increasing norm.
    """
    norms, marks = _content(values)
    deal = np.zeros(codes.size, dtype=np.intp)
    for code in np.unique(codes):
        at = np.flatnonzero(codes == code)
        content = np.column_stack([norms[at], marks[at]])
        _, place = np.unique(content, axis=0, return_inverse=True)
        deal[at] = place.ravel()
    n_folds = min(_FOLDS, int(deal.max()) + 1)
    if n_folds < 2:
        return []
    in_fold = deal % n_folds
    return [(np.flatnonzero(in_fold != fold), np.flatnonzero(in_fold == fold)) for fold in range(n_folds)]


def _content(values: Any) -> tuple[np.ndarray, np.ndarray]:
    """Squared norm of each sample, and its product with random numbers: equal for equal samples."""
    squares = values.multiply(values).sum(axis=1) if sparse.issparse(values) else np.einsum("if,if->i", values, values)
    random = np.random.default_rng(0).uniform(1.0, 2.0, size=values.shape[1])
    return _shortened(np.asarray(squares).ravel()), _shortened(np.asarray(values @ random).ravel())


def _shortened(numbers: np.ndarray) -> np.ndarray:
    """Numbers without their last digits, in which sums that are taken in another order differ."""
    fraction, exponent = np.frexp(numbers)
    return np.ldexp(np.round(fraction * 2.0**_BITS), exponent - _BITS)


def _fold_distances(rows: RowsInMemory, fold: Fold, lam: float | None, settings: search.Settings) -> np.ndarray | None:
    """Distances of the held-out samples of a fold; None where its training part lacks a class."""
    train, test = fold
    part = rows.subset(train)
    if len(part.classes) < len(rows.classes):
        return None
    lams = None if lam is None else np.array([lam], dtype=np.float64)
    (partition,) = search.fit_partitions(part.problem, lams, settings)
    owner, means = whole_owner(partition.owner, rows.shared), part.problem.moments_of_all(rows.shared).means
    return search.own_distances(rows.table.values[test], means, owner, shared=SHARED, divided=rows.divided)
