"""Logistic regression on held-out distances, against plain loops and a general optimiser."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold, ShuffleSplit, StratifiedKFold

import awkward_tables as tables
import labelled
import oracle_extensions as oracle
from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV
from disjoint_centroids.centroids.extensions import DisjointLogisticRegression, OverlappingCentroidClassifier

pytestmark = pytest.mark.filterwarnings("error")

QUICK = {"n_init": 6}


def quick(seed=0, C=1.0, cv=None, **options):
    return DisjointLogisticRegression(
        C=C, estimator=NearestDisjointCentroid(**QUICK, **options), cv=cv, random_state=seed
    )


def folds_of(y, n_splits=3):
    return list(StratifiedKFold(n_splits, shuffle=True, random_state=1).split(y[:, None], y))


def assert_is_the_oracles(model, X, y, folds, weights=None, lam=None, divided=True, C=1.0):
    """Means, scale and probabilities follow from the oracle's distances; returns those for further questions."""
    rows, codes, heavy = oracle.held_out_distances(X, y, folds, model.owner_, lam, weights, divided)
    means, scale = oracle.standardised(rows, heavy)
    np.testing.assert_allclose(model.mean_distance_, means, rtol=1e-9)
    np.testing.assert_allclose(model.scale_, scale, rtol=1e-9)
    new = (model.distances(X) - means) / scale
    expected = oracle.logistic_probabilities((rows - means) / scale, codes, heavy, C, new)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=2e-4)
    return rows


@pytest.mark.parametrize("options", [{}, {"lam": 1.0}, {"norm": "euclidean"}], ids=str)
@pytest.mark.parametrize("sizes", [(12, 9, 10), (14, 11)])
def test_fits_the_oracles_distances(sizes, options):
    X, y = labelled.table(sizes, 20, seed=3)
    folds = folds_of(y)
    model = quick(C=0.5, cv=folds, **options).fit(X, y)
    divided = options.get("norm") != "euclidean"
    rows = assert_is_the_oracles(model, X, y, folds, lam=options.get("lam"), divided=divided, C=0.5)
    # Training samples are nearer to their own centroids than new ones: that is the optimism not to be learned.
    inside = model.distances(X)
    held_out = np.concatenate([test for _, test in folds])
    own = np.arange(len(y)), y[held_out]
    assert inside[held_out][own].mean() < rows[own].mean() * 0.97


def test_weights_are_the_oracles():
    X, y = labelled.table((12, 9, 10), 20, seed=4)
    weights = np.random.default_rng(0).choice([0.5, 1.0, 2.0], size=len(y))
    folds = folds_of(y)
    model = quick(cv=folds).fit(X, y, sample_weight=weights)
    assert_is_the_oracles(model, X, y, folds, weights)


def test_a_class_of_one_sample_stays_in_every_training_part():
    X, y = labelled.table((10, 8, 1), 20, seed=5)
    folds = folds_of(np.where(y == 2, 0, y))
    model = quick(cv=folds).fit(X, y)
    rows = assert_is_the_oracles(model, X, y, folds)
    (single,) = np.flatnonzero(np.concatenate([y[test] for _, test in folds]) == 2)
    others = [rows[r, c] for r, c in enumerate(np.concatenate([y[test] for _, test in folds])) if c != 2]
    assert rows[single, 2] == pytest.approx(np.mean(others))
    assert model.distances(X[y == 2])[0, 2] == pytest.approx(0.0, abs=1e-7)


def test_classes_held_out_as_a_whole_stay_too():
    X, y = labelled.table((8, 7, 6), 20, seed=6)
    folds = [(np.flatnonzero(y != j), np.flatnonzero(y == j)) for j in range(3)]
    model = quick(cv=folds).fit(X, y)
    rows, codes, _ = oracle.held_out_distances(X, y, folds, model.owner_)
    # No distance to the own centroid is honest, so none can stand in for the others: they are left as they are.
    np.testing.assert_allclose(model.mean_distance_, rows.mean(axis=0))
    assert (rows[np.arange(len(codes)), codes] < rows.mean()).all()


def test_one_sample_of_every_class_is_enough():
    X, y = labelled.table((1, 1, 1), 12, seed=7)
    model = quick().fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.train_error_ == 0.0


