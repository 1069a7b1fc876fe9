"""Sparse tables end where the oracle, which sees them in full, ends: from the same starts, in either form."""

import numpy as np
import pytest

import awkward_tables as tables
import oracle
import sparse_tables
from agreement import assert_equal_runs, assert_same_ends, engine_runs, every_lam
from disjoint_centroids.centroids.search import starts as starts
from disjoint_centroids.centroids.search.sparse_support import SparseSupport
from disjoint_centroids.centroids.search.supports import GramSupport
from disjoint_centroids.numerics.sizes import sizes_context

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(sparse_tables.NAMES))
def test_algorithm_1_ends_where_the_oracle_does(name, variant, form):
    table = sparse_tables.table(name, variant)
    assert_same_ends(table, tables.starting_owners(table, 6, has_pool=False))


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(sparse_tables.NAMES))
def test_algorithm_2_ends_where_the_oracle_does(name, variant, form):
    table = sparse_tables.table(name, variant)
    assert_same_ends(table, *every_lam(tables.starting_owners(table, 4, has_pool=True)))


def test_the_forms_are_what_they_are_called(form):
    supports = sparse_tables.table("counts").problem().supports
    expected = GramSupport if form == "gram" else SparseSupport
    assert {type(support) for support in (supports.everyone, *supports.classes)} == {expected}


def test_few_features_with_many_values_are_a_gram_matrix_of_any_size():
    table = sparse_tables.as_sparse(tables.blocks((40, 30, 3), 14, seed=2))
    with sizes_context(gram_features=0):
        supports = table.problem().supports  # 14² = 196 products; 560, 420 and 42 values
        assert_same_ends(table, tables.starting_owners(table, 6, has_pool=False))
    assert [type(support) for support in supports.classes] == [GramSupport, GramSupport, SparseSupport]
    assert isinstance(supports.everyone, GramSupport)


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(sparse_tables.NEAR_ZERO, ("plain", "weighted")))
def test_k_means_ends_where_the_oracle_does(name, variant, form):
    table = sparse_tables.table(name, variant)
    problem, k = table.problem(), 3
    seeds = tables.seed_features(5, table.n_features, k, seed=1)
    source = starts.KMeans(problem, k, np.random.default_rng(0), tables.settings(), spread=False)
    found = source.from_seeds(seeds)
    for run, seed in enumerate(seeds):
        owner, alive = oracle.k_means(table.X, seed, table.weights)
        assert found.alive[run] == alive
        np.testing.assert_array_equal(found.owner[run], owner)


@pytest.mark.parametrize("kind", sparse_tables.KINDS)
def test_the_format_changes_nothing(kind, form):
    for name in ("counts", "marks"):
        table = sparse_tables.table(name, "weighted", kind)
        reference = sparse_tables.table(name, "weighted")
        owners, lams = every_lam(tables.starting_owners(table, 4, has_pool=True))
        assert_equal_runs(engine_runs(table, owners, lams), engine_runs(reference, owners, lams))


@pytest.mark.parametrize("size", [8, 2**9, 2**30])
def test_block_size_changes_nothing(size, form):
    # Small blocks have fewer values than a class has samples, large ones more: products are taken in two ways.
    table = sparse_tables.table("counts of six classes")
    owners, lams = every_lam(tables.starting_owners(table, 4, has_pool=True))
    expected = engine_runs(table, owners, lams)
    with sizes_context(distance_bytes=size):
        assert_equal_runs(engine_runs(table, owners, lams), expected)


@pytest.mark.parametrize("init", ("k-means", "k-means++", "random", "variance"))
@pytest.mark.parametrize("name", ("counts of six classes", "few samples a class"))
def test_starts_are_those_of_the_dense_table(name, init, form):
    table = sparse_tables.table(name)
    dense = tables.labelled(table.X, table.y)
    found, expected = (
        starts.start_source(problem, problem.clusters(has_pool=True), tables.settings(init, seed=3)).draw(6, 0.7)
        for problem in (table.problem(), dense.problem())
    )
    np.testing.assert_array_equal(found.owner, expected.owner)
    np.testing.assert_array_equal(found.alive, expected.alive)
