"""Fits without each fold: distances of samples to centroids that were found without them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from disjoint_centroids.centroids.base import DisjointCentroidBase
from disjoint_centroids.centroids.extensions.on_partition import fit_on
from disjoint_centroids.rows.folds import Fold, inner_folds, user_folds
from disjoint_centroids.rows.training import TrainingSet


@dataclass(frozen=True, slots=True)
class RefitDistances:
    """Distances of held-out samples, one row for each time that a sample was held out.

    Attributes
    ----------
    distances : array of shape (n_rows, n_classes)
        To the centroids of the other folds; infinite for a class that owned nothing there.
    codes : array of shape (n_rows,)
        Class of the sample.
    weights : array of shape (n_rows,)
        Weight of the sample over how often it was held out.
    """

    distances: np.ndarray
    codes: np.ndarray
    weights: np.ndarray


def folds_of(cv: Any, X: Any, y: Any, groups: Any, training: TrainingSet, seed: int) -> list[Fold]:
    """Folds in positions of the training set: those that ``cv`` makes of the user's table, or up to five of ours."""
    if cv is None:
        everybody = np.arange(len(training.codes))
        # With one sample per class none can be held out.
        return inner_folds(training.codes, seed) or [(everybody[:0], everybody)]
    folds = user_folds(cv, X, y, groups, training.rows)
    _check_held_out_once(cv, training, folds)
    return folds


def _check_held_out_once(cv: Any, training: TrainingSet, folds: list[Fold]) -> None:
    """Raise an error if a class is never held out: it would have no distances to learn from."""
    held_out = np.isin(np.arange(len(training.codes)), [i for _, test in folds for i in test])
    never = np.setdiff1d(training.codes, training.codes[held_out])
    if never.size:
        named = ", ".join(str(label) for label in training.classes[never[:5]])
        raise ValueError(
            f"cv={cv!r} never holds out a sample of {never.size} of the {len(training.classes)} classes ({named}). "
            "Use more folds, or cv=None, which holds out every sample once."
        )


def refit_distances(
    estimator: DisjointCentroidBase,
    owner: np.ndarray,
    training: TrainingSet,
    folds: list[Fold],
    tick: Callable[[], None],
) -> RefitDistances:
    """Fit without each fold, and measure its samples' distances.

    The search in a fold starts from ``owner``, the partition of all samples: two searches from scratch may end in
    different partitions that are about as good, and then distances of different folds do not mean the same.

    A class that a training part would lack stays in it. The distance of its samples to their own centroid is then not
    honest, and is replaced by the mean of those that are.
    """
    distances, samples, is_honest = [], [], []
    for train, test in folds:
        lost = np.bincount(training.codes[train], minlength=len(training.classes)) == 0
        back = lost[training.codes]
        part = np.sort(np.concatenate([train, np.flatnonzero(back)])) if lost.any() else train
        distances.append(_fit_fold(estimator, owner, training, part).distances(training.values[test]))
        samples.append(test)
        is_honest.append(~back[test])
        tick()
    at = np.concatenate(samples)
    codes, times = training.codes[at], np.bincount(at, minlength=len(training.codes))
    held_out = RefitDistances(np.concatenate(distances), codes, training.weights[at] / times[at])
    _replace_own(held_out, np.concatenate(is_honest))
    return held_out


def _fit_fold(estimator: DisjointCentroidBase, owner: np.ndarray, training: TrainingSet, part: np.ndarray) -> Any:
    with warnings.catch_warnings():
        # What there is to say of the table is said of the fit on all samples.
        warnings.simplefilter("ignore")
        try:
            return fit_on(clone(estimator).set_params(init=owner[None]), training, part, probabilities=False)
        except ValueError:  # without these samples the start loses a class: search anew
            return fit_on(estimator, training, part, probabilities=False)


def _replace_own(held_out: RefitDistances, is_honest: np.ndarray) -> None:
    rows = np.arange(len(held_out.codes))
    own = held_out.distances[rows, held_out.codes]
    known = is_honest & np.isfinite(own)
    if known.any():
        mean = np.average(own[known], weights=held_out.weights[known])
        held_out.distances[rows[~is_honest], held_out.codes[~is_honest]] = mean
