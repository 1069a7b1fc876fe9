"""Sums over blocks of rows: they add up, however the rows are cut, and hold what the rows hold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import awkward_tables as tables
from agreement import assert_equal_runs, every_lam
from disjoint_centroids.centroids.search import problem_of_sums, sketched_table, squared_gaps_of_block
from disjoint_centroids.centroids.search.gram_table import GramTable
from disjoint_centroids.centroids.search.lloyd import lloyd
from disjoint_centroids.centroids.search.ties import exact_distances
from disjoint_centroids.numerics.sizes import sizes_context
from disjoint_centroids.rows.sketch import Sketch, random_bits, rows_for
from disjoint_centroids.rows.sums import RowBlock, sums_of_block

NOBODY = np.zeros(0, dtype=bool)


def sums_of(table, edges=(), shared=None):
    """The sums of a table, cut at the given rows."""
    shared = np.zeros(table.n_features, bool) if shared is None else shared
    parts = [
        sums_of_block(RowBlock(table.X[at], table.y[at], table.weights[at]), shared, table.n_classes, 0)
        for at in np.split(np.arange(table.y.size), sorted(edges))
        if at.size
    ]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(tables.TABLES))
def test_sums_hold_moments_and_inner_products(name, variant):
    table = tables.table(name, variant)
    found = sums_of(table, edges=[1, 4, 9])
    for j in range(table.n_classes):
        rows, weights = table.X[table.y == j], table.weights[table.y == j]
        mean = np.average(rows, axis=0, weights=weights)
        assert found.weights[j] == pytest.approx(weights.sum())
        np.testing.assert_allclose(found.means[j], mean, rtol=1e-12, atol=1e-12)
        scatter = weights @ (rows - mean) ** 2
        np.testing.assert_allclose(found.scatters[j], scatter, rtol=1e-9, atol=1e-12 * np.abs(mean).max() ** 2)
        centred = rows - rows.mean(axis=1, keepdims=True)
        products = np.einsum("i,if,ig->fg", weights, centred, centred)
        # A row's mean, which is taken out, is known to some 16 digits of the row.
        unit = np.abs(products).max() * 1e-12 + 1e-14 * np.abs(rows).max() * np.sqrt(np.abs(products).max() + 1)
        np.testing.assert_allclose(found.products[j], products, rtol=1e-9, atol=unit)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(1, 104), max_size=6), st.integers(0, 2**31))
def test_however_the_rows_are_cut(edges, seed):
    table = tables.blocks((40, 30, 35), 8, seed=seed % 1000)
    table = tables.labelled(1e5 + table.X, table.y)
    whole, cut = sums_of(table), sums_of(table, edges)
    for name in ("weights", "means", "scatters", "products"):
        np.testing.assert_allclose(getattr(cut, name), getattr(whole, name), rtol=1e-9, atol=1e-9)


def test_a_sparse_block_is_its_dense_form():
    table = tables.table("small integers")
    shared = np.zeros(table.n_features, bool)
    dense = sums_of(table)
    for kind in (sparse.csr_matrix, sparse.csc_array):
        block = RowBlock(kind(table.X), table.y, table.weights)
        with sizes_context(dense_at_once=100):  # a few rows at a time
            found = sums_of_block(block, shared, table.n_classes, 0)
        for name in ("weights", "means", "scatters", "products"):
            np.testing.assert_allclose(getattr(found, name), getattr(dense, name), rtol=1e-10, atol=1e-10)


def test_rows_that_do_not_count_and_shared_columns():
    table = tables.table("few samples a class")
    shared = np.isin(np.arange(table.n_features), [3, 20])
    counted = np.arange(table.y.size) % 3 > 0
    block = RowBlock(table.X, np.where(counted, table.y, -1), table.weights)
    found = sums_of_block(block, shared, table.n_classes, 0)
    kept = tables.labelled(table.X[counted][:, ~shared], table.y[counted])
    np.testing.assert_allclose(found.products, sums_of(kept).products, atol=1e-10)
    whole = sums_of(tables.labelled(table.X[counted], table.y[counted]))
    np.testing.assert_allclose(found.means, whole.means)


def test_unions_of_groups():
    table = tables.blocks((20, 15, 10, 5), 6, seed=0)
    merged = sums_of(table).merged([np.array([0, 2]), np.array([1, 3])])
    expected = sums_of(tables.labelled(table.X, table.y % 2))
    for name in ("weights", "means", "scatters", "products"):
        np.testing.assert_allclose(getattr(merged, name), getattr(expected, name), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("divided", [True, False])
@pytest.mark.parametrize("name", [n for n in tables.TABLES if n != "half the columns offset"])
def test_the_search_ends_where_that_of_the_table_ends(name, divided):
    from dataclasses import replace

    table = replace(tables.table(name), divided=divided)
    problem = problem_of_sums(sums_of(table, [3, 8]), np.zeros(table.n_features, bool), divided=divided)
    assert isinstance(problem.table, GramTable)
    owners, lams = every_lam(tables.starting_owners(table, 4, has_pool=True))
    found = lloyd(problem.table, problem.clusters(has_pool=True), owners, lams, 300)
    direct = table.problem()
    assert_equal_runs(found, lloyd(direct.table, direct.clusters(has_pool=True), owners, lams, 300))


@pytest.mark.parametrize("name", ["few samples a class", "unbalanced", "wild scales"])
def test_exact_gaps_of_blocks_are_the_tables(name):
    table = tables.table(name)
    problem = table.problem()
    owner = tables.starting_owners(table, 1, has_pool=True)[0].astype(np.intp)
    expected = exact_distances(problem.table, problem.clusters(has_pool=True), owner)
    block = RowBlock(table.X, np.zeros(table.y.size, np.intp), table.weights)
    found = squared_gaps_of_block(block, table.y, owner - 1, table.n_classes, np.zeros(table.n_features, bool))
    divisors = np.append(table.weights.sum(), np.bincount(table.y, table.weights))
    np.testing.assert_allclose(found / divisors[:, None], expected, rtol=1e-9, atol=1e-12)


# ---------------------------------------------------------------------------------------------- sketches


def test_bits_of_a_position_are_always_the_same():
    whole = random_bits(5, 100)
    np.testing.assert_array_equal(random_bits(5, 30, 70), whole[70:])
    assert len(np.unique(whole)) == 100
    assert (random_bits(6, 100) != whole).all()
    ones = np.unpackbits(random_bits(1, 4000).view(np.uint8)).mean()
    assert ones == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("error", [0.2, 0.1])
def test_squared_distances_have_the_error_that_was_asked_for(error):
    """Over many seeds the standard deviation of a squared distance is what the number of rows was chosen for."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 6))
    true = np.sum((X[:, 0] - X[:, 1]) ** 2)
    groups = np.zeros(3000, np.intp)
    found = []
    for seed in range(150):
        sketch = Sketch(np.array([rows_for(error)]), seed)
        block = RowBlock(X, groups, np.ones(3000), sketch.lots(groups))
        rows = sums_of_block(block, np.zeros(6, bool), 1, int(sketch.sizes.sum())).sketch
        found.append(np.sum((rows[:, 0] - rows[:, 1]) ** 2) / true)
    assert np.mean(found) == pytest.approx(1.0, abs=4 * error / np.sqrt(150))
    assert np.std(found) == pytest.approx(error, rel=0.25)


def test_small_groups_are_kept_row_by_row():
    table = tables.table("unbalanced")
    sketch = Sketch(np.bincount(table.y), 0)
    lots = sketch.lots(table.y)
    assert sorted(lots) == list(range(table.y.size))
    block = RowBlock(table.X, table.y, table.weights, lots)
    found = sums_of_block(block, np.zeros(table.n_features, bool), table.n_classes, table.y.size)
    groups_of = [np.array([j]) for j in range(table.n_classes)]
    sketched = sketched_table(sketch, found.sketch, groups_of, found.weights, divided=True)
    problem = problem_of_sums(found, np.zeros(table.n_features, bool), divided=True, sketch=sketched)
    owners, lams = every_lam(tables.starting_owners(table, 3, has_pool=True))
    direct = table.problem()
    assert_equal_runs(
        lloyd(problem.table, problem.clusters(has_pool=True), owners, lams, 300),
        lloyd(direct.table, direct.clusters(has_pool=True), owners, lams, 300),
    )
