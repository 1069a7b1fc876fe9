"""The inner loops, compiled by numba. Only functions that run import this module: numba is slow to import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from disjoint_centroids.engine.types import AMBIGUOUS, ROUNDING, TIE, UNASSIGNED

FEATURES_AT_ONCE = 64
SHRUNK = 1e-4
"""A squared norm this far below its peak may owe its digits to what was taken away."""

CONVERGED, STOPPED, LOST, UNDECIDED = range(4)


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile without the GIL, and keep the result on disk where there is a place for it."""
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # neither the package nor the user's cache folder can be written to
        return numba.njit(nogil=True)(function)


@compiled
def contend(cross, base, slope, offset, factor, cluster, best, second, winner):  # type: ignore[no-untyped-def]
    """Let one cluster compete for a block of features, in every run.

    Its squared distance is ``factor * (base + offset - slope * cross)``; an infinite offset closes the cluster.
    """
    n_runs, n_features = best.shape
    for v in range(n_runs):
        if not np.isfinite(offset[v]):
            continue
        scale = factor[v]
        constant = scale * offset[v]
        steep = scale * slope[v]
        for f in range(n_features):
            distance = scale * base[f] + constant - steep * cross[v, f]
            leader = best[v, f]
            follower = second[v, f]
            ahead = distance < leader
            behind = leader if ahead else distance
            best[v, f] = distance if ahead else leader
            second[v, f] = behind if behind < follower else follower
            winner[v, f] = cluster if ahead else winner[v, f]


@compiled
def settle(best, second, winner, size, magnify, start, owner):  # type: ignore[no-untyped-def]
    """Write the winners of a block into ``owner``; mark and count those that rounding could have decided."""
    n_runs, n_features = best.shape
    n_ambiguous = 0
    for v in range(n_runs):
        grown = magnify[v]
        for f in range(n_features):
            gap = second[v, f] - best[v, f]
            if gap <= ROUNDING * (grown * size[f] + second[v, f]) and np.isfinite(gap):
                owner[v, start + f] = AMBIGUOUS
                n_ambiguous += 1
            else:
                owner[v, start + f] = winner[v, f]
    return n_ambiguous


@compiled
def turnover(old, new, n_members):  # type: ignore[no-untyped-def]
    """Update the sizes of all clusters from the old owners to the new, and count the changes of each run."""
    n_runs, n_features = old.shape
    changes = np.zeros(n_runs, np.int64)
    for v in range(n_runs):
        for f in range(n_features):
            before = old[v, f]
            after = new[v, f]
            if before != after:
                changes[v] += 1
                if before >= 0:
                    n_members[v, before] -= 1
                n_members[v, after] += 1
    return changes


@compiled
def move_sums(rows, left, width, old, new, first, last, sums):  # type: ignore[no-untyped-def]
    """Bring the sums of clusters ``first … last - 1`` from the old owners to the new ones."""
    n_runs, n_features = old.shape
    for begin in range(0, n_features, FEATURES_AT_ONCE):
        for v in range(n_runs):
            for f in range(begin, min(begin + FEATURES_AT_ONCE, n_features)):
                before = old[v, f]
                after = new[v, f]
                if before == after:
                    continue
                if first <= before < last:
                    target = sums[before - first, v]
                    for i in range(width):
                        target[i] -= rows[f, left + i]
                if first <= after < last:
                    target = sums[after - first, v]
                    for i in range(width):
                        target[i] += rows[f, left + i]


@compiled
def rebuild_sums(rows, left, width, owner, first, stale, sums):  # type: ignore[no-untyped-def]
    """Add up the marked clusters anew: their sums shrank so far that old rounding would show."""
    n_clusters, n_runs = stale.shape
    for v in range(n_runs):
        for c in range(n_clusters):
            if not stale[c, v]:
                continue
            target = sums[c, v]
            target[:] = 0.0
            for f in range(owner.shape[1]):
                if owner[v, f] == first + c:
                    for i in range(width):
                        target[i] += rows[f, left + i]


@compiled
def gram_norms(sums, owner, first):  # type: ignore[no-untyped-def]
    """Squared norms of the sums of clusters, when ``sums`` holds inner products with every feature."""
    n_clusters, n_runs, n_features = sums.shape
    norms = np.zeros((n_clusters, n_runs))
    for v in range(n_runs):
        for f in range(n_features):
            c = owner[v, f] - first
            if 0 <= c < n_clusters:
                norms[c, v] += sums[c, v, f]
    return norms


