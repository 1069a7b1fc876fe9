"""Replacements for features that fail: held against fits of the swapped panels."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import log_softmax

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.numerics.sizes import sizes_context
from disjoint_centroids.progress import heard_by
from labelled import table

pytestmark = pytest.mark.filterwarnings("error")


def folds(y):
    place = np.empty(y.size, dtype=int)
    for label in np.unique(y):
        place[y == label] = np.arange(np.sum(y == label)) % 3
    return [(np.flatnonzero(place != at), np.flatnonzero(place == at)) for at in range(3)]


def panel(X, y, forced, **options):
    given = {"penalty": 1.0, "terms": "linear", "regression": "ridge", "overdraft": 1, "cv": folds(y), **options}
    size = sum(map(len, forced.values()))
    return DisjointPanelClassifier(rounds=1, forced=forced, max_features=size, **given).fit(X, y)


def figures(swapped, base, y):
    """Error and loss of the held-out scores of one panel with the calibration of another."""
    raw = swapped.held_out_scores_ - swapped.intercept_
    logits = base.temperature_ * (raw + base.intercept_)
    logs = np.maximum(log_softmax(logits, axis=1)[np.arange(y.size), y], np.log(1e-5))
    return np.mean(logits.argmax(axis=1) != y), np.mean([-logs[y == label].mean() for label in np.unique(y)])


@pytest.mark.parametrize("reads", ["all", "own"])
def test_costs_are_those_of_the_swapped_panels(reads):
    X, y = table()
    forced = {0: [0, 5], 1: [8], 2: [16, 3]}
    base = panel(X, y, forced, reads=reads)
    found = base.alternates(X, y, n_alternates=30)
    assert found["rank"].tolist() == [*range(20)] * 5  # nothing, and the 19 others
    for row in found[found["rank"] > 0].iloc[::4].itertuples():
        swapped = {label: [row.alternate if f == row.feature else f for f in own] for label, own in forced.items()}
        error, loss = figures(panel(X, y, swapped, reads=reads), base, y)
        assert (row.error, row.loss) == pytest.approx((error, loss), rel=1e-6)
    for row in found[(found["rank"] == 0) & (found["class"] != 1)].itertuples():
        swapped = {label: [f for f in own if f != row.feature] for label, own in forced.items()}
        assert (row.error, row.loss) == pytest.approx(figures(panel(X, y, swapped, reads=reads), base, y), rel=1e-6)
    as_it_is = figures(base, base, y)
    np.testing.assert_allclose(found["error"] - found["error_change"], as_it_is[0])
    np.testing.assert_allclose(found["loss"] - found["loss_change"], as_it_is[1], rtol=1e-6)


def test_the_best_come_first_and_rules_hold():
    X, y = table()
    copy = np.column_stack([X, X[:, 0] + 0.01 * np.random.default_rng(0).normal(size=len(y))])
    model = DisjointPanelClassifier(rounds=1, terms="linear", forced={0: [0]}, random_state=0).fit(copy, y)
    found = model.alternates(copy, y)
    assert found.groupby("feature").size().unique().tolist() == [4]
    whole = model.alternates(copy, y, n_alternates=30)
    assert whole.query("feature == 0 and alternate == 24")["loss_change"].abs().item() < 0.02
    assert whole.query("feature == 0 and rank == 0")["loss_change"].abs().item() > 0.02
    ranked = found[found["rank"] > 0]
    assert (ranked.groupby("feature")["loss"].diff().dropna() >= 0).all()
    assert not set(ranked["alternate"]) & set(found["feature"])
    up = DisjointPanelClassifier(rounds=1, terms="linear", direction="up", allowed=np.arange(12), random_state=0)
    ranked = up.fit(X, y).alternates(X, y).query("rank > 0")
    assert set(ranked["alternate"]) <= set(range(12))
    for row in ranked.itertuples():
        means = up.centroids_[:, row.alternate]
        assert means[row[1]] > np.delete(means, row[1]).mean()


def test_what_does_not_vary_or_gains_nothing_replaces_nothing():
    X, y = table()
    X = X.copy()
    X[:, 12:] = 1.0
    model = DisjointPanelClassifier(rounds=1, terms="linear", random_state=0).fit(X, y)
    found = model.alternates(X, y, n_alternates=30)
    assert set(found["alternate"].dropna()) == set(range(12)) - set(np.concatenate(model.feature_sets_).tolist())
    only = X.copy()
    only[:, model.owner_ < 0] = 1.0
    assert model.alternates(only, y)["rank"].tolist() == [0, 0, 0]


@pytest.mark.parametrize("reads", ["all", "own"])
def test_upward_replacements_have_positive_coefficients(reads):
    given = {"penalty": 1.0, "terms": "linear", "regression": "ridge", "overdraft": 1, "cv": 3, "reads": reads}
    given |= {"direction": "up", "random_state": 0}
    n_swaps = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        y = np.arange(90) % 3
        X = rng.normal(size=(90, 12)) + np.pad(rng.normal(size=(3, 6)), ((0, 0), (0, 6)))[y]
        X = X @ (np.eye(12) + 0.4 * rng.normal(size=(12, 12)))
        model = DisjointPanelClassifier(rounds=2, **given).fit(X, y)
        size = sum(map(len, model.feature_sets_))
        for row in model.alternates(X, y, n_alternates=9).query("rank > 0").itertuples():
            sets = [[row.alternate if f == row.feature else f for f in own] for own in model.feature_sets_]
            forced = {label: own for label, own in enumerate(sets) if own}
            swapped = DisjointPanelClassifier(rounds=1, forced=forced, max_features=size, **given)
            coef = swapped.fit(X, y).coef_[:, row.alternate]
            assert coef[row[1]] > coef.mean()
            n_swaps += 1
    assert n_swaps > 50


def test_progress_is_told():
    X, y = table()
    model = DisjointPanelClassifier(rounds=1, terms="linear", random_state=0).fit(X, y)
    heard = []
    with heard_by(heard.append):
        model.alternates(X, y)
        assert not heard
        model.alternates(X, y, verbose=1)
    assert [(told.label, told.done, told.total) for told in heard] == [("replacements", n, 23) for n in range(24)]


def test_blocks_of_samples_change_nothing():
    X, y = table()
    for reads in ("all", "own"):
        model = DisjointPanelClassifier(rounds=2, terms="linear", reads=reads, random_state=0).fit(X, y)
        found = model.alternates(X, y)
        with sizes_context(dense_at_once=150):
            pd.testing.assert_frame_equal(model.alternates(X, y), found)


def test_alternates_within_batches():
    X, y = table()
    batch = np.arange(y.size) % 2
    moved = X + np.random.default_rng(1).normal(0, 4, (2, X.shape[1]))[batch]
    model = DisjointPanelClassifier(rounds=1, terms="linear", random_state=0).fit(moved, y, batch=batch)
    found = model.alternates(moved, y, batch=batch)
    assert set(found["feature"]) == set(np.flatnonzero(model.owner_ >= 0).tolist())
    assert np.isfinite(found["loss"]).all()


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda y: y + 1, {}, r"labels that are no classes of the model: 3\. Its classes are 0, 1, 2\. Give"),
        (lambda y: np.where(y == 2, 1, y), {}, r"classes of the model without samples: 2\. Give"),
        (lambda y: y, {"n_alternates": 0}, "n_alternates must be 1 or more; got 0"),
    ],
)
def test_what_is_refused(change, options, message):
    X, y = table()
    model = DisjointPanelClassifier(rounds=1, terms="linear", random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=message):
        model.alternates(X, change(y), **options)
