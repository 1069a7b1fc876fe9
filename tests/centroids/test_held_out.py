"""Probabilities of the centroid classifiers come from samples that were held out, and on noise they say so."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler

from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV, numerics
from disjoint_centroids.centroids.held_out import content_folds
from labelled import table

SHAPES = [(40, 1000, 2), (100, 50, 2), (30, 200, 3)]
MORE_THAN_A_COIN = 0.02


def noise(n, p, k, seed):
    return np.random.default_rng(seed).normal(size=(n, p)), np.arange(n) % k


def in_batches(X, y):
    model = NearestDisjointCentroid(n_init=4, random_state=0)
    for batch in np.array_split(np.arange(len(y)), 3):
        model.partial_fit(X[batch], y[batch], classes=np.unique(y))
    return model


def in_dask(X, y):
    array = pytest.importorskip("dask.array")
    return NearestDisjointCentroid(n_init=4, random_state=0).fit(array.from_array(X, chunks=(13, -1)), y)


WAYS = {
    "in memory": lambda X, y: NearestDisjointCentroid(n_init=4, random_state=0).fit(X, y),
    "with lambda": lambda X, y: NearestDisjointCentroid(lam=1.0, n_init=4, random_state=0).fit(X, y),
    "sparse": lambda X, y: NearestDisjointCentroid(n_init=4, random_state=0).fit(sparse.csr_array(X), y),
    "NDC-S": lambda X, y: NearestDisjointCentroidCV(n_init=3, n_lams=4, random_state=0).fit(X, y),
    "batches": in_batches,
    "dask": in_dask,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("n", "p", "k"), SHAPES)
def test_on_noise_probabilities_are_those_of_a_coin(way, n, p, k):
    losses = []
    for seed in range(2 if p == 1000 else 4):
        new, true = noise(400, p, k, 100 + seed)
        losses.append(log_loss(true, WAYS[way](*noise(n, p, k, seed)).predict_proba(new)))
    assert np.mean(losses) <= np.log(k) + MORE_THAN_A_COIN


def test_where_classes_differ_probabilities_say_so():
    X, y = load_wine(return_X_y=True)
    X, new, y, true = train_test_split(StandardScaler().fit_transform(X), y, stratify=y, random_state=0)
    model = NearestDisjointCentroid(n_init=20, random_state=0).fit(X, y)
    assert log_loss(true, model.predict_proba(new)) < 0.5 * np.log(3)


@pytest.mark.parametrize("make", [NearestDisjointCentroid, lambda **g: NearestDisjointCentroidCV(n_lams=4, **g)])
def test_nothing_but_probabilities_depends_on_it(make):
    X, y = table(noise=1.5)
    model, without = (make(n_init=5, random_state=0) for _ in range(2))
    without._has_probabilities = False
    model.fit(X, y)
    without.fit(X, y)
    for name in ("owner_", "centroids_", "margin_", "risk_", "train_error_", "n_iter_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(without, name))
    np.testing.assert_array_equal(model.decision_function(X), without.decision_function(X))
    np.testing.assert_array_equal(model.predict(X), without.predict(X))
    assert model.temperature_ != without.temperature_


def test_the_folds_that_chose_lambda_are_those_that_are_held_out():
    X, y = table(noise=1.5)
    found = [NearestDisjointCentroidCV(n_init=3, lams=[1.2], cv=cv, random_state=0).fit(X, y) for cv in (2, 5)]
    np.testing.assert_array_equal(found[0].owner_, found[1].owner_)
    assert found[0].temperature_ != found[1].temperature_


def test_weights_are_repetitions():
    X, y = table(noise=1.5)
    weights = np.random.default_rng(0).integers(0, 4, size=y.size)
    times = np.repeat(np.arange(y.size), weights)
    weighted = NearestDisjointCentroid(n_init=5, random_state=0).fit(X, y, sample_weight=weights)
    repeated = NearestDisjointCentroid(n_init=5, random_state=0).fit(X[times], y[times])
    assert weighted.temperature_ == pytest.approx(repeated.temperature_, rel=1e-6)


def test_folds_follow_from_content():
    X, y = table((11, 7, 1))
    folds = content_folds(X, y)
    assert len(folds) == 5
    held_out = np.concatenate([test for _, test in folds])
    np.testing.assert_array_equal(np.sort(held_out), np.arange(y.size))
    for _, test in folds:
        assert np.bincount(y[test], minlength=2)[:2].tolist() in ([2, 1], [3, 2], [2, 2], [3, 1])
    order = np.random.default_rng(0).permutation(y.size)
    shuffled = content_folds(sparse.csr_array(X[order]), 2 - y[order])
    for (_, test), (_, other) in zip(folds, shuffled, strict=True):
        assert set(test) == set(order[other])
    twice = content_folds(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    for (_, test), (_, both) in zip(folds, twice, strict=True):
        assert both.tolist() == np.sort(np.concatenate([2 * test, 2 * test + 1])).tolist()
    assert content_folds(*table((1, 1, 1))) == []


def test_a_factor_that_few_samples_can_vouch_for():
    codes = np.arange(20) % 2
    apart = np.where(np.arange(2) == codes[:, None], 0.0, 1.0)
    few = numerics.cautious_temperature(apart, codes, np.ones(20), None)
    many = numerics.cautious_temperature(np.tile(apart, (50, 1)), np.tile(codes, 50), np.ones(1000), None)
    assert 0.85 < 1 / (1 + np.exp(-few)) < 0.95 < 0.99 < 1 / (1 + np.exp(-many))

    def lost(factor):
        return np.log1p(np.exp(-factor)) * 20

    best = numerics.fit_temperature(apart, codes, np.full(20, 2.0), None)
    assert lost(few) == pytest.approx(lost(best) + 2.0)
    chosen = numerics.cautious_temperature(apart, codes, np.ones(20), None, standard_errors=3.0)
    assert lost(chosen) == pytest.approx(lost(best) + 4.5)
    wrong = numerics.cautious_temperature(1 - apart, codes, np.ones(20), None)
    assert wrong == pytest.approx(1e-3 / apart.mean())


@pytest.mark.parametrize("sizes", [(1, 1, 1), (6, 1), (6, 5, 1)], ids=str)
def test_classes_of_one_sample(sizes):
    model = NearestDisjointCentroid(n_init=3, random_state=0).fit(*table(sizes))
    assert 0 < model.temperature_ < np.inf


def test_samples_that_are_held_out_twice_count_once():
    """Folds given twice say no more than the same folds given once."""
    X, y = table()
    folds = list(StratifiedKFold(3).split(X, y))
    once, twice = (NearestDisjointCentroidCV(n_init=3, lams=[0.9], cv=cv, random_state=0) for cv in (folds, folds * 2))
    assert twice.fit(X, y).temperature_ == pytest.approx(once.fit(X, y).temperature_, rel=1e-9)
