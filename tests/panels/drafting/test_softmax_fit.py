"""Multinomial logistic regression in which a class sees its own columns only."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import oracle_panel as oracle
from disjoint_centroids.panels.drafting import EXACT, ROUGH, Scores, fit_softmax

pytestmark = pytest.mark.filterwarnings("error")

SEEDS = st.integers(0, 10**6)


def problem(seed, widths=(2, 3, 1), n_samples=40):
    """Columns of every class, class codes and weights."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(len(widths)), rng.integers(len(widths), size=n_samples - len(widths))])
    matrices = [rng.normal(size=(n_samples, width)) + (y == j)[:, None] for j, width in enumerate(widths)]
    return matrices, y, rng.uniform(0.2, 2.0, size=n_samples)


def slopes(found, matrices, y, weights, penalty):
    """Derivatives of the oracle's loss by every parameter, by central differences of its definition."""
    sizes = np.cumsum([c.size for c in found.coefficients])
    at = np.concatenate([*found.coefficients, found.intercepts])

    def loss(parameters):
        parts = np.split(parameters, sizes)
        return oracle.softmax_loss(parts[:-1], parts[-1], matrices, y, weights, penalty)

    steps = 1e-5 * np.eye(at.size)
    return np.array([(loss(at + step) - loss(at - step)) / 2e-5 for step in steps])


@pytest.mark.parametrize("widths", [(2, 3, 1), (2, 2), (1, 0, 2, 1)])
@given(seed=SEEDS, penalty=st.sampled_from([0.003, 0.1, 2.0]))
def test_nothing_slopes_at_the_answer(widths, seed, penalty):
    matrices, y, weights = problem(seed, widths)
    found = fit_softmax(matrices, y, weights, penalty=penalty)
    np.testing.assert_allclose(slopes(found, matrices, y, weights, penalty), 0.0, atol=1e-8)
    assert found.intercepts.sum() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_oracles_coefficients(seed):
    matrices, y, weights = problem(seed, n_samples=20)
    found = fit_softmax(matrices, y, weights, penalty=0.2)
    coefficients, intercepts = oracle.fit_softmax(matrices, y, weights, 0.2)
    np.testing.assert_allclose(np.concatenate(found.coefficients), np.concatenate(coefficients), atol=1e-5)
    np.testing.assert_allclose(found.intercepts, intercepts, atol=1e-5)
    scores = [[b + m[i] @ c for m, c, b in zip(matrices, coefficients, intercepts, strict=True)] for i in range(20)]
    np.testing.assert_allclose(found.on(matrices), scores, atol=1e-4)


@given(seed=SEEDS)
def test_two_classes_are_binary_logistic_regression(seed):
    """Each class on columns of its own: one regression on the columns of both, signs turned."""
    matrices, y, weights = problem(seed, (2, 3))
    found = fit_softmax(matrices, y, weights, penalty=0.1)
    joined = np.hstack([-matrices[0], matrices[1]])
    heavy = weights / weights.sum()
    peer = LogisticRegression(C=10.0, tol=1e-10, solver="newton-cg", max_iter=1000).fit(joined, y, sample_weight=heavy)
    np.testing.assert_allclose(np.concatenate(found.coefficients), peer.coef_[0], atol=1e-5)
    assert found.intercepts[1] - found.intercepts[0] == pytest.approx(peer.intercept_[0], abs=1e-5)


@given(seed=SEEDS)
def test_where_it_starts_does_not_matter(seed):
    """From an answer for fewer columns, from one for others, from nothing."""
    matrices, y, weights = problem(seed, (3, 2, 3))
    expected = fit_softmax(matrices, y, weights, penalty=0.1)
    fewer = fit_softmax([m[:, :-1] for m in matrices], y, weights, penalty=0.1, slope=ROUGH)
    wild = Scores(tuple(np.full(m.shape[1], 5.0) for m in matrices), np.array([3.0, -8.0, 5.0]))
    for start in (fewer, wild):
        found = fit_softmax(matrices, y, weights, penalty=0.1, start=start)
        for a, b in zip(found.coefficients, expected.coefficients, strict=True):
            np.testing.assert_allclose(a, b, atol=100 * EXACT)


@given(seed=SEEDS)
def test_weights_are_repetition_and_have_no_unit(seed):
    matrices, y, _ = problem(seed)
    times = np.random.default_rng(seed).integers(1, 4, size=y.size)
    again = np.repeat(np.arange(y.size), times)
    repeated = fit_softmax([m[again] for m in matrices], y[again], np.ones(again.size), penalty=0.3)
    for unit in (1.0, 1e-6, 1e6):
        weighted = fit_softmax(matrices, y, unit * times, penalty=0.3)
        for a, b in zip(weighted.coefficients, repeated.coefficients, strict=True):
            np.testing.assert_allclose(a, b, atol=100 * EXACT)


def test_the_loss_is_flat_where_line_searches_give_up():
    """A strong penalty: the values of the loss say nothing below slopes of 1e-8, its derivatives do."""
    for seed in range(30):
        matrices, y, weights = problem(seed, (2, 2, 2), n_samples=30)
        found = fit_softmax(matrices, y, weights, penalty=0.5)
        probability = oracle.probabilities(found.on(matrices), 1.0)
        gaps = (weights / weights.sum())[:, None] * (probability - (y[:, None] == np.arange(3)))
        for j, m in enumerate(matrices):
            assert np.abs(m.T @ gaps[:, j] + 0.5 * found.coefficients[j]).max() <= EXACT
        assert np.abs(gaps.sum(axis=0)).max() <= EXACT


def test_a_class_without_columns_has_an_intercept():
    """Nothing is known of anybody: the intercepts are the logarithms of the shares, centred."""
    y = np.array([0, 0, 0, 1, 1, 2])
    found = fit_softmax([np.empty((6, 0))] * 3, y, np.ones(6), penalty=1.0)
    logs = np.log([3.0, 2.0, 1.0])
    np.testing.assert_allclose(found.intercepts, logs - logs.mean(), atol=1e-7)


def test_separable_samples_with_hardly_any_penalty():
    """Coefficients want to be infinite; the answer is finite, and everybody is right."""
    y = np.repeat([0, 1, 2], 10)
    matrices = [np.where(y == j, 1.0, -1.0)[:, None] for j in range(3)]
    found = fit_softmax(matrices, y, np.ones(30), penalty=1e-9)
    assert np.isfinite(found.on(matrices)).all()
    np.testing.assert_array_equal(found.on(matrices).argmax(axis=1), y)
