"""Partitions along a grid of lambdas, and the classifier that chooses lambda by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from disjoint_centroids._scikit import Interval, StrOptions, fit_context
from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.base import DisjointCentroidBase, refuse_small_lam
from disjoint_centroids.centroids.classifier import COMMON_CONSTRAINTS, is_auto
from disjoint_centroids.centroids.compressed import CompressedTraining, compress
from disjoint_centroids.centroids.cross_fit import cross_fit
from disjoint_centroids.centroids.cross_validation import cross_validate, lowest_error
from disjoint_centroids.centroids.path_table import path_table
from disjoint_centroids.centroids.problems import problem_of
from disjoint_centroids.centroids.second_look import second_look
from disjoint_centroids.progress import Progress
from disjoint_centroids.rows.blocks import in_memory
from disjoint_centroids.rows.folds import Fold, inner_folds, user_folds, warn_of_groups
from disjoint_centroids.rows.training import UNUSED, TrainingSet, is_lazy

if TYPE_CHECKING:
    import pandas as pd

_SAME_ERROR = 1e-12


@dataclass(frozen=True, slots=True)
class DisjointCentroidPath:
    """The best partition at every lambda.

    Attributes
    ----------
    lams : array of shape (n_lams,)
        Lambdas, increasing.
    owners : array of shape (n_lams, n_features)
        Owner of each feature, coded as ``NearestDisjointCentroid.owner_``.
    n_selected : array of shape (n_lams,)
        Number of features in use.
    train_error, risk : arrays of shape (n_lams,)
        Of the best restart.
    n_restarts : array of shape (n_lams,)
        Restarts that counted; 0 where some class lost its last feature in all of them, and the best was repaired.
    """

    lams: np.ndarray
    owners: np.ndarray
    n_selected: np.ndarray
    train_error: np.ndarray
    risk: np.ndarray
    n_restarts: np.ndarray


def disjoint_centroid_path(
    X: Any,
    y: Any,
    *,
    lams: Any = "auto",
    n_lams: int = 30,
    sample_weight: Any = None,
    n_init: int = 100,
    init: Any = "k-means",
    criterion: str = "error",
    norm: str = "dn",
    shared_features: Any = None,
    refine: bool = False,
    max_iter: int = 300,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> DisjointCentroidPath:
    """Fit Algorithm 2 at every lambda of a grid: all lambdas and restarts in one batch.

    Parameters
    ----------
    X : array-like, sparse matrix or dask table of shape (n_samples, n_features)
        Training samples.
    y : array-like of shape (n_samples,)
        Class labels.
    lams : "auto" or array-like of positive floats, default="auto"
        The grid. "auto": ``n_lams`` values, log-spaced from the smallest lambda at which every class keeps a feature
        to the smallest at which none is dropped, found from the data.
    n_lams : int, default=30
        Length of the automatic grid.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights.
    n_init, init, criterion, norm, shared_features, refine, max_iter, random_state, n_jobs
        As for :class:`NearestDisjointCentroid`. ``init="auto"`` is not for a path: it needs cross-validation.

    Returns
    -------
    DisjointCentroidPath
        One named result with an entry a lambda.

    Examples
    --------
    >>> import numpy as np
    >>> from disjoint_centroids import disjoint_centroid_path
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 40)), np.repeat([0, 1], 30)
    >>> X[y == 0, :5] += 3  # five columns that are high, and alike, in class 0
    >>> path = disjoint_centroid_path(X, y, n_lams=5, n_init=10, random_state=0)
    >>> path.lams.shape, path.owners.shape
    ((5,), (5, 40))
    >>> bool(path.n_selected[0] < path.n_selected[-1])
    True
    """
    estimator = NearestDisjointCentroidCV(
        lams=lams,
        n_lams=n_lams,
        n_init=n_init,
        init=init,
        criterion=criterion,
        norm=norm,
        shared_features=shared_features,
        refine=refine,
        max_iter=max_iter,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    estimator._validate_params()
    if is_auto(init):
        raise ValueError("init='auto' chooses by cross-validation, which a path does not do. Name a kind of start.")
    if is_lazy(X):
        return _lazy_path(estimator, X, y, sample_weight)
    training = estimator._read_training(X, y, sample_weight)
    settings = estimator._settings(training, init, has_pool=True, refine=refine)
    problem = problem_of(training)
    grid = _grid(problem, settings, lams, n_lams)
    return _as_path(training, grid, search.fit_partitions(problem, grid, settings))


def _lazy_path(estimator: NearestDisjointCentroidCV, X: Any, y: Any, sample_weight: Any) -> DisjointCentroidPath:
    """The path of a dask table: two passes over it."""
    rows, labels = estimator._read_lazily(X, y, sample_weight)
    settings = estimator._settings(labels, estimator.init, has_pool=True)
    divided, seed = estimator._is_divided(), settings.seed
    training = compress(estimator, rows, labels, [], estimator.compression, divided=divided, seed=seed)
    problem = training.problem()
    grid = _grid(problem, settings, estimator.lams, estimator.n_lams)
    return _as_path(training, grid, cross_fit(training, problem, grid, [settings]).partitions[0])


def _grid(problem: search.Problem, settings: search.Settings, lams: Any, n_lams: int) -> np.ndarray:
    """The lambdas, increasing: the user's, or those that matter on this table."""
    if isinstance(lams, str):
        found = search.lam_range(problem, settings)
        return np.unique(np.geomspace(found.smallest, found.largest, n_lams))
    grid = np.unique(np.asarray(lams, dtype=np.float64))
    if np.ndim(lams) != 1 or grid.size == 0 or not (grid > 0).all():
        raise ValueError(f"lams must be 'auto' or a list of positive numbers; got {lams!r}.")
    return grid


