"""Hartigan and Wong's single moves: what k-means still gains after Lloyd's algorithm has stopped.

The paper's starts are R's default k-means, which ends where no move of one feature lowers the cost. Moving feature f
from cluster a to cluster b pays if ``d²(f, b) l_b / (l_b + 1) < d²(f, a) l_a / (l_a - 1)``.
"""

from __future__ import annotations

import numpy as np

from disjoint_centroids.centroids.search.lloyd import Sums, block_length, cross_products, products_at
from disjoint_centroids.centroids.search.pruning import Bounds, Pairs, Test
from disjoint_centroids.centroids.search.supports import Clusters, Support
from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray, OwnerArray


def single_moves(clusters: Clusters, owner: OwnerArray, max_iter: int) -> OwnerArray:
    """Move single features until no move pays. The clusters must all look at one support, and none be empty.

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
    bounds = Bounds(clusters, *owner.shape)
    bounds.watch(np.ones(active.size, bool))
    for _ in range(max_iter):
        moved = _one_pass(clusters, sums, current, bounds)
        owner[active] = current
        stay = moved > 0
        if not stay.any():
            break
        if not stay.all():
            sums.keep(stay)
            bounds.keep(stay)
            active, current = active[stay], current[stay]
    return owner


def _one_pass(clusters: Clusters, sums: Sums, owner: OwnerArray, bounds: Bounds) -> np.ndarray:
    """Find the violators among the features that bounds do not settle, and visit them; moves of each run."""
    (support,) = clusters.supports
    violators = np.zeros(owner.shape, bool)
    test = _test(support, sums, bounds)
    few = bounds.nearly_settled(test)
    if not few.all():
        _mark_all(clusters, sums, owner, np.flatnonzero(~few), bounds, violators)
    if few.any():
        for pairs in bounds.pairs(test, np.flatnonzero(few)):
            _mark_pairs(support, sums, owner, pairs, test.lengths, bounds, violators)
    before = sums.copied(owner.copy())
    moved = support.transfer(sums.n_members, sums.norms[0], owner, violators, sums.of_support[0])
    if bounds.possible:
        # Here distances are not divided by the number of samples.
        unit = np.full((len(owner), clusters.n_clusters), np.sqrt(support.divisor))
        bounds.follow(before, sums.state(owner), unit)
    return moved


def _test(support: Support, sums: Sums, bounds: Bounds) -> Test:
    """When a margin rules a move out, although the rule makes the own distance longer and the others shorter.

    With u to the own centre and at least u + margin to any other, no move pays if ``(u + margin) shorter > u longer``.
    u is at most the length of the feature and of the longest centre together.
    """
    members = sums.n_members.astype(float)
    shorter = np.sqrt(members / (members + 1.0)).min(axis=1)
    longer = np.sqrt(members / np.maximum(members - 1.0, 0.5)).max(axis=1)
    steep = longer / shorter - 1.0
    centres = np.sqrt(np.maximum(sums.norms[0].T, 0.0)) / members
    return Test(bounds.drift + steep * centres.max(axis=1), steep, np.sqrt(support.squares))


def _mark_all(
    clusters: Clusters, sums: Sums, owner: OwnerArray, runs: IntArray, bounds: Bounds, violators: BoolArray
) -> None:
    """Test all features of some runs."""
    from disjoint_centroids.centroids.kernels import lloyd as kernels
    from disjoint_centroids.centroids.kernels import pruning as pruning_kernels

    (support,) = clusters.supports
    n_features = owner.shape[1]
    squares, lengths = support.squares, np.sqrt(support.squares)
    of_runs, norms = (np.ascontiguousarray(a[:, runs]) for a in (sums.of_support[0], sums.norms[0]))
    members, homes = sums.n_members[runs], owner[runs]
    found = np.zeros(homes.shape, bool)
    length = block_length(runs.size * clusters.n_clusters, n_features)
    room = np.empty(clusters.n_clusters * runs.size * length)
    for start in range(0, n_features, length):
        block = slice(start, min(start + length, n_features))
        cross = cross_products(support, of_runs, block.start, block.stop, room)
        kernels.mark_violators(cross, squares[block], members, norms, homes, start, found)
        if bounds.possible:
            of_block = (squares[block], lengths[block], members, norms, homes, bounds.drift[runs], start)
            pruning_kernels.note_home_margins(cross, *of_block, bounds.rows[runs], bounds.margins)
    violators[runs] = found
    bounds.known[runs] = bounds.possible


def _mark_pairs(
    support: Support,
    sums: Sums,
    owner: OwnerArray,
    pairs: Pairs,
    lengths: FloatArray,
    bounds: Bounds,
    violators: BoolArray,
) -> None:
    """Test single features, each in one run."""
    from disjoint_centroids.centroids.kernels import pruning as pruning_kernels

    pruning_kernels.mark_violators_at(
        products_at(support, sums.of_support[0], pairs),
        support.squares,
        lengths,
        sums.n_members,
        sums.norms[0],
        owner,
        bounds.drift,
        bounds.rows,
        pairs.runs,
        pairs.features,
        bounds.margins,
        violators,
    )
