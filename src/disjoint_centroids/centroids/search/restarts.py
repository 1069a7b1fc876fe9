"""Many restarts for every lambda, in one batch; what was abandoned is replaced, within a bound."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from disjoint_centroids.centroids.search.distinct import distinct_rows
from disjoint_centroids.centroids.search.lloyd import Runs, lloyd
from disjoint_centroids.centroids.search.problem import Problem
from disjoint_centroids.centroids.search.settings import Settings
from disjoint_centroids.centroids.search.starts import Starts, StartSource, start_source
from disjoint_centroids.centroids.search.supports import Clusters
from disjoint_centroids.numerics.threads import run_all, slices
from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray, OwnerArray

ROUNDS = 3
"""Number of times that starts are drawn, the first included, before the fit uses those that it has."""

_BATCH_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class Ends:
    """The different partitions in which the restarts at one lambda ended, first found first.

    Attributes
    ----------
    partitions : array of shape (n_partitions, n_features)
        Different partitions in cluster numbers: those in which restarts ended at any lambda of the search.
    at : array of shape (n_ends,)
        Which of them are this lambda's.
    n_iter, converged : arrays of shape (n_ends,)
        Of the first restart that ended there.
    n_survived : int
        Restarts that ended with a feature in every class.
    """

    partitions: OwnerArray
    at: IntArray
    n_iter: IntArray
    converged: BoolArray
    n_survived: int

    @property
    def owner(self) -> OwnerArray:
        """The partitions of this lambda: (n_ends, n_features)."""
        return self.partitions[self.at]


@dataclass(frozen=True, slots=True)
class _Round:
    """Runs with the index of the lambda of each, and how many restarts from the same start it stands for."""

    runs: Runs
    lam: IntArray
    times: IntArray

    def pick(self, which: BoolArray) -> _Round:
        return _Round(self.runs.pick(which), self.lam[which], self.times[which])


@dataclass(frozen=True, slots=True)
class Restarts:
    """Ends of all restarts.

    Attributes
    ----------
    survived, abandoned : lists of Ends
        One a lambda. What was abandoned is there only where nothing survived, and no more than ``n_repaired``.
    """

    survived: list[Ends]
    abandoned: list[Ends]


def run_restarts(
    problem: Problem, clusters: Clusters, lams: FloatArray | None, settings: Settings, rounds: int = ROUNDS
) -> Restarts:
    """Restart Algorithm 1 (``lams`` is None) or, at every lambda, Algorithm 2: ``settings.n_init`` times each."""
    source = start_source(problem, clusters, settings)
    n_lams = 1 if lams is None else len(lams)
    n_survived = np.zeros(n_lams, np.intp)
    survived, lost = [], []
    for _ in range(rounds):
        missing = settings.n_init - n_survived
        if not (missing > 0).any():
            break
        start, lam, times = _draw(source, lams, missing)
        runs = _in_threads(problem, clusters, start, None if lams is None else lams[lam], settings)
        done = _Round(runs, lam, times)
        survived.append(done.pick(runs.alive))
        np.add.at(n_survived, lam[runs.alive], times[runs.alive])
        lost.append(done.pick(~runs.alive & (n_survived[lam] == 0)))
        if not source.is_endless:
            break
    abandoned = _ends(lost, np.zeros(n_lams, np.intp))
    return Restarts(_ends(survived, n_survived), _first_of_none(abandoned, n_survived, settings.n_repaired))


def _ends(rounds: list[_Round], n_survived: IntArray) -> list[Ends]:
    """The different ends of each lambda, over one array of partitions that they share."""
    owner, n_iter, converged = (
        np.concatenate([getattr(r.runs, name) for r in rounds]) for name in ("owner", "n_iter", "converged")
    )
    lam = np.concatenate([r.lam for r in rounds])
    different = distinct_rows(owner)
    partitions = owner[different.first]
    # Of the runs of a lambda that ended alike the first; sorted by lambda, and there by when they were found.
    _, first = np.unique(lam * max(len(partitions), 1) + different.index, return_index=True)
    first = first[np.lexsort((first, lam[first]))]
    edges = np.searchsorted(lam[first], np.arange(len(n_survived) + 1))
    parts = [first[a:b] for a, b in pairwise(edges)]
    return [
        Ends(partitions, different.index[part], n_iter[part], converged[part], int(count))
        for part, count in zip(parts, n_survived, strict=True)
    ]


def _first_of_none(abandoned: list[Ends], n_survived: IntArray, at_most: int) -> list[Ends]:
    """Abandoned ends that may have to be repaired: at most ``at_most``, and none where some restart survived."""
    kept = np.where(n_survived > 0, 0, at_most)
    return [
        Ends(e.partitions, e.at[:few], e.n_iter[:few], e.converged[:few], 0)
        for e, few in zip(abandoned, kept, strict=True)
    ]


def _draw(source: StartSource, lams: FloatArray | None, missing: IntArray) -> tuple[OwnerArray, IntArray, IntArray]:
    """Different starts for every lambda that misses some: their owners, the lambda's index, how often each came."""
    wanted = np.flatnonzero(missing > 0)
    if source.depends_on_lam:
        drawn = [source.draw(int(missing[at]), None if lams is None else float(lams[at])) for at in wanted]
        parts = [_distinct(starts, len(starts.alive)) for starts in drawn]
        owner = np.concatenate([starts.owner[first] for starts, (first, _) in zip(drawn, parts, strict=True)])
        return owner, np.repeat(wanted, [len(f) for f, _ in parts]), np.concatenate([counts for _, counts in parts])
    starts = source.draw(int(missing.max()), None)
    distinct = {int(n): _distinct(starts, int(n)) for n in np.unique(missing[wanted])}
    parts = [distinct[int(missing[at])] for at in wanted]
    first, times = (np.concatenate(column) for column in zip(*parts, strict=True))
    lam = np.repeat(wanted, [len(f) for f, _ in parts])
    # The same start at all lambdas, one after the other: its sums need be added up only once.
    order = np.argsort(first, kind="stable")
    return starts.owner[first[order]], lam[order], times[order]


def _distinct(starts: Starts, n_wanted: int) -> tuple[IntArray, IntArray]:
    """First occurrences among the first ``n_wanted`` starts that live, and how often each occurs."""
    alive = np.flatnonzero(starts.alive[:n_wanted])
    found = distinct_rows(starts.owner[alive])
    return alive[found.first], found.counts


def _in_threads(
    problem: Problem, clusters: Clusters, start: OwnerArray, lams: FloatArray | None, settings: Settings
) -> Runs:
    width = sum(support.width for support in clusters.supports)
    at_most = int(np.clip(_BATCH_BYTES // (8 * width), 16, 256))

    def run(part: slice) -> Runs:
        lams_of_part = None if lams is None else lams[part]
        return lloyd(problem.table, clusters, start[part], lams_of_part, settings.max_iter, settings.pruning)

    parts = run_all(
        run, slices(len(start), settings.n_threads, at_most, width * problem.n_features), settings.n_threads
    )
    if not parts:  # k-means lost a cluster in every start
        parts = [run(slice(0, 0))]
    if len(parts) == 1:
        return parts[0]
    return Runs(*(np.concatenate([getattr(p, name) for p in parts]) for name in Runs.__dataclass_fields__))