def _as_path(
    training: TrainingSet | CompressedTraining, lams: np.ndarray, partitions: list[search.Partition]
) -> DisjointCentroidPath:
    owners = np.stack([training.whole_owner(p.owner) for p in partitions])
    return DisjointCentroidPath(
        lams=lams,
        owners=owners,
        n_selected=(owners != UNUSED).sum(axis=1),
        train_error=np.array([p.train_error for p in partitions]),
        risk=np.array([p.risk for p in partitions]),
        n_restarts=np.array([p.n_restarts for p in partitions]),
    )


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
        "lams": [StrOptions({"auto"}), "array-like"],
        "n_lams": [Interval(Integral, 1, None, closed="left")],
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
        if is_lazy(X):
            return self._fit_lazily(X, y, sample_weight, groups)
        training = self._read_training(X, y, sample_weight)
        settings = self._settings(training, "k-means" if is_auto(self.init) else self.init, has_pool=True)
        folds = self._folds(X, y, groups, training.codes, training.rows, settings.seed)
        problem = problem_of(training)
        self.lams_ = _grid(problem, settings, self.lams, self.n_lams)
        settings = self._cross_validate(training, problem, folds, settings)
        self._take_best(training, problem, search.fit_partitions(problem, self.lams_, settings), settings, folds)
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

    def _fit_lazily(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> NearestDisjointCentroidCV:
        """The same on a dask table: two passes over it for all folds, lambdas and restarts."""
        if self.scoring not in (None, "accuracy") or self.priors is not None:
            raise ValueError(
                "On a dask table lambda is chosen by the misclassification of the nearest centroid; scoring and priors "
                f"need the table in memory. Got scoring={self.scoring!r}, priors={self.priors!r}."
            )
        rows, labels = self._read_lazily(X, y, sample_weight)
        settings = self._settings(labels, "k-means" if is_auto(self.init) else self.init, has_pool=True)
        known = [None if given is None else in_memory(given) for given in (y, groups)]
        no_values, counting = np.zeros((labels.codes.size, 1)), labels.codes[labels.rows]
        folds = self._folds(no_values, known[0], known[1], counting, labels.rows, settings.seed)
        searches = [settings.with_init(kind) for kind in search.KINDS] if is_auto(self.init) else [settings]
        divided, seed = self._is_divided(), settings.seed
        training = compress(self, rows, labels, folds, self.compression, divided=divided, seed=seed)
        problem = training.problem()
        self.lams_ = _grid(problem, settings, self.lams, self.n_lams)
        found = cross_fit(training, problem, self.lams_, searches)
        best = min(range(len(searches)), key=lambda at: lowest_error(found.errors[at]))
        self.init_ = searches[best].init if is_auto(self.init) else self.init
        self.cv_errors_ = found.errors[best]
        self._take_best(training, problem, found.partitions[best], searches[best], folds)
        return self

    def _folds(self, X: Any, y: Any, groups: Any, codes: np.ndarray, rows: np.ndarray, seed: int) -> list[Fold]:
        """Folds to choose lambda by; there must be some."""
        if not isinstance(self.cv, Integral):
            return user_folds(self.cv, X, y, groups, rows)
        warn_of_groups(self.cv, X, groups)
        folds = inner_folds(codes, seed, int(self.cv))
        if not folds:
            raise ValueError(
                "NearestDisjointCentroidCV chooses lambda by samples that it holds out, and with one sample per class "
                "there are none. Give more samples, or NearestDisjointCentroid(lam=...) with a lambda of your own."
            )
        return folds

    def _take_best(
        self,
        training: TrainingSet | CompressedTraining,
        problem: search.Problem,
        partitions: list[search.Partition],
        settings: search.Settings,
        folds: list[Fold],
    ) -> None:
        """Keep the path, and take over the partition at the lambda that the rule chooses."""
        self.path_ = _as_path(training, self.lams_, partitions)
        self.n_selected_ = self.path_.n_selected
        best = choose_lam(self.cv_errors_, self.n_selected_, self.rule, self.path_.n_restarts > 0)
        self.lam_ = float(self.lams_[best])
        if partitions[best].n_restarts == 0:
            refuse_small_lam(problem, settings, self.lam_, "lams='auto'")
        partition = partitions[best]
        held_out = self._hold_out(training, problem, partition, self.lam_, settings, folds)
        if isinstance(training, CompressedTraining) and training.sketch is not None:
            partition, problem = second_look(training, problem, partition, self.lam_)
        self._adopt(training, problem, partition, self.lam_, held_out)
        self._warn(training, partition)

    def _cross_validate(
        self, training: TrainingSet, problem: search.Problem, folds: list[Fold], settings: search.Settings
    ) -> search.Settings:
        """Learn ``cv_errors_`` and ``init_``; the settings of the search that did best, refined ones on ties."""
        judge = self._judge(training, self.lams_, self.scoring)
        kinds = search.KINDS if is_auto(self.init) else (None,)
        refining = [True, False] if self.refine else [False]
        # In the order in which they win ties: refined ones before others, the paper's kind of start before others.
        asked = [(replace(settings, refine=refine), kind) for refine in refining for kind in kinds]
        searches = [search if kind is None else search.with_init(kind) for search, kind in asked]
        with Progress("cross-validation", len(folds) * len(searches), enabled=self.verbose > 0) as bar:
            errors = cross_validate(training, problem, folds, self.lams_, searches, judge, bar.tick)
        best = min(range(len(searches)), key=lambda at: lowest_error(errors[at]))
        self.init_ = self.init if asked[best][1] is None else asked[best][1]
        self.cv_errors_ = errors[best]
        return searches[best]


def choose_lam(errors: np.ndarray, n_selected: np.ndarray, rule: str, usable: np.ndarray | None = None) -> int:
    """Index of the lambda that a rule chooses from held-out errors (n_lams, n_folds) and features in use.

    Lambdas at which no restart left every class a feature are not ``usable``: taken only if there are no others.
    """
    candidates = np.flatnonzero(usable) if usable is not None and usable.any() else np.arange(len(errors))
    mean = errors.mean(axis=1)
    lowest = candidates[np.argmin(mean[candidates])]
    bar = mean[lowest] + _SAME_ERROR
    if rule == "1se" and errors.shape[1] > 1:
        bar += errors[lowest].std(ddof=1) / np.sqrt(errors.shape[1])
    allowed = candidates[mean[candidates] <= bar]
    # The fewest features, then the lower error, then the smaller lambda.
    return int(allowed[np.lexsort((mean[allowed], n_selected[allowed]))[0]])
