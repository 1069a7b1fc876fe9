"""Compiled loops of the draft against numpy in a line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import awkward_tables as tables
import oracle_panel as oracle
from disjoint_centroids.panels.drafting import kernels

pytestmark = pytest.mark.filterwarnings("error")

SEEDS = st.integers(0, 10**6)
SAME = 1e-9


def best_by_sorting(gains, preference, worth_of_unit, is_open, least, takes_any, n_wanted):
    """Round, order by preference, sort; features that nobody may or wants to take are left out.

    A class that takes even a feature that gains nothing orders those by preference too.
    """
    found = np.full((len(gains), n_wanted), -1)
    for j, row in enumerate(gains):
        unit = SAME * row.max() or 1.0
        rounded = np.rint(row / unit)
        row = np.where((rounded > 0) | takes_any[j], unit * (rounded + preference), 0.0)
        wanted = np.flatnonzero(is_open & ((row > least) | takes_any[j]))
        order = wanted[np.argsort(-(row * worth_of_unit)[wanted], kind="stable")][:n_wanted]
        found[j, : order.size] = order
    return found


def some_gains(rng, n_classes, n_features):
    """Gains with exact ties, ties but for rounding, zeros, and rounding errors of zeros."""
    gains = rng.integers(0, 6, size=(n_classes, n_features)).astype(float)
    gains *= 1.0 + 1e-13 * rng.normal(size=gains.shape)
    gains[rng.uniform(size=gains.shape) < 0.2] = 1e-17
    return gains * rng.choice([1.0, 1e-8, 1e8])


@given(seed=SEEDS, n_classes=st.integers(1, 5), n_features=st.integers(1, 40), priced=st.booleans())
def test_best_features_are_those_of_sorting(seed, n_classes, n_features, priced):
    rng = np.random.default_rng(seed)
    gains = some_gains(rng, n_classes, n_features)
    preference = rng.permutation(np.linspace(0.5, 0.0, n_features, endpoint=False))
    worth_of_unit = 1.0 / rng.uniform(0.5, 3.0, size=n_features) if priced else np.ones(n_features)
    is_open, takes_any = rng.uniform(size=n_features) < 0.8, rng.uniform(size=n_classes) < 0.3
    least = 1e-12 * gains.max()
    n_wanted = int(rng.integers(1, n_classes + 3))
    expected = best_by_sorting(gains, preference, worth_of_unit, is_open, least, takes_any, n_wanted)
    found = np.empty((n_classes, n_wanted), dtype=np.intp)
    kernels.best_features(gains, SAME, preference, worth_of_unit, is_open, least, takes_any, found)
    np.testing.assert_array_equal(found, expected)


def test_nothing_gains():
    found = np.empty((2, 2), dtype=np.intp)
    everything = np.ones(3, dtype=bool)
    kernels.best_features(
        np.zeros((2, 3)), SAME, np.zeros(3), np.ones(3), everything, 0.0, np.array([True, False]), found
    )
    assert found.tolist() == [[0, 1], [-1, -1]]


@pytest.mark.parametrize("reads", ["all", "own"])
@pytest.mark.parametrize("kind", ["linear", "squared", "both"])
@given(seed=SEEDS)
def test_gains_are_the_oracles(kind, reads, seed):
    """From products with some residuals; features that are not free gain nothing."""
    rng = np.random.default_rng(seed)
    table = tables.blocks((7, 5, 6), 9, seed)
    part = oracle.Part(table.X, table.y, rng.uniform(0.5, 2.0, size=18))
    terms = oracle.Terms(kind, part)
    residual = oracle.residuals(part, 0.3 * rng.normal(size=(18, 3)))
    products = (part.balanced[:, None] * residual).T
    squares = terms.z**2 - np.average(terms.z**2, axis=0, weights=part.balanced)
    linear, squared = products @ terms.z, products @ squares
    free = rng.uniform(size=9) < 0.8
    gains = np.zeros((3, 9))
    if kind != "squared":
        share = 1.0 if reads == "all" else 2 / 3
        variance = np.average(terms.z**2, axis=0, weights=part.balanced)
        kernels.linear_gains(linear, share * variance + 0.7, oracle.HIGH, free, gains)
    if kind != "linear":
        spread = [[_variance(terms, j, f) for f in range(9)] for j in range(3)]
        divisors = 2 / 3 * np.array(spread) + 0.7
        kernels.squared_gains(linear, squared, terms.standard.centroids, terms.gap_scales, divisors, free, gains)
    plain = [[terms.gain(j, f, residual, 0.7, reads) * free[f] for f in range(9)] for j in range(3)]
    np.testing.assert_allclose(gains, plain, rtol=1e-9, atol=1e-10 * np.max(plain))


def _variance(terms, label, feature):
    gap = (terms.squared_gaps(terms.z, label, feature) - terms.gap_means[label, feature]) / terms.gap_scales[
        label, feature
    ]
    return np.average(gap**2, weights=terms.part.balanced)


@pytest.mark.parametrize("kind", ["linear", "squared"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_oracles_gain_is_the_fall_of_the_loss(kind, n_classes):
    """Ridge regression of one class on one column alone, of what other columns left."""
    table = tables.blocks((8, 7, 9, 6)[:n_classes], 10, seed=1)
    part = oracle.Part(table.X, table.y)
    terms, weights, penalty = oracle.Terms(kind, part), part.balanced, 0.4
    residual = oracle.residuals(part, 0.3 * np.random.default_rng(0).normal(size=(table.y.size, n_classes)))

    def loss(left, coefficient):
        return np.sum(weights[:, None] * left**2) + penalty * weights.sum() * coefficient**2

    for j in range(n_classes):
        for f in range(10):
            (column,) = terms.columns(terms.z, j, f).values()
            step = np.zeros_like(residual)
            step[:, j] = column
            step = oracle.centred(step, part.known)
            size = np.sum(weights[:, None] * step**2) + penalty * weights.sum()
            coefficient = np.sum(weights[:, None] * step * residual) / size
            fall = loss(residual, 0.0) - loss(residual - coefficient * step, coefficient)
            if kind == "squared" and coefficient > 0:
                fall = 0.0
            gain = terms.gain(j, f, residual, penalty, "own")
            assert gain / weights.sum() == pytest.approx(fall, rel=2e-6, abs=1e-12)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_oracles_gain_is_the_fall_of_the_loss_of_one_class_that_reads_all(n_classes):
    """Without centring: every class has a regression of its own."""
    table = tables.blocks((8, 7, 9, 6)[:n_classes], 10, seed=1)
    part = oracle.Part(table.X, table.y)
    terms, weights, penalty = oracle.Terms("linear", part), part.balanced, 0.4
    residual = oracle.residuals(part, 0.3 * np.random.default_rng(0).normal(size=(table.y.size, n_classes)))
    for j in range(n_classes):
        for f in range(10):
            z, left = terms.z[:, f], residual[:, j]
            coefficient = np.sum(weights * z * left) / (np.sum(weights * z**2) + penalty * weights.sum())
            fall = np.sum(weights * left**2) - np.sum(weights * (left - coefficient * z) ** 2)
            fall -= penalty * weights.sum() * coefficient**2
            gain = terms.gain(j, f, residual, penalty, "all")
            assert gain / weights.sum() == pytest.approx(fall, rel=2e-6, abs=1e-12)


def test_far_from_the_centroid_is_no_reason_to_think_of_a_class():
    """The first class is the wide one: to it a squared gap, which would need a positive coefficient, gains nothing."""
    linear, squared = np.zeros((2, 3)), np.array([[4.0, 3.0, 2.0], [-4.0, -3.0, -2.0]])
    gains = np.zeros((2, 3))
    ones = np.ones((2, 3))
    kernels.squared_gains(linear, squared, np.zeros((2, 3)), ones, ones, np.ones(3, dtype=bool), gains)
    assert gains.tolist() == [[0.0, 0.0, 0.0], [16.0, 9.0, 4.0]]


def test_a_feature_counts_a_little_more_where_it_is_high():
    """With two classes linear gains would be tied, and a list would mix features that are high with low ones."""
    gains = np.empty((2, 2))
    kernels.linear_gains(
        np.array([[3.0, -2.0], [-3.0, 2.0]]), np.array([1.0, 2.0]), 1e-6, np.ones(2, dtype=bool), gains
    )
    np.testing.assert_allclose(gains, [[9.0 * (1 + 1e-6), 2.0], [9.0, 2.0 * (1 + 1e-6)]], rtol=1e-12)
