"""The panel classifier as users meet it: tables, names, awkward data, warnings."""

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import awkward_tables as tables
from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.panels.drafting import TERMS
from labelled import names_of, pandas_frame, polars_frame, table

pytestmark = pytest.mark.filterwarnings("error")


def fitted(X, y, sample_weight=None, **options):
    options = {"rounds": 3, "terms": "both", "cv": 3, "random_state": 0, **options}
    return DisjointPanelClassifier(**options).fit(X, y, sample_weight=sample_weight)


def lists(model):
    return [panel.tolist() for panel in model.feature_sets_]


# Tables


def test_feature_table():
    X, y = table()
    labels = np.array(["b", "a", "c"])[y]
    model = fitted(pandas_frame(X), labels)
    found = model.feature_table()
    per_class = [f"{name}_{label}" for name in ("coef", "mean", "variance") for label in "abc"]
    known = ["feature", "role", "owner", "direction", "pick", "margin", "coef", "curvature"]
    assert list(found.columns) == [*known, *per_class]
    assert found["feature"].tolist() == names_of(X)
    assert found["owner"].tolist() == [None if j < 0 else "abc"[j] for j in model.owner_]
    assert found["role"].tolist() == ["unused" if j < 0 else "owned" for j in model.owner_]
    for j, label in enumerate("abc"):
        own = found[found["owner"] == label].sort_values("pick")
        assert own.index.tolist() == lists(model)[j]
        assert own["pick"].tolist() == [1.0, 2.0, 3.0]
        np.testing.assert_array_equal(found[f"coef_{label}"], model.coef_[j])
        np.testing.assert_allclose(found[f"mean_{label}"], X[labels == label].mean(axis=0))
        np.testing.assert_allclose(found[f"variance_{label}"], X[labels == label].var(axis=0))
    unused = found[found["role"] == "unused"]
    assert unused["pick"].isna().all()
    assert unused["margin"].isna().all()
    assert (unused[["coef", "curvature"]] == 0).all(axis=None)
    own = np.maximum(model.owner_, 0), np.arange(24)
    np.testing.assert_array_equal(found["coef"], np.where(model.owner_ < 0, 0.0, model.coef_[own]))
    np.testing.assert_array_equal(found["curvature"], np.where(model.owner_ < 0, 0.0, model.curvature_[own]))


@pytest.mark.parametrize("reads", ["all", "own"])
def test_explanation(reads):
    """One row per sample, class and feature that the class reads: of all panels, or of its own."""
    X, y = table()
    frame = pandas_frame(X).set_index(np.array([f"patient {i}" for i in range(len(y))]))
    model = fitted(frame, np.array(["b", "a", "c"])[y], reads=reads)
    found = model.explain(frame.iloc[[4, 7]])
    assert list(found.columns) == ["sample", "class", "feature", "owner", "value", "centroid", "contribution"]
    n_rows = 9 if reads == "own" else 27
    assert found["sample"].tolist() == ["patient 4"] * n_rows + ["patient 7"] * n_rows
    z = (X[7] - model.center_) / model.scale_
    for j, label in enumerate("abc"):
        for owner, panel in enumerate(lists(model)):
            for f in panel:
                row = found[(found["sample"] == "patient 7") & (found["class"] == label)]
                row = row[row["feature"] == names_of(X)[f]]
                assert len(row) == (1 if reads == "all" or owner == j else 0)
                for _, line in row.iterrows():
                    assert (line["owner"], line["value"]) == ("abc"[owner], X[7, f])
                    assert line["centroid"] == pytest.approx(model.centroids_[j, f])
                    c = (model.centroids_[j, f] - model.center_[f]) / model.scale_[f]
                    added = model.coef_[j, f] * z[f] + model.curvature_[j, f] * (z[f] - c) ** 2
                    assert line["contribution"] == pytest.approx(added)
    plain = fitted(X, y, reads=reads)
    explained = plain.explain(sparse.csr_array(X[:3]))
    assert explained["sample"].tolist() == np.repeat([0, 1, 2], n_rows).tolist()
    own = explained[explained["class"] == explained["owner"]]
    assert own["value"].tolist() == X[:3][:, np.concatenate(plain.feature_sets_)].ravel().tolist()


