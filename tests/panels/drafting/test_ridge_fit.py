"""Ridge regression of the class indicators in which a class sees its own columns only."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle_panel as oracle
from disjoint_centroids.panels.drafting import EXACT, JointRidge, fit_ridge

pytestmark = pytest.mark.filterwarnings("error")

SEEDS = st.integers(0, 10**6)


def problem(seed, widths=(2, 3, 1), n_samples=30):
    """Columns of every class, of mean zero under weights that are the same for every class."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(len(widths)), rng.integers(len(widths), size=n_samples - len(widths))])
    weights = oracle.balanced(y, rng.uniform(0.2, 2.0, size=n_samples))
    matrices = [rng.normal(size=(n_samples, width)) + (y == j)[:, None] for j, width in enumerate(widths)]
    return [m - np.average(m, axis=0, weights=weights) for m in matrices], y, weights


def test_by_hand():
    """The draft's example: 170 a + 46 b = 108 and 46 a + 89 b = 54, so a = 7128/13014 and b = 4212/13014."""
    within = np.array([-1.0, 0.0, 1.0, -1.0, 0.0, 1.0])
    y = np.repeat([0, 1], 3)
    sign = np.where(y == 0, 1.0, -1.0)
    matrices = [(3 * sign + within)[:, None] / 1.5, (-1.5 * sign + within)[:, None] / 1.5]
    found = fit_ridge(matrices, y, np.ones(6), penalty=1.0)
    np.testing.assert_allclose(np.concatenate(found.coefficients), [7128 / 13014, 4212 / 13014])
    np.testing.assert_array_equal(found.intercepts, [0.0, 0.0])


@pytest.mark.parametrize("widths", [(2, 3, 1), (2, 2), (1, 0, 2, 1)])
@given(seed=SEEDS, penalty=st.sampled_from([0.01, 0.3, 2.0]))
def test_the_solution_of_all_equations_at_once(widths, seed, penalty):
    matrices, y, weights = problem(seed, widths)
    found = fit_ridge(matrices, y, weights, penalty=penalty)
    expected, _ = oracle.fit_ridge(matrices, y, weights, penalty)
    for a, b in zip(found.coefficients, expected, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-7)


@given(seed=SEEDS)
def test_intercepts_would_have_nothing_to_do(seed):
    matrices, y, weights = problem(seed)
    left = oracle.residuals(y, fit_ridge(matrices, y, weights, penalty=0.5).on(matrices))
    np.testing.assert_allclose(weights @ left, 0.0, atol=1e-10)


@given(seed=SEEDS)
def test_it_grows_and_remembers_what_it_was(seed):
    """Columns that come in turns: the regression on the first ones alone is still there."""
    matrices, y, weights = problem(seed, (2, 2, 2))
    ridge = JointRidge(y, weights, 3, 0.2, 6)
    for at in range(2):
        ridge.add(np.column_stack([m[:, at] for m in matrices]), np.arange(3))
    for width in (1, 2):
        expected = fit_ridge([m[:, :width] for m in matrices], y, weights, penalty=0.2).coefficients
        found, owners = ridge.coefficients(3 * width), ridge.owners(3 * width)
        for j, coefficients in enumerate(expected):
            np.testing.assert_allclose(found[owners == j], coefficients, rtol=1e-9, atol=1e-12)
    left = oracle.residuals(y, fit_ridge(matrices, y, weights, penalty=0.2).on(matrices))
    np.testing.assert_allclose(ridge.residuals(), left, atol=1e-12)


@given(seed=SEEDS)
def test_weights_have_no_unit(seed):
    matrices, y, weights = problem(seed)
    light, heavy = (fit_ridge(matrices, y, unit * weights, penalty=0.3) for unit in (1e-6, 1e6))
    for a, b in zip(light.coefficients, heavy.coefficients, strict=True):
        np.testing.assert_allclose(a, b, atol=100 * EXACT)


def test_nobody_has_columns():
    found = fit_ridge([np.empty((4, 0))] * 2, np.array([0, 0, 1, 1]), np.ones(4), penalty=1.0)
    np.testing.assert_array_equal(found.on([np.empty((4, 0))] * 2), np.zeros((4, 2)))


def test_a_penalty_that_is_no_number_beside_the_columns():
    column = np.array([-1.0, 1.0, -1.0, 1.0])[:, None]
    with pytest.raises(ValueError, match=r"a penalty of 1e-30 is too small: some features are copies .* Raise it"):
        fit_ridge([np.hstack([column, column]), column], np.array([0, 0, 1, 1]), np.ones(4), penalty=1e-30)
