"""Where restarts begin."""

import numpy as np
import pytest

import awkward_tables as tables
import oracle
from disjoint_centroids.centroids.search import KINDS
from disjoint_centroids.centroids.search.starts import least_variance, spread_seeds, start_source
from disjoint_centroids.numerics.sizes import sizes_context

pytestmark = pytest.mark.filterwarnings("error")


def draw(table, init, *, n_starts=5, has_pool=True, lam=1.0, seed=0):
    """Starts of one kind, in cluster numbers."""
    problem = table.problem()
    source = start_source(problem, problem.clusters(has_pool=has_pool), tables.settings(init, seed=seed))
    return source.draw(n_starts, lam if has_pool else None)


@pytest.mark.parametrize("has_pool", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_starts_are_owners_in_cluster_numbers(kind, has_pool, form):
    table = tables.table("few samples a class")
    starts = draw(table, kind, has_pool=has_pool)
    assert starts.owner.shape == (1 if kind == "variance" else 5, table.n_features)
    assert starts.alive.shape == (len(starts.owner),)
    assert starts.owner.min() >= 0
    assert starts.owner.max() < table.n_classes + has_pool


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_decides(kind, form):
    table = tables.table("few samples a class")
    first, again = (draw(table, kind, seed=4).owner for _ in range(2))
    np.testing.assert_array_equal(first, again)
    if kind != "variance":
        assert not np.array_equal(first, draw(table, kind, seed=5).owner)


@pytest.mark.parametrize("kind", ["k-means", "k-means++", "random"])
def test_a_source_gives_new_starts_every_time(kind):
    problem = tables.table("few samples a class").problem()
    source = start_source(problem, problem.clusters(has_pool=False), tables.settings(kind))
    assert source.is_endless
    assert not np.array_equal(source.draw(4, None).owner, source.draw(4, None).owner)


@pytest.mark.parametrize(("name", "kind"), tables.in_turn(tables.TABLES, ("k-means", "k-means++")))
def test_k_means_starts_leave_no_cluster_empty(name, kind, form):
    table = tables.table(name)
    starts = draw(table, kind)
    for owner in starts.owner[starts.alive]:
        assert set(owner) == set(range(table.n_classes + 1))
    if name not in ("equal columns", "twelve classes"):
        assert starts.alive.any()


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(tables.TABLES, ("plain", "weighted")))
def test_least_variance_is_the_oracles(name, variant):
    table = tables.table(name, variant)
    moments = table.problem().moments
    for lam in (None, 0.3, 0.8, 1.0, 2.0, np.inf):
        expected = oracle.variance_start(table.X, table.y, lam, table.weights)
        np.testing.assert_array_equal(least_variance(moments, lam), expected, err_msg=f"lambda {lam}")


def test_worked_example_of_least_variance():
    # Standard deviations within class 0, within class 1, and over all samples:
    #   f0: 0, 1, sqrt(1/2): ratio 0       f1: 1, 1/2, sqrt(5/8): ratio 0.63      f2: 2, 2, 2: ratio 1, a tie
    table = tables.labelled([[2, 0, -2], [2, 2, 2], [1, 0.5, -2], [3, 1.5, 2]], [0, 0, 1, 1])
    moments = table.problem().moments
    np.testing.assert_array_equal(least_variance(moments, None), [0, 1, 0])
    np.testing.assert_array_equal(least_variance(moments, 0.6), [1, 0, 0])
    np.testing.assert_array_equal(least_variance(moments, 0.7), [1, 2, 0])
    np.testing.assert_array_equal(least_variance(moments, 1.0), [1, 2, 1])


def test_a_constant_feature_tells_no_class_from_another(form):
    table = tables.table("constant columns")
    constant = np.ptp(table.X, axis=0) == 0
    moments = table.problem().moments
    assert (least_variance(moments, 0.99)[constant] == 0).all()
    assert (least_variance(moments, 1.0)[constant] == 1).all()


