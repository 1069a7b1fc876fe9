"""Exact pruning: features that cannot have changed hands need no new distances.

The dn distance is a metric on each support. When centres move, the distance of a feature to its own centre grows by no
more than that centre moved, and the distance to any other falls by no more than that one moved. So a feature stays as
long as the sum of these movements, the drift, is smaller than its margin: second smallest minus smallest
distance when it was last looked at, I_0's times lambda. One number a run, the two largest movements of every step
added up, is drift enough for all owners: whole rows of margins can be compared with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from disjoint_centroids.centroids.search.supports import Clusters
from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray, OwnerArray

ENABLED = True
"""Tests turn it off: the answer must be the same."""

CALM = 0.1
"""Margins are kept from the step on in which no more than this share of a run's features changed hands."""

FEW = 0.5
"""One by one, features cost more than all together: not if more than this share of a run's is unsettled."""

_PAIRS_AT_ONCE = 2**16
_LOST_DIGITS = 1e-12  # of squared lengths, where a movement is the small difference of large numbers


@dataclass(frozen=True, slots=True)
class Pairs:
    """Features to look at, each in one run."""

    runs: IntArray
    features: IntArray


@dataclass(frozen=True, slots=True)
class State:
    """The sums of all clusters at one moment, what they weigh, and the owners that they are made from."""

    sums: list[FloatArray]
    norms: list[FloatArray]
    n_members: IntArray
    owner: OwnerArray


@dataclass(frozen=True, slots=True)
class Test:
    """A feature is settled in run v if its margin exceeds ``floor[v] + steep[v] * lengths[f]``."""

    floor: FloatArray
    steep: FloatArray
    lengths: FloatArray


class Bounds:
    """The margins of all features in a batch of runs, and how far the centres have drifted since.

    Attributes
    ----------
    margins : array of shape (n_runs, n_features)
        Each with the drift at the time on top. Bounds, rounded down: single precision will do.
    drift : array of shape (n_runs,)
        The most that margins can have lost so far.
    known : boolean array of shape (n_runs,)
        Runs whose margins are kept.
    """

    def __init__(self, clusters: Clusters, n_runs: int, n_features: int) -> None:
        self.possible = ENABLED
        self._clusters = clusters
        self.margins = np.empty((n_runs if self.possible else 0, n_features), np.float32)
        self._rows = np.arange(n_runs)
        self._watched = np.zeros(n_runs, bool)
        self.known = np.zeros(n_runs, bool)
        self.drift = np.zeros(n_runs)

    @property
    def rows(self) -> IntArray:
        """Where the margins of each run are, or are to be put; negative for runs that are not watched yet."""
        return np.where(self._watched, self._rows, -1)

    def keep(self, runs: BoolArray) -> None:
        """Drop the runs that have ended."""
        self._rows, self._watched, self.known = self._rows[runs], self._watched[runs], self.known[runs]
        self.drift = self.drift[runs]

    def watch(self, runs: BoolArray) -> None:
        """Keep the margins of these runs too, from the next look at all of their features on."""
        if self.possible:
            self._watched |= runs

    def forget(self, runs: BoolArray) -> None:
        """Trust the margins of some runs no more."""
        self.known &= ~runs

    def follow(self, before: State, after: State, scales: FloatArray) -> None:
        """Add to the drift what the centres moved in a step; ``scales`` (n_runs, n_clusters) go with the distances."""
        moved = scales * self._movement(before, after)
        self.drift += np.sort(moved, axis=1)[:, -2:].sum(axis=1)

    def _movement(self, before: State, after: State) -> FloatArray:
        """How far every centre moved, in the support's own unit, at the most: (n_runs, n_clusters)."""
        parts = []
        for s, support in enumerate(self._clusters.supports):
            first, last = self._clusters.ranges[s]
            old, new = (np.maximum(state.n_members.T[first:last], 1).astype(float) for state in (before, after))
            both = support.overlap(before.sums[s], after.sums[s], before.owner, first)
            # From Gram matrices the length of what adds up to nothing may come out negative.
            lengths = np.maximum(before.norms[s] / old**2 + after.norms[s] / new**2, 0.0)
            squared = np.maximum(lengths - 2.0 * both / (old * new), 0.0) + _LOST_DIGITS * lengths
            # What is empty is closed, whether it was before or is now.
            held = (before.n_members.T[first:last] > 0) & (after.n_members.T[first:last] > 0)
            parts.append(np.where(held, np.sqrt(squared / support.divisor), 0.0))
        return np.concatenate(parts).T

    def nearly_settled(self, test: Test) -> BoolArray:
        """The runs in which only few features need be looked at."""
        from disjoint_centroids.centroids.kernels import pruning as pruning_kernels

        if not self.known.any():
            return self.known.copy()
        rows = np.where(self.known, self._rows, -1)
        counts = pruning_kernels.count_unsettled(self.margins, rows, test.floor, test.steep, test.lengths)
        few: BoolArray = self.known & (counts <= FEW * self.margins.shape[1])
        return few

    def pairs(self, test: Test, chosen: IntArray) -> Iterator[Pairs]:
        """The unsettled features of some runs, some at a time."""
        from disjoint_centroids.centroids.kernels import pruning as pruning_kernels

        n_features = self.margins.shape[1]
        length = max(1, _PAIRS_AT_ONCE // chosen.size)
        runs, features = (np.empty(chosen.size * length + 1, np.intp) for _ in range(2))
        for start in range(0, n_features, length):
            stop = min(start + length, n_features)
            found = pruning_kernels.list_unsettled(
                self.margins, self._rows, test.floor, test.steep, test.lengths, chosen, start, stop, runs, features
            )
            if found:
                yield Pairs(runs[:found], features[:found])
