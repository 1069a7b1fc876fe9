"""Tables and figures that describe a fitted panel classifier, and its scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import balanced_accuracy_score
from sklearn.utils.validation import check_is_fitted

from disjoint_centroids.panels.alternates import alternates_table
from disjoint_centroids.panels.answers import ConformalAnswers
from disjoint_centroids.panels.chosen import rounds_table
from disjoint_centroids.panels.conformal import FoldModel
from disjoint_centroids.panels.model import PanelModel
from disjoint_centroids.panels.tables import contribution_table, own_coefficients, panel_table, picks
from disjoint_centroids.rows.training import UNUSED, read_samples, sample_names

if TYPE_CHECKING:
    import pandas as pd


class DescribedPanels(ConformalAnswers):
    """Fitted panels as tables: features, contributions to scores, candidates."""

    classes_: Any
    owner_: Any
    feature_sets_: Any
    coef_: Any
    curvature_: Any
    intercept_: Any
    center_: Any
    scale_: Any
    centroids_: Any
    margin_: Any
    rounds_: Any
    terms_: Any
    reads_: Any
    regression_: Any
    penalty_: Any
    cv_results_: Any
    batches_: Any
    new_batch_share_: Any
    held_out_scores_: Any

    def feature_table(self) -> pd.DataFrame:
        """Tabulate the features: owner, coefficients, and class means and variances, one row per feature.

        Returns
        -------
        pandas.DataFrame
            ``feature`` (its name), ``role`` ("owned", "given" for one that was forced, or "unused"), ``owner`` (a class
            label, missing if unused), ``direction`` ("up" if its mean is higher in the owner than in the other classes
            on average, "down" if lower, else ""), ``pick`` (1 = the first that its class picked, 0 = given),
            ``margin``, ``coef`` and ``curvature`` (coefficients in the score of the owner), and for every class
            ``coef_<class>`` (the linear coefficient in its score, zero where it does not read the feature),
            ``mean_<class>`` and ``variance_<class>`` (with batches, those of the values less the effects of the
            batches, as in ``centroids_``).
        """
        check_is_fitted(self)
        return panel_table(self)

    def explain(self, X: Any) -> pd.DataFrame:
        """Compute the contribution of each owned feature to the score of each class that reads it, for each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. The index of a pandas frame names them.

        Returns
        -------
        pandas.DataFrame
            A row for every sample, class and feature that the class reads: ``sample``, ``class``, ``feature``,
            ``owner``, ``value``, ``centroid`` (of the class), ``contribution``. Contributions add up, over the rows of
            a sample and a class, to the class's score without its intercept.
        """
        check_is_fitted(self)
        values = read_samples(self, X, accept_sparse=True)
        return contribution_table(self, values, sample_names(X, values.shape[0]))

    def alternates(self, X: Any, y: Any, *, n_alternates: int = 3, batch: Any = None, verbose: int = 0) -> pd.DataFrame:
        """Find replacements for every owned feature, and their cost, for when a probe fails in the laboratory.

        For each feature, the features that would gain most for its class if it were lost are put in its place, scores
        are fitted anew by ridge regression on the panel with the one feature swapped, in every fold, and those of
        least held-out loss are returned. Rules such as ``allowed`` and ``direction`` hold for replacements too: with
        ``direction="up"`` a replacement has a positive coefficient in the score of its class. A feature that does not
        vary, or gains nothing, replaces none.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples that the model was fitted to, or others.
        y : array-like of shape (n_samples,)
            Their class labels.
        n_alternates : int, default=3
            Replacements for each feature.
        batch : array-like of shape (n_samples,), default=None
            Batches, as for ``fit``.
        verbose : int, default=0
            1 shows a progress bar on standard error.

        Returns
        -------
        pandas.DataFrame
            For every owned feature one row with ``rank`` 0, for nothing in its place, and one per replacement, the best
            first: ``class``, ``feature``, ``rank``, ``alternate`` (its name, None at rank 0), held out ``error`` and
            ``loss`` (every class counts the same), and ``error_change`` and ``loss_change``, the differences from the
            panel as it is, fitted in the same way. The panel was picked on these samples, so that errors are somewhat
            optimistic; their differences are comparable.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from disjoint_centroids import DisjointPanelClassifier
        >>> X, y = load_wine(return_X_y=True, as_frame=True)
        >>> model = DisjointPanelClassifier(rounds=1, random_state=0).fit(X, y)
        >>> found = model.alternates(X, y, n_alternates=1)
        >>> found[["class", "feature", "rank"]].to_numpy().tolist()[:2]
        [[0, 'proline', 0], [0, 'proline', 1]]
        """
        check_is_fitted(self)
        return alternates_table(self, X, y, n_alternates, batch, verbose=verbose)

    def rounds_table(self) -> pd.DataFrame:
        """Held-out loss and error of the candidates that cross-validation compared, with ``reads`` as chosen.

        Returns
        -------
        pandas.DataFrame
            One row per candidate: ``line`` (the candidates that differ in their rounds only, as a name), ``terms``,
            ``regression``, ``rounds``, ``penalty``, ``loss``, ``error``, ``chosen`` (True for the fitted one) and
            ``mark`` (reason for the fitted one; "as well or better" for fewer rounds with no higher loss; else "").
            Sorted by line, rounds increasing.
        """
        check_is_fitted(self)
        return rounds_table(self)

    def _ranked_sets(self, by: str) -> list[np.ndarray]:
        return list(self.feature_sets_)

    def _listed(self) -> np.ndarray:
        """All features, panel after panel, then those not used."""
        return np.concatenate([*self.feature_sets_, np.flatnonzero(self.owner_ == UNUSED)])

    def _figures(self) -> dict[str, np.ndarray]:
        unused = self.owner_ == UNUSED
        coef, curvature = own_coefficients(self, self.coef_), own_coefficients(self, self.curvature_)
        found = {"pick": picks(self), "margin": self.margin_, "coef": np.where(unused, np.nan, coef)}
        return found if self.terms_ == "linear" else found | {"curvature": np.where(unused, np.nan, curvature)}

    def _readings(self, features: np.ndarray) -> list[str]:
        coef, curvature = own_coefficients(self, self.coef_), own_coefficients(self, self.curvature_)
        pairs = zip(coef[features], curvature[features], strict=True)
        return [
            ("high" if linear > 0 else "low") if linear else ("near" if squared < 0 else "far")
            for linear, squared in pairs
        ]

    def _chosen(self) -> dict[str, Any]:
        error = float(self.rounds_table().query("chosen")["error"].iloc[0])
        return {
            "rounds": int(self.rounds_),
            "terms": str(self.terms_),
            "reads": str(self.reads_),
            "regression": str(self.regression_),
            "penalty": float(self.penalty_),
            "cv_error": None if np.isnan(error) else error,
            **({} if self.batches_ is None else self._batch_facts()),
            "n_candidates": len(self.cv_results_["error"]),
        }

    def _batch_facts(self) -> dict[str, Any]:
        return {"batches": [str(name) for name in self.batches_], "new_batch_share": self.new_batch_share_}

    def _fold_models(self) -> list[FoldModel]:
        return self.fold_models_

    def _held_out_errors(self, y: Any) -> tuple[float | None, float | None]:
        seen = ~np.isnan(self.held_out_scores_).any(axis=1)
        if not seen.any():
            return None, None
        true, told = np.asarray(y)[seen], self.classes_[self.held_out_scores_[seen].argmax(axis=1)]
        return float(np.mean(told != true)), 1.0 - float(balanced_accuracy_score(true, told))

    def _model(self) -> PanelModel:
        """Fitted scores as one object."""
        features = np.concatenate(self.feature_sets_)
        owners = self.owner_[features]
        center, scale = self.center_[features], self.scale_[features]
        return PanelModel(
            tuple(self.feature_sets_),
            center,
            scale,
            self.coef_[:, features],
            self.curvature_[owners, features],
            (self.centroids_[owners, features] - center) / scale,
            self.intercept_,
        )

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._with_ties(self._model().scores(read_samples(self, X, accept_sparse=True)))
