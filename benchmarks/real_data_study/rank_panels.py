"""A rival to the draft: disjoint panels by univariate rank, then the same ridge regression on the own panel only."""

from __future__ import annotations

import numpy as np

from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.model import PanelModel, as_model
from disjoint_centroids.panels.path import DRAFT_PENALTY, balanced_weights
from real_data_study.clanc import SizeByCV, take_turns


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
    weights = np.ones(len(X))
    balanced = balanced_weights(codes, weights)
    columns = drafting.columns_of(X, codes, weights)
    terms = drafting.panel_columns("linear", columns, balanced)
    residual = drafting.indicator_residuals(codes, n_classes)
    gains = terms.gains(columns, balanced[:, None] * residual, DRAFT_PENALTY)
    taken = take_turns(gains, max(sizes))
    models = []
    for size in sizes:
        panels = tuple(taken[:, :size])
        matrices = [terms.of_class(j, columns.dense(panel), panel) for j, panel in enumerate(panels)]
        found = drafting.fit_ridge(matrices, codes, balanced, penalty=DRAFT_PENALTY)
        models.append(as_model(columns.standard, terms, panels, found))
    return models
