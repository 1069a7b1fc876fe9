"""Answers with a stated error rate: sets of classes, and samples unlike all training samples.

Both are cross-conformal: a new sample is compared with the training samples while each was held out, by the very
model that had not seen them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disjoint_centroids.panels.model import PanelModel

_SAME = 1e-9  # a sample that is compared with itself fits no worse, though its score was added up in another order


@dataclass(frozen=True, slots=True)
class FoldModel:
    """Model of one fold, and its measures of the samples that the fold held out.

    Attributes
    ----------
    model : PanelModel
        Fitted on the training part of the fold.
    known : array of int
        The classes that the training part of the fold had.
    centroids : array of shape (n_known, n_owned)
        Their centroids on the features of the model, standardised.
    codes : array of shape (n_held_out,)
        Class of each held-out sample.
    own : array of shape (n_held_out,)
        Conformity of each held-out sample to its own class.
    far : array of shape (n_held_out,)
        Distance of each held-out sample to the nearest centroid.
    weights : array of shape (n_held_out,)
        Sample weights.
    """

    model: PanelModel
    known: np.ndarray
    centroids: np.ndarray
    codes: np.ndarray
    own: np.ndarray
    far: np.ndarray
    weights: np.ndarray

    def knows(self, n_classes: int) -> np.ndarray:
        """Boolean mask of the classes that the model knows."""
        mask = np.zeros(n_classes, dtype=bool)
        mask[self.known] = True
        return mask

    def distances(self, values: np.ndarray) -> np.ndarray:
        """Distance of each sample to the nearest centroid."""
        return self.model.distances(values, self.centroids)


def class_p_values(folds: Sequence[FoldModel], new: Sequence[np.ndarray], *, by_class: bool) -> np.ndarray:
    """Share of held-out samples that fit their own class no better than a new sample fits a class.

    ``by_class``: for class j only held-out samples of class j are counted, so that the error rate holds in every
    class; otherwise all of them, so that it holds on average. ``new`` has, for each fold, the conformity of the new
    samples to the classes according to its model, (n_samples, n_classes): only numbers of the same model are compared.
    A new sample counts as one of those it is compared with, so no p-value is zero.
    """
    found = np.empty_like(new[0])
    for label in range(found.shape[1]):
        compared = [fold.codes == label if by_class else np.ones(fold.codes.size, dtype=bool) for fold in folds]
        below = sum(
            _weight_up_to(fold.own[rows], fold.weights[rows], fits[:, label] * (1.0 + _SAME))
            for fold, rows, fits in zip(folds, compared, new, strict=True)
        )
        total = sum(float(fold.weights[rows].sum()) for fold, rows in zip(folds, compared, strict=True))
        found[:, label] = (below + 1.0) / (total + 1.0)
    return found


def distance_p_values(folds: Sequence[FoldModel], new: Sequence[np.ndarray]) -> np.ndarray:
    """Share of held-out samples that lie as far from all classes as a new sample, or farther, (n_samples,).

    ``new`` has, for each fold, the distances of the new samples according to its model.
    """
    beyond = np.ones(len(new[0]))
    total = 1.0
    for fold, distances in zip(folds, new, strict=True):
        weight = float(fold.weights.sum())
        beyond += _weight_up_to(-fold.far, fold.weights, -distances * (1.0 - _SAME))
        total += weight
    return beyond / total


def too_few_held_out(folds: Sequence[FoldModel], n_classes: int, confidence: float) -> dict[int, int]:
    """Classes with so few held-out samples that they are in every set at this confidence: code and number needed."""
    needed = math.ceil(round(1.0 / (1.0 - confidence), 9)) - 1
    weights = np.zeros(n_classes)
    for fold in folds:
        weights += np.bincount(fold.codes, fold.weights, n_classes)
    return {int(label): needed for label in np.flatnonzero(weights < needed - _SAME)}


def _weight_up_to(numbers: np.ndarray, weights: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """Summed weight of the numbers that do not exceed each limit."""
    order = np.argsort(numbers)
    cumulated = np.concatenate([[0.0], np.cumsum(weights[order])])
    return cumulated[np.searchsorted(numbers[order], limits, side="right")]
