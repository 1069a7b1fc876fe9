"""The classifier that chooses lambda by cross-validation."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from disjoint_centroids._scikit import StrOptions, fit_context
from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.base import DisjointCentroidBase, check_lam, is_auto
from disjoint_centroids.centroids.classifier import COMMON_CONSTRAINTS
from disjoint_centroids.centroids.path import GRID_CONSTRAINTS, choose_lam, lam_grid, path_of
from disjoint_centroids.centroids.path_table import path_table
from disjoint_centroids.rows.blocks import BlockedTable, in_memory
from disjoint_centroids.rows.folds import Fold, inner_folds, user_folds, warn_of_groups
from disjoint_centroids.rows.training import TrainingSet, is_lazy

if TYPE_CHECKING:
    import pandas as pd


class NearestDisjointCentroidCV(DisjointCentroidBase):
    r"""Nearest disjoint centroids with feature selection, ``lam`` chosen by cross-validation (NDC-S).

    Every fold fits the whole grid of lambdas in one batch; the lambda with the lowest held-out error is then fitted
    on all samples.

    Parameters
    ----------
    lams : "auto" or array-like of positive floats, default="auto"
        The grid; "auto" finds it from the data, see :func:`disjoint_centroid_path`.
    n_lams : int, default=30
        Length of the automatic grid.
    cv : int, splitter or iterable, default=5
        Folds to choose lambda by. An int means stratified folds, shuffled by ``random_state``, no more than the
        largest class has samples; other values as everywhere in scikit-learn.
    rule : {"min", "1se"}, default="min"
        "min": the lowest mean error, ties to the fewest features. "1se": the fewest features among the lambdas whose
        error is within one standard error of the lowest.
    scoring : str or callable, default=None
        What to choose by; ``cv_errors_`` is then one minus the score. None: misclassification.
    n_init, init, criterion, norm, shared_features
        As for :class:`NearestDisjointCentroid`. ``init="auto"`` chooses kind of start and lambda together.
    refine : bool, default=False
        True: the folds judge partitions refined by single-feature moves (see :class:`NearestDisjointCentroid`) at every
        lambda, and those as they were before; refined ones are taken if their lowest error is not higher.
    priors, max_iter, random_state, n_jobs
        As for :class:`NearestDisjointCentroid`.
    verbose : int, default=0
        1 shows a progress bar on standard error, over the folds or over the blocks of a dask table.
    compression : {"auto", "exact", "sketch"} or float, default="auto"
        For dask tables only, as for :class:`NearestDisjointCentroid`.

    Attributes
    ----------
    lam_ : float
        The chosen lambda.
    lams_ : array of shape (n_lams,)
        The grid, increasing.
    cv_errors_ : array of shape (n_lams, n_folds)
        Held-out errors: of refined partitions if those were taken.
    n_selected_ : array of shape (n_lams,)
        Features in use at each lambda, fitted on all samples.
    path_ : DisjointCentroidPath
        The partitions at all lambdas, fitted on all samples.
    classes_, owner_, feature_sets_, centroids_, variances_, risk_, train_error_, margin_, feature_distances_
        As for :class:`NearestDisjointCentroid`, at the chosen lambda.
    temperature_, class_prior_, init_, n_iter_, n_moves_, n_restarts_used_, n_features_in_, feature_names_in_
        Likewise.

    See Also
    --------
    NearestDisjointCentroid : With lambda given, or without feature selection.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from disjoint_centroids import NearestDisjointCentroidCV
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> X = StandardScaler().set_output(transform="pandas").fit_transform(X)
    >>> model = NearestDisjointCentroidCV(n_init=20, random_state=0).fit(X, y)
    >>> model.cv_errors_.shape
    (30, 5)
    >>> model.score(X, y) > 0.9
    True
    """

    _path = "lambda"
    _parameter_constraints: dict[str, Any] = {
        **GRID_CONSTRAINTS,
        "cv": ["cv_object"],
        "rule": [StrOptions({"min", "1se"})],
        "scoring": [str, callable, None],
        **COMMON_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        lams: Any = "auto",
        n_lams: int = 30,
        cv: Any = 5,
        rule: str = "min",
        scoring: Any = None,
        n_init: int = 100,
        init: Any = "k-means",
        criterion: str = "error",
        norm: str = "dn",
        shared_features: Any = None,
        refine: bool = False,
        priors: Any = None,
        max_iter: int = 300,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        compression: Any = "auto",
    ) -> None:
        self.lams = lams
        self.n_lams = n_lams
        self.cv = cv
        self.rule = rule
        self.scoring = scoring
        self.n_init = n_init
        self.init = init
        self.criterion = criterion
        self.norm = norm
        self.shared_features = shared_features
        self.refine = refine
        self.priors = priors
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.compression = compression

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose lambda by cross-validation, then fit on all samples.

        Parameters
        ----------
        X : array-like, sparse matrix or dask table of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: 0 is removal, a whole number is repetition within a fold.
        groups : array-like of shape (n_samples,), default=None
            Passed to the splitter.

        Returns
        -------
        self : NearestDisjointCentroidCV
            The fitted classifier.
        """
        if is_lazy(X) and (self.scoring not in (None, "accuracy") or self.priors is not None):
            raise ValueError(
                "On a dask table lambda is chosen by the misclassification of the nearest centroid; scoring and priors "
                f"need the table in memory. Got scoring={self.scoring!r}, priors={self.priors!r}."
            )
        table = self._read(X, y, sample_weight)
        settings = self._settings(table, has_pool=True)
        folds = self._folds(X, y, groups, table, settings.seed)
        training = self._keep(table, folds, settings)
        self.lams_ = lam_grid(training, settings, self.lams, self.n_lams)
        found, settings = self._cross_fit(training, self.lams_, self._searches(settings), self.scoring)
        self.cv_errors_ = found.errors[found.best]
        self.path_ = path_of(training, self.lams_, found.partitions)
        self.n_selected_ = self.path_.n_selected
        best = choose_lam(self.cv_errors_, self.n_selected_, self.rule, self.path_.n_restarts > 0)
        self.lam_ = float(self.lams_[best])
        if found.partitions[best].n_restarts == 0:
            check_lam(training.problem, settings, self.lam_, "lams='auto'")
        self._warn(training, self._adopt(training, found.partitions[best], self.lam_, settings, folds))
        return self

    def path_table(self) -> pd.DataFrame:
        """Held-out error and number of features along the lambdas.

        Returns
        -------
        pandas.DataFrame
            One row per lambda, increasing: ``lam``, ``error`` (mean over the folds), ``standard_error`` (NaN with one
            fold), ``n_features`` (features in use), ``chosen`` (True for ``lam_``) and ``one_se`` (True for the lambda
            that ``rule="1se"`` chooses).
        """
        check_is_fitted(self)
        one_se = choose_lam(self.cv_errors_, self.n_selected_, "1se", np.asarray(self.path_.n_restarts) > 0)
        return path_table(self.lams_, self.cv_errors_, self.n_selected_, lam=self.lam_, lam_1se=self.lams_[one_se])

    def _chosen(self) -> dict[str, Any]:
        error, _ = self._held_out_errors(None)
        return {"lam": float(self.lam_), "cv_error": error}

    def _held_out_errors(self, y: Any) -> tuple[float | None, float | None]:
        return float(self.cv_errors_[list(self.lams_).index(self.lam_)].mean()), None

    def _searches(self, settings: search.Settings) -> list[search.Settings]:
        """The ways to search that the folds choose between, in the order in which they win ties.

        Refined ones come before others, the paper's kind of start before others.
        """
        refining = [replace(settings, refine=refine) for refine in ([True, False] if self.refine else [False])]
        if not is_auto(self.init):
            return refining
        return [one.with_init(kind) for one in refining for kind in search.KINDS]

    def _folds(self, X: Any, y: Any, groups: Any, table: TrainingSet | BlockedTable, seed: int) -> list[Fold]:
        """Folds to choose lambda by; there must be some."""
        if is_lazy(X):
            y, groups = in_memory(y), None if groups is None else in_memory(groups)
            X = np.zeros((len(y), 1))  # splitters read the number of rows
        if not isinstance(self.cv, Integral):
            return user_folds(self.cv, X, y, groups, table.rows)
        warn_of_groups(self.cv, X, groups)
        folds = inner_folds(table.codes, seed, int(self.cv))
        if not folds:
            raise ValueError(
                "NearestDisjointCentroidCV chooses lambda by samples that it holds out, and with one sample per class "
                "there are none. Give more samples, or NearestDisjointCentroid(lam=...) with a lambda of your own."
            )
        return folds