def test_held_out_twice_counts_half_each():
    X, y = labelled.table((9, 8), 16, seed=8)
    once = folds_of(y)
    model = quick(cv=once).fit(X, y)
    twice = quick(cv=once + once).fit(X, y)
    np.testing.assert_allclose(twice.coef_, model.coef_, rtol=1e-6)
    repeated = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    assert_is_the_oracles(quick(cv=repeated).fit(X, y), X, y, list(repeated.split(X, y)))


def test_groups_reach_the_splitter():
    X, y = labelled.table((9, 9), 16, seed=9)
    groups = np.arange(len(y)) % 6
    model = quick(cv=GroupKFold(3)).fit(X, y, groups=groups)
    assert_is_the_oracles(model, X, y, list(GroupKFold(3).split(X, y, groups)))


def test_folds_of_the_users_table_with_samples_of_no_weight():
    X, y = labelled.table((9, 8), 16, seed=10)
    weights = np.ones(len(y))
    weights[::5] = 0.0
    folds = folds_of(y)
    there = weights > 0
    position = np.cumsum(there) - 1
    left = [tuple(position[part[there[part]]] for part in fold) for fold in folds]
    model = quick(cv=folds).fit(X, y, sample_weight=weights)
    expected = quick(cv=left).fit(X[there], y[there])
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), rtol=1e-9)


def test_without_cv_a_sample_of_no_weight_is_not_there():
    X, y = labelled.table((9, 8, 7), 16, seed=10)
    weights = np.ones(len(y))
    weights[::5] = 0.0
    found = quick().fit(X, y, sample_weight=weights)
    expected = quick().fit(X[weights > 0], y[weights > 0])
    np.testing.assert_array_equal(found.coef_, expected.coef_)


