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
    """Add a row to a sum.

    row : (width,) the row
    total : (width,) read and written: the sum

    In a loop: as an expression of arrays it would make a copy first, at three times the cost.
    """
    for i in range(total.size):
        total[i] += row[i]


@compiled
def subtract(row, total):
    """Subtract a row from a sum.

    row : (width,) the row
    total : (width,) read and written: the sum
    """
    for i in range(total.size):
        total[i] -= row[i]


@compiled
def contend(cross, base, slope, offset, factor, cluster, best, second, winner):
    """Let one cluster compete for a range of features, in every run.

    cross : (n_runs, n_features) inner products of the cluster's sums with the features
    base : (n_features,) squared lengths of the features
    slope, offset, factor : (n_runs,) the squared distance is ``factor * (base + offset - slope * cross)``; an infinite
        offset closes the cluster
    cluster : int, number of the cluster
    best, second : (n_runs, n_features) read and written: smallest and second smallest squared distance so far
    winner : (n_runs, n_features) read and written: cluster of the smallest
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
    """Write the winners of a range of features into ``owner``; mark those that rounding could have decided.

    best, second, winner : (n_runs, n_features) as :func:`contend` left them
    size : (n_features,) largest squared length of each feature on any support
    magnify : (n_runs,) factor by which lambda enlarges distances, and their rounding
    start : int, first feature of the range
    owner : (n_runs, all features) written: the winner, or ``AMBIGUOUS``

    Returns the number of ambiguous features, over all runs.
    """
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
    """Count the entries in which two arrays differ.

    old, new : (n_features,) the arrays

    Without a branch, so that many entries are compared at a time: where none differs there is nothing to visit.
    """
    found = 0
    for f in range(old.size):
        found += old[f] != new[f]
    return found


@compiled
def recount(old, new, n_members):
    """Update the sizes of the clusters of one run.

    old, new : (n_features,) owners before and after; a negative one before is no cluster
    n_members : (n_clusters,) read and written: number of features of each cluster

    Returns the number of features whose owner changed.
    """
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
    """Update the sizes of the clusters of every run.

    old, new : (n_runs, n_features) owners before and after
    n_members : (n_runs, n_clusters) read and written

    Returns (n_runs,) numbers of features whose owner changed.
    """
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
    """Bring the sums of clusters ``first … last - 1`` from the old owners to the new ones.

    rows : (n_features, n_columns) one row per feature: its samples sorted by class
    left, width : int, the columns ``left … left + width - 1`` are the support
    old, new : (n_runs, n_features) owners before and after
    first, last : int, the clusters of the support
    sums : (last - first, n_runs, width) read and written
    """
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
                    subtract(row, sums[before - first, v])
                if first <= after < last:
                    add(row, sums[after - first, v])


@compiled
def rebuild_sums(rows, left, width, owner, first, stale, sums):
    """Add up the marked clusters anew: their sums shrank so far that old rounding would show.

    rows, left, width
        As for :func:`move_sums`.
    owner : (n_runs, n_features) cluster of each feature
    first : int, first cluster of the support
    stale : (n_clusters, n_runs) True for the sums to be added up
    sums : (n_clusters, n_runs, width) written where stale
    """
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
    """Squared lengths of the sums of clusters, when sums are kept as inner products with every feature.

    sums : (n_clusters, n_runs, n_features) inner products of each sum with each feature
    owner : (n_runs, n_features) cluster of each feature
    first : int, first cluster of the support
    norms : (n_clusters, n_runs) written: squared lengths
    cancelled : (n_runs,) set where large features add up to almost nothing, and the squared length has lost its digits
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
    """Squared lengths of the sums of clusters, when sums are kept as coordinates.

    sums : (n_clusters, n_runs, width) the sums
    norms : (n_clusters, n_runs) written: squared lengths
    """
    n_clusters, n_runs, width = sums.shape
    for c in range(n_clusters):
        for v in range(n_runs):
            total = 0.0
            for i in range(width):
                total += sums[c, v, i] * sums[c, v, i]
            norms[c, v] = total


@compiled
def pays(out, into, size):
    """True if a move lowers the k-means cost by more than rounding.

    out : float, what leaving the own cluster saves
    into : float, what joining the other costs
    size : float, squared length of the feature
    """
    return into < out * (1.0 - TIE) - ROUNDING * size


