"""Exact pruning: features that cannot have changed hands need no new distances.

The dn distance is a metric on each support. When centres move, the distance of a feature to its own centre grows by no
more than that centre moved, and the distance to any other falls by no more than that one moved. So a feature stays as
long as the sum of these movements, the drift, is smaller than its margin: second smallest minus smallest
distance when it was last computed, I_0's times lambda. One number per run, the two largest movements of every step
added up, is drift enough for all owners: whole rows of margins can be compared with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from disjoint_centroids.centroids.search.supports import Clusters
from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray, OwnerArray

_PAIRS_AT_ONCE = 2**16
_LOST_DIGITS = 1e-12  # of squared lengths, where a movement is the small difference of large numbers


@dataclass(frozen=True, slots=True)
class Pruning:
    """Rules for skipping features; the answer does not depend on them.

    Attributes
    ----------
    calm : float, default=0.1
        Margins are kept from the step on in which no more than this share of a run's features changed hands.
    few : float, default=0.5
        Features are visited one by one, which costs more per feature than all together, if no more than this share of
        a run's is unsettled.
    """

    calm: float = 0.1
    few: float = 0.5


PRUNING = Pruning()
"""The default rules for skipping features."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Features to be compared with all centres, each in one run."""

    runs: IntArray
    features: IntArray


@dataclass(frozen=True, slots=True)
class State:
    """The sums of all clusters at one moment, what they weigh, and the owners that they are made from."""

    sums: list[FloatArray]
    norms: list[FloatArray]
    n_members: IntArray
    owner: OwnerArray


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

    def __init__(self, clusters: Clusters, n_runs: int, n_features: int, pruning: Pruning | None) -> None:
        self._clusters, self._pruning = clusters, pruning
        self.margins = np.empty((n_runs if pruning else 0, n_features), np.float32)
        self._rows = np.arange(n_runs)
        self._watched = np.zeros(n_runs, bool)
        self.known = np.zeros(n_runs, bool)
        self.drift = np.zeros(n_runs)

    @property
    def rows(self) -> IntArray:
        """Row of each run in ``margins``; negative for runs that are not watched yet."""
        return np.where(self._watched, self._rows, -1)

    def keep(self, runs: BoolArray) -> None:
        """Drop the runs that have ended."""
        self._rows, self._watched, self.known = self._rows[runs], self._watched[runs], self.known[runs]
        self.drift = self.drift[runs]

    def watch(self, changes: IntArray) -> None:
        """Keep the margins of runs with few ``changes`` (n_runs,), once all features are compared again."""
        if self._pruning:
            self._watched |= changes <= self._pruning.calm * self.margins.shape[1]

    def forget(self, runs: BoolArray) -> None:
        """Trust the margins of some runs no more."""
        self.known &= ~runs

    def follow(self, before: State, after: State, scales: FloatArray) -> None:
        """Add to the drift what the centres moved in a step; ``scales`` (n_runs, n_clusters) go with the distances."""
        moved = scales * self._movement(before, after)
        self.drift += np.sort(moved, axis=1)[:, -2:].sum(axis=1)

    def _movement(self, before: State, after: State) -> FloatArray:
        """Upper bound on the movement of every centre, in the support's own unit: (n_runs, n_clusters)."""
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

    def nearly_settled(self) -> BoolArray:
        """The runs in which only few features need be compared with all centres."""
        from disjoint_centroids.centroids.kernels import pruning as pruning_kernels

        if self._pruning is None or not self.known.any():
            return np.zeros_like(self.known)
        rows = np.where(self.known, self._rows, -1)
        counts = pruning_kernels.count_unsettled(self.margins, rows, self.drift)
        few: BoolArray = self.known & (counts <= self._pruning.few * self.margins.shape[1])
        return few

    def pairs(self, chosen: IntArray) -> Iterator[Pairs]:
        """The unsettled features of some runs, some at a time."""
        from disjoint_centroids.centroids.kernels import pruning as pruning_kernels

        n_features = self.margins.shape[1]
        length = max(1, _PAIRS_AT_ONCE // chosen.size)
        runs, features = (np.empty(chosen.size * length + 1, np.intp) for _ in range(2))
        for start in range(0, n_features, length):
            stop = min(start + length, n_features)
            found = pruning_kernels.list_unsettled(
                self.margins, self._rows, self.drift, chosen, start, stop, runs, features
            )
            if found:
                yield Pairs(runs[:found], features[:found])
