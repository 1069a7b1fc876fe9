"""Features whose owner rounding could have decided: their distances again, by plain differences."""

from __future__ import annotations

import numpy as np

from disjoint_centroids.centroids.search.supports import Clusters
from disjoint_centroids.centroids.search.table import Table
from disjoint_centroids.numerics.types import AMBIGUOUS, TIE, ZERO, FloatArray, IntArray, OwnerArray


def resolve(table: Table, clusters: Clusters, old: OwnerArray, new: OwnerArray, factor: FloatArray) -> None:
    """Decide the ambiguous features of ``new`` from the exact centres of the ``old`` owners, in place."""
    for v in np.flatnonzero((new == AMBIGUOUS).any(axis=1)):
        features = np.flatnonzero(new[v] == AMBIGUOUS)
        distances = exact_distances(table, clusters, old[v], features)
        if clusters.has_pool:
            distances[0] = distances[0] * factor[v] if np.isfinite(factor[v]) else np.inf
        new[v, features] = lowest_nearest(distances, largest_squares(table, clusters, features))


def largest_squares(table: Table, clusters: Clusters, features: IntArray) -> FloatArray:
    """Largest squared length of each of some features on any support, in the unit of the squared distances."""
    lengths = [table.squared_lengths(support, features) / support.divisor for support in clusters.supports]
    largest: FloatArray = np.max(lengths, axis=0)
    return largest


def lowest_nearest(distances: FloatArray, squares: FloatArray) -> IntArray:
    """The lowest cluster whose squared distance is, to working precision, the smallest: one per column."""
    least = distances.min(axis=0)
    nearest: IntArray = np.argmax(distances <= least * (1.0 + TIE) + ZERO * squares, axis=0)
    return nearest


def exact_distances(
    table: Table, clusters: Clusters, owner: OwnerArray, features: IntArray | None = None
) -> FloatArray:
    """Squared distances (n_clusters, features) to the centres of one run, infinite for empty clusters.

    Of all features, if none are named.
    """
    parts = []
    for support, (first, last) in zip(clusters.supports, clusters.ranges, strict=True):
        groups = [np.flatnonzero(owner == c) for c in range(first, last)]
        parts.append(table.squared_gaps(support.label, groups, features) / support.divisor)
    return np.concatenate(parts)
