"""From the ends of all restarts to the best partition for every lambda."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from disjoint_centroids.engine.problem import Problem
from disjoint_centroids.engine.refine import Refinement
from disjoint_centroids.engine.repair import repair
from disjoint_centroids.engine.restarts import End, Ends, run_restarts
from disjoint_centroids.engine.settings import Settings
from disjoint_centroids.engine.supports import Clusters
from disjoint_centroids.engine.threads import run_all
from disjoint_centroids.engine.types import FloatArray, IntArray, OwnerArray, owner_dtype

# Sums differ in the last bits between machines: what agrees this closely is equal, and the earlier restart is kept.
_SAME_ERROR = 1e-12
_SAME_RISK = 1e-9


@dataclass(frozen=True, slots=True)
class Partition:
    """Who owns which feature, and how the search for it went.

    Attributes
    ----------
    owner : array of shape (n_features,)
        Class of each feature, -1 for I_0.
    n_restarts : int
        Restarts that counted; 0 if none did and the partition had to be repaired.
    n_moves : int
        Single-feature moves made since.
    """

    owner: IntArray
    risk: float
    train_error: float
    n_iter: int
    n_restarts: int
    converged: bool
    n_moves: int = 0


def fit_partitions(problem: Problem, lams: FloatArray | None, settings: Settings) -> list[Partition]:
    """The best partition for every lambda, or for Algorithm 1 if ``lams`` is None: one search for all of them."""
    clusters = problem.clusters(has_pool=lams is not None)
    found = run_restarts(problem, clusters, lams, settings)
    candidates = [_candidates(problem, clusters, ends) for ends in found]
    pool = _Pool([end.owner for ends in candidates for end in ends])
    owners = pool.owners - pool.owners.dtype.type(clusters.has_pool)
    risk = problem.risks(owners)
    error = problem.errors(owners, settings.n_threads) if settings.by_error else np.zeros_like(risk)
    chosen = [ends[_best(pool, error, risk, ends)] for ends in candidates]
    at = [pool.index(end.owner) for end in chosen]
    if not settings.by_error:
        error[at] = problem.errors(owners[at], settings.n_threads)
    partitions = [
        Partition(
            owners[index].astype(np.intp),
            float(risk[index]),
            float(error[index]),
            end.n_iter,
            ends.n_survived,
            end.converged,
        )
        for index, end, ends in zip(at, chosen, found, strict=True)
    ]
    return _refined(problem, partitions, clusters.has_pool, settings) if settings.refine else partitions


def _refined(problem: Problem, partitions: list[Partition], has_pool: bool, settings: Settings) -> list[Partition]:
    """The partitions after single-feature moves; those that start from the same owners are moved once."""
    pool = _Pool([partition.owner for partition in partitions])
    moves = Refinement(problem, has_pool=has_pool, max_iter=settings.max_iter, seed=settings.seed)
    ends = run_all(moves.from_owner, list(pool.owners), settings.n_threads)
    owners = np.stack([end.owner for end in ends])
    risk, error = problem.risks(owners), problem.errors(owners, settings.n_threads)
    return [
        replace(
            partition,
            owner=ends[at].owner,
            risk=float(risk[at]),
            train_error=float(error[at]),
            converged=partition.converged and ends[at].converged,
            n_moves=ends[at].n_moves,
        )
        for partition, at in zip(partitions, [pool.index(p.owner) for p in partitions], strict=True)
    ]


class _Pool:
    """Different partitions, each judged once however many restarts and lambdas end in it."""

    def __init__(self, owners: list[OwnerArray]) -> None:
        self._index: dict[bytes, int] = {}
        distinct: list[OwnerArray] = []
        for owner in owners:
            if self._index.setdefault(owner.tobytes(), len(self._index)) == len(distinct):
                distinct.append(owner)
        self.owners: OwnerArray = np.stack(distinct)

    def index(self, owner: OwnerArray) -> int:
        return self._index[owner.tobytes()]


def _candidates(problem: Problem, clusters: Clusters, ends: Ends) -> list[End]:
    """The surviving ends or, if there are none, the abandoned ones repaired; if not even those, one from nothing."""
    if ends.survived:
        return list(ends.survived.values())
    offset = owner_dtype(clusters.n_clusters)(int(clusters.has_pool))
    abandoned = list(ends.abandoned.values())
    if not abandoned:
        start = np.argmin(problem.moments.variances, axis=0).astype(owner_dtype(clusters.n_clusters))
        abandoned = [End(start + offset, 0, True)]
    # A repaired partition is where the search stopped; there is nothing left that could converge.
    return [End(repair(problem, end.owner - offset) + offset, max(end.n_iter, 1), True) for end in abandoned]


def _best(pool: _Pool, error: FloatArray, risk: FloatArray, ends: list[End]) -> int:
    """The end with the least error, of those the least risk, of those the first."""
    at = np.array([pool.index(end.owner) for end in ends])
    good = np.flatnonzero(error[at] <= error[at].min() + _SAME_ERROR)
    return int(good[np.argmax(risk[at[good]] <= risk[at[good]].min() * (1.0 + _SAME_RISK))])
