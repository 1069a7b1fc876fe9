"""Standardisation from sums over the rows, dense and sparse, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import awkward_tables as tables
import oracle_panel as oracle
from panel_parts import FORMS, parts_of

pytestmark = pytest.mark.filterwarnings("error")

SEEDS = st.integers(0, 10**6)
KEPT = ("rows", "sparse rows")
"""How a table is kept: sums do not depend on whether products are kept beside it."""


def counts(seed, sizes=(9, 7, 5), n_features=12):
    """A table of small counts, most of them zero."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = rng.poisson(rng.uniform(0.1, 1.5, size=(len(sizes), n_features))[y]).astype(float)
    return X, y, rng.choice([0.5, 1.0, 2.0], size=y.size)


def standards(X, y, weights=None, train=None, form="rows"):
    """Standardisation of the table, or of some of its rows, and that of the squared gaps."""
    folds = [] if train is None else [(train, np.setdiff1d(np.arange(y.size), train))]
    source = parts_of(X, y, weights, folds, form=form).source
    return source.standards[0], source.gaps[0]


def assert_is_the_oracles(X, y, weights, form, rtol=1e-10, train=None):
    found, gaps = standards(X, y, weights, train, form)
    part = oracle.Part(X, y, weights, train)
    expected = oracle.Standard(part)
    z = expected.of(part.X)
    size = np.abs(z).max() + 1.0
    np.testing.assert_allclose(found.center, expected.center, rtol=rtol, atol=1e-12 * np.abs(X).max())
    np.testing.assert_allclose(found.scale, expected.scale, rtol=rtol)
    np.testing.assert_allclose(found.centroids, expected.centroids, rtol=rtol, atol=rtol * size)
    np.testing.assert_allclose(found.means, expected.means, rtol=rtol, atol=rtol * np.abs(X).max())
    np.testing.assert_allclose(found.variances / found.scale**2, expected.variances / found.scale**2, atol=rtol * size)
    np.testing.assert_allclose(
        found.variance, np.average(z**2, axis=0, weights=part.balanced), rtol=rtol, atol=rtol * size
    )
    assert found.total == pytest.approx(part.balanced.sum())
    assert np.flatnonzero(found.known).tolist() == part.known
    some = np.array([2, 0, X.shape[1] - 1])[: X.shape[1]]
    np.testing.assert_allclose(found.of(part.X[:, some], some), z[:, some], rtol=rtol, atol=rtol * size)
    terms = oracle.Terms("both", part)
    np.testing.assert_allclose(gaps.means, terms.gap_means, rtol=rtol, atol=rtol * size**2)
    # A spread is the root of a difference: half of its digits may be gone.
    np.testing.assert_allclose(gaps.scales, terms.gap_scales, rtol=np.sqrt(rtol), atol=np.sqrt(rtol) * size**2)
    plain = [[np.average(squares, weights=part.balanced) for squares in rows] for rows in _columns(terms)]
    np.testing.assert_allclose(gaps.variances, plain, atol=np.sqrt(rtol))


def _columns(terms):
    """Squares of the standardised squared gaps, by class and feature."""
    part = terms.part
    return [
        [terms.columns(terms.z, j, f)["squared"] ** 2 for f in range(part.n_features)] for j in range(part.n_classes)
    ]


@pytest.mark.parametrize("form", FORMS)
@given(seed=SEEDS)
def test_counts(form, seed):
    assert_is_the_oracles(*counts(seed), form)


@pytest.mark.parametrize("form", KEPT)
@given(seed=SEEDS)
def test_training_parts(form, seed):
    """Classes are balanced by the whole table, whatever the part has of them."""
    X, y, weights = counts(seed)
    train = np.random.default_rng(seed).permutation(y.size)[:12]
    assert_is_the_oracles(X, y, weights, form, train=np.sort(train))


@pytest.mark.parametrize("form", KEPT)
def test_a_part_that_lacks_a_class(form):
    """It takes no part, and has no centroid."""
    X, y, weights = counts(0)
    train = np.flatnonzero(y != 1)
    assert_is_the_oracles(X, y, weights, form, train=train)
    found, _ = standards(X, y, weights, train, form)
    assert found.known.tolist() == [True, False, True]
    np.testing.assert_array_equal(found.centroids[1], 0.0)
    np.testing.assert_array_equal(found.means[1], 0.0)
    assert found.weights[1] == 0.0


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(tables.TABLES, ("plain", "weighted")))
@pytest.mark.parametrize("form", KEPT)
def test_awkward_tables(form, name, variant):
    table = tables.table(name, variant)
    assert_is_the_oracles(table.X, table.y, table.weights, form, rtol=1e-7)


@pytest.mark.parametrize("form", KEPT)
def test_squared_gaps_of_a_single_sample_have_no_spread(form):
    """Sums of fourth powers differ by rounding, whose root is no spread."""
    X, y = np.random.default_rng(0).normal(size=(6, 8)), np.array([0, 0, 0, 1, 1, 1])
    for only in range(6):
        _, gaps = standards(X, y, train=np.array([only]), form=form)
        np.testing.assert_array_equal(gaps.scales, 1.0)
        np.testing.assert_array_equal(gaps.variances, 0.0)


