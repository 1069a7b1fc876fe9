"""A rival to the draft: disjoint panels by univariate rank, then the same ridge regression on the own panel only."""

from __future__ import annotations

import numpy as np

from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.model import PanelModel, as_model
from disjoint_centroids.panels.training_parts import divide, parts_in_memory
from real_data_study.clanc import SizeByCV, take_turns

PENALTY = 0.5


class RankPanelCV(SizeByCV):
    """Classes take turns at the features that are best for them alone, whatever they have already; size by CV.

    Scores are fitted as those of ``DisjointPanelClassifier`` with linear terms: what differs is that a pick does not
    look at what the picks before it have left unexplained.
    """

    def _rules(self, X: np.ndarray, codes: np.ndarray, sizes: list[int]) -> list[PanelModel]:
        return ranked_models(X, codes, sizes)


def ranked_models(X: np.ndarray, codes: np.ndarray, sizes: list[int]) -> list[PanelModel]:
    """A model for every panel size: features by the gain of the first pick, as if there were no other."""
    n_classes = int(codes.max()) + 1
    division = divide(codes, np.ones(len(X)), n_classes, [])
    source = parts_in_memory(X, division, with_squares=False, n_rounds=1, n_kinds=1).source
    standard, picked = source.standards[0], source.open(0, n_classes * max(sizes), with_squares=False)
    (left,) = source.left([(picked, np.zeros((0, n_classes)))])
    gains = left.linear**2 / ((n_classes - 1) / n_classes * standard.variance + PENALTY)
    taken = take_turns(gains, max(sizes))
    # Picks in turn, so that the first ones are those of smaller panels.
    features, owners = taken.T.ravel(), np.tile(np.arange(n_classes), taken.shape[1])
    source.enter([(picked, drafting.NewColumns(features, np.ones(features.size), np.zeros(features.size)))])
    known, total = standard.known, standard.total
    solver = drafting.RidgeSolver(picked.gram, picked.right, owners, known, PENALTY, total, own=True)
    models = []
    for size in sizes:
        m = size * n_classes
        found = drafting.Coefficients(solver.coefficients(m), np.zeros(m), 0.0, np.zeros(n_classes))
        models.append(as_model(standard, None, features[:m], owners[:m], found))
    return models
