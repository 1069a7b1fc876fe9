"""Lloyd's algorithm on features, for many runs at once: the one loop behind everything in this package."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoint_centroids.centroids.search.pruning import PRUNING, Bounds, Pairs, Pruning, State
from disjoint_centroids.centroids.search.supports import Clusters, Support
from disjoint_centroids.centroids.search.table import Table
from disjoint_centroids.centroids.search.ties import resolve
from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.numerics.types import AMBIGUOUS, UNASSIGNED, BoolArray, FloatArray, IntArray, OwnerArray


@dataclass(frozen=True, slots=True)
class Runs:
    """Ends of a batch of runs.

    Attributes
    ----------
    owner : array of shape (n_runs, n_features)
        The cluster of each feature.
    n_iter : array of shape (n_runs,)
        Assignment steps taken.
    alive : array of shape (n_runs,)
        False where a cluster that must not be empty lost its last feature.
    converged : array of shape (n_runs,)
        False where ``max_iter`` ended the run.
    """

    owner: OwnerArray
    n_iter: IntArray
    alive: BoolArray
    converged: BoolArray

    def pick(self, which: BoolArray) -> Runs:
        """Some of the runs."""
        return Runs(self.owner[which], self.n_iter[which], self.alive[which], self.converged[which])


class Sums:
    """The sums of the member columns of every cluster, updated by the features that changed their cluster only."""

    def __init__(self, clusters: Clusters, owner: OwnerArray) -> None:
        self.clusters = clusters
        n_runs = owner.shape[0]
        self.of_support = [
            np.zeros((last - first, n_runs, support.width))
            for support, (first, last) in zip(clusters.supports, clusters.ranges, strict=True)
        ]
        self._peaks = [np.zeros((last - first, n_runs)) for first, last in clusters.ranges]
        self.norms = [np.zeros((last - first, n_runs)) for first, last in clusters.ranges]
        self.n_members = np.zeros((n_runs, clusters.n_clusters), np.int64)
        self.cancelled = np.zeros(n_runs, bool)
        self.move(np.full_like(owner, UNASSIGNED), owner)

    def move(self, old: OwnerArray, new: OwnerArray) -> IntArray:
        """Move the features from their old owners to their new ones, and return the number of changes in each run."""
        from disjoint_centroids.centroids.kernels import lloyd as kernels

        changes: IntArray = kernels.turnover(old, new, self.n_members)
        self.cancelled[:] = False
        for s, support in enumerate(self.clusters.supports):
            first, last = self.clusters.ranges[s]
            sums = self.of_support[s]
            support.move(old, new, first, last, sums)
            self._measure(s, new)
            self._peaks[s] = np.maximum(self._peaks[s], self.norms[s])
            stale = self.norms[s] < kernels.SHRUNK * self._peaks[s]
            if stale.any():
                support.rebuild(new, first, stale, sums)
                self._measure(s, new)
                self._peaks[s] = np.where(stale, self.norms[s], self._peaks[s])
        return changes

    def state(self, owner: OwnerArray) -> State:
        """The sums as they are, without a copy."""
        return State(self.of_support, self.norms, self.n_members, owner)

    def copied(self, owner: OwnerArray) -> State:
        """A copy of the sums, which later moves do not change."""
        return State([s.copy() for s in self.of_support], [n.copy() for n in self.norms], self.n_members.copy(), owner)

    def keep(self, runs: BoolArray) -> None:
        """Drop the runs that have ended."""
        self.of_support = [np.compress(runs, sums, axis=1) for sums in self.of_support]
        self._peaks = [np.compress(runs, peaks, axis=1) for peaks in self._peaks]
        self.norms = [np.compress(runs, norms, axis=1) for norms in self.norms]
        self.n_members = self.n_members[runs]
        self.cancelled = self.cancelled[runs]

    def _measure(self, s: int, owner: OwnerArray) -> None:
        """Squared length of every sum of one support; marks the runs in which that has no digits left."""
        support, (first, _) = self.clusters.supports[s], self.clusters.ranges[s]
        support.measure(self.of_support[s], owner, first, self.norms[s], self.cancelled)


def cross_products(support: Support, sums: FloatArray, start: int, stop: int, room: FloatArray) -> FloatArray:
    """Inner products of the sums with a range of features: (clusters of the support, runs, features)."""
    return support.cross(sums, start, stop, room)


def products_at(support: Support, sums: FloatArray, pairs: Pairs) -> FloatArray:
    """Inner products of single features with the sums of single runs: (clusters of the support, pairs)."""
    return support.cross_at(sums, pairs.runs, pairs.features)


def features_at_once(n_runs: int, n_features: int) -> int:
    """Number of features whose distances are computed at once."""
    return int(min(n_features, max(16, get_sizes().distance_bytes // (8 * max(n_runs, 1)))))


def lloyd(
    table: Table,
    clusters: Clusters,
    owner: OwnerArray,
    lams: FloatArray | None,
    max_iter: int,
    pruning: Pruning | None = PRUNING,
) -> Runs:
    """Alternate centres and owners until nothing changes.

    Parameters
    ----------
    table : Table
        The training samples.
    clusters : Clusters
        The clusters, and the samples that each of them is measured on.
    owner : array of shape (n_runs, n_features)
        Cluster of each feature at the start of each run; ``UNASSIGNED`` features belong to no cluster until the first
        assignment.
    lams : array of shape (n_runs,) or None
        Lambda of each run, for clusters with a pool.
    max_iter : int
        Bound on the steps.
    pruning : Pruning or None
        When features that cannot have changed hands are skipped; None: never.
    """
    factor = np.ones(owner.shape[0]) if lams is None else lams**2
    if clusters.grams is None:
        return _side_by_side(table, clusters, owner, factor, max_iter, pruning)
    return _one_by_one(table, clusters, owner, factor, max_iter, pruning)


def _one_by_one(
    table: Table, clusters: Clusters, owner: OwnerArray, factor: FloatArray, max_iter: int, pruning: Pruning | None
) -> Runs:
    """Finish one run after the other in compiled code: with Gram matrices a step takes few additions per feature."""
    from disjoint_centroids.centroids.kernels import gram as gram_kernels

    support_of = np.repeat(np.arange(len(clusters.ranges)), [last - first for first, last in clusters.ranges])
    divisors = np.asarray([support.divisor for support in clusters.supports])
    ended, n_iter, state = gram_kernels.runs_on_grams(
        clusters.grams,
        divisors,
        support_of,
        factor,
        clusters.has_pool,
        clusters.may_be_empty,
        max_iter,
        np.ascontiguousarray(owner),
    )
    runs = Runs(ended, n_iter, state != gram_kernels.LOST, state == gram_kernels.CONVERGED)
    again = np.flatnonzero(state == gram_kernels.UNDECIDED)
    if again.size:  # rounding would have decided: these runs are repeated by the loop that resolves ties exactly
        exact = _side_by_side(table, clusters, owner[again], factor[again], max_iter, pruning)
        for name in Runs.__dataclass_fields__:
            getattr(runs, name)[again] = getattr(exact, name)
    return runs


def _side_by_side(
    table: Table, clusters: Clusters, owner: OwnerArray, factor: FloatArray, max_iter: int, pruning: Pruning | None
) -> Runs:
    """Step all runs together: distances are matrix products, and runs that have ended leave the batch."""
    n_runs = owner.shape[0]
    ended = Runs(owner.copy(), np.zeros(n_runs, np.int64), np.ones(n_runs, bool), np.zeros(n_runs, bool))
    sums = Sums(clusters, owner)
    bounds = Bounds(clusters, n_runs, owner.shape[1], pruning)
    features = Features(clusters)
    active = np.arange(n_runs)
    lost = _has_lost(clusters, sums.n_members)
    ended.alive[lost] = False
    current, active, factor = _leave(owner, active, factor, sums, bounds, lost)
    for step in range(1, max_iter + 1):
        if active.size == 0:
            break
        new = assign(table, clusters, features, sums, current, factor, bounds)
        changes = _move(clusters, sums, current, new, factor, bounds)
        lost = _has_lost(clusters, sums.n_members)
        still = changes == 0
        ended.alive[active[lost]] = False
        ended.converged[active[still]] = True
        ended.n_iter[active] = step
        done = lost | still | (step == max_iter)
        ended.owner[active[done]] = new[done]
        current, active, factor = _leave(new, active, factor, sums, bounds, done)
    return ended


def _move(
    clusters: Clusters, sums: Sums, old: OwnerArray, new: OwnerArray, factor: FloatArray, bounds: Bounds
) -> IntArray:
    """Bring sums and bounds from the old owners to the new ones; how many changed, in each run."""
    before = sums.copied(old) if bounds.known.any() else None
    changes = sums.move(old, new)
    if before is not None:
        scales = np.ones((factor.size, clusters.n_clusters))
        if clusters.has_pool:
            scales[:, 0] = np.sqrt(np.where(np.isfinite(factor), factor, 0.0))
        bounds.follow(before, sums.state(new), scales)
    bounds.forget(sums.cancelled)
    bounds.watch(changes)
    return changes


def _leave(
    owner: OwnerArray, active: IntArray, factor: FloatArray, sums: Sums, bounds: Bounds, done: BoolArray
) -> tuple[OwnerArray, IntArray, FloatArray]:
    if not done.any():
        return owner, active, factor
    stay = ~done
    sums.keep(stay)
    bounds.keep(stay)
    return owner[stay], active[stay], factor[stay]


def _has_lost(clusters: Clusters, n_members: IntArray) -> BoolArray:
    if clusters.may_be_empty:
        return np.zeros(n_members.shape[0], bool)
    lost: BoolArray = (n_members[:, int(clusters.has_pool) :] == 0).any(axis=1)
    return lost


class Features:
    """Lengths of the features.

    Attributes
    ----------
    bases : list of arrays of shape (n_features,)
        Their squared lengths on each support.
    size, lengths : arrays of shape (n_features,)
        The largest of those, and its square root.
    """

    def __init__(self, clusters: Clusters) -> None:
        self.bases = [support.squares / support.divisor for support in clusters.supports]
        self.size: FloatArray = np.max(self.bases, axis=0)
        self.lengths: FloatArray = np.sqrt(self.size)


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Coefficients of the squared distances of a batch of runs, for inner products and lengths of features.

    Cluster c's is ``factors[c] * (base + offsets[c] - slopes[c] * product)``.

    Attributes
    ----------
    slopes, offsets, factors : arrays of shape (n_clusters, n_runs)
        An infinite offset closes a cluster: it is empty, or I_0 and lambda is infinite.
    magnify : array of shape (n_runs,)
        How much larger than without lambda distances, and their rounding, can be.
    """

    slopes: FloatArray
    offsets: FloatArray
    factors: FloatArray
    magnify: FloatArray

    @property
    def of_clusters(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Slopes, offsets and factors, as the kernels take them."""
        return self.slopes, self.offsets, self.factors


def assign(
    table: Table,
    clusters: Clusters,
    features: Features,
    sums: Sums,
    owner: OwnerArray,
    factor: FloatArray,
    bounds: Bounds,
) -> OwnerArray:
    """Give every feature to its nearest centre; ties to the lower index."""
    new = owner.copy()
    coefficients = _coefficients(clusters, sums, factor)
    few = bounds.nearly_settled()
    n_ambiguous = 0
    if not few.all():
        n_ambiguous += _assign_all(clusters, features, sums, coefficients, np.flatnonzero(~few), bounds, new)
    if few.any():
        for pairs in bounds.pairs(np.flatnonzero(few)):
            n_ambiguous += _assign_pairs(clusters, features, sums, coefficients, pairs, bounds, new)
    new[sums.cancelled] = AMBIGUOUS
    bounds.forget(sums.cancelled)  # their margins were made without digits too
    if n_ambiguous or sums.cancelled.any():
        resolve(table, clusters, owner, new, factor)
    return new


def _assign_all(
    clusters: Clusters,
    features: Features,
    sums: Sums,
    coefficients: Coefficients,
    runs: IntArray,
    bounds: Bounds,
    owner: OwnerArray,
) -> int:
    """All features of some runs: distances are matrix products. Returns how many rounding could have decided."""
    from disjoint_centroids.centroids.kernels import lloyd as kernels
    from disjoint_centroids.centroids.kernels import pruning as pruning_kernels

    n_runs, n_features = runs.size, owner.shape[1]
    of_runs = [np.ascontiguousarray(of_support[:, runs]) for of_support in sums.of_support]
    slopes, offsets, factors = (np.ascontiguousarray(of_cluster[:, runs]) for of_cluster in coefficients.of_clusters)
    magnify, drift, rows = coefficients.magnify[runs], bounds.drift[runs], bounds.rows[runs]
    new = np.empty((n_runs, n_features), owner.dtype)
    length = features_at_once(n_runs, n_features)
    best, second = np.empty((n_runs, length)), np.empty((n_runs, length))
    winner = np.zeros((n_runs, length), owner.dtype)
    room = np.empty(max(last - first for first, last in clusters.ranges) * n_runs * length)
    n_ambiguous = 0
    for start in range(0, n_features, length):
        stop = min(start + length, n_features)
        if stop - start < length:
            best, second, winner = (np.ascontiguousarray(a[:, : stop - start]) for a in (best, second, winner))
        best.fill(np.inf)
        second.fill(np.inf)
        for s, support in enumerate(clusters.supports):
            cross = cross_products(support, of_runs[s], start, stop, room)
            base = features.bases[s][start:stop]
            first, last = clusters.ranges[s]
            for c in range(first, last):
                kernels.contend(cross[c - first], base, slopes[c], offsets[c], factors[c], c, best, second, winner)
        size = features.size[start:stop]
        n_ambiguous += kernels.settle(best, second, winner, size, magnify, start, new)
        if (rows >= 0).any():
            lengths = features.lengths[start:stop]
            pruning_kernels.note_margins(best, second, lengths, magnify, drift, start, rows, bounds.margins)
    owner[runs] = new
    bounds.known[runs] = rows >= 0
    return n_ambiguous


def _assign_pairs(
    clusters: Clusters,
    features: Features,
    sums: Sums,
    coefficients: Coefficients,
    pairs: Pairs,
    bounds: Bounds,
    owner: OwnerArray,
) -> int:
    """Single features, each in one run. Returns how many rounding could have decided."""
    from disjoint_centroids.centroids.kernels import pruning as pruning_kernels

    runs = pairs.runs
    best, second = np.full(runs.size, np.inf), np.full(runs.size, np.inf)
    winner = np.zeros(runs.size, owner.dtype)
    for s, support in enumerate(clusters.supports):
        products = products_at(support, sums.of_support[s], pairs)
        first = clusters.ranges[s][0]
        bases, of_clusters = features.bases[s], coefficients.of_clusters
        pruning_kernels.contend_at(products, bases, *of_clusters, first, runs, pairs.features, best, second, winner)
    n_ambiguous: int = pruning_kernels.settle_at(
        best,
        second,
        winner,
        features.size,
        features.lengths,
        coefficients.magnify,
        bounds.drift,
        bounds.rows,
        runs,
        pairs.features,
        bounds.margins,
        owner,
    )
    return n_ambiguous


def _coefficients(clusters: Clusters, sums: Sums, factor: FloatArray) -> Coefficients:
    shape = (clusters.n_clusters, factor.size)
    slopes, offsets, factors = np.zeros(shape), np.full(shape, np.inf), np.ones(shape)
    for s, support in enumerate(clusters.supports):
        first, last = clusters.ranges[s]
        members = sums.n_members.T[first:last]
        held = members > 0
        np.divide(2.0 / support.divisor, members, out=slopes[first:last], where=held)
        np.divide(sums.norms[s] / support.divisor, members.astype(float) ** 2, out=offsets[first:last], where=held)
    finite = np.isfinite(factor)
    if clusters.has_pool:
        factors[0] = np.where(finite, factor, 1.0)
        offsets[0] = np.where(finite, offsets[0], np.inf)
    return Coefficients(slopes, offsets, factors, np.maximum(1.0, np.where(finite, factor, 1.0)))
