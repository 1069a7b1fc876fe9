"""Many restarts for every lambda, in one batch; what was abandoned is replaced, within a bound."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from disjoint_centroids.engine.lloyd import Runs, lloyd
from disjoint_centroids.engine.problem import Problem
from disjoint_centroids.engine.settings import Settings
from disjoint_centroids.engine.starts import Starts, StartSource, start_source
from disjoint_centroids.engine.supports import Clusters
from disjoint_centroids.engine.threads import run_all, slices
from disjoint_centroids.engine.types import FloatArray, IntArray, OwnerArray

ROUNDS = 3
"""How often starts are drawn, the first time included, before the fit makes do with what it has."""

TO_REPAIR = 20
"""How many abandoned ends are kept, for the case that there are no others."""

_BATCH_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class End:
    """A partition in which restarts ended, in cluster numbers."""

    owner: OwnerArray
    n_iter: int
    converged: bool


@dataclass(slots=True)
class Ends:
    """The different partitions in which the restarts at one lambda ended, first found first."""

    survived: dict[bytes, End] = field(default_factory=dict)
    abandoned: dict[bytes, End] = field(default_factory=dict)
    n_survived: int = 0

    def add(self, runs: Runs, run: int, times: int) -> None:
        """Take in one run, which stands for ``times`` restarts from the same start."""
        if runs.alive[run]:
            self.n_survived += times
            kept = self.survived
        elif len(self.abandoned) >= TO_REPAIR:
            return
        else:
            kept = self.abandoned
        key = runs.owner[run].tobytes()
        if key not in kept:
            kept[key] = End(runs.owner[run], int(runs.n_iter[run]), bool(runs.converged[run]))


def run_restarts(
    problem: Problem, clusters: Clusters, lams: FloatArray | None, settings: Settings, rounds: int = ROUNDS
) -> list[Ends]:
    """Restart Algorithm 1 (``lams`` is None) or, at every lambda, Algorithm 2: ``settings.n_init`` times each."""
    source = start_source(problem, clusters, settings)
    ends = [Ends() for _ in range(1 if lams is None else len(lams))]
    for _ in range(rounds):
        missing = np.array([settings.n_init - e.n_survived for e in ends])
        if not (missing > 0).any():
            break
        start, at, times = _draw(source, lams, missing)
        runs = _in_threads(problem, clusters, start, None if lams is None else lams[at], settings)
        for run in range(len(at)):
            ends[at[run]].add(runs, run, int(times[run]))
        if not source.is_endless:
            break
    return ends


def _draw(source: StartSource, lams: FloatArray | None, missing: IntArray) -> tuple[OwnerArray, IntArray, IntArray]:
    """Different starts for every lambda that misses some: their owners, the lambda's index, how often each came."""
    drawn = None if source.depends_on_lam else source.draw(int(missing.max()), None)
    owners, at, times, start_of = [], [], [], []
    distinct: dict[int, tuple[IntArray, IntArray]] = {}
    for index in np.flatnonzero(missing > 0):
        lam = None if lams is None else float(lams[index])
        n_wanted = int(missing[index])
        starts = source.draw(n_wanted, lam) if drawn is None else drawn
        if drawn is None or n_wanted not in distinct:
            distinct[n_wanted] = _distinct(starts, n_wanted)
        first, counts = distinct[n_wanted]
        owners.append(starts.owner[first])
        at.append(np.full(len(counts), index))
        times.append(counts)
        start_of.append(first)
    # The same start at all lambdas, one after the other: its sums need be added up only once.
    order = np.argsort(np.concatenate(start_of), kind="stable")
    return np.concatenate(owners)[order], np.concatenate(at)[order], np.concatenate(times)[order]


def _distinct(starts: Starts, n_wanted: int) -> tuple[IntArray, IntArray]:
    """First occurrences among the first ``n_wanted`` starts that live, and how often each occurs."""
    counts: dict[bytes, int] = {}
    first: list[int] = []
    for at in np.flatnonzero(starts.alive[:n_wanted]):
        key = starts.owner[at].tobytes()
        if key not in counts:
            first.append(int(at))
        counts[key] = counts.get(key, 0) + 1
    return np.asarray(first, np.intp), np.asarray(list(counts.values()), np.intp)


def _in_threads(
    problem: Problem, clusters: Clusters, start: OwnerArray, lams: FloatArray | None, settings: Settings
) -> Runs:
    width = sum(support.width for support in clusters.supports)
    at_most = int(np.clip(_BATCH_BYTES // (8 * width), 16, 256))

    def run(part: slice) -> Runs:
        return lloyd(problem.table, clusters, start[part], None if lams is None else lams[part], settings.max_iter)

    parts = run_all(
        run, slices(len(start), settings.n_threads, at_most, width * problem.n_features), settings.n_threads
    )
    if not parts:  # k-means lost a cluster in every start
        parts = [run(slice(0, 0))]
    return Runs(*(np.concatenate([getattr(p, name) for p in parts]) for name in Runs.__dataclass_fields__))
