"""Standardised columns, dense and sparse, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import awkward_tables as tables
import oracle_panel as oracle
from disjoint_centroids.panels.drafting import columns_of

pytestmark = pytest.mark.filterwarnings("error")

SEEDS = st.integers(0, 10**6)
FORMS = {"dense": np.asarray, "array": sparse.csc_array, "matrix": sparse.csc_matrix}


def counts(seed, sizes=(9, 7, 5), n_features=12):
    """A table of small counts, most of them zero."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = rng.poisson(rng.uniform(0.1, 1.5, size=(len(sizes), n_features))[y]).astype(float)
    return X, y, rng.choice([0.5, 1.0, 2.0], size=y.size)


def assert_is_the_oracles(X, y, weights, form, rtol=1e-10):
    """Everything the draft asks of the columns is what the standardised table says."""
    columns = columns_of(FORMS[form](X), y, weights)
    standard = oracle.Standard(X, y, weights)
    z = standard.of(X)
    size = np.abs(z).max() + 1.0
    np.testing.assert_allclose(columns.standard.center, standard.center, rtol=rtol)
    np.testing.assert_allclose(columns.standard.scale, standard.scale, rtol=rtol)
    np.testing.assert_allclose(columns.standard.centroids, standard.centroids, rtol=rtol, atol=rtol * size)
    vectors = np.random.default_rng(0).normal(size=(y.size, 3))
    np.testing.assert_allclose(columns.products(vectors), vectors.T @ z, rtol=rtol, atol=rtol * size)
    np.testing.assert_allclose(columns.square_products(vectors), vectors.T @ z**2, rtol=rtol, atol=rtol * size**2)
    for power, found in enumerate(columns.powers(weights), start=1):
        np.testing.assert_allclose(found, weights @ z**power, rtol=rtol, atol=rtol * size**power)
    some = np.array([2, 0, X.shape[1] - 1])[: X.shape[1]]
    np.testing.assert_allclose(columns.dense(some), z[:, some], rtol=rtol, atol=rtol * size)
    np.testing.assert_allclose(columns.standard.of(X[:, some], some), z[:, some], rtol=rtol, atol=rtol * size)


@pytest.mark.parametrize("form", FORMS)
@given(seed=SEEDS)
def test_counts(form, seed):
    assert_is_the_oracles(*counts(seed), form)


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(tables.TABLES, ("plain", "weighted")))
@pytest.mark.parametrize("form", ["dense", "array"])
def test_awkward_tables(form, name, variant):
    table = tables.table(name, variant)
    assert_is_the_oracles(table.X, table.y, table.weights, form, rtol=1e-7)


def test_by_hand():
    """Two classes of three: means 3 and -3, pooled standard deviation 1 in both features, so the scale is 1.5."""
    X = np.array([[2, 10], [3, 11], [4, 12], [-4, 10], [-3, 11], [-2, 12]], dtype=float)
    y = np.repeat([0, 1], 3)
    columns = columns_of(X, y, np.ones(6))
    np.testing.assert_allclose(columns.standard.center, [0, 11], atol=1e-15)
    np.testing.assert_allclose(columns.standard.scale, [1.5, 1.5])
    np.testing.assert_allclose(columns.standard.centroids, [[2, 0], [-2, 0]], atol=1e-15)
    np.testing.assert_allclose(columns.dense(np.array([1]))[:, 0], np.array([-1, 0, 1, -1, 0, 1]) / 1.5)


def test_classes_count_alike_whatever_their_size():
    """The centre is the mean of the class means, not that of the samples."""
    X = np.array([[0.0], [0.0], [0.0], [0.0], [6.0]])
    columns = columns_of(X, np.array([0, 0, 0, 0, 1]), np.ones(5))
    np.testing.assert_allclose(columns.standard.center, [3.0])


