"""Moments of the stored values of sparse tables, compiled by numba. Functions import this when they run."""

from __future__ import annotations

from disjoint_centroids.numerics.compiled import compiled


@compiled
def add_moments(first, by_rows, ends, minor, data, codes, weights, sums, stored):
    """Add to ``sums`` and ``stored`` (n_classes, n_features) the weighted entries of a block, and their weights."""
    for at in range(ends.size - 1):
        for e in range(ends[at], ends[at + 1]):
            sample = first + at if by_rows else minor[e]
            feature = minor[e] if by_rows else first + at
            sums[codes[sample], feature] += weights[sample] * data[e]
            stored[codes[sample], feature] += weights[sample]


@compiled
def add_scatters(first, by_rows, ends, minor, data, codes, weights, means, scatters):
    """Add to ``scatters`` (n_classes, n_features) the weighted squared gaps of the entries from their class's mean."""
    for at in range(ends.size - 1):
        for e in range(ends[at], ends[at + 1]):
            sample = first + at if by_rows else minor[e]
            feature = minor[e] if by_rows else first + at
            gap = data[e] - means[codes[sample], feature]
            scatters[codes[sample], feature] += weights[sample] * gap * gap