@pytest.mark.parametrize("reads", ["all", "own"])
def test_margin_is_what_a_feature_adds_in_its_class(reads):
    """The mean contribution to the owner's score in the own class, minus the mean over the other classes of theirs."""
    X, y = table()
    weights = np.random.default_rng(0).uniform(0.5, 2.0, size=y.size)
    model = fitted(X, y, weights, reads=reads)
    explained = model.explain(X)
    explained = explained[explained["class"] == explained["owner"]]
    for j, panel in enumerate(model.feature_sets_):
        for f in panel:
            added = explained.loc[explained["feature"] == f"x{f}", "contribution"].to_numpy()
            means = [np.average(added[y == c], weights=weights[y == c]) for c in range(3)]
            others = np.mean([means[c] for c in range(3) if c != j])
            assert model.margin_[f] == pytest.approx(means[j] - others)


@pytest.mark.parametrize("frame", [pandas_frame, polars_frame])
def test_selected_columns(frame):
    X, y = table()
    model = fitted(frame(X), y)
    chosen = np.flatnonzero(model.owner_ >= 0)
    assert model.get_feature_names_out().tolist() == [names_of(X)[f] for f in chosen]
    np.testing.assert_array_equal(model.transform(frame(X)), X[:, chosen])
    np.testing.assert_array_equal(model.get_support(indices=True), chosen)
    array = fitted(X, y)
    found = array.transform(sparse.csr_array(X))
    np.testing.assert_array_equal(found.toarray(), X[:, chosen])
    assert array.get_feature_names_out().tolist() == [f"x{f}" for f in chosen]


def test_names_that_are_other_names():
    X, y = table()
    model = fitted(pandas_frame(X), y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(pandas_frame(X).rename(columns={"gene 3": "gene x"}))


# Objects


def test_copies_and_pickles():
    X, y = table()
    model = fitted(pandas_frame(X), y, feature_costs=np.ones(24), budget=8.0, forced={1: [2]})
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(again.predict_proba(pandas_frame(X)), model.predict_proba(pandas_frame(X)))
        np.testing.assert_array_equal(again.predict_set(pandas_frame(X)), model.predict_set(pandas_frame(X)))
        pd.testing.assert_frame_equal(again.feature_table(), model.feature_table())
    unfitted = clone(model)
    assert unfitted.get_params().keys() == model.get_params().keys()
    assert unfitted.budget == 8.0
    with pytest.raises(NotFittedError):
        unfitted.predict(X)
    for method in (unfitted.predict_set, unfitted.explain, unfitted.decision_function):
        with pytest.raises(NotFittedError):
            method(X)
    with pytest.raises(NotFittedError):
        unfitted.feature_table()


def test_fitting_again_forgets():
    X, y = table()
    model = fitted(X, y)
    model.fit(X[:, :9], y)
    assert model.owner_.size == 9
    np.testing.assert_array_equal(model.coef_, fitted(X[:, :9], y).coef_)


def test_in_a_pipeline():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), DisjointPanelClassifier(random_state=0)).fit(X, y)
    assert pipeline.score(X, y) > 0.9


def test_progress_on_request(capsys):
    X, y = table()
    fitted(X, y)
    assert capsys.readouterr().err == ""
    fitted(X, y, verbose=1)
    captured = capsys.readouterr()
    assert "cross-validation" in captured.err
    assert captured.out == ""


# Awkward data


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(tables.TABLES, ["plain", "weighted"]))
@pytest.mark.parametrize("kind", ["auto", "both"])
def test_awkward_tables(kind, name, variant):
    """All numbers are numbers, and the panels are disjoint."""
    found = tables.table(name, variant)
    model = fitted(found.X, found.y, found.weights, terms=kind, rounds=2)
    for number in (model.decision_function(found.X), model.predict_proba(found.X), model.coef_, model.temperature_):
        assert np.isfinite(number).all()
    picked = np.concatenate(model.feature_sets_)
    assert np.unique(picked).size == picked.size
    assert all(panel.size for panel in model.feature_sets_)
    assert model.train_error_ <= 0.5


def test_constant_columns_are_nobodys():
    X, y = table()
    X = X.copy()
    X[:, [0, 7, 11]] = [1e7, 0.1, 0.0]
    for form in (X, sparse.csr_array(X)):
        model = fitted(form, y, rounds=24)
        assert not {0, 7, 11} & set(np.concatenate(model.feature_sets_).tolist())


