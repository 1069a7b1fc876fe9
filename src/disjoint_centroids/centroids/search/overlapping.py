"""Feature sets that may overlap: for each class on its own, a two-way clustering of the features.

One cluster uses the samples of the class, the other (the pool) all samples, with its distance times lambda.
The class keeps what ends in the first; no class asks what the others keep.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from disjoint_centroids.centroids.search.lambdas import LARGEST
from disjoint_centroids.centroids.search.problem import Problem
from disjoint_centroids.centroids.search.restarts import Ends, run_restarts
from disjoint_centroids.centroids.search.settings import Settings
from disjoint_centroids.centroids.search.starts import start_source
from disjoint_centroids.centroids.search.supports import Clusters, Supports
from disjoint_centroids.centroids.search.ties import exact_distances
from disjoint_centroids.numerics.moments import Moments
from disjoint_centroids.numerics.ranks import rank_weights
from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray, OwnerArray, owner_dtype

POOL, KEPT = 0, 1
"""The two clusters of a class: what it leaves, and what it keeps."""

_SAME = 1e-9  # separations, risks and margins that agree this closely are equal
_LAMS = 60


@dataclass(frozen=True, slots=True)
class FeatureSet:
    """The feature set of one class, and the course of the search for it.

    Attributes
    ----------
    held : boolean array of shape (n_features,)
        The features that the class uses.
    distance : array of shape (n_features,)
        Distance of each feature to the centre of the class's cluster.
    margin : array of shape (n_features,)
        Lambda times the distance to the pool's centre, minus ``distance``; infinite if the pool is empty or closed.
    n_restarts : int
        Restarts that counted; 0 if the class lost its last feature in all of them and was given one.
    """

    held: BoolArray
    distance: FloatArray
    margin: FloatArray
    n_iter: int
    n_restarts: int
    converged: bool


def two_way_clusters(supports: Supports, label: int) -> Clusters:
    """The pool, on all samples, and the cluster of one class, on its own samples."""
    grams = None if supports.grams is None else np.ascontiguousarray(supports.grams[[0, label + 1]])
    used = (supports.everyone, supports.classes[label])
    return Clusters(used, ((POOL, KEPT), (KEPT, KEPT + 1)), grams, has_pool=True)


def fit_overlapping(problem: Problem, lam: float, max_features: int | None, settings: Settings) -> list[FeatureSet]:
    """The best feature set of every class; the classes share their starts, which are drawn once.

    Starting owners in ``settings.init`` are 0 for what a class keeps and -1 for the pool.
    """
    settings = _with_shared_starts(problem, settings)
    return [_best_set(problem, label, lam, max_features, settings) for label in range(problem.n_classes)]


def smallest_lam_that_keeps(problem: Problem, lam: float, settings: Settings) -> float | None:
    """The smallest lambda, of some above the one given, with which every class keeps a feature; None if none does."""
    settings = _with_shared_starts(problem, settings)
    grid = np.unique([float(f"{value:.3g}") for value in np.geomspace(min(lam, LARGEST), LARGEST, _LAMS)])
    grid = grid[grid > lam]
    if not grid.size:
        return None
    keeps = np.ones(grid.size, dtype=bool)
    for label in range(problem.n_classes):
        keeps &= [ends.at.size > 0 for ends in _restarts_of(problem, label, grid, settings)]
    return float(grid[np.argmax(keeps)]) if keeps.any() else None


def set_distances(values: FloatArray, centroids: FloatArray, held: BoolArray) -> FloatArray:
    """Squared dn distance (n_samples, n_classes) of each sample to each class's centroid on that class's features."""
    distances = np.empty((values.shape[0], centroids.shape[0]))
    for j, features in enumerate(held):
        gaps = values[:, features] - centroids[j, features]
        distances[:, j] = np.einsum("if,if->i", gaps, gaps) / np.count_nonzero(features)
    return distances


def _with_shared_starts(problem: Problem, settings: Settings) -> Settings:
    """Starts do not depend on the class, unless they depend on its variances: draw them once for all."""
    if not isinstance(settings.init, str) or settings.init == "variance":
        return settings
    source = start_source(problem, two_way_clusters(problem.supports, 0), settings)
    starts = source.draw(settings.n_init, None)
    return replace(settings, init=starts.owner[starts.alive] - starts.owner.dtype.type(KEPT))


def _restarts_of(problem: Problem, label: int, lams: FloatArray, settings: Settings) -> list[Ends]:
    """Ends of the restarts of one class at every lambda. A start at the variances uses this class's only."""
    moments, one = problem.moments, slice(label, label + 1)
    alone = Moments(moments.means[one], moments.variances[one], moments.overall, moments.shares[one])
    clusters = two_way_clusters(problem.supports, label)
    return run_restarts(replace(problem, moments=alone), clusters, lams, settings, rounds=1).survived


