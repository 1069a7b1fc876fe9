"""The estimators among scikit-learn's tools: whatever works with its own classifiers works with these."""

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr

from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV
from labelled import QUICK, assert_same_model, pandas_frame, polars_frame, table

pytestmark = pytest.mark.filterwarnings("error")

ESTIMATORS = {
    "Algorithm 1": NearestDisjointCentroid(**QUICK),
    "Algorithm 2": NearestDisjointCentroid(lam=1.0, **QUICK),
    "cross-validated": NearestDisjointCentroidCV(lams=[0.7, 1.0, 2.0], cv=3, **QUICK),
}


@pytest.fixture(params=ESTIMATORS)
def estimator(request):
    return clone(ESTIMATORS[request.param])


@pytest.fixture
def data():
    return table(noise=1.5)


# ---------------------------------------------------------------------------------------------------- copies


def test_clone_keeps_every_parameter():
    parameters = {
        "lam": 0.7,
        "n_init": 3,
        "init": "random",
        "criterion": "risk",
        "norm": "euclidean",
        "shared_features": SelectKBest(k=2),
        "refine": True,
        "priors": [1, 2, 3],
        "max_iter": 7,
        "random_state": 5,
        "n_jobs": 2,
        "verbose": 1,
        "compression": 0.2,
    }
    model = NearestDisjointCentroid(**parameters)
    assert set(parameters) == set(NearestDisjointCentroid().get_params())
    copy = clone(model)
    for name in set(parameters) - {"shared_features"}:
        assert getattr(copy, name) == parameters[name]
    assert copy.shared_features is not model.shared_features
    assert copy.shared_features.k == 2


def test_clone_is_not_fitted(estimator, data):
    with pytest.raises(NotFittedError):
        clone(estimator.fit(*data)).predict(data[0])


@pytest.mark.parametrize("method", ["get_support", "feature_table", "get_feature_names_out"])
def test_methods_without_samples_need_a_fit_too(estimator, method):
    with pytest.raises(NotFittedError):
        getattr(estimator, method)()


@pytest.mark.parametrize("method", ["distances", "explain", "predict_proba", "decision_function", "transform"])
def test_methods_with_samples_need_a_fit(estimator, method, data):
    with pytest.raises(NotFittedError):
        getattr(estimator, method)(data[0])


def by_pickle(model, folder):
    return pickle.loads(pickle.dumps(model))


def by_joblib(model, folder):
    joblib.dump(model, folder / "model.joblib")
    return joblib.load(folder / "model.joblib")


def by_memory_map(model, folder):
    joblib.dump(model, folder / "model.joblib")
    return joblib.load(folder / "model.joblib", mmap_mode="r")


@pytest.mark.parametrize("copy", [by_pickle, by_joblib, by_memory_map])
def test_stored_models_come_back_whole(estimator, copy, data, tmp_path):
    X, y = data
    frame = pandas_frame(X)
    model = estimator.fit(frame, y)
    found = copy(model, tmp_path)
    assert_same_model(found, model)
    np.testing.assert_array_equal(found.predict_proba(frame), model.predict_proba(frame))
    pd.testing.assert_frame_equal(found.feature_table(), model.feature_table())
    pd.testing.assert_frame_equal(found.explain(frame), model.explain(frame))
    if hasattr(model, "path_"):
        np.testing.assert_array_equal(found.path_.owners, model.path_.owners)


def test_parameters_can_be_read_and_set(estimator):
    assert estimator.get_params()["n_init"] == QUICK["n_init"]
    assert estimator.set_params(n_init=2, norm="euclidean") is estimator
    assert (estimator.n_init, estimator.norm) == (2, "euclidean")
    with pytest.raises(ValueError, match="Invalid parameter 'lambda'"):
        estimator.set_params(**{"lambda": 1})


def test_parameters_of_a_selector_are_nested():
    model = NearestDisjointCentroid(shared_features=SelectKBest(k=2))
    assert model.get_params()["shared_features__k"] == 2
    assert model.set_params(shared_features__k=5).shared_features.k == 5


def test_parameters_set_after_a_fit_count_at_the_next(data):
    X, y = data
    model = NearestDisjointCentroid(**QUICK).fit(X, y)
    model.set_params(lam=1.0).fit(X, y)
    assert_same_model(model, NearestDisjointCentroid(lam=1.0, **QUICK).fit(X, y))


def test_representation_names_what_was_changed(estimator):
    assert "random_state=0" in repr(estimator)
    assert "max_iter" not in repr(estimator)


def test_html_representation(estimator, data):
    name = type(estimator).__name__
    for model in (estimator, clone(estimator).fit(*data), make_pipeline(StandardScaler(), estimator)):
        assert name in model._repr_html_()
        assert name in estimator_html_repr(model)


# ---------------------------------------------------------------------------------------------------- model selection


