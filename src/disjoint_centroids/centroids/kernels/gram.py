"""Whole runs in compiled code, for tables whose supports are all Gram matrices.

Arrays are filled and compared by loops: assignments of arrays, ``any``, ``min`` and ``flatnonzero`` would take numba
most of the time of a compilation.
"""

from __future__ import annotations

import numpy as np

from disjoint_centroids.centroids.kernels.lloyd import (
    CANCELLED,
    SHRUNK,
    add,
    contend,
    mark_violators,
    n_different,
    recount,
    settle,
    subtract,
    transfer,
)
from disjoint_centroids.numerics.compiled import compiled
from disjoint_centroids.numerics.types import UNASSIGNED

CONVERGED, STOPPED, LOST, UNDECIDED = range(4)
"""End of a run; ``UNDECIDED`` if rounding would have decided an owner."""


@compiled
def measure(new, sums, norms, terms):
    """Squared lengths of the sums of one run.

    new : (1, n_features) cluster of each feature
    sums : (n_clusters, 1, n_features) inner products of each sum with each feature
    norms : (n_clusters,) written: squared lengths
    terms : (n_clusters,) written: sums of the absolute values that they are made of
    """
    norms[:] = 0.0
    terms[:] = 0.0
    for f in range(new.shape[1]):
        c = new[0, f]
        if c >= 0:
            norms[c] += sums[c, 0, f]
            terms[c] += abs(sums[c, 0, f])


@compiled
def rebuild_shrunk(grams, support_of, new, sums, norms, peaks):
    """Add up anew the sums that have shrunk so far that old rounding would show.

    grams : (n_supports, n_features, n_features) Gram matrices
    support_of : (n_clusters,) support of each cluster
    new : (1, n_features) cluster of each feature
    sums : (n_clusters, 1, n_features) read and written: inner products of each sum with each feature
    norms : (n_clusters,) squared lengths of the sums
    peaks : (n_clusters,) read and written: their largest value since the sum was last added up

    Returns True if there were any.
    """
    rebuilt = False
    for c in range(norms.size):
        peaks[c] = max(peaks[c], norms[c])
        if norms[c] < SHRUNK * peaks[c]:
            sums[c] = 0.0
            for f in range(new.shape[1]):
                if new[0, f] == c:
                    add(grams[support_of[c], f], sums[c, 0])
            peaks[c] = 0.0
            rebuilt = True
    return rebuilt


@compiled
def follow(grams, support_of, old, new, sums, norms, peaks, terms):
    """Bring all sums and their lengths from the old owners to the new.

    grams, support_of, sums, norms, peaks
        As for :func:`rebuild_shrunk`; ``sums``, ``norms`` and ``peaks`` are written.
    old, new : (1, n_features) owners before and after; negative for no cluster
    terms : (n_clusters,) room for :func:`measure`

    Returns True if a squared length has lost its digits.
    """
    n_features = new.shape[1]
    for f in range(n_features):
        before, after = old[0, f], new[0, f]
        if before == after:
            continue
        if before >= 0:
            subtract(grams[support_of[before], f], sums[before, 0])
        if after >= 0:
            add(grams[support_of[after], f], sums[after, 0])
    measure(new, sums, norms, terms)
    if rebuild_shrunk(grams, support_of, new, sums, norms, peaks):
        measure(new, sums, norms, terms)
        for c in range(norms.size):
            peaks[c] = max(peaks[c], norms[c])
    cancelled = False
    for c in range(norms.size):
        cancelled = cancelled or norms[c] < CANCELLED * terms[c]
    return cancelled


