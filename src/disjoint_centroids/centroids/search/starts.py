"""Starts of restarts: partitions of the features to hand to Algorithm 1 or 2, one source per kind."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from disjoint_centroids.centroids.search.hartigan import single_moves
from disjoint_centroids.centroids.search.lloyd import lloyd
from disjoint_centroids.centroids.search.problem import Problem
from disjoint_centroids.centroids.search.settings import Settings
from disjoint_centroids.centroids.search.supports import Clusters, Support, k_means_clusters
from disjoint_centroids.centroids.search.ties import lowest_nearest
from disjoint_centroids.numerics.moments import Moments
from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.numerics.threads import run_all, slices
from disjoint_centroids.numerics.types import (
    TIE,
    UNASSIGNED,
    BoolArray,
    FloatArray,
    IntArray,
    OwnerArray,
    owner_dtype,
)

KINDS = ("k-means", "k-means++", "random", "variance")
_RUNS_AT_ONCE, _FEWEST_RUNS = 128, 8
_SUM_BYTES = 2**26  # of the sums of a batch of starts
_SPARE = 16


@dataclass(frozen=True, slots=True)
class Starts:
    """Starting owners in cluster numbers, one row per restart; ``alive`` is False where k-means lost a cluster."""

    owner: OwnerArray
    alive: BoolArray


class StartSource(Protocol):
    """Something to draw starts from."""

    @property
    def is_endless(self) -> bool:
        """True if another draw can give something new."""

    @property
    def depends_on_lam(self) -> bool:
        """True if each lambda needs a draw of its own."""

    def draw(self, n_starts: int, lam: float | None) -> Starts:
        """Up to ``n_starts`` starts; fewer only where there are no more.

        Draw by draw the same starts come first, however many are asked for: one lambda gets what many would.
        """


def start_source(problem: Problem, clusters: Clusters, settings: Settings) -> StartSource:
    """The source of starts that the settings ask for."""
    rng = np.random.default_rng(settings.seed)
    if not isinstance(settings.init, str):
        owner = np.asarray(settings.init) + int(clusters.has_pool)
        return GivenStarts(owner.astype(owner_dtype(clusters.n_clusters)))
    if settings.init == "variance":
        return LeastVariance(problem.moments, clusters)
    if problem.n_features < clusters.n_clusters:
        return OneFeatureEach(problem.n_features, clusters, rng)
    if settings.init == "random":
        return RandomOwners(problem.n_features, clusters, rng)
    return KMeans(problem, clusters.n_clusters, rng, settings, spread=settings.init == "k-means++")


@dataclass(frozen=True, slots=True)
class GivenStarts:
    """The user's own partitions."""

    owner: OwnerArray
    is_endless = False
    depends_on_lam = False

    def draw(self, n_starts: int, lam: float | None) -> Starts:
        return Starts(self.owner[:n_starts], np.ones(len(self.owner[:n_starts]), bool))


@dataclass(frozen=True, slots=True)
class LeastVariance:
    """Each feature to the class in which it varies least."""

    moments: Moments
    clusters: Clusters
    is_endless = False
    depends_on_lam = True

    def draw(self, n_starts: int, lam: float | None) -> Starts:
        owner = least_variance(self.moments, lam)[None]
        return Starts(owner.astype(owner_dtype(self.clusters.n_clusters)), np.ones(1, bool))


def least_variance(moments: Moments, lam: float | None) -> IntArray:
    """Each feature to the class in which it varies least; cluster 0 is I_0 if there is a lambda.

    With lambda, features whose least spread (standard deviation) within a class is more than lambda times their
    spread over all samples go to I_0. A constant feature has a ratio of one: it tells no class from another.
    """
    owner = lowest_nearest(moments.variances, np.max(moments.means**2, axis=0))
    if lam is None:
        return owner
    least = np.sqrt(moments.variances.min(axis=0))
    overall = np.sqrt(moments.overall)
    ratio = np.divide(least, overall, out=np.ones_like(least), where=overall > 0)
    return np.where(ratio > lam * (1.0 + TIE), 0, owner + 1)


@dataclass(frozen=True, slots=True)
class RandomOwners:
    """Every feature to a random cluster."""

    n_features: int
    clusters: Clusters
    rng: np.random.Generator
    is_endless = True
    depends_on_lam = False

    def draw(self, n_starts: int, lam: float | None) -> Starts:
        rng = self.rng.spawn(1)[0]
        owner = rng.integers(self.clusters.n_clusters, size=(n_starts, self.n_features))
        return Starts(owner.astype(owner_dtype(self.clusters.n_clusters)), np.ones(n_starts, bool))


@dataclass(frozen=True, slots=True)
class OneFeatureEach:
    """One random feature per class, and none in I_0: for tables with no more features than clusters."""

    n_features: int
    clusters: Clusters
    rng: np.random.Generator
    is_endless = True
    depends_on_lam = False

    def draw(self, n_starts: int, lam: float | None) -> Starts:
        classes = np.arange(int(self.clusters.has_pool), self.clusters.n_clusters)
        rng = self.rng.spawn(1)[0]
        owner = [rng.permutation(classes)[: self.n_features] for _ in range(n_starts)]
        return Starts(np.asarray(owner, owner_dtype(self.clusters.n_clusters)), np.ones(n_starts, bool))