def _best_set(problem: Problem, label: int, lam: float, max_features: int | None, settings: Settings) -> FeatureSet:
    (ends,) = _restarts_of(problem, label, np.array([lam]), settings)
    ends = ends if ends.at.size else _tightest_feature(problem, label)
    owners = ends.owner
    clusters = two_way_clusters(problem.supports, label)
    held = owners == KEPT
    if max_features is not None:
        for at in np.flatnonzero(held.sum(axis=1) > max_features):
            held[at] = _widest(problem, clusters, owners[at], lam, max_features)
    best = _most_separating(problem, label, held)
    distance, margin = _margins(problem, clusters, owners[best], lam)
    return FeatureSet(held[best], distance, margin, int(ends.n_iter[best]), ends.n_survived, bool(ends.converged[best]))


def _tightest_feature(problem: Problem, label: int) -> Ends:
    """The last resort: the one feature that varies least within the class, compared to all samples."""
    moments = problem.moments
    within, overall = moments.variances[label], moments.overall
    ratio = np.divide(within, overall, out=np.ones_like(within), where=overall > 0)
    owner: OwnerArray = np.full(ratio.size, POOL, owner_dtype(2))
    owner[np.argmin(ratio)] = KEPT
    return Ends(owner[None], np.zeros(1, np.intp), np.ones(1, np.intp), np.ones(1, bool), 0)


def _margins(problem: Problem, clusters: Clusters, owner: OwnerArray, lam: float) -> tuple[FloatArray, FloatArray]:
    """Distance of every feature to the class's centre, and how much nearer that is than the pool's times lambda."""
    distances = np.sqrt(exact_distances(problem.table, clusters, owner))
    to_pool = lam * distances[POOL] if np.isfinite(lam) else np.full_like(distances[POOL], np.inf)
    return distances[KEPT], to_pool - distances[KEPT]


def _widest(problem: Problem, clusters: Clusters, owner: OwnerArray, lam: float, n_wanted: int) -> BoolArray:
    """Features of a class with the largest margins; ties go to the nearest feature, then to the first."""
    distance, margin = _margins(problem, clusters, owner, lam)
    members = np.flatnonzero(owner == KEPT)
    order = np.lexsort((_rounded(distance[members]), -_rounded(margin[members])))
    held = np.zeros(owner.size, dtype=bool)
    held[members[order[:n_wanted]]] = True
    return held


def _rounded(values: FloatArray) -> FloatArray:
    """Round values such that those that differ by rounding errors only become equal."""
    unit = _SAME * np.max(np.abs(values), where=np.isfinite(values), initial=0.0)
    rounded: FloatArray = np.round(values / unit) if unit > 0 else values
    return rounded


def _most_separating(problem: Problem, label: int, held: BoolArray) -> int:
    """Position of the set that separates the class best from all other samples; ties go to the least risk.

    Judged by the chance that a sample of the class is nearer than a sample of another class (the area under the ROC
    curve): this needs no other class's set.
    """
    rows = problem.rows
    squared = _distances_on_each(rows.values, problem.moments.means[label], held)
    own = np.where(rows.codes == label, rows.weights, 0.0)
    separation = _separations(squared, own, rows.weights - own)
    risk = squared @ own / own.sum()
    good = np.flatnonzero(separation >= separation.max() - _SAME)
    return int(good[np.argmax(risk[good] <= risk[good].min() * (1.0 + _SAME))])


def _distances_on_each(values: FloatArray, centroid: FloatArray, held: BoolArray) -> FloatArray:
    """Squared dn distance (n_sets, n_samples) of each sample to a centroid on each set."""
    gaps = values - centroid
    counts = held.sum(axis=1)[:, None]
    distances: FloatArray = held.astype(np.float64) @ np.square(gaps, out=gaps).T / counts
    return distances


def _separations(squared: FloatArray, own: FloatArray, others: FloatArray) -> FloatArray:
    """Share of pairs (a sample of the class, one of the others) in which the first is nearer; ties count half."""
    order: IntArray = np.argsort(squared, axis=1, kind="stable")
    ranked = rank_weights(np.take_along_axis(squared, order, axis=1), own[order])
    nearer = (others[order] * (ranked.before + ranked.through)).sum(axis=1) / 2.0
    share: FloatArray = nearer / (own.sum() * others.sum())
    return share
