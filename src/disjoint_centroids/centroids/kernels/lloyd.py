"""The steps of the inner loops, compiled by numba. Functions import this when they run: numba is slow to import."""

from __future__ import annotations

import numpy as np

from disjoint_centroids.numerics.compiled import compiled
from disjoint_centroids.numerics.types import AMBIGUOUS, ROUNDING, TIE

FEATURES_AT_ONCE = 64
LOOK_AGAIN = 1.0 - 2.0 * TIE - ROUNDING
SHRUNK = 1e-4
"""A squared norm this far below its peak may owe its digits to what was taken away."""

CANCELLED = 1e-2
"""A sum this far below its terms has lost too many digits to decide anything."""


@compiled
def add(row, total):
    """Add a row to a sum. In a loop: as an expression of arrays it would make a copy first, at three times the cost."""
    for i in range(total.size):
        total[i] += row[i]


@compiled
def take(row, total):
    """Take a row from a sum."""
    for i in range(total.size):
        total[i] -= row[i]


@compiled
def contend(cross, base, slope, offset, factor, cluster, best, second, winner):
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
def settle(best, second, winner, size, magnify, start, owner):
    """Write the winners of a block into ``owner``; mark and count those that rounding could have decided."""
    n_runs, n_features = best.shape
    n_ambiguous = 0
    for v in range(n_runs):
        grown = ROUNDING * magnify[v]
        found = 0
        for f in range(n_features):
            found += second[v, f] * LOOK_AGAIN - best[v, f] <= grown * size[f]
        for f in range(n_features):
            owner[v, start + f] = winner[v, f]
        if found:
            for f in range(n_features):
                if second[v, f] * LOOK_AGAIN - best[v, f] <= grown * size[f]:
                    owner[v, start + f] = AMBIGUOUS
        n_ambiguous += found
    return n_ambiguous


@compiled
def n_different(old, new):
    """How many entries differ. Where none does there is nothing to visit, and that is known many entries at a time."""
    found = 0
    for f in range(old.size):
        found += old[f] != new[f]
    return found


@compiled
def recount(old, new, n_members):
    """Update the sizes of the clusters of one run from the old owners to the new; how many changed."""
    changes = 0
    for f in range(old.size):
        before = old[f]
        after = new[f]
        if before != after:
            changes += 1
            if before >= 0:
                n_members[before] -= 1
            n_members[after] += 1
    return changes


@compiled
def turnover(old, new, n_members):
    """``recount`` for every run."""
    n_runs, n_features = old.shape
    changes = np.zeros(n_runs, np.int64)
    for v in range(n_runs):
        for begin in range(0, n_features, FEATURES_AT_ONCE):
            before, after = old[v, begin : begin + FEATURES_AT_ONCE], new[v, begin : begin + FEATURES_AT_ONCE]
            if n_different(before, after) > 0:
                changes[v] += recount(before, after, n_members[v])
    return changes


@compiled
def move_sums(rows, left, width, old, new, first, last, sums):
    """Bring the sums of clusters ``first … last - 1`` from the old owners to the new ones."""
    n_runs, n_features = old.shape
    for begin in range(0, n_features, FEATURES_AT_ONCE):
        end = min(begin + FEATURES_AT_ONCE, n_features)
        for v in range(n_runs):
            if n_different(old[v, begin:end], new[v, begin:end]) == 0:
                continue
            for f in range(begin, end):
                before = old[v, f]
                after = new[v, f]
                if before == after:
                    continue
                row = rows[f, left : left + width]
                if first <= before < last:
                    take(row, sums[before - first, v])
                if first <= after < last:
                    add(row, sums[after - first, v])


@compiled
def rebuild_sums(rows, left, width, owner, first, stale, sums):
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
                    add(rows[f, left : left + width], target)


@compiled
def gram_norms(sums, owner, first, norms, cancelled):
    """Squared norms of the sums of clusters, when ``sums`` holds inner products with every feature.

    ``cancelled[v]`` is set where large features add up to almost nothing: the norm has lost its digits then.
    """
    n_clusters, n_runs, n_features = sums.shape
    terms = np.empty(n_clusters)
    for v in range(n_runs):
        norms[:, v] = 0.0
        terms[:] = 0.0
        for f in range(n_features):
            c = owner[v, f] - first
            if 0 <= c < n_clusters:
                norms[c, v] += sums[c, v, f]
                terms[c] += abs(sums[c, v, f])
        for c in range(n_clusters):
            if norms[c, v] < CANCELLED * terms[c]:
                cancelled[v] = True


