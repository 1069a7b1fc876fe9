"""Inner products that a draft asks for, from rows and from products of columns, against standardised columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import awkward_tables as tables
import oracle_panel as oracle
from disjoint_centroids.panels.drafting import NewColumns
from panel_parts import FORMS, parts_of

pytestmark = pytest.mark.filterwarnings("error")

SEEDS = st.integers(0, 10**6)


class Plain:
    """The same products from the oracle's standardised columns."""

    def __init__(self, X, y, weights=None, train=None):
        self.part = oracle.Part(X, y, weights, train)
        self.z = oracle.Standard(self.part).of(self.part.X)
        self.squares = self.z**2 - np.average(self.z**2, axis=0, weights=self.part.balanced)
        self.indicators = 2.0 * (self.part.y[:, None] == np.arange(self.part.n_classes))

    def columns(self, new):
        return new.on_z * self.z[:, new.features] + new.on_square * self.squares[:, new.features]

    def products(self, a, b):
        return a.T @ (self.part.balanced[:, None] * b)

    def left(self, columns, coefficients):
        residual = self.indicators - columns @ coefficients
        return self.products(residual, self.z), self.products(residual, self.squares)


def some_columns(seed, n_features, *, with_squares):
    """Columns of five features in two lots, some of z, some of squares, some of both."""
    rng = np.random.default_rng(seed)
    features = rng.permutation(n_features)[:5]
    on_z, on_square = rng.normal(size=(2, features.size)) * rng.integers(0, 2, size=(2, features.size))
    if not with_squares:
        on_square = np.zeros(features.size)
    return [NewColumns(features[at], on_z[at], on_square[at]) for at in (slice(0, 3), slice(3, 5))]


def joined(lots):
    return NewColumns(
        *(np.concatenate([getattr(lot, name) for lot in lots]) for name in ("features", "on_z", "on_square"))
    )


def assert_is_the_plain_one(X, y, weights=None, train=None, *, form, seed=0, rtol=1e-9, with_squares=True):
    folds = [] if train is None else [(train, np.setdiff1d(np.arange(y.size), train))]
    source, plain = parts_of(X, y, weights, folds, form=form).source, Plain(X, y, weights, train)
    picked = source.open(0, 9, with_squares=with_squares)
    lots = some_columns(seed, X.shape[1], with_squares=with_squares)
    for lot in lots:
        source.enter([(picked, lot)])
    columns = plain.columns(joined(lots))
    weight, size = plain.part.balanced.sum(), np.abs(plain.z).max() + 1.0
    if with_squares:
        size **= 2
    np.testing.assert_allclose(picked.gram, plain.products(columns, columns), atol=rtol * weight * size**2)
    right = plain.products(columns, plain.indicators)
    np.testing.assert_allclose(picked.right, right, atol=rtol * weight * size)
    coefficients = np.random.default_rng(seed).normal(size=(columns.shape[1], plain.part.n_classes))
    coefficients /= 1.0 + np.abs(columns).max()
    (left,) = source.left([(picked, coefficients)])
    linear, squared = plain.left(columns, coefficients)
    np.testing.assert_allclose(left.linear, linear, atol=rtol * weight * size)
    if with_squares:
        np.testing.assert_allclose(left.squared, squared, atol=rtol * weight * size)
    else:
        assert left.squared is None
    together = plain.products(plain.z, plain.z.sum(axis=1, keepdims=True))[:, 0]
    np.testing.assert_allclose(source.sum_products(0), together, atol=rtol * weight * size**2 * X.shape[1])


def counts(seed, sizes=(9, 7, 5), n_features=12):
    """A table of small counts, most of them zero, and one column that has no zero."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = rng.poisson(rng.uniform(0.1, 1.5, size=(len(sizes), n_features))[y]).astype(float)
    X[:, 3] += 1.0
    return X, y, rng.choice([0.5, 1.0, 2.0], size=y.size)


@pytest.mark.parametrize("with_squares", [False, True])
@pytest.mark.parametrize("form", FORMS)
@given(seed=SEEDS)
def test_counts(form, with_squares, seed):
    assert_is_the_plain_one(*counts(seed), form=form, seed=seed, with_squares=with_squares)


@pytest.mark.parametrize("form", FORMS)
@given(seed=SEEDS)
def test_training_parts(form, seed):
    """Some rows, some of them repeated, and perhaps no row of the last class."""
    X, y, weights = counts(seed)
    rng = np.random.default_rng(seed)
    train = rng.choice(np.flatnonzero(y < 2 + seed % 2), size=15)
    train = np.concatenate([train, [np.flatnonzero(y == j)[0] for j in range(2)]])
    assert_is_the_plain_one(X, y, weights, np.sort(train), form=form, seed=seed)


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(tables.TABLES, ("plain", "weighted")))
@pytest.mark.parametrize("form", FORMS)
def test_awkward_tables(form, name, variant):
    table = tables.table(name, variant)
    assert_is_the_plain_one(table.X, table.y, table.weights, form=form, rtol=1e-7)


@pytest.mark.parametrize("form", FORMS)
def test_offsets_keep_digits(form):
    """What is 10^8 away has eight digits left, and they all count; sparse columns without zeros are shifted too."""
    table = tables.blocks((7, 5, 6), 20, seed=7)
    far = np.round(table.X * 1e6) / 1e6 + 1e8
    near = Plain(far - 1e8, table.y)
    source = parts_of(far, table.y, form=form).source
    (left,) = source.left([(source.open(0, 4, with_squares=True), np.empty((0, 3)))])
    linear, squared = near.left(np.empty((18, 0)), np.empty((0, 3)))
    np.testing.assert_allclose(left.linear, linear, atol=1e-5)
    np.testing.assert_allclose(left.squared, squared, atol=1e-5)


@pytest.mark.parametrize("form", FORMS)
def test_constant_columns_have_no_products(form):
    table = tables.blocks((6, 5, 7), 8, seed=2)
    X = table.X.copy()
    X[:, [1, 6]] = [0.1, 3e5]
    source = parts_of(X, table.y, form=form).source
    (left,) = source.left([(source.open(0, 4, with_squares=True), np.empty((0, 3)))])
    for found in (left.linear, left.squared):
        assert np.isfinite(found).all()
        assert (np.abs(found[:, [1, 6]]) <= 1e-9 * np.abs(found).max()).all()


@pytest.mark.parametrize("form", FORMS)
def test_many_fits_at_once_are_fits_one_by_one(form):
    """Of several parts, with and without squares."""
    X, y, weights = counts(1)
    folds = [(np.arange(0, 21, 2), np.arange(1, 21, 2)), (np.arange(1, 21, 2), np.arange(0, 21, 2))]
    source = parts_of(X, y, weights, folds, form=form).source
    fits = []
    for part, with_squares in ((0, True), (1, False), (2, True), (2, False)):
        picked = source.open(part, 9, with_squares=with_squares)
        for lot in some_columns(part, X.shape[1], with_squares=with_squares):
            source.enter([(picked, lot)])
        fits.append((picked, np.full((5, 3), 0.1 * (part + 1))))
    for fit, found in zip(fits, source.left(fits), strict=True):
        (alone,) = source.left([fit])
        np.testing.assert_allclose(found.linear, alone.linear, atol=1e-12)
        assert (found.squared is None) == (alone.squared is None) == (not fit[0].with_squares)
        if found.squared is not None:
            np.testing.assert_allclose(found.squared, alone.squared, atol=1e-12)