def test_nothing_but_constant_columns():
    """Everybody has a feature, and everybody the same probability."""
    y = np.repeat([0, 1, 2], 4)
    model = fitted(np.full((12, 6), 0.1), y, terms="auto", rounds="auto")
    assert [panel.size for panel in model.feature_sets_] == [1, 1, 1]
    np.testing.assert_allclose(model.predict_proba(np.full((2, 6), 0.1)), 1 / 3)
    assert set(model.predict(np.full((2, 6), 0.1))) == {0}


@pytest.mark.parametrize("kind", TERMS)
def test_equal_columns(kind):
    """Of a feature that is there three times the first is picked first; sparse or not, and whatever the machine."""
    X, y = table()
    thrice = np.hstack([X, X, X])
    models = [fitted(form(thrice), y, terms=kind) for form in (np.asarray, sparse.csr_array, np.asfortranarray)]
    assert lists(models[0]) == lists(models[1]) == lists(models[2])
    assert all(panel[0] < 24 for panel in lists(models[0]))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("kind", TERMS)
def test_offsets_keep_digits(kind, form):
    X, y = table()
    near = np.round(X, 6)
    expected = fitted(near, y, terms=kind)
    far = fitted(form(near + 1e8), y, terms=kind)
    assert lists(far) == lists(expected)
    np.testing.assert_allclose(far.decision_function(form(near + 1e8)), expected.decision_function(near), atol=1e-5)


@pytest.mark.parametrize("reads", ["all", "own"])
def test_with_two_classes_a_feature_goes_where_it_is_high(reads):
    """What one class gains by a feature, the other gains too: of the two picked in a round, each takes its own."""
    mixed = 0
    for seed in range(12):
        X, y = table(sizes=(15, 15), n_features=40, seed=seed)
        model = fitted(X, y, terms="linear", reads=reads, rounds=1, overdraft=1, cv=2)
        picks = np.concatenate(model.feature_sets_)
        high_in = model.centroids_[:, picks].argmax(axis=0)
        if set(high_in) == {0, 1}:
            mixed += 1
            assert high_in.tolist() == [0, 1]
            assert (model.coef_[[0, 1], picks] > 0).all()
    assert mixed >= 4


@pytest.mark.parametrize(("regression", "seed"), [("ridge", 0), ("logistic", 1)])
def test_two_classes_that_read_all_or_their_own_are_almost_one_model(seed, regression):
    """Only the difference of two scores counts: with own panels it reads both panels, too."""
    X, y = table(sizes=(150, 150), n_features=40, seed=seed, noise=2.0)
    options = {"terms": "linear", "regression": regression, "rounds": 6}
    every, own = (fitted(X[:60], y[:60], reads=reads, **options) for reads in ("all", "own"))
    assert np.mean(every.predict(X[60:]) == own.predict(X[60:])) > 0.9
    assert np.corrcoef(every.decision_function(X[60:]), own.decision_function(X[60:]))[0, 1] > 0.9


@pytest.mark.parametrize("regression", ["ridge", "logistic"])
def test_two_classes_on_the_same_panels_are_one_model_at_twice_the_penalty(regression):
    """Read by all, half of a coefficient is in either score, and its square is counted twice."""
    X, y = table(sizes=(30, 25), seed=4, noise=2.0)
    options = {"terms": "linear", "regression": regression, "forced": {0: [3, 5], 1: [8, 1]}, "max_features": 4}
    every, own = (
        fitted(X, y, reads=reads, penalty=penalty, **options) for reads, penalty in (("all", 0.6), ("own", 0.3))
    )
    assert lists(every) == lists(own) == [[3, 5], [8, 1]]
    np.testing.assert_allclose(every.coef_[1] - every.coef_[0], own.coef_[1] - own.coef_[0], atol=1e-5)


def test_three_samples():
    """While two of them are held out, the one that is left has no spread."""
    X = np.random.default_rng(0).normal(size=(4, 6))[:3]
    assert (DisjointPanelClassifier(random_state=0).fit(X, [0, 0, 1]).predict(X) == [0, 0, 1]).all()