def test_grid_search_over_lambda(data):
    X, y = data
    lams = [None, 0.7, 1.0, np.inf]
    search = GridSearchCV(NearestDisjointCentroid(**QUICK), {"lam": lams}, cv=3, error_score="raise").fit(X, y)
    means = search.cv_results_["mean_test_score"]
    assert means.shape == (4,)
    assert search.best_params_["lam"] == lams[int(np.argmax(means))]
    assert_same_model(search.best_estimator_, NearestDisjointCentroid(**search.best_params_, **QUICK).fit(X, y))


def test_grid_search_agrees_with_cross_validated_lambda(data):
    X, y = data
    lams = [0.7, 1.0, 1.5]
    folds = StratifiedKFold(3)  # a whole number means shuffled folds here, and unshuffled ones there
    search = GridSearchCV(NearestDisjointCentroid(**QUICK), {"lam": lams}, cv=folds, error_score="raise").fit(X, y)
    model = NearestDisjointCentroidCV(lams=lams, cv=folds, **QUICK).fit(X, y)
    np.testing.assert_allclose(1 - model.cv_errors_.mean(axis=1), search.cv_results_["mean_test_score"])


def test_grid_search_in_parallel(data):
    X, y = data
    one, two = (
        GridSearchCV(NearestDisjointCentroid(**QUICK), {"lam": [0.7, 1.0]}, cv=3, n_jobs=n_jobs) for n_jobs in (1, 2)
    )
    with joblib.parallel_config("threading"):  # threads of threads; processes would take seconds to start
        two.fit(X, y)
    np.testing.assert_array_equal(two.cv_results_["mean_test_score"], one.fit(X, y).cv_results_["mean_test_score"])


def test_grid_search_over_a_pipeline(data):
    search = GridSearchCV(
        make_pipeline(StandardScaler(), NearestDisjointCentroid(**QUICK)),
        {"nearestdisjointcentroid__init": ["k-means", "variance"], "nearestdisjointcentroid__lam": [0.9, None]},
        cv=3,
        error_score="raise",
        scoring="neg_log_loss",
    ).fit(*data)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_pipeline_with_a_scaler(estimator, data):
    X, y = data
    model = make_pipeline(StandardScaler(), clone(estimator)).fit(X, y)
    alone = clone(estimator).fit(StandardScaler().fit_transform(X), y)
    np.testing.assert_array_equal(model.predict(X), alone.predict(StandardScaler().fit_transform(X)))
    assert model.score(X, y) == pytest.approx(1 - alone.train_error_)
    # The scale of columns matters to this classifier, the scaler takes it away.
    rescaled = make_pipeline(StandardScaler(), clone(estimator)).fit(X * np.geomspace(1e-3, 1e3, 24), y)
    np.testing.assert_array_equal(rescaled[-1].owner_, model[-1].owner_)


def test_cross_val_score_with_groups(estimator, data):
    X, y = data
    groups = np.arange(y.size) % 5
    scores = cross_val_score(estimator, X, y, groups=groups, cv=GroupKFold(4), error_score="raise")
    assert scores.shape == (4,)
    for score, (train, test) in zip(scores, GroupKFold(4).split(X, y, groups), strict=True):
        assert not set(groups[train]) & set(groups[test])
        assert score == clone(estimator).fit(X[train], y[train]).score(X[test], y[test])


def test_cross_val_predict_of_probabilities(estimator, data):
    X, y = data
    probability = cross_val_predict(estimator, X, y, cv=3, method="predict_proba")
    assert probability.shape == (y.size, 3)
    np.testing.assert_allclose(probability.sum(axis=1), 1)


def test_permutation_importance_sees_owned_features_only(data):
    X, y = data
    model = NearestDisjointCentroid(lam=0.7, **QUICK).fit(X, y)
    unused = model.owner_ == -1
    assert unused.any()
    found = permutation_importance(model, X, y, n_repeats=3, random_state=0).importances_mean
    assert (found[unused] == 0).all()
    assert (found[~unused] != 0).any()


# ---------------------------------------------------------------------------------------------------- metadata routing


def test_sample_weight_is_routed(data):
    X, y = data
    weights = np.random.default_rng(0).choice([0.0, 1.0, 3.0], size=y.size)
    with sklearn.config_context(enable_metadata_routing=True):
        model = NearestDisjointCentroid(**QUICK).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        found = cross_validate(
            model, X, y, params={"sample_weight": weights}, cv=3, return_estimator=True, return_indices=True
        )
    for fitted, score, train, test in zip(
        found["estimator"], found["test_score"], found["indices"]["train"], found["indices"]["test"], strict=True
    ):
        assert_same_model(fitted, NearestDisjointCentroid(**QUICK).fit(X[train], y[train], weights[train]))
        assert score == fitted.score(X[test], y[test], weights[test])


def test_sample_weight_is_not_routed_unless_asked_for(data):
    X, y = data
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(ValueError, match=r"sample_weight.*not explicitly set as requested"),
    ):
        cross_validate(NearestDisjointCentroid(**QUICK), X, y, params={"sample_weight": np.ones(y.size)}, cv=3)