@compiled
def compete(base, divisors, support_of, factor, has_pool, n_members, norms, sums, line, best, second, winner):
    """Let all clusters compete for all features; empty ones, and I_0 at an infinite lambda, stay out.

    base : (n_supports, n_features) squared lengths of the features over the divisor of the support
    divisors : (n_supports,) divisors of squared distances
    support_of : (n_clusters,) support of each cluster
    factor : float, lambda squared
    has_pool : bool, True if cluster 0 is I_0
    n_members : (1, n_clusters) number of features of each cluster
    norms : (n_clusters,) squared lengths of the sums
    sums : (n_clusters, 1, n_features) inner products of each sum with each feature
    line : (3,) room for slope, offset and factor of one cluster
    best, second, winner : (1, n_features) written, as by ``lloyd.contend``
    """
    slope, offset, scale = line[0:1], line[1:2], line[2:3]
    best[:] = np.inf
    second[:] = np.inf
    for c in range(norms.size):
        members, s = n_members[0, c], support_of[c]
        scale[0] = factor if has_pool and c == 0 else 1.0
        if members > 0 and np.isfinite(scale[0]):
            slope[0] = 2.0 / (members * divisors[s])
            offset[0] = norms[c] / (divisors[s] * members * members)
            contend(sums[c], base[s], slope, offset, scale, c, best, second, winner)


@compiled
def has_empty(n_members, first):
    """True if a cluster from the first on has no feature.

    n_members : (1, n_clusters) number of features of each cluster
    first : int, the first cluster that counts
    """
    found = False
    for c in range(first, n_members.shape[1]):
        found = found or n_members[0, c] == 0
    return found


@compiled
def one_run_on_grams(
    grams, base, size, divisors, support_of, factor, has_pool, may_be_empty, max_iter, new, n_members, sums, norms
):
    """Lloyd's algorithm for one run whose supports are all Gram matrices.

    grams, divisors, support_of
        As for :func:`runs_on_grams`.
    base : (n_supports, n_features) squared lengths of the features over the divisor of the support
    size : (n_features,) largest of these on any support
    factor : float, lambda squared
    has_pool, may_be_empty, max_iter
        As for :func:`runs_on_grams`.
    new : (1, n_features) read and written: the start, then the end
    n_members : (1, n_clusters), sums : (n_clusters, 1, n_features), norms : (n_clusters,)
        Read and written: sizes, sums and squared lengths of the start, then of the end.

    Returns the steps taken, and one of ``CONVERGED``, ``STOPPED``, ``LOST`` and ``UNDECIDED``.
    """
    n_features = new.shape[1]
    peaks, terms, line, magnify = np.empty(norms.size), np.empty(norms.size), np.empty(3), np.empty(1)
    best, second = np.empty((1, n_features)), np.empty((1, n_features))
    winner, old = np.empty((1, n_features), new.dtype), np.empty((1, n_features), new.dtype)
    for c in range(norms.size):
        peaks[c] = norms[c]
    winner[:] = 0
    magnify[0] = max(1.0, factor) if np.isfinite(factor) else 1.0
    for step in range(1, max_iter + 1):
        # Owners from the centres, then sums and lengths of the centres from the new owners.
        compete(base, divisors, support_of, factor, has_pool, n_members, norms, sums, line, best, second, winner)
        for f in range(n_features):
            old[0, f] = new[0, f]
        if settle(best, second, winner, size, magnify, 0, new) > 0:
            return step, UNDECIDED
        changes = recount(old[0], new[0], n_members[0])
        if not may_be_empty and has_empty(n_members, 1 if has_pool else 0):
            return step, LOST
        if changes == 0:
            return step, CONVERGED
        if follow(grams, support_of, old, new, sums, norms, peaks, terms):
            return step, UNDECIDED
    return max_iter, STOPPED


@compiled
def begin(grams, support_of, start, n_members, sums, norms):
    """Sizes, sums and squared lengths of a start.

    grams, support_of
        As for :func:`runs_on_grams`.
    start : (1, n_features) cluster of each feature; negative for no cluster
    n_members : (1, n_clusters), sums : (n_clusters, 1, n_features), norms : (n_clusters,)
        Written.

    Returns True if a squared length has lost its digits.
    """
    n_members[:] = 0
    sums[:] = 0.0
    nobody, peaks, terms = np.empty((1, start.shape[1]), start.dtype), np.empty(norms.size), np.empty(norms.size)
    nobody[:] = UNASSIGNED
    peaks[:] = 0.0
    recount(nobody[0], start[0], n_members[0])
    return follow(grams, support_of, nobody, start, sums, norms, peaks, terms)