@compiled
def column_norms(sums, norms):
    """Squared norms of the sums of clusters, when ``sums`` holds coordinates."""
    n_clusters, n_runs, width = sums.shape
    for c in range(n_clusters):
        for v in range(n_runs):
            total = 0.0
            for i in range(width):
                total += sums[c, v, i] * sums[c, v, i]
            norms[c, v] = total


@compiled
def pays(out, into, size):
    """Whether leaving for ``into`` lowers the k-means cost by more than rounding."""
    return into < out * (1.0 - TIE) - ROUNDING * size


@compiled
def mark_violators(cross, base, n_members, norms, owner, start, violators):
    """Find the features of a block that a single move would place better (Hartigan and Wong's rule)."""
    n_clusters, n_runs, n_features = cross.shape
    nearest, here = np.empty(n_features), np.empty(n_features)
    found = 0
    for v in range(n_runs):
        homes = owner[v, start : start + n_features]
        nearest[:] = np.inf
        here[:] = 0.0
        for c in range(n_clusters):
            members = n_members[v, c]
            slope, offset = 2.0 / members, norms[c, v] / members**2
            into, out = members / (members + 1.0), members / (members - 1.0) if members > 1 else 0.0
            products = cross[c, v]
            for f in range(n_features):
                distance = base[f] + offset - slope * products[f]
                at_home = homes[f] == c
                there = np.inf if at_home else into * distance
                nearest[f] = there if there < nearest[f] else nearest[f]
                here[f] = out * distance if at_home else here[f]
        for f in range(n_features):
            if pays(here[f], nearest[f], base[f]):
                violators[v, start + f] = True
                found += 1
    return found


@compiled
def best_move(f, v, base, n_members, norms, owner, products):
    """The cluster to which feature f had better move in run v, or its own; ``products`` are with every sum."""
    home = owner[v, f]
    here = n_members[v, home]
    if here < 2:
        return home
    nearest, out, target = np.inf, np.inf, home
    for c in range(products.size):
        members = n_members[v, c]
        distance = base[f] + norms[c, v] / members**2 - 2.0 * products[c] / members
        if c == home:
            out = distance * here / (here - 1.0)
        elif pays(nearest, distance * members / (members + 1.0), base[f]):  # of two as good, the lower
            nearest = distance * members / (members + 1.0)
            target = c
    return target if pays(out, nearest, base[f]) else home


@compiled
def transfer(rows, is_gram, base, n_members, norms, owner, violators, sums):
    """Visit the marked features in order; move each to its best cluster if, by now, that still pays."""
    n_clusters, n_runs, width = sums.shape
    moved = np.zeros(n_runs, np.int64)
    products = np.empty(n_clusters)
    for v in range(n_runs):
        for f in np.flatnonzero(violators[v]):
            row = rows[f, :width]
            for c in range(n_clusters):
                products[c] = sums[c, v, f] if is_gram else np.dot(row, sums[c, v])
            home = owner[v, f]
            target = best_move(f, v, base, n_members, norms, owner, products)
            if target == home:
                continue
            norms[home, v] += base[f] - 2.0 * products[home]
            norms[target, v] += base[f] + 2.0 * products[target]
            take(row, sums[home, v])
            add(row, sums[target, v])
            n_members[v, home] -= 1
            n_members[v, target] += 1
            owner[v, f] = target
            moved[v] += 1
    return moved


@compiled
def count_wrong(distances, at, codes, cells, weights, zero, wrong):
    """Add to ``wrong`` the weight of samples whose nearest centroid, lowest class first, is another class's.

    Partition u has its distances to class j's centroid in row ``at[j, u]`` of ``distances`` (n_sets, n_samples);
    a distance up to ``zero`` is rounding. ``wrong`` is (n_partitions, n_cells): samples of a negative cell do not
    count, and those of a negative code are always wrong.
    """
    n_classes, n_partitions = at.shape
    n_samples = codes.size
    bar = np.empty(n_samples)
    nearest = np.empty(n_samples, codes.dtype)
    for u in range(n_partitions):
        bar[:] = np.inf
        for j in range(n_classes):
            row = distances[at[j, u]]
            for i in range(n_samples):
                bar[i] = min(bar[i], row[i])
        for i in range(n_samples):
            bar[i] = bar[i] * (1.0 + TIE) + zero
        for back in range(n_classes):
            j = n_classes - 1 - back
            row = distances[at[j, u]]
            for i in range(n_samples):
                nearest[i] = j if row[i] <= bar[i] else nearest[i]
        for i in range(n_samples):
            if cells[i] >= 0 and nearest[i] != codes[i]:
                wrong[u, cells[i]] += weights[i]
