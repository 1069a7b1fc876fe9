"""Whole runs in compiled code, for tables whose supports are all Gram matrices: a step is a few additions a feature."""

from __future__ import annotations

import numpy as np

from disjoint_centroids.engine.kernels import (
    SHRUNK,
    compiled,
    contend,
    gram_norms,
    mark_violators,
    move_sums,
    rebuild_sums,
    settle,
    transfer,
    turnover,
)
from disjoint_centroids.engine.types import UNASSIGNED

CONVERGED, STOPPED, LOST, UNDECIDED = range(4)
"""How a run ended; ``UNDECIDED`` if rounding would have decided an owner."""


@compiled
def follow(gram, first, last, old, new, sums, norms, peaks, cancelled):
    """Bring sums and norms of the clusters of one support from the old owners to the new."""
    n_features = gram.shape[0]
    part = sums[first:last]
    move_sums(gram, 0, n_features, old, new, first, last, part)
    gram_norms(part, new, first, norms[first:last], cancelled)
    stale = np.ones((1, 1), np.bool_)
    for c in range(first, last):
        peaks[c, 0] = max(peaks[c, 0], norms[c, 0])
        if norms[c, 0] < SHRUNK * peaks[c, 0]:
            rebuild_sums(gram, 0, n_features, new, c, stale, sums[c : c + 1])
            gram_norms(sums[c : c + 1], new, c, norms[c : c + 1], cancelled)
            peaks[c, 0] = norms[c, 0]


@compiled
def compete(base, divisor, first, last, factor, has_pool, n_members, norms, sums, best, second, winner):
    """Let the clusters of one support compete for all features; empty ones and a closed I_0 stay out."""
    slope, offset, scale = np.ones(1), np.ones(1), np.ones(1)
    for c in range(first, last):
        members = n_members[0, c]
        scale[0] = factor if has_pool and c == 0 else 1.0
        if members > 0 and np.isfinite(scale[0]):
            slope[0] = 2.0 / (members * divisor)
            offset[0] = norms[c, 0] / (divisor * members * members)
            contend(sums[c], base, slope, offset, scale, c, best, second, winner)


@compiled
def one_run_on_grams(grams, base, size, divisors, first, last, factor, has_pool, may_be_empty, max_iter, owner):
    """Lloyd's algorithm for one run whose supports are all Gram matrices; ``owner`` (1, n_features) is the start.

    Returns the last owners, the steps taken, and one of ``CONVERGED``, ``STOPPED``, ``LOST`` and ``UNDECIDED``.
    """
    n_supports, n_features = base.shape
    n_clusters = last[-1]
    sums = np.zeros((n_clusters, 1, n_features))
    norms, peaks = np.zeros((n_clusters, 1)), np.zeros((n_clusters, 1))
    n_members = np.zeros((1, n_clusters), np.int64)
    best, second = np.empty((1, n_features)), np.empty((1, n_features))
    winner = np.zeros((1, n_features), owner.dtype)
    old, new = np.full_like(owner, UNASSIGNED), owner.copy()
    cancelled = np.zeros(1, np.bool_)
    magnify = np.full(1, max(1.0, factor) if np.isfinite(factor) else 1.0)
    for step in range(max_iter + 1):
        changes = turnover(old, new, n_members)
        for s in range(n_supports):
            follow(grams[s], first[s], last[s], old, new, sums, norms, peaks, cancelled)
        if not may_be_empty and n_members[0, int(has_pool) :].min() == 0:
            return new, step, LOST
        if step > 0 and changes[0] == 0:
            return new, step, CONVERGED
        if step == max_iter:
            break
        if cancelled[0]:
            return new, step, UNDECIDED
        best[:] = np.inf
        second[:] = np.inf
        for s in range(n_supports):
            compete(
                base[s], divisors[s], first[s], last[s], factor, has_pool, n_members, norms, sums, best, second, winner
            )
        old[:] = new
        if settle(best, second, winner, size, magnify, 0, new) > 0:
            return new, step, UNDECIDED
    return new, max_iter, STOPPED


@compiled
def runs_on_grams(grams, divisors, first, last, factors, has_pool, may_be_empty, max_iter, start):
    """``one_run_on_grams`` for every row of ``start``."""
    n_runs, n_features = start.shape
    owner = np.empty_like(start)
    n_iter = np.zeros(n_runs, np.int64)
    state = np.zeros(n_runs, np.int64)
    base = np.empty((divisors.size, n_features))
    size = np.zeros(n_features)
    for s in range(divisors.size):
        for f in range(n_features):
            base[s, f] = max(grams[s, f, f], 0.0) / divisors[s]
            size[f] = max(size[f], base[s, f])
    for v in range(n_runs):
        ended, steps, how = one_run_on_grams(
            grams, base, size, divisors, first, last, factors[v], has_pool, may_be_empty, max_iter, start[v : v + 1]
        )
        owner[v] = ended[0]
        n_iter[v] = steps
        state[v] = how
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
