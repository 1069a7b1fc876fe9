"""How samples are divided among training parts, and which of them are kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import oracle_panel as oracle
from disjoint_centroids.numerics.sizes import sizes_context
from disjoint_centroids.panels.training_parts import divide
from panel_parts import FORMS, parts_of

pytestmark = pytest.mark.filterwarnings("error")

SEEDS = st.integers(0, 10**6)


def test_by_hand():
    """Two folds of four samples, the second of which repeats one: samples 0 and 2 are in the same parts."""
    folds = [(np.array([0, 2]), np.array([1, 3])), (np.array([0, 1, 1, 2]), np.array([3]))]
    found = divide(np.array([0, 0, 1, 1]), np.array([1.0, 2.0, 1.0, 1.0]), 2, folds)
    assert found.n_parts == 3
    np.testing.assert_array_equal(found.times[:, found.cells], [[1, 0, 1, 0], [1, 2, 1, 0], [1, 1, 1, 1]])
    assert found.cells[0] == found.cells[2]
    assert found.times.shape == (3, 3)
    # The classes weigh 3 and 2 of 5.
    np.testing.assert_allclose(found.balance, [5 / 6, 5 / 4])
    np.testing.assert_allclose(found.balanced, [5 / 6, 5 / 3, 5 / 4, 5 / 4])
    assert found.kept.all()
    assert found.held_out(0).tolist() == [1, 3]


@given(seed=SEEDS, n_folds=st.integers(0, 6))
def test_parts_are_what_the_folds_train_on(seed, n_folds):
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(3), rng.integers(3, size=20)])
    weights = rng.uniform(0.5, 2.0, size=23)
    folds = [(np.sort(rng.choice(23, size=15)), np.arange(3)) for _ in range(n_folds)]
    found = divide(codes, weights, 3, folds)
    for part, (train, _) in enumerate([*folds, (np.arange(23), None)]):
        np.testing.assert_array_equal(found.times[part, found.cells], np.bincount(train, minlength=23))
    np.testing.assert_allclose(found.balanced, oracle.balanced(codes, weights))


def test_of_a_large_table_some_samples_are_kept():
    """By lot, about as many as there is room for: scores are held out for them only."""
    codes = np.arange(4000) % 2
    folds = [(np.arange(0, 4000, 2), np.arange(1, 4000, 2))]
    with sizes_context(kept_samples=1000, drawn_samples=1000):
        one, again, other = (divide(codes, np.ones(4000), 2, folds, seed) for seed in (0, 0, 1))
    assert 850 < one.kept.sum() < 1150
    np.testing.assert_array_equal(one.kept, again.kept)
    assert (one.kept != other.kept).any()
    assert set(one.held_out(0)) == set(np.flatnonzero(one.kept)) & set(folds[0][1])
    np.testing.assert_array_equal(one.times, divide(codes, np.ones(4000), 2, folds).times)


@pytest.mark.parametrize("form", FORMS)
def test_values_of_some_features_in_some_samples(form):
    rng = np.random.default_rng(0)
    X, y = rng.poisson(1.0, size=(12, 5)).astype(float), np.arange(12) % 3
    rows, features = np.array([7, 0, 3]), np.array([4, 1])
    np.testing.assert_array_equal(parts_of(X, y, form=form).columns(rows, features), X[np.ix_(rows, features)])


@pytest.mark.parametrize("form", FORMS)
def test_the_table_itself_is_not_changed(form):
    rng = np.random.default_rng(0)
    X, y = 5.0 + rng.normal(size=(12, 5)), np.arange(12) % 3
    before = X.copy()
    parts = parts_of(X, y, form=form)
    values = parts.values.toarray() if sparse.issparse(parts.values) else parts.values
    np.testing.assert_array_equal(values, before)
    np.testing.assert_array_equal(X, before)
