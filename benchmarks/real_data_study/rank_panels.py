"""A rival to the draft: disjoint panels by univariate rank, then the same ridge regression on the own panel only."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from disjoint_centroids import engine
from disjoint_centroids.panel.model import PanelModel, as_model
from disjoint_centroids.panel.path import DRAFT_PENALTY, TrainingPart
from disjoint_centroids.peers import inner_splitter
from real_data_study.clanc import SIZES, take_turns


class RankPanelCV(ClassifierMixin, BaseEstimator):
    """Classes take turns at the features that are best for them alone, whatever they have already; size by CV.

    Scores are fitted as those of ``DisjointPanelClassifier`` with linear terms: what differs is that a pick does not
    look at what the picks before it have left unexplained.

    Parameters
    ----------
    sizes : sequence of int, default=SIZES
        Features of each class to choose from.
    cv : int, default=5
        Inner folds.
    random_state : int, RandomState instance or None, default=None
        For the folds.

    Attributes
    ----------
    size_ : int
        The lowest error in the inner folds, ties to the fewest features.
    n_features_used_ : int
        Features in all panels.
    """

    def __init__(self, *, sizes: tuple[int, ...] = SIZES, cv: int = 5, random_state: Any = None) -> None:
        self.sizes = sizes
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the size, then fit with it on all samples."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_, codes = np.unique(y, return_inverse=True)
        most = X.shape[1] // len(self.classes_)
        sizes = sorted({min(size, most) for size in self.sizes})
        errors = np.zeros(len(sizes))
        for train, test in inner_splitter(y, self.cv, self.random_state).split(X, y):
            models = ranked_models(X[train], codes[train], sizes)
            errors += [np.mean(model.scores(X[test]).argmax(axis=1) != codes[test]) for model in models]
        self.size_ = int(sizes[int(np.argmin(errors.round(12)))])
        (self.model_,) = ranked_models(X, codes, [self.size_])
        self.n_features_used_ = int(self.model_.features.size)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest score."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.classes_[self.model_.scores(X).argmax(axis=1)]


def ranked_models(X: np.ndarray, codes: np.ndarray, sizes: list[int]) -> list[PanelModel]:
    """A model for every panel size: features by the gain of the first pick, as if there were no other."""
    n_classes = int(codes.max()) + 1
    part = TrainingPart(X, codes, np.ones(len(X)), n_classes)
    columns = engine.columns_of(X, codes, part.weights)
    terms = engine.panel_columns("linear", columns, part.balanced)
    residual = engine.indicator_residuals(codes, n_classes)
    gains = terms.gains(columns, part.balanced[:, None] * residual, DRAFT_PENALTY)
    taken = take_turns(gains, max(sizes))
    models = []
    for size in sizes:
        panels = tuple(taken[:, :size])
        matrices = [terms.of_class(j, columns.take(panel), panel) for j, panel in enumerate(panels)]
        found = engine.fit_ridge(matrices, codes, part.balanced, penalty=DRAFT_PENALTY, slope=engine.ROUGH)
        models.append(as_model(columns.standard, terms, panels, found))
    return models
