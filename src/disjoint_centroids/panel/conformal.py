"""Sets of classes that hold the true one as often as was asked for: cross-conformal prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disjoint_centroids.panel.model import PanelModel

_SAME = 1e-9  # a sample that is compared with itself fits no worse, though its score was added up in another order


@dataclass(frozen=True, slots=True)
class FoldModel:
    """The model of one fold, and what it says of the samples that the fold held out.

    Attributes
    ----------
    known : array of int
        The classes that the training part of the fold had.
    own : array
        How well each held-out sample fits its own class.
    weights : array
        Their sample weights.
    """

    model: PanelModel
    known: np.ndarray
    own: np.ndarray
    weights: np.ndarray


def cross_p_values(folds: Sequence[FoldModel], new: Sequence[np.ndarray]) -> np.ndarray:
    """The share of training samples that fit their own class no better than a new sample fits a class.

    ``new`` has, for each fold, what its model says of the new samples, (n_samples, n_classes): only numbers of the
    same model are compared. A new sample counts as one of those it is compared with, so no p-value is zero.
    """
    below = np.zeros_like(new[0])
    for fold, fits in zip(folds, new, strict=True):
        order = np.argsort(fold.own)
        cumulated = np.concatenate([[0.0], np.cumsum(fold.weights[order])])
        below += cumulated[np.searchsorted(fold.own[order], fits * (1.0 + _SAME), side="right")]
    total = sum(float(fold.weights.sum()) for fold in folds)
    values: np.ndarray = (below + 1.0) / (total + 1.0)
    return values
