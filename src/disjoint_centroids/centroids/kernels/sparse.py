"""Loops over the stored values of sparse tables, compiled by numba. Functions import this when they run.

Columns come as ``(data, rows, edges)``: feature f has, on the samples of classes ``low … high - 1``, the entries
``edges[f, low] … edges[f, high] - 1``. Sums of zeros are got by taking what is stored from the sum over all samples:
in twice the usual precision, or rounding would remain where nothing should.
"""

from __future__ import annotations

import numpy as np

from disjoint_centroids.centroids.kernels.lloyd import FEATURES_AT_ONCE, best_move
from disjoint_centroids.numerics.compiled import compiled


@compiled
def add_exactly(high, low, value):
    """Add to a number that is kept as the sum of two, to twice the usual precision.

    high, low : float, the number
    value : float, what is added

    Returns the new ``high`` and ``low``.
    """
    total = high + value
    part = total - high
    return total, low + ((high - (total - part)) + (value - part))


@compiled
def count_entries(first, by_rows, ends, minor, data, codes, counts):
    """Count the entries of a slab in every feature and class.

    first, by_rows, ends, minor, data : one slab of the table (see ``numerics.stored.Slab``)
    codes : (n_samples,) class of each sample
    counts : (n_features, n_classes) read and written
    """
    for at in range(ends.size - 1):
        for e in range(ends[at], ends[at + 1]):
            if by_rows:
                counts[minor[e], codes[first + at]] += 1
            else:
                counts[first + at, codes[minor[e]]] += 1


@compiled
def sort_entries(first, by_rows, ends, minor, data, codes, place, cursor, sorted_rows, sorted_data):
    """Write the entries of a slab feature by feature, and class by class within a feature.

    first, by_rows, ends, minor, data : one slab of the table (see ``numerics.stored.Slab``)
    codes : (n_samples,) class of each sample
    place : (n_samples,) new row of each sample
    cursor : (n_features, n_classes) read and written: place of the next entry
    sorted_rows, sorted_data : (n_entries,) written: new row and value of each entry
    """
    for at in range(ends.size - 1):
        for e in range(ends[at], ends[at + 1]):
            sample = first + at if by_rows else minor[e]
            feature = minor[e] if by_rows else first + at
            to = cursor[feature, codes[sample]]
            cursor[feature, codes[sample]] += 1
            sorted_rows[to] = place[sample]
            sorted_data[to] = data[e]


@compiled
def squared_centroids(centroids, owner, shared, high, low):
    """Squared lengths of the centroids on their own features and those that all classes use.

    centroids : (n_classes, n_features) class means
    owner : (n_features,) class of each feature
    shared : int, the owner of features that every class uses
    high, low : (n_classes,) read and written: squared lengths, to twice the usual precision
    """
    n_classes = centroids.shape[0]
    for f in range(owner.size):
        first, last = (0, n_classes) if owner[f] == shared else (owner[f], owner[f] + 1)
        for j in range(max(first, 0), last):
            high[j], low[j] = add_exactly(high[j], low[j], centroids[j, f] * centroids[j, f])


@compiled
def add_gaps(first, by_rows, ends, minor, data, centroids, owner, shared, gaps, high, low):
    """Add up the squared gaps of the entries of a slab from the centroids.

    first, by_rows, ends, minor, data : one slab of the table (see ``numerics.stored.Slab``)
    centroids, owner, shared
        As for :func:`squared_centroids`.
    gaps : (n_classes, n_samples) read and written: sums of squared gaps
    high, low : (n_classes, n_samples) read and written: sums of what the gaps would be if the entries were zero
    """
    n_classes = centroids.shape[0]
    for at in range(ends.size - 1):
        for e in range(ends[at], ends[at + 1]):
            sample = first + at if by_rows else minor[e]
            feature = minor[e] if by_rows else first + at
            begin = owner[feature]
            end = begin + 1
            if begin == shared:
                begin, end = 0, n_classes
            for j in range(max(begin, 0), end):
                centre = centroids[j, feature]
                gap = data[e] - centre
                gaps[j, sample] += gap * gap
                high[j, sample], low[j, sample] = add_exactly(high[j, sample], low[j, sample], centre * centre)


@compiled
def fill_columns(data, rows, edges, features, columns):
    """Write some features out in full.

    data, rows, edges : entries of the table (see above)
    features : (n_asked,) the features
    columns : (n_asked, n_samples) written
    """
    columns[:] = 0.0
    for at in range(features.size):
        f = features[at]
        for e in range(edges[f, 0], edges[f, -1]):
            columns[at, rows[e]] = data[e]


@compiled
def squared_lengths(data, rows, edges, weights, low, high, squares):
    """Weighted sums of squares of every feature over some classes.

    data, rows, edges : entries of the table (see above)
    weights : (n_samples,) weights of the samples
    low, high : int, the classes ``low … high - 1``
    squares : (n_features,) written
    """
    for f in range(edges.shape[0]):
        total = 0.0
        for e in range(edges[f, low], edges[f, high]):
            total += weights[rows[e]] * data[e] * data[e]
        squares[f] = total