def test_equal_variances_go_to_the_lowest_class():
    for n in range(2, 9):
        for ones in range(1, n):
            # As many ones in class 0 as zeros in class 1: the same variance.
            column = np.concatenate([np.arange(n) < ones, np.arange(n) >= ones]).astype(float)
            table = tables.labelled(column[:, None], np.repeat([0, 1], n))
            np.testing.assert_array_equal(least_variance(table.problem().moments, None), [0], err_msg=f"{ones}/{n}")


@pytest.mark.parametrize("n_features", [1, 2, 3])
@pytest.mark.parametrize("kind", ["k-means", "k-means++", "random"])
def test_with_too_few_features_each_goes_to_a_class_of_its_own(kind, n_features):
    table = tables.blocks((4, 3, 5), n_features, seed=30)
    starts = draw(table, kind, n_starts=20)
    assert all(np.unique(owner).size == n_features for owner in starts.owner)
    assert (starts.owner > 0).all()  # I_0 goes without
    assert set(starts.owner[:, 0]) == {1, 2, 3}


@pytest.mark.parametrize("has_pool", [False, True])
def test_given_starts_are_in_class_numbers(has_pool):
    table = tables.table("few samples a class")
    given = tables.starting_owners(table, 4, has_pool=has_pool).astype(int) - has_pool
    starts = draw(table, given, n_starts=3, has_pool=has_pool)
    np.testing.assert_array_equal(starts.owner, given[:3] + has_pool)
    assert starts.alive.all()


@pytest.mark.parametrize("name", tables.TABLES)
def test_spread_seeds_are_different_features(name, form):
    everyone = tables.table(name).problem().supports.everyone
    seeds = spread_seeds(everyone, 6, 5, np.random.default_rng(0))
    assert seeds.shape == (5, 6)
    assert all(np.unique(row).size == 6 for row in seeds)


def test_spread_seeds_take_a_feature_of_every_group(form):
    # Five groups of equal features: once a group has a seed, its other features are at distance zero.
    table = tables.table("few samples a class")
    groups = np.repeat(np.arange(5), 4)
    everyone = tables.labelled(10.0 * table.X[:, groups], table.y).problem().supports.everyone
    rng = np.random.default_rng(0)
    seeds = groups[spread_seeds(everyone, 5, 30, rng)]
    np.testing.assert_array_equal(np.sort(seeds, axis=1), np.tile(np.arange(5), (30, 1)))
    # Which cluster a seed stands for is left to the lot.
    assert all(set(column) == set(range(5)) for column in seeds.T)


def test_spread_seeds_prefer_what_is_far_away(form):
    # Feature 0 is a hundred times further out than the others: of two seeds one is nearly always feature 0.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10, 20))
    X[:, 0] += 100.0
    everyone = tables.labelled(X, np.arange(10) % 2).problem().supports.everyone
    with_outlier = (spread_seeds(everyone, 2, 50, rng) == 0).any(axis=1)
    assert np.mean(with_outlier) > 0.9


def one_after_the_other(X, n_seeds, n_starts, rng):
    """k-means++ as one would write it, start by start."""
    found = []
    for _ in range(n_starts):
        chosen = [rng.integers(X.shape[1])]
        while len(chosen) < n_seeds:
            squared = ((X[:, :, None] - X[:, None, chosen]) ** 2).sum(axis=0).min(axis=1)
            chosen.append(rng.choice(X.shape[1], p=squared / squared.sum()))
        found.append(rng.permutation(chosen))
    return np.array(found)


@pytest.mark.parametrize("at_once", [1, 100, 10**6])
@pytest.mark.parametrize("name", ["few samples a class", "unbalanced", "half the columns offset"])
def test_seeds_of_many_starts_are_those_of_one_after_the_other(name, at_once, form):
    table = tables.table(name)
    rng, plain = np.random.default_rng(3), np.random.default_rng(3)
    with sizes_context(seed_distances=at_once):
        seeds = spread_seeds(table.problem().supports.everyone, 4, 9, rng)
    np.testing.assert_array_equal(seeds, one_after_the_other(table.X, 4, 9, plain))
    assert rng.integers(10**9) == plain.integers(10**9)  # and as much was drawn