def test_more_classes_than_features():
    X, y = table(sizes=(5, 6, 4, 5), n_features=3, noise=0.3)
    with pytest.warns(
        UserWarning, match=r"1 of 4 classes own no feature.*: (\d)\..* Give more features, or fewer"
    ) as seen:
        model = fitted(X, y)
    assert [warning.filename for warning in seen] == [__file__]
    assert sorted(panel.size for panel in model.feature_sets_)[0] == 0
    assert np.isfinite(model.decision_function(X)).all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        sparse_one = fitted(sparse.csr_array(X), y)
    np.testing.assert_allclose(sparse_one.decision_function(X), model.decision_function(X), atol=1e-8)


def test_one_feature_and_two_classes():
    X = np.array([[0.0], [0.2], [0.1], [3.0], [3.2], [3.1]])
    y = np.repeat(["low", "high"], 3)
    with pytest.warns(UserWarning, match=r"own no feature: low\. Their scores use the features of the others"):
        model = fitted(X, y, terms="linear")
    assert np.ptp(model.decision_function(X)) > 0
    with pytest.warns(UserWarning, match="own no feature and always have the same score: low"):
        fitted(X, y, terms="linear", reads="own")
    assert model.predict([[0.0], [3.0]]).tolist() == ["low", "high"]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_cells_without_a_number(form):
    X, y = table()
    X = X.copy()
    X[2, 5] = np.nan
    with pytest.raises(ValueError, match=r"Input X contains NaN: 1 value\(s\) in 1 feature\(s\) \(column 5\)"):
        fitted(form(X), y)
    X[2, 5] = np.inf
    with pytest.raises(ValueError, match="Input X contains infinity"):
        fitted(np.nan_to_num(X, posinf=0.0), y).predict(form(X))


def test_one_class_only():
    X, _ = table()
    with pytest.raises(ValueError, match="needs samples of at least 2 classes"):
        fitted(X, np.zeros(len(X)))


def test_labels_of_any_kind():
    X, y = table()
    expected = fitted(X, y).predict(X)
    for labels in (np.array(["c", "b", "a"]), np.array([10, -3, 7]), np.array([0.0, 2.0, 1.0])):
        model = fitted(X, labels[y], cv=[(np.arange(0, 31, 2), np.arange(1, 31, 2))])
        np.testing.assert_array_equal(model.classes_, np.sort(labels))
        assert np.mean(model.predict(X) == labels[expected]) > 0.9
    yes = fitted(X, y == 1)
    assert yes.classes_.tolist() == [False, True]


def test_single_precision_and_whole_numbers():
    X, y = table()
    counts = np.round(10 * X).astype(int)
    expected = fitted(counts.astype(float), y)
    for values in (counts, counts.astype(np.float32), counts.tolist(), sparse.csr_array(counts)):
        assert lists(fitted(values, y)) == lists(expected)


def test_priors_move_the_borders():
    """Where scores are equal, the likelier class wins; a fit by ridge regression is the same."""
    X, y = table(sizes=(20, 20, 20), noise=3.0)
    plain, tilted = (fitted(X, y, terms="linear", priors=priors) for priors in (None, [8, 1, 1]))
    np.testing.assert_array_equal(plain.coef_, tilted.coef_)
    np.testing.assert_allclose(tilted.class_prior_, [0.8, 0.1, 0.1])
    assert np.sum(tilted.predict(X) == 0) > np.sum(plain.predict(X) == 0)
    scores = plain.decision_function(X) - plain.intercept_ + tilted.intercept_
    scores += np.log([0.8, 0.1, 0.1]) / tilted.temperature_
    np.testing.assert_allclose(tilted.decision_function(X), scores)
    with pytest.raises(ValueError, match="priors must be 3 positive numbers"):
        fitted(X, y, priors=[1, 1])


@pytest.mark.parametrize("kind", TERMS)
def test_priors_weigh_the_classes_in_logistic_regression(kind):
    """Borders are fitted for samples as frequent as the priors say."""
    X, y = table(sizes=(20, 20, 20), noise=3.0)
    options = {"terms": kind, "regression": "logistic"}
    plain, tilted = (fitted(X, y, priors=priors, **options) for priors in (None, [8, 1, 1]))
    assert lists(plain) == lists(tilted)
    assert np.sum(tilted.predict(X) == 0) > np.sum(plain.predict(X) == 0)
    same = fitted(X, y, priors=[1, 1, 1], **options)
    np.testing.assert_allclose(same.coef_, plain.coef_, atol=1e-6)
    np.testing.assert_allclose(same.curvature_, plain.curvature_, atol=1e-6)