@compiled
def add_column(data, rows, begin, end, left, sign, target):
    """Add a feature to a sum, or take it away.

    data, rows : entries of the table (see above)
    begin, end : int, the entries ``begin … end - 1`` are the feature's
    left : int, first sample of the support
    sign : float, 1 or -1
    target : (width,) read and written: the sum
    """
    for e in range(begin, end):
        target[rows[e] - left] += sign * data[e]


@compiled
def move_sums(data, rows, edges, low, high, left, old, new, first, last, sums):
    """Bring the sums of clusters ``first … last - 1`` from the old owners to the new ones.

    data, rows, edges : entries of the table (see above)
    low, high : int, the classes ``low … high - 1``
    left : int, first sample of these classes
    old, new : (n_runs, n_features) owners before and after
    first, last : int, the clusters of the support
    sums : (last - first, n_runs, width) read and written
    """
    n_runs, n_features = old.shape
    for start in range(0, n_features, FEATURES_AT_ONCE):
        for v in range(n_runs):
            for f in range(start, min(start + FEATURES_AT_ONCE, n_features)):
                before = old[v, f]
                after = new[v, f]
                if before == after:
                    continue
                begin, end = edges[f, low], edges[f, high]
                if first <= before < last:
                    for e in range(begin, end):
                        sums[before - first, v, rows[e] - left] -= data[e]
                if first <= after < last:
                    for e in range(begin, end):
                        sums[after - first, v, rows[e] - left] += data[e]


