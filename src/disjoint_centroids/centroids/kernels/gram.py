"""Whole runs in compiled code, for tables whose supports are all Gram matrices: a step is a few additions a feature."""

from __future__ import annotations

import numpy as np

from disjoint_centroids.centroids.kernels.lloyd import (
    CANCELLED,
    SHRUNK,
    add,
    contend,
    mark_violators,
    recount,
    settle,
    take,
    transfer,
)
from disjoint_centroids.numerics.compiled import compiled
from disjoint_centroids.numerics.types import UNASSIGNED

CONVERGED, STOPPED, LOST, UNDECIDED = range(4)
"""How a run ended; ``UNDECIDED`` if rounding would have decided an owner."""


@compiled
def measure(new, sums, norms, terms):
    """Squared norms of all sums, and the sizes of what they are sums of."""
    norms[:] = 0.0
    terms[:] = 0.0
    for f in range(new.shape[1]):
        c = new[0, f]
        if c >= 0:
            norms[c] += sums[c, 0, f]
            terms[c] += abs(sums[c, 0, f])


@compiled
def rebuild_shrunk(grams, support_of, new, sums, norms, peaks):
    """Add up anew the sums that have shrunk so far that old rounding would show; whether there were any."""
    rebuilt = False
    for c in range(norms.size):
        peaks[c] = max(peaks[c], norms[c])
        if norms[c] < SHRUNK * peaks[c]:
            sums[c] = 0.0
            for f in np.flatnonzero(new[0] == c):
                add(grams[support_of[c], f], sums[c, 0])
            peaks[c] = 0.0
            rebuilt = True
    return rebuilt


@compiled
def follow(grams, support_of, old, new, sums, norms, peaks, terms):
    """Bring all sums and norms from the old owners to the new; whether a norm has lost its digits."""
    n_features = new.shape[1]
    for f in range(n_features):
        before, after = old[0, f], new[0, f]
        if before == after:
            continue
        if before >= 0:
            take(grams[support_of[before], f], sums[before, 0])
        if after >= 0:
            add(grams[support_of[after], f], sums[after, 0])
    measure(new, sums, norms, terms)
    if rebuild_shrunk(grams, support_of, new, sums, norms, peaks):
        measure(new, sums, norms, terms)
        np.maximum(peaks, norms, peaks)
    return (norms < CANCELLED * terms).any()


@compiled
def compete(base, divisors, support_of, factor, has_pool, n_members, norms, sums, line, best, second, winner):
    """Let all clusters compete for all features; empty ones and a closed I_0 stay out. ``line`` is room for three."""
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
def one_run_on_grams(
    grams, base, size, divisors, support_of, factor, has_pool, may_be_empty, max_iter, new, n_members, sums, norms
):
    """Lloyd's algorithm for one run whose supports are all Gram matrices.

    ``new`` (1, n_features) is the start; ``n_members``, ``sums`` and ``norms`` are its own. All are worked on in place.
    Returns the steps taken, and one of ``CONVERGED``, ``STOPPED``, ``LOST`` and ``UNDECIDED``.
    """
    n_features = new.shape[1]
    peaks, terms, line = norms.copy(), np.empty_like(norms), np.empty(3)
    best, second = np.empty((1, n_features)), np.empty((1, n_features))
    winner, old = np.zeros_like(new), np.empty_like(new)
    magnify = np.full(1, max(1.0, factor) if np.isfinite(factor) else 1.0)
    for step in range(1, max_iter + 1):
        compete(base, divisors, support_of, factor, has_pool, n_members, norms, sums, line, best, second, winner)
        old[:] = new
        if settle(best, second, winner, size, magnify, 0, new) > 0:
            return step, UNDECIDED
        changes = recount(old[0], new[0], n_members[0])
        if not may_be_empty and n_members[0, int(has_pool) :].min() == 0:
            return step, LOST
        if changes == 0:
            return step, CONVERGED
        if follow(grams, support_of, old, new, sums, norms, peaks, terms):
            return step, UNDECIDED
    return max_iter, STOPPED


@compiled
def begin(grams, support_of, start, n_members, sums, norms):
    """Sizes, sums and norms of a start (1, n_features); whether a norm has lost its digits."""
    n_members[:] = 0
    sums[:] = 0.0
    nobody = np.full_like(start, UNASSIGNED)
    recount(nobody[0], start[0], n_members[0])
    return follow(grams, support_of, nobody, start, sums, norms, np.zeros_like(norms), np.empty_like(norms))


@compiled
def runs_on_grams(grams, divisors, support_of, factors, has_pool, may_be_empty, max_iter, start):
    """``one_run_on_grams`` for every row of ``start``; cluster c looks at the Gram matrix ``support_of[c]``.

    Runs from the same start at different lambdas should follow each other: the sums of a start are added up once.
    """
    n_runs, n_features = start.shape
    n_clusters = support_of.size
    owner, n_iter, state = start.copy(), np.zeros(n_runs, np.int64), np.zeros(n_runs, np.int64)
    base, size = np.empty((divisors.size, n_features)), np.zeros(n_features)
    for s in range(divisors.size):
        for f in range(n_features):
            base[s, f] = max(grams[s, f, f], 0.0) / divisors[s]
            size[f] = max(size[f], base[s, f])
    first_members, first_sums = np.zeros((1, n_clusters), np.int64), np.zeros((n_clusters, 1, n_features))
    first_norms, cancelled, is_lost = np.zeros(n_clusters), False, False
    n_members, sums, norms = np.empty_like(first_members), np.empty_like(first_sums), np.empty_like(first_norms)
    for v in range(n_runs):
        if v == 0 or (start[v] != start[v - 1]).any():
            cancelled = begin(grams, support_of, start[v : v + 1], first_members, first_sums, first_norms)
            is_lost = not may_be_empty and first_members[0, int(has_pool) :].min() == 0
        if is_lost or cancelled:
            state[v] = LOST if is_lost else UNDECIDED
            continue
        n_members[:], sums[:], norms[:] = first_members, first_sums, first_norms
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
    """Single moves until none pays, a run at a time, with one Gram matrix as the only support."""
    _, n_runs, n_features = sums.shape
    for v in range(n_runs):
        of_run = np.ascontiguousarray(sums[:, v : v + 1])
        lengths = np.ascontiguousarray(norms[:, v : v + 1])
        violators = np.zeros((1, n_features), np.bool_)
        for _ in range(max_iter):
            violators[:] = False
            members, owned = n_members[v : v + 1], owner[v : v + 1]
            if mark_violators(of_run, base, members, lengths, owned, 0, violators) == 0:
                break
            if transfer(gram, True, base, members, lengths, owned, violators, of_run)[0] == 0:
                break
