"""Columns of features in the scores of classes, and what one of them can gain, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import awkward_tables as tables
import oracle_panel as oracle
from disjoint_centroids.panels.drafting import TERMS, columns_of, panel_columns

pytestmark = pytest.mark.filterwarnings("error")

SEEDS = st.integers(0, 10**6)


def learned(kind, X, y, weights):
    """The package's terms and columns, and the oracle's terms."""
    columns = columns_of(X, y, weights)
    expected = oracle.Terms(kind, X.toarray() if sparse.issparse(X) else X, y, weights)
    return panel_columns(kind, columns, oracle.balanced(y, weights)), columns, expected


def some_residual(y, n_classes, seed=0):
    """Residuals of some scores: they sum to zero over the classes."""
    scores = np.random.default_rng(seed).normal(size=(y.size, n_classes))
    return oracle.residuals(y, 0.3 * scores)


def assert_is_the_oracles(kind, X, y, weights):
    terms, columns, expected = learned(kind, X, y, weights)
    n_classes, n_features = expected.standard.centroids.shape
    every = np.arange(n_features)
    for j in range(n_classes):
        found = terms.of_class(j, columns.dense(every), every)
        np.testing.assert_allclose(found, expected.matrix(expected.z, j, every), rtol=1e-7, atol=1e-8)
    residual, penalty = some_residual(y, n_classes), 0.7
    gains = terms.gains(columns, expected.weights[:, None] * residual, penalty)
    plain = [[expected.gain(j, f, residual, penalty) for f in every] for j in range(n_classes)]
    np.testing.assert_allclose(gains, plain, rtol=1e-7, atol=1e-8 * np.max(plain))


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(tables.UNTIED, ("plain", "weighted")))
@pytest.mark.parametrize("kind", TERMS)
def test_columns_and_gains(kind, name, variant):
    table = tables.table(name, variant)
    assert_is_the_oracles(kind, table.X, table.y, table.weights)


@pytest.mark.parametrize("kind", TERMS)
@given(seed=SEEDS)
def test_columns_and_gains_of_sparse_tables(kind, seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(3), 7))
    X = rng.poisson(0.8, size=(21, 9)) * rng.uniform(size=(21, 9))
    assert_is_the_oracles(kind, sparse.csc_array(X), y, rng.uniform(0.5, 2.0, size=21))


def ridge_of_one(matrix, label, left, weights, penalty):
    """Coefficients of one class that make the centred residuals smallest; ``left`` is what the others leave."""
    n_classes, n_columns = left.shape[1], matrix.shape[1]
    system, right = penalty * weights.sum() * np.eye(n_columns), np.zeros(n_columns)
    for c in range(n_classes):
        seen = ((c == label) - 1 / n_classes) * matrix
        system += seen.T @ np.diag(weights) @ seen
        right += seen.T @ (weights * left[:, c])
    return np.linalg.solve(system, right)


@pytest.mark.parametrize("kind", TERMS)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_gain_is_the_fall_of_the_loss(kind, n_classes):
    """Ridge regression on one column alone: the loss falls by the gain over the samples' weight."""
    table = tables.blocks((8, 7, 9, 6)[:n_classes], 10, seed=1)
    terms, columns, plain = learned(kind, table.X, table.y, table.weights)
    weights, penalty = plain.weights, 0.4
    residual = some_residual(table.y, n_classes)
    gains = terms.gains(columns, weights[:, None] * residual, penalty)

    def loss(left, coefficient):
        return np.sum(weights[:, None] * left**2) + penalty * weights.sum() * np.sum(coefficient**2)

    for j in range(n_classes):
        for f in range(10):
            falls = [0.0]
            for name, column in plain.columns(plain.z, j, f).items():
                coefficient = ridge_of_one(column[:, None], j, residual, weights, penalty)
                if name == "linear" or coefficient[0] <= 0:
                    step = np.zeros_like(residual)
                    step[:, j] = column * coefficient[0]
                    falls.append(loss(residual, np.zeros(1)) - loss(residual - oracle.centred(step), coefficient))
            assert gains[j, f] / weights.sum() == pytest.approx(max(falls), rel=2e-6, abs=1e-12)


def test_far_from_the_centroid_is_no_reason_to_think_of_a_class():
    """The first class is the wide one: to it a squared gap, which would need a positive coefficient, gains nothing."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    X = rng.normal(size=(120, 4)) * np.where(y == 0, 3.0, 1.0)[:, None]
    terms, columns, plain = learned("squared", X, y, np.ones(120))
    start = oracle.residuals(y, np.zeros((120, 2)))
    gains = terms.gains(columns, plain.weights[:, None] * start, 1.0)
    assert (gains[0] == 0).all()
    assert (gains[1] > 0).all()


def test_with_two_classes_a_feature_counts_more_where_it_is_high():
    """Otherwise linear gains would be tied, and a list would mix features that are high with features that are low."""
    table = tables.blocks((10, 8), 12, seed=3)
    terms, columns, plain = learned("linear", table.X, table.y, table.weights)
    start = oracle.residuals(table.y, np.zeros((18, 2)))
    gains = terms.gains(columns, plain.weights[:, None] * start, 1.0)
    means = np.array([table.X[table.y == j].mean(axis=0) for j in range(2)])
    np.testing.assert_array_equal(gains.argmax(axis=0), means.argmax(axis=0))
    np.testing.assert_allclose(gains[0], gains[1], rtol=1e-5)


@pytest.mark.parametrize("kind", TERMS)
def test_how_many_columns_a_feature_adds(kind):
    table = tables.blocks((5, 5), 6, seed=0)
    terms, columns, _ = learned(kind, table.X, table.y, table.weights)
    panel = np.array([4, 1, 2])
    assert terms.of_class(0, columns.dense(panel), panel).shape == (10, 3 * terms.per_feature)
    assert terms.per_feature == (2 if kind == "both" else 1)


@pytest.mark.parametrize("kind", TERMS)
def test_constant_columns_gain_nothing(kind):
    table = tables.blocks((6, 5, 7), 8, seed=2)
    X = table.X.copy()
    X[:, [1, 6]] = [0.1, 3e5]
    for form in (X, sparse.csc_array(X)):
        terms, columns, plain = learned(kind, form, table.y, table.weights)
        gains = terms.gains(columns, plain.weights[:, None] * some_residual(table.y, 3), 1.0)
        assert np.isfinite(gains).all()
        assert (gains[:, [1, 6]] <= 1e-12 * gains.max()).all()