@compiled
def rebuild_sums(data, rows, edges, low, high, left, owner, first, stale, sums):
    """Add up the marked clusters anew: their sums shrank so far that old rounding would show.

    data, rows, edges : entries of the table (see above)
    low, high : int, the classes ``low … high - 1``
    left : int, first sample of these classes
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
            sums[c, v] = 0.0
            for f in range(owner.shape[1]):
                if owner[v, f] == first + c:
                    add_column(data, rows, edges[f, low], edges[f, high], left, 1.0, sums[c, v])


@compiled
def weighted_norms(sums, weights, norms):
    """Squared lengths of the sums of clusters.

    sums : (n_clusters, n_runs, width) the sums
    weights : (width,) weights of the samples
    norms : (n_clusters, n_runs) written
    """
    n_clusters, n_runs, width = sums.shape
    for c in range(n_clusters):
        for v in range(n_runs):
            total = 0.0
            for i in range(width):
                total += weights[i] * sums[c, v, i] * sums[c, v, i]
            norms[c, v] = total


@compiled
def weighted_transpose(sums, weights):
    """The sums times the weights of the samples, those of all clusters and runs side by side.

    sums : (n_sums, width) the sums of all clusters and runs
    weights : (width,) weights of the samples

    Returns (width, n_sums).
    """
    n_sums, width = sums.shape
    across = np.empty((width, n_sums))
    for start in range(0, width, FEATURES_AT_ONCE):
        for s in range(n_sums):
            for i in range(start, min(start + FEATURES_AT_ONCE, width)):
                across[i, s] = weights[i] * sums[s, i]
    return across


@compiled
def products_across(data, rows, edges, low, high, left, start, across, products):
    """Inner products of a range of features with all sums, each entry read once.

    data, rows, edges : entries of the table (see above)
    low, high : int, the classes ``low … high - 1``
    left : int, first sample of these classes
    start : int, first feature of the range
    across : (width, n_sums) the sums, as :func:`weighted_transpose` gives them
    products : (n_sums, n_features of the range) written
    """
    n_sums, n_features = products.shape
    of_feature = np.empty(n_sums)
    for at in range(n_features):
        of_feature[:] = 0.0
        for e in range(edges[start + at, low], edges[start + at, high]):
            value = data[e]
            beside = across[rows[e] - left]
            for s in range(n_sums):
                of_feature[s] += value * beside[s]
        for s in range(n_sums):
            products[s, at] = of_feature[s]


@compiled
def product_along(data, rows, begin, end, left, weights, summed):
    """Inner product of one feature with one sum.

    data, rows : entries of the table (see above)
    begin, end : int, the entries ``begin … end - 1`` are the feature's
    left : int, first sample of the support
    weights : (width,) weights of the samples
    summed : (width,) the sum
    """
    total = 0.0
    for e in range(begin, end):
        i = rows[e] - left
        total += data[e] * weights[i] * summed[i]
    return total


@compiled
def products_along(data, rows, edges, low, high, left, start, weights, sums, products):
    """Inner products of a range of features with all sums, sum by sum.

    Faster than :func:`products_across` where the range has fewer entries than a sum has samples.

    data, rows, edges : entries of the table (see above)
    low, high : int, the classes ``low … high - 1``
    left : int, first sample of these classes
    start : int, first feature of the range
    weights : (width,) weights of the samples
    sums : (n_sums, width) the sums of all clusters and runs
    products : (n_sums, n_features of the range) written
    """
    n_sums, n_features = products.shape
    for s in range(n_sums):
        summed = sums[s]
        for at in range(n_features):
            begin, end = edges[start + at, low], edges[start + at, high]
            products[s, at] = product_along(data, rows, begin, end, left, weights, summed)


@compiled
def products_at(data, rows, edges, low, high, left, weights, sums, runs, features, products):
    """Inner products of features with the sums of runs, pair by pair.

    data, rows, edges : entries of the table (see above)
    low, high : int, the classes ``low … high - 1``
    left : int, first sample of these classes
    weights : (width,) weights of the samples
    sums : (n_clusters, n_runs, width) the sums
    runs, features : (n_pairs,) run and feature of each pair
    products : (n_clusters, n_pairs) written
    """
    for at in range(runs.size):
        begin, end = edges[features[at], low], edges[features[at], high]
        for c in range(sums.shape[0]):
            products[c, at] = product_along(data, rows, begin, end, left, weights, sums[c, runs[at]])


@compiled
def transfer(data, rows, edges, low, high, left, weights, base, n_members, norms, owner, violators, sums):
    """Visit the marked features in order; move each to its best cluster if, by now, that still pays.

    data, rows, edges : entries of the table (see above)
    low, high : int, the classes ``low … high - 1``
    left : int, first sample of these classes
    weights : (width,) weights of the samples
    base : (n_features,) squared lengths of the features
    n_members : (n_runs, n_clusters) number of features of each cluster
    norms : (n_clusters, n_runs) squared length of the sum of each cluster
    owner : (n_runs, n_features) cluster of each feature; all three read and written
    violators : (n_runs, n_features) True for the features to visit
    sums : (n_clusters, n_runs, width) read and written: the sum of each cluster

    Returns (n_runs,) numbers of moves.
    """
    n_clusters, n_runs, _ = sums.shape
    moved = np.zeros(n_runs, np.int64)
    products = np.empty(n_clusters)
    for v in range(n_runs):
        for f in range(base.size):
            if not violators[v, f]:
                continue
            begin, end = edges[f, low], edges[f, high]
            for c in range(n_clusters):
                products[c] = product_along(data, rows, begin, end, left, weights, sums[c, v])
            home = owner[v, f]
            target = best_move(f, v, base, n_members, norms, owner, products)
            if target == home:
                continue
            # Squared lengths and sums of both clusters, without the feature and with it.
            norms[home, v] += base[f] - 2.0 * products[home]
            norms[target, v] += base[f] + 2.0 * products[target]
            add_column(data, rows, begin, end, left, -1.0, sums[home, v])
            add_column(data, rows, begin, end, left, 1.0, sums[target, v])
            n_members[v, home] -= 1
            n_members[v, target] += 1
            owner[v, f] = target
            moved[v] += 1
    return moved


@compiled
def mean_column(data, rows, edges, low, high, left, members, mean):
    """The mean of some features on some classes; of equal features it is one of them, however many there are.

    data, rows, edges : entries of the table (see above)
    low, high : int, the classes ``low … high - 1``
    left : int, first sample of these classes
    members : (n_members,) the features
    mean : (width,) written
    """
    rest = np.zeros_like(mean)
    mean[:] = 0.0
    for f in members:
        for e in range(edges[f, low], edges[f, high]):
            i = rows[e] - left
            mean[i], rest[i] = add_exactly(mean[i], rest[i], data[e])
    for i in range(mean.size):
        mean[i] = (mean[i] + rest[i]) / members.size


@compiled
def gaps_to_centre(data, rows, edges, low, high, left, weights, centre, features, gaps):
    """Weighted sums of squared differences between features and a centre, to the precision of plain differences.

    data, rows, edges : entries of the table (see above)
    low, high : int, the classes ``low … high - 1``
    left : int, first sample of these classes
    weights : (width,) weights of the samples
    centre : (width,) the centre
    features : (n_asked,) the features
    gaps : (n_asked,) written
    """
    # The sum if every entry were zero; then, per feature, the entries in place of their zeros.
    all_high, all_low = 0.0, 0.0
    for i in range(centre.size):
        all_high, all_low = add_exactly(all_high, all_low, weights[i] * (centre[i] * centre[i]))
    for at in range(features.size):
        f = features[at]
        stored, over, under = 0.0, 0.0, 0.0
        for e in range(edges[f, low], edges[f, high]):
            i = rows[e] - left
            gap = data[e] - centre[i]
            stored += weights[i] * (gap * gap)
            over, under = add_exactly(over, under, weights[i] * (centre[i] * centre[i]))
        gaps[at] = stored + max((all_high - over) + (all_low - under), 0.0)
