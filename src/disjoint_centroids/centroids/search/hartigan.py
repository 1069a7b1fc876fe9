"""Hartigan and Wong's single moves, which lower the cost of k-means further after Lloyd's algorithm has stopped.

The paper's starts are R's default k-means, which ends where no move of one feature lowers the cost. Moving feature f
from cluster a to cluster b pays if ``d²(f, b) l_b / (l_b + 1) < d²(f, a) l_a / (l_a - 1)``.
"""

from __future__ import annotations

import numpy as np

from disjoint_centroids.centroids.search.lloyd import Sums, cross_products, features_at_once
from disjoint_centroids.centroids.search.supports import Clusters
from disjoint_centroids.numerics.types import BoolArray, OwnerArray


def single_moves(clusters: Clusters, owner: OwnerArray, max_iter: int) -> OwnerArray:
    """Move single features until no move pays. The clusters must all have the same support, and none be empty.

    Each pass tests all features at once and then visits only the violators, in order, each with the centres as the
    moves before it have left them.
    """
    from disjoint_centroids.centroids.kernels import gram as gram_kernels

    owner = owner.copy()
    current = owner.copy()
    sums = Sums(clusters, current)
    if clusters.grams is not None:
        squares = clusters.supports[0].squares
        gram_kernels.polish_on_gram(
            clusters.grams[0], squares, sums.n_members, sums.norms[0], max_iter, current, sums.of_support[0]
        )
        return current
    active = np.arange(owner.shape[0])
    for _ in range(max_iter):
        violators = _violators(clusters, sums, current)
        moved = clusters.supports[0].transfer(sums.n_members, sums.norms[0], current, violators, sums.of_support[0])
        owner[active] = current
        stay = moved > 0
        if not stay.any():
            break
        if not stay.all():
            sums.keep(stay)
            active, current = active[stay], current[stay]
    return owner


def _violators(clusters: Clusters, sums: Sums, owner: OwnerArray) -> BoolArray:
    """Features whose move to another cluster pays, in every run: (n_runs, n_features)."""
    from disjoint_centroids.centroids.kernels import lloyd as kernels

    (support,) = clusters.supports
    n_runs, n_features = owner.shape
    found = np.zeros(owner.shape, bool)
    length = features_at_once(n_runs * clusters.n_clusters, n_features)
    room = np.empty(clusters.n_clusters * n_runs * length)
    for start in range(0, n_features, length):
        stop = min(start + length, n_features)
        cross = cross_products(support, sums.of_support[0], start, stop, room)
        kernels.mark_violators(cross, support.squares[start:stop], sums.n_members, sums.norms[0], owner, start, found)
    return found