def test_groups_are_routed_through_a_pipeline_to_the_inner_folds(data):
    X, y = data
    groups = np.random.default_rng(1).permutation(np.arange(y.size) % 6)
    inner = NearestDisjointCentroidCV(lams=[0.7, 1.0, 2.0], cv=GroupKFold(3), **QUICK)
    with sklearn.config_context(enable_metadata_routing=True):
        model = make_pipeline(StandardScaler(), clone(inner).set_fit_request(groups=True)).fit(X, y, groups=groups)
    expected = clone(inner).fit(StandardScaler().fit_transform(X), y, groups=groups)
    np.testing.assert_array_equal(model[-1].cv_errors_, expected.cv_errors_)


def test_sample_weight_through_a_pipeline_by_its_step(data):
    X, y = data
    weights = np.random.default_rng(0).uniform(size=y.size)
    model = make_pipeline(StandardScaler(), NearestDisjointCentroid(**QUICK))
    model.fit(X, y, nearestdisjointcentroid__sample_weight=weights)
    scaled = StandardScaler().fit_transform(X)
    assert_same_model(model[-1], NearestDisjointCentroid(**QUICK).fit(scaled, y, weights))


# ---------------------------------------------------------------------------------------------------- with others


def test_calibrated(data):
    X, y = data
    model = CalibratedClassifierCV(NearestDisjointCentroid(**QUICK), cv=3).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.score(X, y) > 0.6


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_voting(voting, data):
    X, y = data
    members = [("ndc", NearestDisjointCentroid(**QUICK)), ("lr", LogisticRegression(max_iter=500))]
    model = VotingClassifier(members, voting=voting).fit(X, y)
    assert model.score(X, y) > 0.6


def test_as_a_selector_in_front_of_another_classifier(data):
    X, y = data
    frame = pandas_frame(X)
    selector = NearestDisjointCentroid(lam=0.7, **QUICK)
    model = make_pipeline(selector, LogisticRegression(max_iter=500)).fit(frame, y)
    n_used = int((model[0].owner_ != -1).sum())
    assert n_used < X.shape[1]
    assert model[-1].coef_.shape == (3, n_used)
    alone = LogisticRegression(max_iter=500).fit(X[:, model[0].owner_ != -1], y)
    np.testing.assert_allclose(model.predict_proba(frame), alone.predict_proba(X[:, model[0].owner_ != -1]))
    assert list(model[:-1].get_feature_names_out()) == list(frame.columns[model[0].get_support()])


def test_selected_columns_can_be_put_back_in_their_places(data):
    X, y = data
    model = NearestDisjointCentroid(lam=0.7, **QUICK).fit(X, y)
    back = model.inverse_transform(model.transform(X))
    np.testing.assert_array_equal(back, np.where(model.owner_ == -1, 0, X))


@pytest.mark.parametrize(("library", "frame", "kind"), [("pandas", pandas_frame, pd), ("polars", polars_frame, pl)])
def test_frames_through_a_pipeline(library, frame, kind, data):
    X, y = data
    table = frame(X)
    model = make_pipeline(StandardScaler(), NearestDisjointCentroid(lam=0.9, **QUICK))
    model.set_output(transform=library).fit(table, y)
    # scikit-learn 1.6 reads the names of a polars frame by a protocol that newer polars dropped: then nobody has names.
    assert hasattr(model[-1], "feature_names_in_") == hasattr(model[0], "feature_names_in_")
    assert list(getattr(model[-1], "feature_names_in_", table.columns)) == list(table.columns)
    selected = model.transform(table)
    assert isinstance(selected, kind.DataFrame)
    assert list(selected.columns) == list(model[-1].get_feature_names_out())
    assert len(selected.columns) < X.shape[1]
    np.testing.assert_allclose(
        selected.to_numpy(), StandardScaler().fit_transform(X)[:, model[-1].get_support()], atol=1e-12
    )


def test_a_frames_index_survives_selection(data):
    X, y = data
    frame = pandas_frame(X).set_axis([f"patient {i}" for i in range(len(X))])
    model = NearestDisjointCentroid(lam=0.9, **QUICK).set_output(transform="pandas").fit(frame, y)
    assert list(model.transform(frame).index) == list(frame.index)


def test_what_it_is():
    for model in ESTIMATORS.values():
        assert sklearn.base.is_classifier(model)
        assert model.__sklearn_tags__().classifier_tags.multi_class
        assert model.__sklearn_tags__().input_tags.sparse


def test_one_feature_set_for_everyone_is_nearest_centroid(data):
    """Give each class a constant as its own and share the rest: what is left is scikit-learn's NearestCentroid."""
    X, y = data
    X = np.column_stack([X, np.tile([-50.0, 0.0, 50.0], (y.size, 1))])
    model = NearestDisjointCentroid(shared_features=np.arange(24), init=[[0] * 24 + [0, 1, 2]]).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), NearestCentroid().fit(X[:, :24], y).predict(X[:, :24]))
