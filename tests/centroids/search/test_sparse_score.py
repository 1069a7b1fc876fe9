"""Moments, distances to centroids, errors and refinement of sparse tables, against the dense ones."""

import numpy as np
import pytest
from scipy import sparse

import awkward_tables as tables
import oracle
import sparse_tables
from disjoint_centroids.centroids.search import own_distances
from disjoint_centroids.centroids.search.refine import Refinement
from disjoint_centroids.numerics.moments import class_moments
from disjoint_centroids.numerics.sizes import sizes_context

pytestmark = pytest.mark.filterwarnings("error")

SHARED = -2


def owners_of(table, n_owners, seed=0):
    """Partitions in class numbers, some features nobody's."""
    return np.random.default_rng(seed).integers(-1, table.n_classes, size=(n_owners, table.n_features))


@pytest.mark.parametrize("size", (30, 2**20))
@pytest.mark.parametrize(("name", "kind"), tables.in_turn(sparse_tables.NAMES, sparse_tables.KINDS))
def test_moments_are_those_of_the_dense_table(name, kind, size):
    table = sparse_tables.table(name, "weighted")
    with sizes_context(stored_at_once=size):
        found = class_moments(kind(table.X), table.y, table.weights, table.n_classes)
    expected = class_moments(table.X, table.y, table.weights, table.n_classes)
    scale = np.abs(table.X).max(axis=0)
    np.testing.assert_allclose(found.means, expected.means, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(
        found.variances / (1e-12 + scale) ** 2, expected.variances / (1e-12 + scale) ** 2, atol=1e-9
    )
    # What does not vary does not vary in either form.
    np.testing.assert_array_equal(found.variances == 0, expected.variances == 0)
    np.testing.assert_array_equal(found.overall == 0, expected.overall == 0)


@pytest.mark.parametrize(("size", "divided"), ((30, True), (2**20, False)))
@pytest.mark.parametrize(("name", "kind"), tables.in_turn(sparse_tables.NAMES, sparse_tables.KINDS))
def test_distances_are_those_of_plain_differences(name, kind, divided, size):
    table = sparse_tables.table(name)
    means = oracle.class_means(table.X, table.y)
    owner = owners_of(table, 1)[0]
    owner[:: max(table.n_features // 3, 1)] = SHARED
    for own in (owner, np.where(owner == 0, -1, owner), np.where(owner < 0, -1, owner)):
        with sizes_context(stored_at_once=size):
            found = own_distances(kind(table.X), means, own, shared=SHARED, divided=divided)
        expected = oracle.sample_distances(table.X, means, own, divided)
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-26 * np.abs(table.X).max() ** 2)


def test_a_sample_that_is_the_centroid_is_at_distance_zero():
    # All that is left of large numbers, if zeros are got by taking what is stored from all there is.
    rng = np.random.default_rng(0)
    centroid = np.where(rng.uniform(size=5000) < 0.4, 1e6 * rng.normal(size=5000), 0.0)
    found = own_distances(
        sparse.csr_array(centroid[None]), np.stack([centroid, centroid]), np.arange(5000) % 2, shared=-2, divided=True
    )
    assert found.max() < 1e-15


@pytest.mark.parametrize("n_threads", (1, 2))
@pytest.mark.parametrize(("name", "variant"), tables.in_turn(sparse_tables.NAMES))
def test_errors_are_those_of_the_dense_table(name, variant, n_threads, eager_threads):
    table = sparse_tables.table(name, variant)
    dense = tables.Labelled(table.X, table.y, table.weights, table.divided)
    owners = owners_of(table, 12)
    owners[3][owners[3] == 1] = -1  # a class without features
    np.testing.assert_allclose(
        table.problem().errors(owners, n_threads), dense.problem().errors(owners, n_threads), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("has_pool", (True, False))
@pytest.mark.parametrize(
    ("name", "size"), (("counts", 1), ("logarithms of counts", 100), ("few samples a class", 2**19))
)
def test_refinement_ends_where_that_of_the_dense_table_does(name, size, has_pool):
    table = sparse_tables.table(name, "weighted")
    dense = tables.Labelled(table.X, table.y, table.weights, table.divided)
    start = np.maximum(owners_of(table, 1)[0], -1 if has_pool else 0)
    with sizes_context(columns_at_once=size):  # one column at a time, some, all
        found, expected = (
            Refinement(problem, has_pool=has_pool, max_iter=50, seed=3).from_owner(start)
            for problem in (table.problem(), dense.problem())
        )
    np.testing.assert_array_equal(found.owner, expected.owner)
    assert (found.n_moves, found.converged) == (expected.n_moves, expected.converged)
    assert found.n_moves > 0
