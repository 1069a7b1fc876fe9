"""Means, variances and the risk."""

import numpy as np
import pytest
from scipy import sparse

import awkward_tables as tables
import oracle
from disjoint_centroids.numerics.moments import class_moments, risks
from disjoint_centroids.numerics.sizes import sizes_context

pytestmark = pytest.mark.filterwarnings("error")


def moments_of(table):
    return class_moments(table.X, table.y, table.weights, table.n_classes)


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(tables.TABLES, ("plain", "weighted")))
def test_moments_are_the_oracles(name, variant):
    table = tables.table(name, variant)
    found = moments_of(table)
    np.testing.assert_allclose(found.means, oracle.class_means(table.X, table.y, table.weights), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.shares.sum(), 1.0)
    for j in range(table.n_classes):
        expected = oracle.variance(table.X[table.y == j], table.weights[table.y == j])
        np.testing.assert_allclose(found.variances[j], expected, rtol=1e-8, atol=1e-16)
    np.testing.assert_allclose(found.overall, oracle.variance(table.X, table.weights), rtol=1e-8, atol=1e-16)


@pytest.mark.parametrize("form", [sparse.csc_array, sparse.csr_array])
def test_moments_of_sparse_tables_are_those_of_dense_ones(form):
    rng = np.random.default_rng(0)
    table = tables.labelled(
        rng.poisson(0.7, (30, 5)) * rng.normal(size=(30, 5)), np.arange(30) % 3, rng.uniform(0.2, 3, 30)
    )
    found = class_moments(form(table.X), table.y, table.weights, 3)
    expected = moments_of(table)
    for name in ("means", "variances", "overall", "shares"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3, -7e7 / 3, 1e6 + 0.1])
def test_a_constant_feature_varies_by_nothing(value):
    table = tables.labelled(np.full((17, 2), value), np.arange(17) % 3, np.linspace(0.3, 2.1, 17))
    found = moments_of(table)
    assert not found.variances.any()
    assert not found.overall.any()


@pytest.mark.parametrize("offset", [1e3, 1e6])
def test_a_small_variance_far_from_zero_is_seen(offset):
    table = tables.labelled(offset + 1e-5 * np.array([[0.0], [1.0], [0.0], [1.0]]), [0, 0, 1, 1])
    np.testing.assert_allclose(moments_of(table).variances, 0.25e-10, rtol=1e-3)


def test_many_samples_are_added_up_in_chunks():
    table = tables.table("more samples than features", "weighted")
    expected = moments_of(table)
    with sizes_context(samples_at_once=7):
        found = moments_of(table)
    np.testing.assert_allclose(found.means, expected.means, rtol=1e-12)
    np.testing.assert_allclose(found.variances, expected.variances, rtol=1e-12)


def class_numbers(table):
    """Partitions in class numbers: complete ones, some with features of nobody, one that leaves a class nothing."""
    with_pool = tables.starting_owners(table, 6, has_pool=True) - np.int8(1)
    without_class = with_pool[:1].copy()
    without_class[without_class == 0] = -1
    return np.vstack([tables.starting_owners(table, 4, has_pool=False), with_pool, without_class])


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(tables.TABLES))
def test_risks_are_objective_1_over_n(name, variant):
    table = tables.table(name, variant)
    owners = class_numbers(table)
    expected = [oracle.risk(table.X, table.y, owner, **table.options) for owner in owners]
    np.testing.assert_allclose(table.problem().risks(owners), expected, rtol=1e-8, atol=1e-16)


def test_worked_example_of_the_risk():
    # Class 0 owns f0, f1 and class 1 owns f2, f3; class means (0, 1) and (1, 2).
    # Each sample is 0 from its mean on one of its two features and 1 on the other: (0 + 1) / 2.
    table = tables.labelled([[0, 0, 4, 8], [0, 2, 8, 2], [0, 4, 1, 1], [6, 0, 1, 3]], [0, 0, 1, 1])
    found = moments_of(table)
    owners = np.array([[0, 0, 1, 1]], np.int8)
    for divided, risk in ((True, 0.5), (False, 1.0)):
        np.testing.assert_allclose(
            risks(found.variances, found.shares, owners, np.zeros(2), 0, divided=divided), [risk]
        )


def test_integer_weights_are_repetitions():
    table = tables.table("unbalanced")
    times = np.random.default_rng(0).integers(1, 4, size=table.y.size)
    weighted = moments_of(tables.labelled(table.X, table.y, times))
    repeated = moments_of(table.rows(np.repeat(np.arange(table.y.size), times)))
    for name in ("means", "variances", "overall", "shares"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-12, atol=1e-14)