@compiled
def mark_violators(cross, base, n_members, norms, owner, start, violators):
    """Mark the features of a range that a single move would place better (Hartigan and Wong's rule).

    cross : (n_clusters, n_runs, n_features) inner products of the sums with the features of the range
    base : (n_features,) squared lengths of the features
    n_members : (n_runs, n_clusters) number of features of each cluster
    norms : (n_clusters, n_runs) squared length of the sum of each cluster
    owner : (n_runs, all features) cluster of each feature
    start : int, first feature of the range
    violators : (n_runs, all features) set to True for the features found

    Returns their number, over all runs.
    """
    n_clusters, n_runs, n_features = cross.shape
    nearest, here = np.empty(n_features), np.empty(n_features)
    found = 0
    for v in range(n_runs):
        homes = owner[v, start : start + n_features]
        nearest[:] = np.inf
        here[:] = 0.0
        # Per feature: what it saves to leave its own cluster, and what it costs at least to join another.
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
    """The cluster to which moving a feature lowers the loss most; its own if no move does.

    f, v : int, the feature and the run
    base : (n_features,) squared lengths of the features
    n_members : (n_runs, n_clusters) number of features of each cluster
    norms : (n_clusters, n_runs) squared length of the sum of each cluster
    owner : (n_runs, n_features) cluster of each feature
    products : (n_clusters,) inner products of the feature with the sum of each cluster
    """
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
        elif pays(nearest, distance * members / (members + 1.0), base[f]):  # ties go to the lower cluster
            nearest = distance * members / (members + 1.0)
            target = c
    return target if pays(out, nearest, base[f]) else home


@compiled
def transfer(rows, is_gram, base, n_members, norms, owner, violators, sums):
    """Visit the marked features in order; move each to its best cluster if, by now, that still pays.

    rows : (n_features, at least width) one row per feature: coordinates, or the Gram matrix
    is_gram : bool, True if ``rows`` is a Gram matrix, and sums are inner products with every feature
    base : (n_features,) squared lengths of the features
    n_members : (n_runs, n_clusters) number of features of each cluster
    norms : (n_clusters, n_runs) squared length of the sum of each cluster
    owner : (n_runs, n_features) cluster of each feature; all three read and written
    violators : (n_runs, n_features) True for the features to visit
    sums : (n_clusters, n_runs, width) read and written: the sum of each cluster

    Returns (n_runs,) numbers of moves.
    """
    n_clusters, n_runs, width = sums.shape
    moved = np.zeros(n_runs, np.int64)
    products = np.empty(n_clusters)
    for v in range(n_runs):
        for f in range(base.size):
            if not violators[v, f]:
                continue
            row = rows[f, :width]
            for c in range(n_clusters):
                products[c] = sums[c, v, f] if is_gram else np.dot(row, sums[c, v])
            home = owner[v, f]
            target = best_move(f, v, base, n_members, norms, owner, products)
            if target == home:
                continue
            # Squared lengths and sums of both clusters, without the feature and with it.
            norms[home, v] += base[f] - 2.0 * products[home]
            norms[target, v] += base[f] + 2.0 * products[target]
            subtract(row, sums[home, v])
            add(row, sums[target, v])
            n_members[v, home] -= 1
            n_members[v, target] += 1
            owner[v, f] = target
            moved[v] += 1
    return moved


@compiled
def count_wrong(distances, at, codes, roles, weights, zero, wrong):
    """Add up the weight of the samples whose nearest centroid is another class's; ties go to the lowest class.

    distances : (n_sets, n_samples) squared distances of the samples to a class's centroid on one of its feature sets
    at : (n_classes, n_partitions) row of ``distances`` for each class in each partition
    codes : (n_samples,) classes of the samples; samples of a negative one are always wrong
    roles : (n_samples,) roles of the samples in the folds; samples of a negative one do not count
    weights : (n_samples,) weights of the samples
    zero : float, a squared distance up to this is rounding
    wrong : (n_partitions, n_roles) read and written: weight of the samples that each partition gets wrong
    """
    n_classes, n_partitions = at.shape
    n_samples = codes.size
    bar = np.empty(n_samples)
    nearest = np.empty(n_samples, codes.dtype)
    for u in range(n_partitions):
        # Up to this, a squared distance is a tie with the smallest.
        bar[:] = np.inf
        for j in range(n_classes):
            row = distances[at[j, u]]
            for i in range(n_samples):
                bar[i] = min(bar[i], row[i])
        for i in range(n_samples):
            bar[i] = bar[i] * (1.0 + TIE) + zero
        # From the last class to the first, so that of tied classes the first is left.
        for back in range(n_classes):
            j = n_classes - 1 - back
            row = distances[at[j, u]]
            for i in range(n_samples):
                nearest[i] = j if row[i] <= bar[i] else nearest[i]
        for i in range(n_samples):
            if roles[i] >= 0 and nearest[i] != codes[i]:
                wrong[u, roles[i]] += weights[i]