@compiled
def column_norms(sums):  # type: ignore[no-untyped-def]
    """Squared norms of the sums of clusters, when ``sums`` holds coordinates."""
    n_clusters, n_runs, width = sums.shape
    norms = np.zeros((n_clusters, n_runs))
    for c in range(n_clusters):
        for v in range(n_runs):
            total = 0.0
            for i in range(width):
                total += sums[c, v, i] * sums[c, v, i]
            norms[c, v] = total
    return norms


@compiled
def pays(out, into, size):  # type: ignore[no-untyped-def]
    """Whether leaving for ``into`` lowers the k-means cost by more than rounding."""
    return into < out * (1.0 - TIE) - ROUNDING * size


@compiled
def mark_violators(cross, base, n_members, norms, owner, start, violators):  # type: ignore[no-untyped-def]
    """Find the features of a block that a single move would place better (Hartigan and Wong's rule)."""
    n_clusters, n_runs, n_features = cross.shape
    out, into = np.empty(n_clusters), np.empty(n_clusters)
    slope, offset = np.empty(n_clusters), np.empty(n_clusters)
    found = 0
    for v in range(n_runs):
        for c in range(n_clusters):
            members = n_members[v, c]
            slope[c] = 2.0 / members
            offset[c] = norms[c, v] / members**2
            into[c] = members / (members + 1.0)
            out[c] = members / (members - 1.0) if members > 1 else 0.0
        for f in range(n_features):
            home = owner[v, start + f]
            nearest = np.inf
            for c in range(n_clusters):
                there = into[c] * (base[f] + offset[c] - slope[c] * cross[c, v, f])
                nearest = there if there < nearest and c != home else nearest
            here = out[home] * (base[f] + offset[home] - slope[home] * cross[home, v, f])
            if pays(here, nearest, base[f]):
                violators[v, start + f] = True
                found += 1
    return found


@compiled
def transfer(rows, is_gram, base, n_members, norms, owner, violators, sums):  # type: ignore[no-untyped-def]
    """Visit the marked features in order; move each to its best cluster if, by now, that still pays."""
    n_clusters, n_runs, width = sums.shape
    moved = np.zeros(n_runs, np.int64)
    products = np.empty(n_clusters)
    for v in range(n_runs):
        for f in range(owner.shape[1]):
            if not violators[v, f]:
                continue
            home = owner[v, f]
            here = n_members[v, home]
            if here < 2:
                continue
            nearest = np.inf
            out = np.inf
            target = home
            for c in range(n_clusters):
                if is_gram:
                    product = sums[c, v, f]
                else:
                    product = 0.0
                    for i in range(width):
                        product += rows[f, i] * sums[c, v, i]
                products[c] = product
                members = n_members[v, c]
                distance = base[f] + norms[c, v] / members**2 - 2.0 * product / members
                if c == home:
                    out = distance * here / (here - 1.0)
                else:
                    into = distance * members / (members + 1.0)
                    if into < nearest:
                        nearest = into
                        target = c
            if not pays(out, nearest, base[f]):
                continue
            norms[home, v] += base[f] - 2.0 * products[home]
            norms[target, v] += base[f] + 2.0 * products[target]
            for i in range(width):
                sums[home, v, i] -= rows[f, i]
                sums[target, v, i] += rows[f, i]
            n_members[v, home] -= 1
            n_members[v, target] += 1
            owner[v, f] = target
            moved[v] += 1
    return moved


@compiled
def count_wrong(distances, codes, weights, wrong):  # type: ignore[no-untyped-def]
    """Add to ``wrong`` the weight of samples whose nearest centroid, lowest class first, is another class's."""
    n_classes, n_samples, n_partitions = distances.shape
    bar = np.empty(n_partitions)
    missed = np.empty(n_partitions, np.bool_)
    for i in range(n_samples):
        bar[:] = np.inf
        for j in range(n_classes):
            for u in range(n_partitions):
                bar[u] = min(bar[u], distances[j, i, u])
        for u in range(n_partitions):
            bar[u] *= 1.0 + TIE
            missed[u] = distances[codes[i], i, u] > bar[u]
        for j in range(codes[i]):
            for u in range(n_partitions):
                missed[u] |= distances[j, i, u] <= bar[u]
        for u in range(n_partitions):
            wrong[u] += weights[i] if missed[u] else 0.0


