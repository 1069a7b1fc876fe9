"""Methods of every fitted disjoint centroid classifier: classify, select, explain."""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import replace
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import check_scoring
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from disjoint_centroids import numerics
from disjoint_centroids._scikit import check_feature_names_in, check_sample_weight
from disjoint_centroids.base import PartitionedClassifier, checked_priors
from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.cross_fit import CrossFit, Score, cross_fit
from disjoint_centroids.centroids.held_out import HeldOutDistances, hold_out
from disjoint_centroids.centroids.in_blocks import compress
from disjoint_centroids.centroids.in_memory import RowsInMemory
from disjoint_centroids.centroids.training import Part, Training, TrainingTable
from disjoint_centroids.directions import owner_directions
from disjoint_centroids.numerics.stored import dense
from disjoint_centroids.progress import Progress
from disjoint_centroids.rows.blocks import BlockedTable, read_rows
from disjoint_centroids.rows.folds import Fold
from disjoint_centroids.rows.training import (
    AS_THEY_ARE,
    SHARED,
    UNUSED,
    TrainingSet,
    is_lazy,
    read_samples,
    read_training_set,
    sample_names,
    whole_owner,
)

if TYPE_CHECKING:
    import pandas as pd

_CALLER = 4  # from a warning in _warn, past fit and its validation, to the line that called fit


