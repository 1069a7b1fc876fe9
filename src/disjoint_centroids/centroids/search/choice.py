"""Choice of the best partition for every lambda, among the ends of all restarts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from disjoint_centroids.centroids.search.distinct import distinct_rows
from disjoint_centroids.centroids.search.problem import Problem
from disjoint_centroids.centroids.search.refine import Refinement
from disjoint_centroids.centroids.search.repair import repair
from disjoint_centroids.centroids.search.restarts import Ends, Restarts, run_restarts
from disjoint_centroids.centroids.search.settings import Settings
from disjoint_centroids.centroids.search.supports import Clusters
from disjoint_centroids.numerics.threads import run_all
from disjoint_centroids.numerics.types import FloatArray, IntArray, owner_dtype

# Sums differ in the last bits between machines: what agrees this closely is equal, and the earlier restart is kept.
SAME_ERROR = 1e-12
_SAME_RISK = 1e-9


@dataclass(frozen=True, slots=True)
class Partition:
    """The owner of every feature, and the course of the search for it.

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
    """Ends of the restarts at every lambda, and the choice among them once their errors are known.

    Attributes
    ----------
    owners : array of shape (n_candidates, n_features)
        Different partitions in class numbers (-1 for I_0) whose training error is asked for: all that ends were found
        in, or those of least risk if the risk decides.
    """

    def __init__(self, problem: Problem, clusters: Clusters, found: Restarts, settings: Settings) -> None:
        self._problem, self._has_pool, self._settings = problem, clusters.has_pool, settings
        self._ends = _candidates(problem, clusters, found)
        partitions = self._ends[0].partitions
        self.owners = partitions - partitions.dtype.type(clusters.has_pool)
        self._risk = problem.risks(self.owners)
        if not settings.by_error:
            chosen = self._chosen(np.zeros_like(self._risk))
            asked, at = np.unique([ends.at[best] for ends, best in chosen], return_inverse=True)
            self._ends = [
                Ends(partitions[asked], position[None], ends.n_iter[[best]], ends.converged[[best]], ends.n_survived)
                for position, (ends, best) in zip(at, chosen, strict=True)
            ]
            self.owners, self._risk = self.owners[asked], self._risk[asked]

    def partitions(self, error: FloatArray) -> list[Partition]:
        """The best end at every lambda, given the training error of each of ``owners``; refined, if that is set."""
        best = [
            Partition(
                self.owners[ends.at[best]].astype(np.intp),
                float(self._risk[ends.at[best]]),
                float(error[ends.at[best]]),
                int(ends.n_iter[best]),
                ends.n_survived,
                bool(ends.converged[best]),
            )
            for ends, best in self._chosen(error)
        ]
        return _refined(self._problem, best, self._has_pool, self._settings) if self._settings.refine else best

    def _chosen(self, error: FloatArray) -> list[tuple[Ends, int]]:
        """The ends of every lambda, and which has the least error, of those the least risk, of those the first."""
        return [(ends, _best(error[ends.at], self._risk[ends.at])) for ends in self._ends]


def _best(error: FloatArray, risk: FloatArray) -> int:
    good = np.flatnonzero(error <= error.min() + SAME_ERROR)
    return int(good[np.argmax(risk[good] <= risk[good].min() * (1.0 + _SAME_RISK))])


def search_partitions(problem: Problem, lams: FloatArray | None, settings: Settings) -> Search:
    """Restart at every lambda, or Algorithm 1 if ``lams`` is None: needs sums over the samples, not the samples."""
    clusters = problem.clusters(has_pool=lams is not None)
    return Search(problem, clusters, run_restarts(problem, clusters, lams, settings), settings)


def fit_partitions(problem: Problem, lams: FloatArray | None, settings: Settings) -> list[Partition]:
    """The best partition for every lambda, or for Algorithm 1 if ``lams`` is None: needs the samples in memory."""
    search = search_partitions(problem, lams, settings)
    return search.partitions(problem.errors(search.owners, settings.n_threads))


def _refined(problem: Problem, partitions: list[Partition], has_pool: bool, settings: Settings) -> list[Partition]:
    """The partitions after single-feature moves; those that start from the same owners are moved once."""
    different = distinct_rows(np.stack([partition.owner for partition in partitions]))
    moves = Refinement(problem, has_pool=has_pool, max_iter=settings.max_iter, seed=settings.seed)
    starts = [partitions[at].owner for at in different.first]
    ends = run_all(moves.from_owner, starts, settings.n_threads)
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
        for partition, at in zip(partitions, different.index, strict=True)
    ]


def _candidates(problem: Problem, clusters: Clusters, found: Restarts) -> list[Ends]:
    """The surviving ends of every lambda or, where there are none, the abandoned ones repaired."""
    if all(ends.at.size for ends in found.survived):
        return found.survived
    filled = [
        ends if ends.at.size else _repaired(problem, clusters, abandoned)
        for ends, abandoned in zip(found.survived, found.abandoned, strict=True)
    ]
    # Repaired partitions may be equal to each other, or to what other lambdas ended in.
    owners = np.concatenate([ends.owner for ends in filled])
    different = distinct_rows(owners)
    edges = np.cumsum([ends.at.size for ends in filled])[:-1]
    return [
        replace(ends, partitions=owners[different.first], at=at)
        for ends, at in zip(filled, np.split(different.index, edges), strict=True)
    ]


def _repaired(problem: Problem, clusters: Clusters, abandoned: Ends) -> Ends:
    """Give every class a feature in each abandoned partition, or in that of least variance if there is none."""
    offset = owner_dtype(clusters.n_clusters)(int(clusters.has_pool))
    owners, n_iter = abandoned.owner - offset, abandoned.n_iter
    if not len(owners):
        owners = np.argmin(problem.moments.variances, axis=0).astype(offset.dtype)[None]
        n_iter = np.zeros(1, np.intp)
    mended = np.stack([repair(problem, owner) for owner in owners]) + offset
    # A repaired partition is where the search stopped; there is nothing left that could converge.
    return Ends(mended, np.arange(len(mended)), np.maximum(n_iter, 1), np.ones(len(mended), bool), 0)