@pytest.mark.parametrize("form", ["dense", "array"])
def test_offsets_keep_digits(form):
    """What is 10^8 away has eight digits left, and they all count."""
    table = tables.blocks((7, 5, 6), 20, seed=7)
    far = np.round(table.X * 1e6) / 1e6 + 1e8
    near = far - 1e8
    found, expected = (columns_of(FORMS[form](X), table.y, table.weights) for X in (far, near))
    np.testing.assert_allclose(found.standard.scale, expected.standard.scale, rtol=1e-6)
    np.testing.assert_allclose(found.standard.centroids, expected.standard.centroids, atol=1e-6)
    every = np.arange(20)
    np.testing.assert_allclose(found.dense(every), expected.dense(every), atol=1e-6)
    np.testing.assert_allclose(found.powers(table.weights), expected.powers(table.weights), rtol=1e-5, atol=1e-5)
    vectors = np.random.default_rng(1).normal(size=(table.y.size, 2))
    np.testing.assert_allclose(found.products(vectors), expected.products(vectors), atol=1e-5)
    np.testing.assert_allclose(found.square_products(vectors), expected.square_products(vectors), atol=1e-5)


@pytest.mark.parametrize("form", ["dense", "array"])
def test_classes_far_apart_keep_their_spread(form):
    """Class means 2·10^8 apart, spread 1: the squares of the means must not swallow the spread."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    gaps = np.round(rng.normal(size=(100, 3)), 3)
    gaps -= np.array([gaps[y == j].mean(axis=0) for j in (0, 1)])[y]
    X = gaps + np.where(y == 0, 1e8, -1e8)[:, None]
    spread = np.sqrt((gaps**2).sum(axis=0) / 98)
    found = columns_of(FORMS[form](X), y, np.ones(100)).standard.scale
    np.testing.assert_allclose(found, spread + 0.5 * np.median(spread), rtol=1e-6)


@pytest.mark.parametrize("form", ["dense", "array"])
@pytest.mark.parametrize("unit", [1e-100, 1.0, 1e100])
def test_without_any_spread_within_classes_the_overall_one_counts(form, unit):
    """One sample a class: no unit of measurement may decide how loud features are."""
    X = unit * np.array([[1.0, 7.0, 0.1], [3.0, 7.0, 0.1], [8.0, 7.0, 0.4]])
    columns = columns_of(FORMS[form](X), np.arange(3), np.ones(3))
    np.testing.assert_allclose(columns.standard.scale, np.where([True, False, True], X.std(axis=0), 1.0))
    assert np.isfinite(columns.powers(np.ones(3))).all()


@pytest.mark.parametrize("form", ["dense", "array"])
def test_a_feature_without_spread_among_others_with_some(form):
    """It would be infinitely loud, were it not for half the median; and even 10^130 to the fourth is a number."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 5)
    X = rng.normal(size=(10, 4))
    X[:, 1] = y
    columns = columns_of(FORMS[form](X), y, np.ones(10))
    assert columns.standard.scale[1] == pytest.approx(0.5 * np.median(spreads(X, y)))
    X[:, 1] = 1e130 * y
    assert np.isfinite(columns_of(FORMS[form](X), y, np.ones(10)).powers(np.ones(10))).all()


def spreads(X, y):
    """Pooled standard deviations within classes."""
    gaps = X - np.array([X[y == j].mean(axis=0) for j in range(y.max() + 1)])[y]
    return np.sqrt((gaps**2).sum(axis=0) / (len(y) - y.max() - 1))


@given(seed=SEEDS)
def test_weights_are_removal_and_repetition(seed):
    X, y, _ = counts(seed)
    times = np.random.default_rng(seed).integers(1, 4, size=y.size)
    again = np.repeat(np.arange(y.size), times)
    for form in FORMS.values():
        weighted = columns_of(form(X), y, times.astype(float)).standard
        repeated = columns_of(form(X[again]), y[again], np.ones(again.size)).standard
        for name in ("center", "scale", "centroids"):
            np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), atol=1e-12)
