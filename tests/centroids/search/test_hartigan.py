"""k-means that no single move improves."""

import numpy as np
import pytest

import awkward_tables as tables
import oracle
from disjoint_centroids.centroids.search import hartigan as hartigan
from disjoint_centroids.centroids.search.lloyd import lloyd
from disjoint_centroids.centroids.search.starts import KMeans
from disjoint_centroids.centroids.search.supports import k_means_clusters
from disjoint_centroids.numerics.sizes import sizes_context

pytestmark = pytest.mark.filterwarnings("error")


def polished(table, seeds, n_clusters):
    """The engine's k-means from given seeds."""
    source = KMeans(table.problem(), n_clusters, np.random.default_rng(0), tables.settings(), spread=False)
    return source.from_seeds(seeds)


ON_A_LINE = tables.labelled([[0.0, 3.0, 5.0], [0.0, 0.0, 0.0]], [0, 1])


def test_worked_example(form):
    # Lloyd stops at {0, 3}, {5}: centre 1.5, and 3 is 1.5 away from it, 2 from the other.
    # Taking 3 out saves 1.5² · 2/1 = 4.5, putting it to 5 costs 2² · 1/2 = 2: it moves, to {0}, {3, 5}.
    seeds = np.array([[-1, 0, 1]], np.int8)
    problem = ON_A_LINE.problem()
    stopped = lloyd(problem.table, k_means_clusters(problem.supports, 2), seeds, None, 300)
    np.testing.assert_array_equal(stopped.owner, [[0, 0, 1]])
    np.testing.assert_array_equal(polished(ON_A_LINE, seeds, 2).owner, [[0, 1, 1]])


def test_a_cluster_of_one_keeps_its_feature(form):
    # Equal features: each lies where the others have their centres, but it is all that its own cluster has.
    table = tables.labelled([[4.0, 4.0, 4.0], [1.0, 1.0, 1.0]], [0, 1])
    clusters = k_means_clusters(table.problem().supports, 3)
    np.testing.assert_array_equal(hartigan.single_moves(clusters, np.array([[2, 0, 1]], np.int8), 300), [[2, 0, 1]])


@pytest.mark.parametrize("n_clusters", [2, 5])
@pytest.mark.parametrize(("name", "variant"), tables.in_turn(tables.TABLES, ("plain", "weighted")))
def test_k_means_ends_where_the_oracle_does(name, variant, n_clusters, form):
    table = tables.table(name, variant)
    seeds = tables.seed_features(2, table.n_features, n_clusters, seed=5)
    found = polished(table, seeds, n_clusters)
    for run, start in enumerate(seeds):
        owner, alive = oracle.k_means(table.X, start, table.weights)
        np.testing.assert_array_equal(found.owner[run], owner)
        assert found.alive[run] == alive


@pytest.mark.parametrize("name", tables.TABLES)
def test_no_single_move_improves_the_end(name, form):
    table = tables.table(name, "weighted")
    found = polished(table, tables.seed_features(4, table.n_features, 4, seed=6), 4)
    for owner in found.owner[found.alive].astype(int):
        stays = [oracle.best_move(table.X, owner, f, 4, table.weights) for f in range(table.n_features)]
        np.testing.assert_array_equal(stays, owner)
        assert set(owner) == set(range(4))


def test_single_moves_are_what_lloyd_left_to_gain(form):
    gains = 0
    for name in ("few samples a class", "two classes", "zeros and ones"):
        table = tables.table(name)
        problem = table.problem()
        seeds = tables.seed_features(4, table.n_features, 4, seed=7)
        clusters = k_means_clusters(problem.supports, 4)
        stopped = lloyd(problem.table, clusters, seeds, None, 300)
        ended = hartigan.single_moves(clusters, stopped.owner, 300)
        before, after = cost(table, stopped.owner), cost(table, ended)
        assert (after <= before * (1 + 1e-12)).all()
        gains += np.count_nonzero(after < before * (1 - 1e-6))
    assert gains > 0


def cost(table, owners):
    """The k-means cost of each partition: squared distances of all features to their own centres."""
    everyone = [np.arange(len(table.X))] * 4
    own = [oracle.distances(table.X, everyone, owner)[owner, np.arange(owner.size)] for owner in owners]
    return np.sum(own, axis=1)


@pytest.mark.parametrize("name", ["few samples a class", "wild scales", "zeros and ones"])
def test_block_size_and_batch_change_nothing(name, form):
    table = tables.table(name)
    seeds = tables.seed_features(6, table.n_features, 4, seed=8)
    expected = polished(table, seeds, 4)
    alone = [polished(table, seeds[run : run + 1], 4).owner[0] for run in range(6)]
    np.testing.assert_array_equal(alone, expected.owner)
    with sizes_context(distance_bytes=1):
        np.testing.assert_array_equal(polished(table, seeds[::-1], 4).owner[::-1], expected.owner)


def test_order_of_the_samples_changes_nothing_on_tied_data():
    table = tables.labelled([[1, 0, 0, 1, 0], [1, 1, 1, 1, 0], [1, 0, 1, 0, 0], [0, 0, 0, 0, 1]], [0, 1, 0, 0])
    seeds = np.array([[1, 3, 2, 0, -1]], np.int8)
    expected = polished(table, seeds, 4)
    for order in np.random.default_rng(0).permuted(np.tile(np.arange(4), (10, 1)), axis=1):
        np.testing.assert_array_equal(polished(table.rows(order), seeds, 4).owner, expected.owner)


def test_form_of_the_support_changes_nothing_on_tied_data():
    table = tables.labelled(
        [[1, 1, 0, 1, 0, 1], [0, 1, 0, 0, 1, 0], [1, 1, 1, 0, 1, 1], [0, 0, 0, 1, 1, 0]], [0, 1, 0, 1]
    )
    seeds = np.array([[-1, 0, 1, -1, -1, 2]], np.int8)
    expected = polished(table, seeds, 3)
    with sizes_context(gram_features=0):
        np.testing.assert_array_equal(polished(table, seeds, 3).owner, expected.owner)