@compiled
def runs_on_grams(grams, divisors, support_of, factors, has_pool, may_be_empty, max_iter, start):
    """Lloyd's algorithm for many runs whose supports are all Gram matrices.

    grams : (n_supports, n_features, n_features) Gram matrices
    divisors : (n_supports,) divisors of squared distances
    support_of : (n_clusters,) support of each cluster
    factors : (n_runs,) lambda squared of each run
    has_pool : bool, True if cluster 0 is I_0
    may_be_empty : bool, True if classes may lose their last feature
    max_iter : int, bound on the steps
    start : (n_runs, n_features) cluster of each feature at the start

    Returns owners (n_runs, n_features), steps (n_runs,) and ends (n_runs,), as :func:`one_run_on_grams` gives them.
    Runs from the same start at different lambdas should follow each other: the sums of a start are added up once.
    """
    n_runs, n_features = start.shape
    n_clusters = support_of.size
    owner, n_iter, state = start.copy(), np.empty(n_runs, np.int64), np.empty(n_runs, np.int64)
    base, size = np.empty((divisors.size, n_features)), np.empty(n_features)
    n_iter[:] = 0
    size[:] = 0.0
    for s in range(divisors.size):
        for f in range(n_features):
            base[s, f] = max(grams[s, f, f], 0.0) / divisors[s]
            size[f] = max(size[f], base[s, f])
    first_members, n_members = np.empty((1, n_clusters), np.int64), np.empty((1, n_clusters), np.int64)
    first_sums, sums = np.empty((n_clusters, 1, n_features)), np.empty((n_clusters, 1, n_features))
    first_norms, norms = np.empty(n_clusters), np.empty(n_clusters)
    cancelled, is_lost = False, False
    for v in range(n_runs):
        if v == 0 or n_different(start[v], start[v - 1]) > 0:
            cancelled = begin(grams, support_of, start[v : v + 1], first_members, first_sums, first_norms)
            is_lost = not may_be_empty and has_empty(first_members, 1 if has_pool else 0)
        if is_lost or cancelled:
            state[v] = LOST if is_lost else UNDECIDED
            continue
        for c in range(n_clusters):
            n_members[0, c], norms[c] = first_members[0, c], first_norms[c]
            for f in range(n_features):
                sums[c, 0, f] = first_sums[c, 0, f]
        n_iter[v], state[v] = one_run_on_grams(
            grams,
            base,
            size,
            divisors,
            support_of,
            factors[v],
            has_pool,
            may_be_empty,
            max_iter,
            owner[v : v + 1],
            n_members,
            sums,
            norms,
        )
    return owner, n_iter, state


@compiled
def polish_on_gram(gram, base, n_members, norms, max_iter, owner, sums):
    """Make single moves until none pays, one run at a time, with one Gram matrix as the only support.

    gram : (n_features, n_features) the Gram matrix
    base : (n_features,) squared lengths of the features
    n_members : (n_runs, n_clusters) read and written: number of features of each cluster
    norms : (n_clusters, n_runs) squared lengths of the sums
    max_iter : int, bound on the passes over all features
    owner : (n_runs, n_features) read and written: cluster of each feature
    sums : (n_clusters, n_runs, n_features) inner products of each sum with each feature
    """
    n_clusters, n_runs, n_features = sums.shape
    of_run, lengths = np.empty((n_clusters, 1, n_features)), np.empty((n_clusters, 1))
    violators = np.empty((1, n_features), np.bool_)
    for v in range(n_runs):
        for c in range(n_clusters):
            lengths[c, 0] = norms[c, v]
            for f in range(n_features):
                of_run[c, 0, f] = sums[c, v, f]
        for _ in range(max_iter):
            violators[:] = False
            members, owned = n_members[v : v + 1], owner[v : v + 1]
            if mark_violators(of_run, base, members, lengths, owned, 0, violators) == 0:
                break
            if transfer(gram, True, base, members, lengths, owned, violators, of_run)[0] == 0:
                break
