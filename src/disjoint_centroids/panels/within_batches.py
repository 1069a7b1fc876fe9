"""Features judged within batches: training parts of a table that are rid of the effects of donors, plates or runs."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.utils import column_or_1d

from disjoint_centroids._listed import listed
from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.training_parts import Division, PartsInMemory, shifted_table, standardised_parts
from disjoint_centroids.rows.column_sums import Grouping, add_up, count_zeros
from disjoint_centroids.rows.folds import Fold, inner_folds

_SHOWN = 5
_NOT_FOUND = 5  # past the checks, fit and its validation, to the line that called fit


@dataclass(frozen=True, slots=True)
class Batches:
    """Batches of the samples that count.

    Attributes
    ----------
    codes : array of shape (n_samples,)
        Position of each sample's batch in ``names``.
    names : array of shape (n_batches,)
        Their names.
    """

    codes: np.ndarray
    names: np.ndarray


def read_batches(batch: Any, rows: np.ndarray, codes: np.ndarray, classes: np.ndarray) -> Batches | None:
    """Check the batches of samples; None if there is only one.

    Parameters
    ----------
    batch : array-like of shape (n_rows,)
        As the user gave it.
    rows : array of shape (n_samples,)
        Rows that count.
    codes : array of shape (n_samples,)
        Their classes.
    classes : array of shape (n_classes,)
        Labels of the classes.
    """
    given = column_or_1d(np.asarray(batch, dtype=object))
    missing = np.array([value is None or value != value for value in given], dtype=bool)
    if missing.any():
        raise ValueError(
            f"batch is missing for {int(missing.sum())} of {given.size} samples. Give every sample a batch, or leave "
            "these samples out."
        )
    names, found = np.unique(given.astype(str)[rows], return_inverse=True)
    if names.size == 1:
        _warn(
            f"batch has one value only, {str(names[0])!r}, and changes nothing. Name another column, or leave it out."
        )
        return None
    counts = np.zeros((names.size, classes.size))
    np.add.at(counts, (found, codes), 1.0)
    _check_comparable(counts, names, classes)
    return Batches(found, names)


def _check_comparable(counts: np.ndarray, names: np.ndarray, classes: np.ndarray) -> None:
    """Raise an error if no batch has two classes; warn of what batches cannot say."""
    alone = np.flatnonzero((counts > 0).sum(axis=1) == 1)
    if alone.size == names.size:
        same = (
            "batch and class are the same"
            if names.size == classes.size
            else f"each of the {names.size} batches has samples of one class only"
        )
        raise ValueError(
            f"{same}: nothing can be compared within a batch. Name another column for batch=, one whose batches have "
            "several classes each, or leave it out."
        )
    if alone.size:
        shown = [f"{names[b]} ({classes[np.argmax(counts[b])]})" for b in alone]
        _warn(
            f"{alone.size} of {names.size} batches have samples of one class only, and say nothing about differences "
            f"between classes: {listed(shown, _SHOWN)}."
        )
    _, component = drafting.joined_batches(counts)
    if np.unique(component).size > 1:
        first = component == component[0]
        _warn(
            f"no batch connects the classes {listed(classes[first], _SHOWN)} with {listed(classes[~first], _SHOWN)}: "
            "differences between them cannot be told from differences between their batches, and count as the former. "
            "Leave these classes out, or add batches that have both."
        )


def share_of_new_batches(folds: Iterable[Fold], batches: np.ndarray) -> float | None:
    """Share of the held-out samples of whose batch their fold has no training sample; None if nothing is held out.

    Parameters
    ----------
    folds : iterable of (training samples, held-out samples)
        Folds as positions.
    batches : array of shape (n_samples,)
        Batch of each sample.
    """
    is_new = [~np.isin(batches[test], batches[train]) for train, test in folds]
    found = np.concatenate([np.empty(0, dtype=bool), *is_new])
    return float(found.mean()) if found.size else None


def judged_samples(share: float | None) -> str | None:
    """Held-out samples in words, by the share of them that are of batches not seen; None if it is not known."""
    if share is None:
        return None
    if share in (0.0, 1.0):
        return f"samples of batches {'not seen' if share else 'seen in training'}"
    percent = min(max(round(100 * share), 1), 99)
    return f"samples of which {percent}\N{NO-BREAK SPACE}% are of batches not seen"


def _warn(text: str) -> None:
    warnings.warn(text, UserWarning, stacklevel=_NOT_FOUND)


def batch_folds(codes: np.ndarray, batches: Batches, classes: np.ndarray, seed: int, at_most: int) -> list[Fold]:
    """Folds that hold whole batches out, with classes as evenly spread as batches allow.

    A class of a single batch could not be learnt while its batch is held out: its samples are dealt out one by one.
    """
    n_batches = batches.names.size
    in_batch = np.zeros((classes.size, n_batches), dtype=bool)
    in_batch[codes, batches.codes] = True
    single = in_batch.sum(axis=1) == 1
    apart = single[codes]
    if apart.all() or np.unique(batches.codes[~apart]).size < 2:
        _warn("every class has samples in one batch only: folds do not hold batches out, but samples.")
        return inner_folds(codes, seed, at_most)
    whole = np.flatnonzero(~apart)
    n_folds = min(at_most, np.unique(batches.codes[whole]).size)
    fold = np.zeros(codes.size, dtype=np.intp)
    splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes with fewer samples than folds
        for at, (_, test) in enumerate(splitter.split(whole, codes[whole], batches.codes[whole])):
            fold[whole[test]] = at
    if single.any():
        _warn(
            f"{int(single.sum())} of {classes.size} classes have samples in one batch only, so that their error on "
            f"batches not seen cannot be found: {listed(classes[single], _SHOWN)}. Folds hold single samples of them "
            "out."
        )
        rest = np.flatnonzero(apart)
        for at, (_, test) in enumerate(inner_folds(np.unique(codes[rest], return_inverse=True)[1], seed, n_folds)):
            fold[rest[test]] = at
    tests = [np.flatnonzero(fold == at) for at in range(n_folds)]
    return [(np.setdiff1d(np.arange(codes.size), test), test) for test in tests if test.size]


@dataclass(frozen=True, slots=True)
class PartsWithinBatches(PartsInMemory):
    """Training parts of a table in memory, less the effects of their batches.

    Held-out samples keep their values: the batch of a new sample is not known.

    Attributes
    ----------
    batches : array of shape (n_samples,)
        Batch of each sample.
    effects : array of shape (n_parts, n_batches, n_features)
        Effects of the batches in every training part; zero for batches that it lacks.
    """

    batches: np.ndarray
    effects: np.ndarray

    def trained_on(self, part: int, rows: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Values of some features in some samples, less the effects of their batches."""
        less: np.ndarray = self.effects[part][:, features][self.batches[rows]]
        return self.columns(rows, features) - less


