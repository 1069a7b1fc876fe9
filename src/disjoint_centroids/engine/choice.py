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


class Search:
    """Where the restarts ended at every lambda, and the choice among those ends once their errors are known.

    Attributes
    ----------
    owners : array of shape (n_candidates, n_features)
        Different partitions in class numbers (-1 for I_0) whose training error is asked for: all that ends were found
        in, or those of least risk if the risk decides.
    """

    def __init__(self, problem: Problem, clusters: Clusters, found: list[Ends], *, by_error: bool) -> None:
        self._found = found
        self._ends = [_candidates(problem, clusters, ends) for ends in found]
        self._pool = _Pool([end.owner for ends in self._ends for end in ends])
        self.owners = self._pool.owners - self._pool.owners.dtype.type(clusters.has_pool)
        self._risk = problem.risks(self.owners)
        if not by_error:
            self._ends = [[best] for best in self._best(np.zeros_like(self._risk))]
            asked = np.unique(self._pool.positions([end.owner for (end,) in self._ends]))
            self._pool = _Pool([self._pool.owners[at] for at in asked])
            self.owners, self._risk = self.owners[asked], self._risk[asked]

    def partitions(self, error: FloatArray) -> list[Partition]:
        """The best end at every lambda, given the training error of each of ``owners``."""
        chosen = self._best(error)
        return [
            Partition(
                self.owners[at].astype(np.intp),
                float(self._risk[at]),
                float(error[at]),
                end.n_iter,
                ends.n_survived,
                end.converged,
            )
            for at, end, ends in zip(self._pool.positions([e.owner for e in chosen]), chosen, self._found, strict=True)
        ]

    def _best(self, error: FloatArray) -> list[End]:
        """At every lambda the end with the least error, of those the least risk, of those the first."""
        return [ends[self._best_of(ends, error)] for ends in self._ends]

    def _best_of(self, ends: list[End], error: FloatArray) -> int:
        at = self._pool.positions([end.owner for end in ends])
        risk = self._risk[at]
        good = np.flatnonzero(error[at] <= error[at].min() + _SAME_ERROR)
        return int(good[np.argmax(risk[good] <= risk[good].min() * (1.0 + _SAME_RISK))])


def search_partitions(problem: Problem, lams: FloatArray | None, settings: Settings) -> Search:
    """Restart at every lambda, or Algorithm 1 if ``lams`` is None: needs sums over the samples, not the samples."""
    clusters = problem.clusters(has_pool=lams is not None)
    return Search(problem, clusters, run_restarts(problem, clusters, lams, settings), by_error=settings.by_error)


def fit_partitions(problem: Problem, lams: FloatArray | None, settings: Settings) -> list[Partition]:
    """The best partition for every lambda, or for Algorithm 1 if ``lams`` is None: one search for all of them."""
    search = search_partitions(problem, lams, settings)
    partitions = search.partitions(problem.errors(search.owners, settings.n_threads))
    return _refined(problem, partitions, lams is not None, settings) if settings.refine else partitions


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
        for partition, at in zip(partitions, pool.positions([p.owner for p in partitions]), strict=True)
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

    def positions(self, owners: list[OwnerArray]) -> IntArray:
        return np.array([self._index[owner.tobytes()] for owner in owners], dtype=np.intp)


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