@compiled
def one_run_on_grams(grams, divisors, first, last, factor, has_pool, may_be_empty, max_iter, owner):  # type: ignore[no-untyped-def]
    """Lloyd's algorithm for one run whose supports are all Gram matrices; ``owner`` (1, n_features) is the start.

    Returns the last owners, the steps taken, and one of ``CONVERGED``, ``STOPPED``, ``LOST`` and ``UNDECIDED``.
    """
    n_supports, n_features, _ = grams.shape
    n_clusters = last[-1]
    sums = np.zeros((n_clusters, 1, n_features))
    norms = np.zeros((n_clusters, 1))
    peaks = np.zeros((n_clusters, 1))
    n_members = np.zeros((1, n_clusters), np.int64)
    base = np.empty((n_supports, n_features))
    size = np.zeros(n_features)
    for s in range(n_supports):
        for f in range(n_features):
            base[s, f] = max(grams[s, f, f], 0.0) / divisors[s]
            size[f] = max(size[f], base[s, f])
    best, second = np.empty((1, n_features)), np.empty((1, n_features))
    winner = np.zeros((1, n_features), owner.dtype)
    old, new = np.full_like(owner, UNASSIGNED), owner.copy()
    scale = np.ones(1)
    magnify = np.ones(1)
    if has_pool and np.isfinite(factor):
        magnify[0] = max(1.0, factor)
    for step in range(max_iter + 1):
        changes = turnover(old, new, n_members)
        for s in range(n_supports):
            part = sums[first[s] : last[s]]
            move_sums(grams[s], 0, n_features, old, new, first[s], last[s], part)
            norms[first[s] : last[s]] = gram_norms(part, new, first[s])
            for c in range(first[s], last[s]):
                peaks[c, 0] = max(peaks[c, 0], norms[c, 0])
                if norms[c, 0] < SHRUNK * peaks[c, 0]:
                    stale = np.ones((1, 1), np.bool_)
                    rebuild_sums(grams[s], 0, n_features, new, c, stale, sums[c : c + 1])
                    norms[c : c + 1] = gram_norms(sums[c : c + 1], new, c)
                    peaks[c, 0] = norms[c, 0]
        if not may_be_empty and n_members[0, int(has_pool) :].min() == 0:
            return new, step, LOST
        if step > 0 and changes[0] == 0:
            return new, step, CONVERGED
        if step == max_iter:
            break
        best[:] = np.inf
        second[:] = np.inf
        for s in range(n_supports):
            for c in range(first[s], last[s]):
                members = n_members[0, c]
                is_pool = has_pool and c == 0
                if members == 0 or (is_pool and not np.isfinite(factor)):
                    continue
                scale[0] = factor if is_pool else 1.0
                slope = np.full(1, 2.0 / (members * divisors[s]))
                offset = np.full(1, norms[c, 0] / (divisors[s] * members * members))
                contend(sums[c], base[s], slope, offset, scale, c, best, second, winner)
        old[:] = new
        if settle(best, second, winner, size, magnify, 0, new) > 0:
            return new, step, UNDECIDED
    return new, max_iter, STOPPED


@compiled
def runs_on_grams(grams, divisors, first, last, factors, has_pool, may_be_empty, max_iter, start):  # type: ignore[no-untyped-def]
    """``one_run_on_grams`` for every row of ``start``."""
    n_runs = start.shape[0]
    owner = np.empty_like(start)
    n_iter = np.zeros(n_runs, np.int64)
    state = np.zeros(n_runs, np.int64)
    for v in range(n_runs):
        ended, steps, how = one_run_on_grams(
            grams, divisors, first, last, factors[v], has_pool, may_be_empty, max_iter, start[v : v + 1]
        )
        owner[v] = ended[0]
        n_iter[v] = steps
        state[v] = how
    return owner, n_iter, state


@compiled
def polish_on_gram(gram, base, n_members, norms, max_iter, owner, sums):  # type: ignore[no-untyped-def]
    """Single moves until none pays, a run at a time, with one Gram matrix as the only support."""
    n_clusters, n_runs, n_features = sums.shape
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