@dataclass(frozen=True, slots=True)
class KMeans:
    """k-means on the features whose result no single move improves: what the paper's figures were made with."""

    problem: Problem
    n_clusters: int
    rng: np.random.Generator
    settings: Settings
    spread: bool
    is_endless = True
    depends_on_lam = False

    def draw(self, n_starts: int, lam: float | None) -> Starts:
        n_features, rng = self.problem.n_features, self.rng.spawn(1)[0]
        if self.spread:
            chosen = spread_seeds(self.problem.supports.everyone, self.n_clusters, n_starts, rng)
        else:
            chosen = distinct_seeds(n_features, self.n_clusters, n_starts, rng)
        seeds = np.full((n_starts, n_features), UNASSIGNED, owner_dtype(self.n_clusters))
        np.put_along_axis(seeds, chosen, np.arange(self.n_clusters, dtype=seeds.dtype)[None], axis=1)
        return self.from_seeds(seeds)

    def from_seeds(self, seeds: OwnerArray) -> Starts:
        """Lloyd's algorithm from one feature a cluster, then single moves until none pays."""
        clusters = k_means_clusters(self.problem.supports, self.n_clusters)
        max_iter, n_threads = self.settings.max_iter, self.settings.n_threads

        def polish(part: slice) -> Starts:
            runs = lloyd(self.problem.table, clusters, seeds[part], None, max_iter, self.settings.pruning)
            owner = runs.owner.copy()
            owner[runs.alive] = single_moves(clusters, runs.owner[runs.alive], max_iter)
            return Starts(owner, runs.alive)

        width = self.problem.supports.everyone.width * self.n_clusters
        at_once = int(np.clip(_SUM_BYTES // (8 * width), _FEWEST_RUNS, _RUNS_AT_ONCE))
        parts = run_all(polish, slices(len(seeds), n_threads, at_once, self.problem.n_features * width), n_threads)
        return Starts(np.concatenate([p.owner for p in parts]), np.concatenate([p.alive for p in parts]))


def distinct_seeds(n_features: int, n_seeds: int, n_starts: int, rng: np.random.Generator) -> IntArray:
    """Different features for each start, every choice and order as likely as any other: (n_starts, n_seeds)."""
    if n_seeds**2 > n_features:  # draws with repetition would often hold too few that differ
        return np.stack([rng.permutation(n_features)[:n_seeds] for _ in range(n_starts)])
    drawn = rng.integers(n_features, size=(n_starts, 2 * n_seeds + _SPARE))
    chosen = [list(dict.fromkeys(row))[:n_seeds] for row in drawn.tolist()]
    # Of so many draws all but never fewer differ; if they do, the lowest of the others fill up.
    others = [itertools.filterfalse(set(row).__contains__, range(n_features)) for row in chosen]
    return np.array(
        [[*row, *itertools.islice(more, n_seeds - len(row))] for row, more in zip(chosen, others, strict=True)]
    )


def spread_seeds(everyone: Support, n_seeds: int, n_starts: int, rng: np.random.Generator) -> IntArray:
    """k-means++: each seed drawn with probability proportional to its squared distance from those before it.

    Returns (n_starts, n_seeds). All that is random is drawn first, start by start: what a start is does not depend on
    how many follow it.
    """
    n_features = everyone.squares.size
    first, order = np.empty(n_starts, np.intp), np.empty((n_starts, n_seeds), np.intp)
    lots = np.empty((n_starts, n_seeds - 1))
    for start in range(n_starts):
        first[start] = rng.integers(n_features)
        lots[start] = rng.random(n_seeds - 1)
        # By lot: which class a seed stands for must not depend on how far out it lies.
        order[start] = rng.permutation(n_seeds)
    at_once = max(1, get_sizes().seed_distances // n_features)
    chosen = [
        _spread_by_lot(everyone, first[begin : begin + at_once], lots[begin : begin + at_once])
        for begin in range(0, n_starts, at_once)
    ]
    return np.take_along_axis(np.concatenate(chosen), order, axis=1)


def _spread_by_lot(everyone: Support, first: IntArray, lots: FloatArray) -> IntArray:
    """Draw seeds with the random numbers ``lots`` (n_starts, n_seeds - 1) in [0, 1); the first ones are given."""
    chosen = first[:, None]
    nearest = _squared_distances(everyone, first)
    for lot in lots.T:
        np.put_along_axis(nearest, chosen, 0.0, axis=1)
        total = nearest.sum(axis=1, keepdims=True)
        chance = np.divide(nearest, total, out=np.ones_like(nearest), where=total > 0)
        # Where there are no more different features than seeds so far, any other will do.
        np.put_along_axis(chance, chosen, 0.0, axis=1)
        reached = np.cumsum(chance, axis=1, out=chance)
        reached /= reached[:, -1:].copy()
        seed = np.count_nonzero(reached <= lot[:, None], axis=1)
        chosen = np.column_stack([chosen, seed])
        if chosen.shape[1] <= lots.shape[1]:
            np.minimum(nearest, _squared_distances(everyone, seed), out=nearest)
    return chosen


def _squared_distances(support: Support, features: IntArray) -> FloatArray:
    """Squared distances (features named, all features)."""
    n_features = support.squares.size
    alone = np.full((features.size, n_features), UNASSIGNED, np.int8)
    nobody = alone.copy()
    np.put_along_axis(alone, features[:, None], 0, axis=1)
    columns = np.zeros((1, features.size, support.width))
    support.move(nobody, alone, 0, 1, columns)  # a sum of one feature is that feature, in the support's own form
    cross = support.cross(columns, 0, n_features, np.empty(features.size * n_features))[0]
    squared: FloatArray = support.squares + support.squares[features, None] - 2.0 * cross
    return np.maximum(squared, 0.0, out=squared)