class DisjointCentroidBase(PartitionedClassifier):
    """One centroid per class, on features of its own; scores are minus squared distances. Subclasses find the sets."""

    _kind = "centroids"
    _measure = "distance"
    _order = "distance"
    _takes_sparse = True
    _has_probabilities = True  # fits that nobody asks for probabilities need no folds for them

    def distances(self, X: Any) -> np.ndarray:
        """Distance of each sample to each class's centroid, on that class's features.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        array of shape (n_samples, n_classes)
            Distances in the norm that was fitted with (by default divided by the number of features); not squared.
        """
        check_is_fitted(self)
        if is_lazy(X):
            return self._by_blocks("distances", X)
        return np.sqrt(self._squared_distances(self._read_samples(X)))

    def risk(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Mean squared distance of samples to the centroid of their own class: objective (1) on any data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their labels, all among ``classes_``.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.

        Returns
        -------
        float
            The risk. On the training data it is ``risk_``.
        """
        check_is_fitted(self)
        values = self._read_samples(X)
        y = np.asarray(y)
        check_consistent_length(values, y)
        unknown = np.setdiff1d(y, self.classes_)
        if unknown.size:
            raise ValueError(f"y has labels that were not in training: {list(unknown[:5])}. Drop these samples.")
        weights = check_sample_weight(sample_weight, values, dtype=np.float64)
        own = self._squared_distances(values)[np.arange(len(y)), np.searchsorted(self.classes_, y)]
        # A class without any feature has no distance to minimise: as in training, its samples add nothing.
        return float(np.average(np.where(np.isfinite(own), own, 0.0), weights=weights))

    def feature_table(self) -> pd.DataFrame:
        """Table of everything known about the features, one row per feature.

        Returns
        -------
        pandas.DataFrame
            ``feature`` (its name), ``role`` ("owned", "unused" or "shared"), ``owner`` (a class label, missing if
            nobody's), ``direction`` ("up" if its mean is higher in the owner than in the other classes on average,
            "down" if lower, else ""), ``margin``, and for every class ``distance_<class>`` (of the feature to that
            class's centre among the features), ``mean_<class>`` and ``variance_<class>``.
        """
        import pandas as pd

        check_is_fitted(self)
        labels = np.asarray(self.classes_, dtype=object)
        table = {
            "feature": check_feature_names_in(self, None),
            "role": np.select([self.owner_ == SHARED, self.owner_ == UNUSED], ["shared", "unused"], "owned"),
            "owner": pd.Series(np.where(self.owner_ >= 0, labels[np.maximum(self.owner_, 0)], None), dtype=object),
            "direction": owner_directions(self),
            "margin": self.margin_,
        }
        for name, values in (
            ("distance", self.feature_distances_),
            ("mean", self.centroids_),
            ("variance", self.variances_),
        ):
            table |= {f"{name}_{label}": row for label, row in zip(self.classes_, values, strict=True)}
        return pd.DataFrame(table)

    def explain(self, X: Any) -> pd.DataFrame:
        """Contribution of each feature to the squared distance of each sample to its owner's centroid.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. The index of a pandas frame names them.

        Returns
        -------
        pandas.DataFrame
            A row for every sample and feature in use (and class, for shared features): ``sample``, ``class``,
            ``feature``, ``value``, ``centroid``, ``contribution``. Contributions add up, over the rows of a sample
            and a class, to the squared distance.
        """
        import pandas as pd

        check_is_fitted(self)
        values = self._read_samples(X)
        samples = sample_names(X, values.shape[0])
        names = check_feature_names_in(self, None)
        parts = []
        for j, label in enumerate(self.classes_):
            features = self._features_of(j)
            block = dense(values[:, features])
            gaps = (block - self.centroids_[j, features]) ** 2
            parts.append(
                pd.DataFrame(
                    {
                        "sample": np.repeat(samples, features.size),
                        "class": np.full(block.size, label),
                        "feature": np.tile(names[features], values.shape[0]),
                        "value": block.ravel(),
                        "centroid": np.tile(self.centroids_[j, features], values.shape[0]),
                        "contribution": (gaps / (features.size if self._is_divided() else 1)).ravel(),
                    }
                )
            )
        return pd.concat(parts, ignore_index=True)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        return tags

    def _measured(self, X: Any) -> np.ndarray:
        return self.distances(X)

    def _ranked_sets(self, by: str) -> list[np.ndarray]:
        ranks = self.feature_distances_ if by == "distance" else np.broadcast_to(-self.margin_, self.centroids_.shape)
        return [own[np.argsort(row[own], kind="stable")] for own, row in zip(self.feature_sets_, ranks, strict=True)]

    def _listed(self) -> np.ndarray:
        """All features, those in use first, the widest margin first."""
        return np.lexsort((-np.nan_to_num(self.margin_), self.owner_ == UNUSED))

    def _lambda(self) -> float | None:
        return getattr(self, "lam_", getattr(self, "lam", None))

    def _is_divided(self) -> bool:
        return self.norm == "dn"

    def _features_of(self, label: int) -> np.ndarray:
        return np.flatnonzero((self.owner_ == label) | (self.owner_ == SHARED))

    def _read_samples(self, X: Any) -> Any:
        return read_samples(self, X, accept_sparse=AS_THEY_ARE if self._takes_sparse else False)

    def _squared_distances(self, values: Any) -> np.ndarray:
        return search.own_distances(values, self.centroids_, self.owner_, shared=SHARED, divided=self._is_divided())

    def _scores(self, X: Any) -> np.ndarray:
        """Scores that ``predict``, ``decision_function`` and ``predict_proba`` all see, near ties made ties."""
        check_is_fitted(self)
        return self._scores_of(self._squared_distances(self._read_samples(X)))

    def _scores_of(self, squared: np.ndarray) -> np.ndarray:
        """Minus the squared distances; those that agree with the nearest but for rounding are ties."""
        nearest = squared.min(axis=1, keepdims=True)
        return self._with_ties(-squared, numerics.TIE * np.where(np.isfinite(nearest), nearest, 0.0))

    def _read(self, X: Any, y: Any, sample_weight: Any) -> TrainingSet | BlockedTable:
        """Validate a labelled table; a dask table stays where it is."""
        if not is_lazy(X):
            table = read_training_set(
                self, X, y, sample_weight, self.shared_features, divided=self._is_divided(), accept_sparse=AS_THEY_ARE
            )
            _check_shared(table.shared)
            return table
        if self.refine:
            raise ValueError(
                "refine=True moves single features many times over all samples, which needs the table in memory. Fit "
                "with refine=False, or on a sample of the rows that fits: X[:n].compute()."
            )
        blocked = read_rows(self, X, y, sample_weight, self.shared_features)
        _check_shared(blocked.shared)
        return blocked

    def _keep(self, table: TrainingSet | BlockedTable, folds: list[Fold], settings: search.Settings) -> Training:
        """Keep of the rows of a table what a fit needs; of a dask table after a pass over them."""
        if isinstance(table, TrainingSet):
            return RowsInMemory(table, folds)
        return compress(self, table, folds, self.compression, divided=self._is_divided(), seed=settings.seed)

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _settings(self, table: TrainingTable, *, has_pool: bool, refine: bool = False) -> search.Settings:
        """Settings of the search; every random draw follows from ``random_state``.

        With ``init="auto"`` those of the first kind of start: one draw, so that a RandomState instance gives every
        kind the same seed.
        """
        init = search.KINDS[0] if is_auto(self.init) else self.init
        if not isinstance(init, str):
            init = checked_starts(init, table, has_pool=has_pool)
        return search.Settings(
            n_init=self.n_init if isinstance(init, str) else len(init),
            init=init,
            by_error=self.criterion == "error",
            max_iter=self.max_iter,
            n_threads=numerics.default_threads() if self.n_jobs is None else effective_n_jobs(self.n_jobs),
            seed=self._seed(),
            refine=refine,
        )

    def _cross_fit(
        self,
        training: Training,
        lams: np.ndarray | None,
        searches: list[search.Settings],
        scoring: Any = None,
        progress: str = "cross-validation",
    ) -> tuple[CrossFit, search.Settings]:
        """Search in several ways and learn ``init_``; returns the settings of the way that did best, too."""
        score = self._score(training, lams, searches[0], scoring)
        n_searches = training.n_folds * len(searches)
        # A pass over blocks has a progress bar of its own.
        shown = self.verbose > 0 and n_searches > 0 and not training.in_one_pass
        with Progress(progress, n_searches, enabled=shown) as bar:
            found = cross_fit(training, lams, searches, score, bar.tick)
        settings = searches[found.best]
        self.init_: Any = settings.init if is_auto(self.init) else self.init
        return found, settings

    def _score(
        self, training: Training, lams: np.ndarray | None, settings: search.Settings, scoring: Any
    ) -> Score | None:
        """The function that scores folds, for rows in memory; None for the error of the nearest centroid."""
        if (scoring is None and self.priors is None) or not isinstance(training, RowsInMemory):
            return None
        scorer = check_scoring(self, scoring=scoring if scoring is not None else "accuracy")
        table = training.table
        weighted = (table.weights != 1).any() and _takes_weights(scorer)

        def score(part: Part, partitions: list[search.Partition]) -> np.ndarray:
            assert part.rows is not None and part.fold is not None
            test = training.held_out(part.fold)
            weights = {"sample_weight": table.weights[test]} if weighted else {}
            errors = []
            for at, partition in enumerate(partitions):
                model = copy(self)
                model.__dict__.pop("feature_names_in_", None)  # folds are arrays
                if self.priors is not None and not isinstance(self.priors, str):
                    model.priors = np.asarray(self.priors)[part.codes >= 0]
                lam = None if lams is None else lams[at]
                # As the classifier on this training part would: priors and probabilities depend on the temperature.
                model._adopt(part.rows, partition, lam, replace(settings, refine=False))
                errors.append(1.0 - scorer(model, table.values[test], table.classes[table.codes[test]], **weights))
            return np.asarray(errors)

        return score

    def _adopt(
        self,
        training: Training,
        partition: search.Partition,
        lam: float | None,
        settings: search.Settings,
        folds: list[Fold] | None = None,
    ) -> search.Partition:
        """Take a partition over as the fitted model; returns it as it ended.

        Probabilities follow from held-out distances, by ``folds`` if the model was chosen by these, or from training
        distances where nothing can be held out.
        """
        held_out = hold_out(training, partition, lam, settings, folds) if self._has_probabilities else None
        partition, problem = training.settle(partition, lam)
        self.classes_ = training.classes
        self.owner_ = whole_owner(partition.owner, training.shared)
        self.feature_sets_ = [np.flatnonzero(self.owner_ == j) for j in range(len(training.classes))]
        moments = problem.moments_of_all(training.shared)
        self.centroids_, self.variances_ = moments.means, moments.variances
        self.risk_, self.n_iter_ = partition.risk, partition.n_iter
        self.n_restarts_used_, self.n_moves_ = partition.n_restarts, partition.n_moves
        found = search.feature_distances(problem, partition.owner, lam)
        self.margin_ = np.full(self.owner_.size, np.nan)
        self.margin_[~training.shared] = found.margin
        self.feature_distances_ = np.full(self.centroids_.shape, np.nan)
        self.feature_distances_[:, ~training.shared] = found.to_classes
        self.class_prior_ = checked_priors(self.priors, moments.shares)
        sample = training.sample.table
        squared = self._squared_distances(sample.values)
        self.temperature_ = self._temperature(squared, sample, held_out)
        if training.sample_is_all:
            predicted = np.argmax(self._scores_of(squared), axis=1)
            self.train_error_ = float(np.average(predicted != sample.codes, weights=sample.weights))
        elif self.class_prior_ is None:
            self.train_error_ = partition.train_error
        else:
            self.train_error_ = training.error_of(self._predicted_codes)
        return partition

    def _temperature(self, squared: np.ndarray, sample: TrainingSet, held_out: HeldOutDistances | None) -> float:
        """Factor in the probabilities, from held-out distances if there are some, else from ``squared`` ones."""
        log_priors = None if self.class_prior_ is None else np.log(self.class_prior_)
        if held_out is not None:
            reachable = np.isfinite(squared).all(axis=0)
            counts = np.isfinite(held_out.squared[:, reachable]).all(axis=1)
            if counts.any():
                distances = np.where(reachable, held_out.squared[counts], np.inf)
                codes, weights = held_out.codes[counts], held_out.weights[counts]
                return numerics.cautious_temperature(distances, codes, weights, log_priors, held_out.standard_errors)
        return numerics.fit_temperature(squared, sample.codes, sample.weights, log_priors)

    def _predicted_codes(self, values: Any) -> np.ndarray:
        """Positions in ``classes_`` of the predicted labels of samples that need no validation."""
        return np.argmax(self._scores_of(self._squared_distances(values)), axis=1)

    def _warn(self, training: Training, partition: search.Partition) -> None:
        """Say what a user should know about how the fit went."""
        empty = [str(c) for c, own in zip(self.classes_, self.feature_sets_, strict=True) if own.size == 0]
        if empty:
            end = "." if training.shared.any() else "; they are never predicted."
            warnings.warn(
                f"{int((~training.shared).sum())} feature(s) cannot be shared out among {len(self.classes_)} classes: "
                f"these own no feature{end} Give more features, or fewer classes: {', '.join(empty)}",
                UserWarning,
                stacklevel=_CALLER,
            )
        elif partition.n_restarts == 0:
            warnings.warn(
                "In every restart some class lost its last feature; the best of them was repaired by giving each such "
                "class the feature that costs least. Equal or constant columns do this (drop them), and hardly more "
                "features than classes (give more, or try another init).",
                UserWarning,
                stacklevel=_CALLER,
            )
        if not partition.converged:
            warnings.warn(
                f"The search had not converged after max_iter={self.max_iter} steps. Raise max_iter.",
                ConvergenceWarning,
                stacklevel=_CALLER,
            )


def _check_shared(shared: np.ndarray) -> None:
    if shared.all():
        raise ValueError(
            f"shared_features names all {shared.size} features: none is left to share out among the classes. Name "
            "fewer, or use sklearn.neighbors.NearestCentroid."
        )


def is_auto(init: Any) -> bool:
    """True if cross-validation chooses the kind of start."""
    return isinstance(init, str) and init == "auto"


def checked_starts(init: Any, training: TrainingTable, *, has_pool: bool) -> np.ndarray:
    """Starting owners given by the user, for the features that are shared out."""
    owner = np.asarray(init)
    n_features, n_classes = training.shared.size, len(training.classes)
    if owner.ndim != 2 or owner.shape[1] != n_features or owner.shape[0] < 1:
        raise ValueError(
            f"init as an array must have shape (n_init, n_features) = (any, {n_features}); got shape {owner.shape}."
        )
    fractional = owner[~np.isfinite(owner) | (owner != np.floor(owner))] if owner.dtype.kind == "f" else owner[:0]
    if owner.dtype.kind not in "iufb" or fractional.size:
        given = f"{fractional.flat[0]}" if fractional.size else f"{owner.flat[0]!r}"
        raise ValueError(
            f"init as an array must hold whole numbers, the index of the class that owns each feature; got {given}."
        )
    owner = owner[:, ~training.shared].astype(np.intp)
    lowest = UNUSED if has_pool else 0
    if owner.min() < lowest or owner.max() >= n_classes:
        meaning = "-1 for I_0, " if has_pool else ""
        raise ValueError(
            f"init holds owners from {owner.min()} to {owner.max()}; allowed are {meaning}0 to {n_classes - 1}"
            f"{'' if has_pool else ' (and -1 for I_0 only if lam is given)'}."
        )
    return owner


def _takes_weights(scorer: Any) -> bool:
    """True if a scorer takes the weights of samples; the user's own functions often do not."""
    parameters = signature(scorer).parameters
    return "sample_weight" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def check_lam(problem: search.Problem, settings: search.Settings, lam: float, instead: str) -> None:
    """Raise if ``lam`` is below what works on this table; if it is not, the restarts were unlucky."""
    smallest = search.smallest_lam(problem, settings)
    if smallest is not None and lam < smallest:
        raise ValueError(
            f"at lam={lam:g} some of the {problem.n_classes} classes keep no feature. Try lam >= {smallest!r} (the "
            f"smallest that keeps a feature for every class on this data), or {instead}."
        )