def test_by_hand():
    """Two classes of three: means 3 and -3, pooled standard deviation 1 in both features, so the scale is 1.5."""
    X = np.array([[2, 10], [3, 11], [4, 12], [-4, 10], [-3, 11], [-2, 12]], dtype=float)
    y = np.repeat([0, 1], 3)
    found, gaps = standards(X, y)
    np.testing.assert_allclose(found.center, [0, 11], atol=1e-14)
    np.testing.assert_allclose(found.scale, [1.5, 1.5])
    np.testing.assert_allclose(found.centroids, [[2, 0], [-2, 0]], atol=1e-14)
    np.testing.assert_allclose(found.means, [[3, 11], [-3, 11]])
    np.testing.assert_allclose(found.variances, np.full((2, 2), 2 / 3))
    # z is 4/3, 2, 8/3 and the negatives; z of feature 1 is -2/3, 0, 2/3 in both classes.
    np.testing.assert_allclose(found.variance, [2 * (16 + 36 + 64) / 9 / 6, 8 / 27])
    # Gaps to the centroid of the first class: 2/3, 0, 2/3 in the class itself, and 14/3, 4, 10/3 in the other.
    squares = np.array([4, 0, 4, 196, 144, 100]) / 9
    assert squares.mean() == pytest.approx(gaps.means[0, 0])
    spread = [squares.std(), np.array([4, 0, 4, 4, 0, 4]).std() / 9]
    np.testing.assert_allclose(gaps.scales[0], spread + 0.5 * np.median(spread))


def test_classes_count_alike_whatever_their_size():
    """The centre is the mean of the class means, not that of the samples; a fold keeps the factors of the whole."""
    X = np.array([[0.0], [0.0], [0.0], [0.0], [6.0], [6.0]])
    y = np.array([0, 0, 0, 0, 1, 1])
    np.testing.assert_allclose(standards(X, y)[0].center, [3.0])
    # Without the last sample the classes weigh 3 and 1.5.
    np.testing.assert_allclose(standards(X, y, train=np.arange(5))[0].center, [2.0])


@pytest.mark.parametrize("form", KEPT)
def test_offsets_keep_digits(form):
    """What is 10^8 away has eight digits left, and they all count."""
    table = tables.blocks((7, 5, 6), 20, seed=7)
    far = np.round(table.X * 1e6) / 1e6 + 1e8
    (found, gaps), (expected, plain) = (standards(X, table.y, form=form) for X in (far, far - 1e8))
    np.testing.assert_allclose(found.scale, expected.scale, rtol=1e-6)
    np.testing.assert_allclose(found.centroids, expected.centroids, atol=1e-6)
    np.testing.assert_allclose(found.variance, expected.variance, rtol=1e-6)
    np.testing.assert_allclose(gaps.means, plain.means, rtol=1e-5)
    np.testing.assert_allclose(gaps.scales, plain.scales, rtol=1e-5)


@pytest.mark.parametrize("form", KEPT)
def test_classes_far_apart_keep_their_spread(form):
    """Class means 2·10^5 apart, spread 1: the squares of the means must not swallow the spread."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    gaps = np.round(rng.normal(size=(100, 3)), 3)
    gaps -= np.array([gaps[y == j].mean(axis=0) for j in (0, 1)])[y]
    X = gaps + np.where(y == 0, 1e5, -1e5)[:, None]
    spread = np.sqrt((gaps**2).sum(axis=0) / 98)
    found, _ = standards(X, y, form=form)
    np.testing.assert_allclose(found.scale, spread + 0.5 * np.median(spread), rtol=1e-4)


@pytest.mark.parametrize("form", KEPT)
@pytest.mark.parametrize("unit", [1e-60, 1.0, 1e60])
def test_without_any_spread_within_classes_the_overall_one_counts(form, unit):
    """One sample a class: no unit of measurement may decide how loud features are."""
    X = unit * np.array([[1.0, 7.0, 0.1], [3.0, 7.0, 0.1], [8.0, 7.0, 0.4]])
    found, gaps = standards(X, np.arange(3), form=form)
    np.testing.assert_allclose(found.scale, np.where([True, False, True], X.std(axis=0), 1.0))
    assert np.isfinite(gaps.scales).all()


@pytest.mark.parametrize("form", KEPT)
def test_a_feature_without_spread_among_others_with_some(form):
    """It would be infinitely loud, were it not for half the median; and a scale is 1e-9 of the overall one at least."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 5)
    X = rng.normal(size=(10, 4))
    X[:, 1] = y
    assert standards(X, y, form=form)[0].scale[1] == pytest.approx(0.5 * np.median(spreads(X, y)))
    X[:, 1] = 1e60 * y
    found, gaps = standards(X, y, form=form)
    assert found.scale[1] == pytest.approx(1e-9 * X[:, 1].std())
    assert np.isfinite(gaps.scales).all()


def spreads(X, y):
    """Pooled standard deviations within classes."""
    gaps = X - np.array([X[y == j].mean(axis=0) for j in range(y.max() + 1)])[y]
    return np.sqrt((gaps**2).sum(axis=0) / (len(y) - y.max() - 1))


@pytest.mark.parametrize("form", KEPT)
@given(seed=SEEDS)
def test_weights_are_repetition(form, seed):
    X, y, _ = counts(seed)
    times = np.random.default_rng(seed).integers(1, 4, size=y.size)
    again = np.repeat(np.arange(y.size), times)
    weighted, weighted_gaps = standards(X, y, times, form=form)
    repeated, repeated_gaps = standards(X[again], y[again], form=form)
    for name in ("center", "scale", "centroids", "means", "variances", "variance"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), atol=1e-12)
    np.testing.assert_allclose(weighted_gaps.means, repeated_gaps.means, atol=1e-11)
    np.testing.assert_allclose(weighted_gaps.scales, repeated_gaps.scales, atol=1e-8)
