"""Partitions along a grid of lambdas, and the choice of one of them."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from disjoint_centroids._scikit import Interval, StrOptions, validate_params
from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.base import is_auto
from disjoint_centroids.centroids.classifier import COMMON_CONSTRAINTS, NearestDisjointCentroid
from disjoint_centroids.centroids.cross_fit import cross_fit
from disjoint_centroids.centroids.training import Training
from disjoint_centroids.rows.training import UNUSED, whole_owner

GRID_CONSTRAINTS: dict[str, Any] = {
    "lams": [StrOptions({"auto"}), "array-like"],
    "n_lams": [Interval(Integral, 1, None, closed="left")],
}


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


@validate_params(GRID_CONSTRAINTS | COMMON_CONSTRAINTS)
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
        One named result with one entry per lambda.

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
    if is_auto(init):
        raise ValueError("init='auto' chooses by cross-validation, which a path does not do. Name a kind of start.")
    model = NearestDisjointCentroid(
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
    table = model._read(X, y, sample_weight)
    settings = model._settings(table, has_pool=True, refine=refine)
    training = model._keep(table, [], settings)
    grid = lam_grid(training, settings, lams, n_lams)
    return path_of(training, grid, cross_fit(training, grid, [settings]).partitions)


def lam_grid(training: Training, settings: search.Settings, lams: Any, n_lams: int) -> np.ndarray:
    """The lambdas of a path, increasing: the user's, or those that matter on this table."""
    if isinstance(lams, str):
        found = search.lam_range(training.problem, settings)
        return np.unique(np.geomspace(found.smallest, found.largest, n_lams))
    grid = np.unique(np.asarray(lams, dtype=np.float64))
    if np.ndim(lams) != 1 or grid.size == 0 or not (grid > 0).all():
        raise ValueError(f"lams must be 'auto' or a list of positive numbers; got {lams!r}.")
    return grid


def path_of(training: Training, lams: np.ndarray, partitions: list[search.Partition]) -> DisjointCentroidPath:
    """Partitions of all rows, one per lambda, as a path."""
    owners = np.stack([whole_owner(p.owner, training.shared) for p in partitions])
    return DisjointCentroidPath(
        lams=lams,
        owners=owners,
        n_selected=(owners != UNUSED).sum(axis=1),
        train_error=np.array([p.train_error for p in partitions]),
        risk=np.array([p.risk for p in partitions]),
        n_restarts=np.array([p.n_restarts for p in partitions]),
    )


def choose_lam(errors: np.ndarray, n_selected: np.ndarray, rule: str, usable: np.ndarray | None = None) -> int:
    """Index of the lambda that a rule chooses from held-out errors (n_lams, n_folds) and features in use.

    Lambdas at which no restart left every class a feature are not ``usable``: taken only if there are no others.
    """
    candidates = np.flatnonzero(usable) if usable is not None and usable.any() else np.arange(len(errors))
    mean = errors.mean(axis=1)
    lowest = candidates[np.argmin(mean[candidates])]
    bar = mean[lowest] + search.SAME_ERROR
    if rule == "1se" and errors.shape[1] > 1:
        bar += errors[lowest].std(ddof=1) / np.sqrt(errors.shape[1])
    allowed = candidates[mean[candidates] <= bar]
    # The fewest features, then the lower error, then the smaller lambda.
    return int(allowed[np.lexsort((mean[allowed], n_selected[allowed]))[0]])
