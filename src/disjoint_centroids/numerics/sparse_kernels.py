"""Moments of the stored values of sparse tables, compiled by numba. Functions import this when they run."""

from __future__ import annotations

from disjoint_centroids.numerics.compiled import compiled


@compiled
def add_moments(first, by_rows, ends, minor, data, codes, weights, sums, stored):
    """Add up the weighted entries of a slab, and their weights.

    first, by_rows, ends, minor, data : one slab of the table (see ``stored.Slab``)
    codes, weights : (n_samples,) class and weight of each sample
    sums : (n_classes, n_features) read and written: weighted sums of the entries
    stored : (n_classes, n_features) read and written: weights of the samples that have an entry
    """
    for at in range(ends.size - 1):
        for e in range(ends[at], ends[at + 1]):
            sample = first + at if by_rows else minor[e]
            feature = minor[e] if by_rows else first + at
            sums[codes[sample], feature] += weights[sample] * data[e]
            stored[codes[sample], feature] += weights[sample]


@compiled
def add_scatters(first, by_rows, ends, minor, data, codes, weights, means, scatters):
    """Add up the weighted squared gaps of the entries of a slab from the mean of their class.

    first, by_rows, ends, minor, data : one slab of the table (see ``stored.Slab``)
    codes, weights : (n_samples,) class and weight of each sample
    means : (n_classes, n_features) class means
    scatters : (n_classes, n_features) read and written
    """
    for at in range(ends.size - 1):
        for e in range(ends[at], ends[at + 1]):
            sample = first + at if by_rows else minor[e]
            feature = minor[e] if by_rows else first + at
            gap = data[e] - means[codes[sample], feature]
            scatters[codes[sample], feature] += weights[sample] * gap * gap