@given(st.floats(1e-6, 1e6), st.integers(0, 5))
def test_the_scale_of_the_table_changes_nothing(factor, seed):
    X, y = labelled.table((8, 7, 6), 12, seed)
    model, scaled = quick().fit(X, y), quick().fit(factor * X, y)
    np.testing.assert_allclose(scaled.coef_, model.coef_, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(scaled.scale_, factor * model.scale_, rtol=1e-9)


@given(st.sampled_from(list(tables.UNTIED)), st.floats(0.01, 100))
def test_one_answer_in_every_form(name, C):
    table = tables.table(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = quick(C=C).fit(table.X, table.y)
    probabilities, decision = model.predict_proba(table.X), model.decision_function(table.X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_allclose(np.log(probabilities), model.predict_log_proba(table.X), atol=1e-9)
    expected = model.predict(table.X)
    np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], expected)
    if table.n_classes == 2:
        assert decision.shape == (len(table.y),)
        np.testing.assert_array_equal(model.classes_[(decision > 0).astype(int)], expected)
        assert model.coef_.shape == (1, 2)
    else:
        np.testing.assert_array_equal(model.classes_[decision.argmax(axis=1)], expected)
        assert model.coef_.shape == (table.n_classes, table.n_classes)
    assert model.train_error_ == pytest.approx(np.mean(expected != table.y))


def test_more_weight_on_a_class_makes_it_likelier():
    X, y = labelled.table((12, 12, 12), 12, seed=1, noise=3.0)
    plain = quick().fit(X, y).predict_proba(X)[:, 0].mean()
    heavy = quick().fit(X, y, sample_weight=np.where(y == 0, 5.0, 1.0)).predict_proba(X)[:, 0].mean()
    assert heavy > plain + 0.1


@given(st.permutations(range(3)))
def test_names_of_classes_permuted_permute_the_answer(names):
    X, y = labelled.table((12, 9, 10), 16, seed=2)
    start, names = tables.even_owners(1, 16, 3, seed=0), np.asarray(names)
    model = quick(cv=folds_of(y), init=start).fit(X, y)
    renamed = quick(cv=folds_of(y), init=names[start]).fit(X, names[y])
    np.testing.assert_array_equal(names[model.owner_], renamed.owner_)
    np.testing.assert_allclose(renamed.coef_[np.ix_(names, names)], model.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(renamed.predict_proba(X)[:, names], model.predict_proba(X), rtol=1e-6)


def test_the_feature_sets_are_the_estimators():
    X, y = labelled.table()
    frame = labelled.pandas_frame(X)
    model = quick().fit(frame, y)
    alone = NearestDisjointCentroid(**QUICK, random_state=model.estimator_.random_state).fit(frame, y)
    np.testing.assert_array_equal(model.owner_, alone.owner_)
    pd.testing.assert_frame_equal(model.feature_table(), alone.feature_table())
    pd.testing.assert_frame_equal(model.explain(frame), alone.explain(frame))
    np.testing.assert_array_equal(model.distances(frame), alone.distances(frame))
    assert model.risk(frame, y) == pytest.approx(model.risk_)
    assert list(model.get_feature_names_out()) == list(alone.get_feature_names_out())
    for found, expected in zip(model.feature_sets_, alone.feature_sets_, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_a_seed_of_the_estimators_own_is_kept():
    X, y = labelled.table()
    estimator = NearestDisjointCentroid(**QUICK, random_state=7)
    model = DisjointLogisticRegression(estimator=estimator, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.owner_, estimator.fit(X, y).owner_)


def test_lambda_by_cross_validation():
    X, y = labelled.table(noise=0.7)
    inner = NearestDisjointCentroidCV(n_lams=4, cv=3, **QUICK)
    model = DisjointLogisticRegression(estimator=inner, random_state=0).fit(X, y)
    assert model.estimator_.lam_ in model.estimator_.lams_
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize("shared", [["gene 3", "gene 20"], [4, 21], SelectKBest(k=2)], ids=["names", "indices", "best"])
def test_shared_features(shared):
    X, y = labelled.table()
    frame = labelled.pandas_frame(X)
    model = quick(shared_features=shared).fit(frame, y)
    assert np.sum(model.owner_ == -2) == 2
    if isinstance(shared, list):
        np.testing.assert_array_equal(np.flatnonzero(model.owner_ == -2), [4, 21])
    assert (model.feature_table()["role"] == "shared").sum() == 2
    assert model.predict(frame).shape == y.shape


def test_fewer_features_than_classes():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])[y] + rng.normal(size=(60, 2))
    with pytest.warns(UserWarning, match=r"these own no feature, and are told apart .* Give more features"):
        model = quick().fit(X, y)
    assert min(len(own) for own in model.feature_sets_) == 0
    assert model.score(X, y) > 0.75
    assert np.isfinite(model.decision_function(X)).all()


def test_a_table_of_equal_values():
    with pytest.warns(UserWarning, match="In every restart some class lost its last feature"):
        model = quick().fit(np.ones((12, 4)), np.repeat([0, 1], [8, 4]))
    np.testing.assert_array_equal(model.predict(np.ones((3, 4))), 0)
    np.testing.assert_allclose(model.predict_proba(np.ones((1, 4))), [[2 / 3, 1 / 3]], atol=1e-6)


def test_a_fold_in_which_the_start_loses_a_class_searches_anew():
    X, y = labelled.table((4, 4, 4), 20, seed=27, noise=0.8)
    folds = list(StratifiedKFold(2).split(X, y))
    estimator = NearestDisjointCentroid(lam=0.5, **QUICK, random_state=0)
    model = DisjointLogisticRegression(estimator=estimator, cv=folds).fit(X, y)
    lost = []
    for train, _ in folds:
        try:
            clone(estimator).set_params(init=model.owner_[None]).fit(X[train], y[train])
        except ValueError as error:
            lost.append(str(error))
    assert len(lost) == 1, "the table was chosen for this"
    assert "some of the 3 classes keep no feature" in lost[0]
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("estimator", [OverlappingCentroidClassifier(), DisjointLogisticRegression()])
def test_other_estimators_are_refused(estimator):
    X, y = labelled.table()
    with pytest.raises(TypeError, match=r"finds disjoint feature sets.*got (Overlapping|DisjointLog)"):
        DisjointLogisticRegression(estimator=estimator).fit(X, y)


def test_a_class_that_is_never_held_out_is_an_error():
    X, y = labelled.table((10, 10, 10))
    order = np.argsort(y)
    folds = [(order[5:], order[:5])]
    with pytest.raises(ValueError, match=r"never holds out a sample of 2 of the 3 classes \(1, 2\).*cv=None"):
        quick(cv=folds).fit(X, y)
    with pytest.raises(ValueError, match="never holds out"):
        quick(cv=ShuffleSplit(1, test_size=1, random_state=0)).fit(X, y)


def test_missing_values_are_named():
    X, y = labelled.table()
    frame = labelled.pandas_frame(X)
    frame.iloc[0, 3] = np.nan
    with pytest.raises(ValueError, match=r"gene 21.*DisjointLogisticRegression needs a finite number"):
        quick().fit(frame, y)


def test_progress_is_shown(capsys):
    X, y = labelled.table()
    quick().set_params(verbose=1).fit(X, y)
    assert "folds [" in capsys.readouterr().err