def parts_within_batches(
    values: Any, division: Division, batches: Batches, *, with_squares: bool, with_zeros: bool = False
) -> Any:
    """Add up a table in memory, and take the effects of batches off the sums of every training part.

    Parameters
    ----------
    values : array or sparse matrix of shape (n_samples, n_features)
        Training samples.
    division : Division
        Their parts.
    batches : Batches
        Their batches.
    with_squares : bool
        True if squared terms are fitted.
    with_zeros : bool
        True if zeros are counted.
    """
    rows, shift = shifted_table(values)
    n_batches = batches.names.size
    pairs, cells = np.unique(division.cells * n_batches + batches.codes, return_inverse=True)
    times, of_cell = division.times[:, pairs // n_batches], pairs % n_batches
    members = (division.codes, cells, division.weights, division.balanced)
    grouping = Grouping(*members, division.balance.size, pairs.size, with_squares, False)
    sums = add_up(rows, np.zeros(shift.size), grouping)
    sums = replace(sums, zeros=count_zeros(values, grouping)) if with_zeros else sums
    effects = np.zeros((division.n_parts, n_batches, shift.size))
    corrected = []
    for part, counted in enumerate(times):
        member = np.zeros((n_batches, pairs.size))
        member[of_cell, np.arange(pairs.size)] = counted
        weights = (member @ sums.weights) * division.balance
        first = np.tensordot(member, sums.first, axes=1) * division.balance[:, None]
        effects[part] = drafting.batch_effects(weights, first)
        without = drafting.sums_without(sums, effects[part][of_cell], division.balance)
        corrected.append(without.of(counted))
    standards, gaps = standardised_parts(corrected, shift, division.balance, with_squares=with_squares)
    weights = times[:, cells] * division.balanced
    source = drafting.BatchRowSource(rows, shift, division.codes, weights, standards, gaps, batches.codes, effects)
    return PartsWithinBatches(division, source, values, batches.codes, effects)
