"""Batches of samples: the model of their sums, however they were divided."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import StratifiedKFold

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.numerics.sizes import sizes_context
from disjoint_centroids.panels import TableSums

LEARNT = ("coef_", "intercept_", "center_", "scale_", "centroids_", "variances_", "margin_", "temperature_")
CLASSES = ["a", "b", "c"]


def table(n=120, p=9, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3)
    X = rng.normal(size=(n, p)) + 5.0
    for j in range(3):
        X[y == j, 3 * j : 3 * j + 3] += 1.5
    return X, np.array(CLASSES)[y]


def in_batches(X, y, sizes, weights=None, **parameters):
    model = DisjointPanelClassifier(**parameters)
    for rows in np.split(np.arange(len(y)), np.cumsum(sizes)):
        given = None if weights is None else weights[rows]
        model.partial_fit(X[rows], y[rows], classes=CLASSES, sample_weight=given)
    return model


def assert_same(found, expected):
    assert [panel.tolist() for panel in found.feature_sets_] == [panel.tolist() for panel in expected.feature_sets_]
    for name in LEARNT:
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-6, atol=1e-9, err_msg=name)
    for name in ("rounds_", "reads_", "penalty_"):
        assert getattr(found, name) == getattr(expected, name)


@pytest.mark.parametrize("sizes", [[], [60], [1, 1, 1, 80], [7] * 15], ids=str)
def test_the_model_is_that_of_the_sums_of_all_samples(sizes):
    X, y = table()
    expected = DisjointPanelClassifier().fit_sums(TableSums.of(X, y))
    assert_same(in_batches(X, y, sizes), expected)
    assert_same(in_batches(sparse.csr_array(X), y, sizes), expected)


@pytest.mark.parametrize("seed", range(3))
def test_the_sizes_of_batches_decide_nothing_in_weak_tables(seed):
    """Sums that differ by rounding give stand-ins that differ by rounding."""
    X, y = table(seed=seed, p=12)
    X = 0.2 * X + np.random.default_rng(seed).normal(size=X.shape) + 1000.0
    assert_same(in_batches(X, y, [7] * 15), in_batches(X, y, [50]))


def test_panels_and_coefficients_are_those_of_the_pooled_table():
    X, y = table()
    options = {"rounds": 2, "penalty": 0.5, "reads": "all"}
    weights = np.random.default_rng(0).integers(0, 3, y.size).astype(float)
    for given in (None, weights, weights / 7):  # the last ones only say how samples compare
        found = in_batches(X, y, [40, 40], weights=given, **options)
        expected = DisjointPanelClassifier(terms="linear", regression="ridge", **options).fit(X, y, given)
        np.testing.assert_array_equal(found.owner_, expected.owner_)
        np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-9)
        np.testing.assert_allclose(found.variances_, expected.variances_)
    assert found.score(X, y) > 0.8


def test_the_fit_runs_when_the_model_is_next_asked():
    X, y = table()
    model = in_batches(X[:60], y[:60], [], rounds=2)
    assert "owner_" not in vars(model)
    first = model.predict(X[:5])
    assert "owner_" in vars(model)
    model.partial_fit(X[60:], y[60:])
    assert "owner_" not in vars(model)
    again = pickle.loads(pickle.dumps(model))
    expected = in_batches(X, y, [60], rounds=2)
    for one in (model, again):
        np.testing.assert_array_equal(one.predict(X), expected.predict(X))
    assert first.shape == (5,)
    assert not hasattr(clone(model), "owner_")


def test_after_a_fit_batches_begin_anew_with_its_classes():
    X, y = table()
    model = DisjointPanelClassifier(rounds=2, terms="linear", random_state=0).fit(X[:60], y[:60])
    model.partial_fit(X, y)
    assert_same(model, in_batches(X, y, [], rounds=2, terms="linear"))
    model.fit(X[:60], y[:60])
    assert model.fold_models_


def test_names_are_kept_and_checked():
    X, y = table()
    frame = pd.DataFrame(X, columns=[f"g{i}" for i in range(9)])
    model = DisjointPanelClassifier(rounds=1, excluded=["g0"]).partial_fit(frame[:60], y[:60], classes=CLASSES)
    assert model.feature_names_in_.tolist() == list(frame)
    with pytest.raises(ValueError, match="feature names"):
        model.partial_fit(frame.rename(columns={"g3": "h"})[60:], y[60:])
    assert model.partial_fit(frame[60:], y[60:]).owner_[0] == -1


def test_labels_that_were_not_announced_are_refused():
    X, y = table()
    with pytest.raises(ValueError, match="needs classes"):
        DisjointPanelClassifier().partial_fit(X, y)
    model = DisjointPanelClassifier(rounds=1).partial_fit(X[y != "c"], y[y != "c"], classes=CLASSES)
    with pytest.raises(NotFittedError, match=r"came yet of the class\(es\) c.*Give it samples of every class"):
        model.predict(X)
    with pytest.raises(ValueError, match=r"not announced: \[.*'d'.*Name all classes in the first call"):
        model.partial_fit(X, np.where(y == "c", "d", y))
    assert model.partial_fit(X[y == "c"], y[y == "c"]).predict(X).shape == y.shape


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"terms": "both"}, "terms='both'"),
        ({"regression": "logistic"}, "regression='logistic'"),
        ({"cv": StratifiedKFold(3)}, "cv is a splitter"),
    ],
)
def test_what_needs_samples_has_no_partial_fit(parameters, reason):
    model = DisjointPanelClassifier(**parameters)
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError, match=f"{reason}.*Use fit"):
        model.partial_fit(*table())


@pytest.mark.parametrize("value", [np.nan, 1e200])
def test_a_batch_that_cannot_be_used_leaves_everything_as_it_was(value):
    X, y = table()
    model = in_batches(X[:60], y[:60], [], rounds=2)
    bad = X[60:].copy()
    bad[3, 4] = value
    with pytest.raises(ValueError, match=r"NaN|large"):
        model.partial_fit(bad, y[60:])
    assert_same(model.partial_fit(X[60:], y[60:]), in_batches(X, y, [60], rounds=2))


def test_few_samples():
    """Folds without samples are left out; with one sample per class nothing is held out."""
    X, y = table(n=6)
    model = in_batches(X, y, [2, 2], rounds=1)
    assert model.predict(X).shape == (6,)
    one = [np.flatnonzero(y == label)[0] for label in CLASSES]
    assert in_batches(X[one], y[one], [], rounds=1).predict(X[one]).tolist() == CLASSES


def test_too_many_features_are_refused_with_the_figure():
    X, y = table()
    with sizes_context(product_bytes=1000), pytest.raises(ValueError, match=r"5 x 3 x 9 x 9 .*GiB.*Select features"):
        in_batches(X, y, [])
