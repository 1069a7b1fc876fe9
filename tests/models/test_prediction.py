from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from awkward_tables import in_turn
from disjoint_centroids import (
    DisjointKNeighborsClassifier,
    DisjointLogisticRegression,
    DisjointPanelClassifier,
    NearestDisjointCentroid,
    NearestDisjointCentroidCV,
    OverlappingCentroidClassifier,
)
from disjoint_centroids.models.model_file import load_model, save_model
from disjoint_centroids.models.prediction import (
    UnlikeTrainingWarning,
    model_columns,
    needed_features,
    predict_table,
    unlike_training,
)
from disjoint_centroids.panels import TableSums
from disjoint_centroids.pipeline import IMPUTERS, model_pipeline
from disjoint_centroids.transforms import TRANSFORMS
from labelled import QUICK, names_of, table

N_FEATURES = 24


# Tables that are drawn anew have other class means, and are unlike the training samples indeed.
pytestmark = pytest.mark.filterwarnings("ignore::disjoint_centroids.models.prediction.UnlikeTrainingWarning")


def frame(seed=0):
    """Positive values, so that every transform takes them; samples with names."""
    X, y = table(n_features=N_FEATURES, seed=seed)
    X = np.exp2(X)
    return pd.DataFrame(X, columns=names_of(X), index=[f"s{i}" for i in range(len(X))]), np.array(["AML", "B", "T"])[y]


def fitted(classifier=None, **options):
    X, y = frame()
    return model_pipeline(classifier or NearestDisjointCentroid(**QUICK), **options).fit(X, y)


def transformed(pipeline, X):
    return pipeline[:-1].transform(X) if len(pipeline) > 1 else X


def oracle(classifier, values, lacking):
    """Plain loops: squared distances over the features that are there, and their share, a class each."""
    squared, present = [], []
    for row, gone in zip(np.asarray(values), lacking, strict=True):
        squared.append([])
        present.append([])
        for j in range(len(classifier.classes_)):
            features = [f for f in range(len(row)) if classifier.owner_[f] in (j, -2)]
            there = [f for f in features if not gone[f]]
            total = sum((row[f] - classifier.centroids_[j, f]) ** 2 for f in there)
            mean = total / len(there) if there else np.nan
            squared[-1].append(mean * (1 if classifier.norm == "dn" else len(features)))
            present[-1].append(len(there) / len(features))
    return np.array(squared), np.array(present)


def assert_answer(found, classifier, values, lacking):
    squared, present = oracle(classifier, values, lacking)
    names = [str(c) for c in classifier.classes_]
    np.testing.assert_allclose(found[[f"distance_{c}" for c in names]] ** 2, squared, rtol=1e-9)
    np.testing.assert_allclose(found[[f"present_{c}" for c in names]], present)
    for at in range(len(found)):
        label, chances = found["label"].iloc[at], found[[f"probability_{c}" for c in names]].iloc[at].to_numpy()
        if (present[at] < 0.5).any():
            assert label == ""
            assert np.isnan(chances).all()
        else:
            assert label == classifier.classes_[np.argmin(squared[at])]
            weights = np.exp(-classifier.temperature_ * (squared[at] - squared[at].min()))
            np.testing.assert_allclose(chances, weights / weights.sum(), atol=1e-9)


@pytest.mark.parametrize("missing", ["error", "tolerate"])
@pytest.mark.parametrize(("transform", "impute"), in_turn(TRANSFORMS, [None, *IMPUTERS]))
def test_with_nothing_missing_it_is_the_pipelines_answer_exactly(transform, impute, missing):
    model, (X, _) = fitted(transform=transform, impute=impute), frame(seed=1)
    found = predict_table(model, X, missing=missing)
    np.testing.assert_array_equal(found["label"], model.predict(X))
    np.testing.assert_array_equal(found.filter(like="probability_"), model.predict_proba(X))
    np.testing.assert_array_equal(found.filter(like="distance_"), model[-1].distances(transformed(model, X)))
    assert found.index.equals(X.index)
    classes = ["AML", "B", "T"]
    parts = ["probability", "distance", "present"][: 3 if missing == "tolerate" else 2]
    assert list(found.columns) == ["label", *(f"{part}_{c}" for part in parts for c in classes)]
    assert (found.filter(like="present_") == 1.0).all(axis=None)


def test_columns_are_found_by_name_in_any_order_among_others():
    model, (X, _) = fitted(transform="log2"), frame(seed=1)
    shuffled = X[X.columns[::-1]].assign(**{"site": "Leipzig", "more": 1.0})
    shuffled = pd.concat([shuffled, shuffled[["site"]]], axis=1)  # twice, but not the model's
    pd.testing.assert_frame_equal(predict_table(model, shuffled), predict_table(model, X), rtol=1e-12)


def test_a_saved_model_answers_as_the_pipeline_and_as_the_bare_classifier(tmp_path):
    model, (X, _) = fitted(), frame(seed=1)
    saved = load_model(save_model(model, tmp_path / "m.ndc"))
    pd.testing.assert_frame_equal(predict_table(saved, X), predict_table(model, X))
    pd.testing.assert_frame_equal(predict_table(model[-1], X), predict_table(model, X))


def test_a_model_fitted_on_an_array_takes_columns_x0_x1():
    X, y = frame()
    model = NearestDisjointCentroid(**QUICK).fit(X.to_numpy(), y)
    named = X.set_axis([f"x{f}" for f in range(N_FEATURES)], axis=1)
    np.testing.assert_array_equal(predict_table(model, named)["label"], model.predict(X.to_numpy()))


def test_absent_columns_are_listed_ten_at_most_with_the_way_out():
    X, _ = frame()
    with pytest.raises(ValueError, match=r"lacks 2 of the model's features: gene 24, gene 23\. .*missing='tolerate'"):
        predict_table(fitted(), X.iloc[:, 2:])
    with pytest.raises(ValueError, match=r"lacks 12 .*gene 15 and 2 more\. "):
        predict_table(fitted(), X.iloc[:, 12:])


SELECTING = {
    "NDC-S": NearestDisjointCentroidCV(n_lams=4, cv=3, rule="1se", **QUICK),
    "panel": DisjointPanelClassifier(rounds=2, terms="linear", random_state=0),
    "both terms": DisjointPanelClassifier(rounds=2, terms="both", random_state=0),
    "neighbours": DisjointKNeighborsClassifier(
        n_neighbors=5, estimator=NearestDisjointCentroid(lam=1.0, **QUICK), random_state=0
    ),
    "overlapping": OverlappingCentroidClassifier(max_features_per_class=3, n_init=5, random_state=0),
}


BEFORE = [("none", None), ("log2", None), ("log1p", "median"), ("standardize", "knn"), ("log2-standardize", "median")]


@pytest.mark.parametrize(("kind", "before"), [*in_turn(SELECTING, BEFORE), *in_turn(SELECTING, BEFORE[2:])])
def test_a_table_with_only_the_features_in_use_is_enough(kind, before):
    transform, impute = before
    model, (X, _) = fitted(clone(SELECTING[kind]), transform=transform, impute=impute), frame(seed=1)
    needed = needed_features(model)
    assert needed == list(X.columns[model[-1].get_support()])
    assert 0 < len(needed) < N_FEATURES
    expected = predict_table(model, X).drop(columns="typicality", errors="ignore")  # it needs more features
    pd.testing.assert_frame_equal(predict_table(model, X[needed])[expected.columns], expected)
    pd.testing.assert_frame_equal(predict_table(model, X[needed[::-1]].astype(object))[expected.columns], expected)
    np.testing.assert_array_equal(model.predict(model_columns(model, X[needed])), model.predict(X))
    tolerated = predict_table(model, X[needed], missing="tolerate")
    assert (tolerated.filter(like="present_") == 1.0).all(axis=None)
    pd.testing.assert_frame_equal(tolerated[expected.columns], expected)
    with pytest.raises(ValueError, match=rf"lacks 1 of the model's features: {needed[0]}\. Add"):
        predict_table(model, X[needed[1:]])
    with pytest.raises(ValueError, match=rf"lacks 1 of the model's features: {needed[0]}\. Add them\.$"):
        model_columns(model, X[needed[1:]])


@pytest.mark.parametrize("cell", [np.nan, np.inf, "ND"], ids=str)
@pytest.mark.parametrize("impute", [None, *IMPUTERS])
def test_what_columns_hold_that_the_model_does_not_use_is_not_looked_at(impute, cell):
    model, (X, _) = fitted(clone(SELECTING["panel"]), transform="log2", impute=impute), frame(seed=1)
    idle = X.columns[~model[-1].get_support()][0]
    dirty = X.astype({idle: object})
    dirty.loc["s3", idle] = cell
    found, expected = (predict_table(model, samples).drop(columns="typicality") for samples in (dirty, X))
    pd.testing.assert_frame_equal(found, expected)


def test_empty_cells_that_neighbours_fill_in_need_all_columns():
    model, (X, _) = fitted(clone(SELECTING["panel"]), impute="knn"), frame(seed=1)
    needed = needed_features(model)
    gaps = X.copy()
    gaps.loc["s3", needed[0]] = np.nan
    np.testing.assert_array_equal(predict_table(model, gaps)["label"], model.predict(gaps))
    with pytest.raises(ValueError, match=r"empty.*most alike in all features, of which the table lacks 18: .*Fill the"):
        predict_table(model, gaps[needed])
    filled = fitted(clone(SELECTING["panel"]), impute="median")
    assert predict_table(filled, gaps[needed_features(filled)])["label"].tolist() == filled.predict(gaps).tolist()


def test_a_step_that_may_mix_features_needs_all_of_them():
    X, y = frame()
    shares = FunctionTransformer(lambda X: X.div(X.sum(axis=1), axis=0), feature_names_out="one-to-one")
    model = make_pipeline(shares, clone(SELECTING["panel"])).fit(X, y)
    assert needed_features(model) == list(X.columns)
    with pytest.raises(ValueError, match=r"lacks 1 of the model's features: gene 24\. Add"):
        predict_table(model, X.iloc[:, 1:])
    roots = make_pipeline(FunctionTransformer(np.sqrt, feature_names_out="one-to-one"), clone(SELECTING["panel"]))
    assert len(needed_features(roots.fit(X, y))) == 6


def test_a_models_own_predict_keeps_to_the_rule_of_scikit_learn():
    model, (X, _) = fitted(clone(SELECTING["panel"])), frame(seed=1)
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now missing"):
        model.predict(X[needed_features(model)])


def test_a_feature_with_two_columns_is_refused():
    X, _ = frame()
    with pytest.raises(ValueError, match=r"more than one column in the table: gene 20\. "):
        predict_table(fitted(), pd.concat([X, X[["gene 20"]]], axis=1), missing="tolerate")


def test_an_empty_cell_without_imputer_is_an_error_that_says_where():
    X, _ = frame()
    X.iloc[3, 1] = X.iloc[5, 0] = np.nan
    with pytest.raises(
        ValueError, match=r"2 cell.*no value: gene 23 of sample s3, gene 24 of sample s5\. .*impute='median'"
    ):
        predict_table(fitted(), X)


@pytest.mark.parametrize("missing", ["error", "tolerate"])
@pytest.mark.parametrize("impute", [None, "median"])
def test_infinity_is_never_taken(impute, missing):
    X, _ = frame()
    X.iloc[3, 1] = -np.inf
    with pytest.raises(ValueError, match="infinity: gene 23 of sample s3"):
        predict_table(fitted(impute=impute), X, missing=missing)


def test_text_in_a_column_of_the_model_is_named():
    X, _ = frame()
    X = X.astype({"gene 20": object})
    X.loc["s2", "gene 20"] = "high"
    with pytest.raises(ValueError, match=r"not numbers in the table: gene 20 \(such as 'high', in 1 of \d+ cells\)\. "):
        predict_table(fitted(), X)


def test_numbers_in_unusual_columns_are_numbers():
    X, _ = frame()
    expected = predict_table(fitted(transform="log2"), X)
    for odd in (X.astype(object), X.astype("Float64")):
        pd.testing.assert_frame_equal(predict_table(fitted(transform="log2"), odd), expected, rtol=1e-12)


def test_other_misuse_is_refused():
    X, y = frame()
    with pytest.raises(ValueError, match="no samples"):
        predict_table(fitted(), X.iloc[:0])
    with pytest.raises(ValueError, match="'error' or 'tolerate'; got 'ignore'"):
        predict_table(fitted(), X, missing="ignore")
    with pytest.raises(TypeError, match="got SimpleImputer"):
        predict_table(SimpleImputer(), X)
    mixing = make_pipeline(PCA(5).set_output(transform="pandas"), NearestDisjointCentroid(**QUICK)).fit(X, y)
    assert len(predict_table(mixing, X, missing="tolerate")) == len(X)
    with pytest.raises(ValueError, match="PCA may mix"):
        predict_table(mixing, X.iloc[:, 1:], missing="tolerate")


@pytest.mark.parametrize(
    ("transform", "options"),
    in_turn(TRANSFORMS, [{}, {"norm": "euclidean"}, {"shared_features": ["gene 3", "gene 17"]}]),
)
@settings(max_examples=8)
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0.0, 0.7))
def test_distances_are_taken_over_what_is_there(transform, options, seed, share):
    model, (X, _) = _cached(transform, options), frame(seed=1)
    rng = np.random.default_rng(seed)
    absent = rng.uniform(size=X.shape[1]) < share / 2
    lacking = (rng.uniform(size=X.shape) < rng.uniform(0, share, size=(len(X), 1))) | absent
    found = predict_table(model, X.mask(lacking).loc[:, ~absent], missing="tolerate")
    assert_answer(found, model[-1], transformed(model, X), lacking)


_MODELS = {}


def _cached(transform, options):
    """Hypothesis asks for the same model many times."""
    key = transform, str(options)
    if key not in _MODELS:
        _MODELS[key] = fitted(NearestDisjointCentroid(**QUICK, **options), transform=transform)
    return _MODELS[key]


@pytest.mark.parametrize("transform", ["none", "log2-standardize"])
@pytest.mark.parametrize("impute", IMPUTERS)
def test_with_an_imputer_cells_are_filled_in_and_absent_columns_are_absent(impute, transform):
    model, (X, _) = fitted(transform=transform, impute=impute), frame(seed=1)
    absent = np.isin(X.columns, ["gene 24", "gene 13", "gene 2"])
    rng = np.random.default_rng(3)
    X = X.mask(rng.uniform(size=X.shape) < 0.1)
    found = predict_table(model, X.loc[:, ~absent], missing="tolerate")
    # What the columns that are there hold once empty cells are filled in, nothing known of the others.
    complete = transformed(model, X.mask(np.broadcast_to(absent, X.shape)))
    assert_answer(found, model[-1], complete, np.broadcast_to(absent, X.shape))
    cells = predict_table(model, X, missing="tolerate")
    np.testing.assert_array_equal(cells.filter(like="probability_"), model.predict_proba(X))
    assert (cells.filter(like="present_") == 1.0).all(axis=None)


def test_a_column_that_the_imputer_dropped_is_neither_owned_nor_counted():
    X, y = frame()
    X["gene 23"] = np.nan
    with pytest.warns(UserWarning, match="without any observed values"):
        model = model_pipeline(NearestDisjointCentroid(**QUICK), impute="median").fit(X, y)
    with pytest.warns(UserWarning, match="without any observed values"):
        found = predict_table(model, X.drop(columns=["gene 23", "gene 5"]), missing="tolerate")
    left = X.drop(columns="gene 23")
    lacking = np.broadcast_to(left.columns == "gene 5", left.shape)
    assert_answer(found, model[-1], left, lacking)


def test_half_of_a_classs_features_is_enough_and_less_is_not():
    model, (X, _) = fitted(), frame(seed=1)
    own = X.columns[model[-1].feature_sets_[0]]
    assert len(own) >= 4
    half = len(own) // 2
    enough = predict_table(model, X.drop(columns=own[:half]), missing="tolerate")
    assert (enough["label"] != "").all()
    less = predict_table(model, X.drop(columns=own[: len(own) - (len(own) + 1) // 2 + 1]), missing="tolerate")
    assert (less["label"] == "").all()
    assert less.filter(like="probability_").isna().all(axis=None)


def test_priors_move_the_label_of_incomplete_samples_too():
    priors = [0.98, 0.01, 0.01]
    model, (X, _) = fitted(NearestDisjointCentroid(priors=priors, **QUICK)), frame(seed=1)
    gone = X.columns[[0]]
    found = predict_table(model, X.drop(columns=gone), missing="tolerate")
    squared, _ = oracle(model[-1], X, np.broadcast_to(X.columns.isin(gone), X.shape))
    expected = np.argmax(np.log(priors) - model[-1].temperature_ * squared, axis=1)
    np.testing.assert_array_equal(found["label"], model.classes_[expected])


PANELS = {
    "as it comes": {},
    "own panels": {"reads": "own", "rounds": 5},
    "both terms": {"terms": "both", "rounds": 3},
    "both terms, own panels": {"terms": "both", "reads": "own", "rounds": 3},
    "squared, with priors": {"terms": "squared", "rounds": 4, "priors": [0.6, 0.3, 0.1]},
}


@cache
def panel(name="as it comes", **options):
    return fitted(DisjointPanelClassifier(random_state=0, **PANELS[name]), **options)


def average_contributions(classifier, X, y):
    """What a feature adds to the score of a class on average over the classes, from the training samples themselves."""
    parts = classifier.explain(X).assign(truth=lambda table: pd.Series(y, index=X.index)[table["sample"]].to_numpy())
    means = parts.groupby(["class", "feature", "truth"])["contribution"].mean()
    return means.groupby(["class", "feature"]).mean()


def panel_oracle(classifier, averages, values, lacking):
    """Plain loops: scores with averages in the place of what is not there, and shares of what each class owns."""
    scores, present = [], []
    for row, gone in zip(np.asarray(values), lacking, strict=True):
        scores.append([])
        present.append([])
        for j, label in enumerate(classifier.classes_):
            total = classifier.intercept_[j]
            for f in np.flatnonzero(classifier.owner_ >= 0):
                name = (label, classifier.feature_names_in_[f])
                z = (row[f] - classifier.center_[f]) / classifier.scale_[f]
                c = (classifier.centroids_[j, f] - classifier.center_[f]) / classifier.scale_[f]
                added = classifier.coef_[j, f] * z + classifier.curvature_[j, f] * (z - c) ** 2
                total += averages.get(name, 0.0) if gone[f] else added
            if classifier.class_prior_ is not None:
                total += np.log(classifier.class_prior_[j]) / classifier.temperature_
            scores[-1].append(total)
            present[-1].append(1 - gone[classifier.feature_sets_[j]].mean())
    return np.array(scores), np.array(present)


@pytest.mark.parametrize("kind", PANELS)
@pytest.mark.parametrize("transform", ["none", "log2-standardize"])
def test_panels_with_nothing_missing_are_the_pipelines_answer_exactly(kind, transform):
    model, (X, _) = panel(kind, transform=transform), frame(seed=1)
    found = predict_table(model, X[X.columns[::-1]])
    np.testing.assert_array_equal(found["label"], model.predict(X))
    np.testing.assert_array_equal(found.filter(like="probability_"), model.predict_proba(X))
    np.testing.assert_array_equal(found.filter(like="score_"), model.decision_function(X))
    classes = ["AML", "B", "T"]
    each = [f"{part}_{c}" for part in ("probability", "score") for c in classes]
    assert list(found.columns) == ["label", "typicality", *each]


@pytest.mark.parametrize("kind", PANELS)
def test_a_feature_that_a_panel_lacks_adds_its_average(kind):
    (X, y), (new, _) = frame(), frame(seed=1)
    model = panel(kind)
    averages = average_contributions(model[-1], X, y)
    rng = np.random.default_rng(2)
    lacking = rng.uniform(size=new.shape) < rng.uniform(0, 0.7, size=(len(new), 1))
    found = predict_table(model, new.mask(lacking), missing="tolerate")
    scores, present = panel_oracle(model[-1], averages, new, lacking)
    np.testing.assert_allclose(found.filter(like="score_"), scores, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(found.filter(like="present_"), present)
    enough = (present >= 0.5).all(axis=1)
    assert 0 < enough.sum() < len(enough)
    assert (found["label"][~enough] == "").all()
    assert found.filter(like="probability_")[~enough].isna().all(axis=None)
    np.testing.assert_array_equal(found["label"][enough], model.classes_[scores[enough].argmax(axis=1)])
    weights = np.exp(model[-1].temperature_ * (scores - scores.max(axis=1, keepdims=True)))[enough]
    np.testing.assert_allclose(
        found.filter(like="probability_")[enough], weights / weights.sum(axis=1, keepdims=True), atol=1e-9
    )


@pytest.mark.parametrize("confidence", [0.5, 0.7, 0.9])
@pytest.mark.parametrize("impute", [None, "median"])
def test_sets_are_tuples_of_classes(confidence, impute):
    model, (X, _) = panel(transform="log2", impute=impute), frame(seed=1)
    found = predict_table(model, X, confidence=confidence)
    assert list(found.columns[:2]) == ["label", "set"]
    expected = model[-1].predict_set(model[:-1].transform(X), confidence)
    for classes, held in zip(found["set"], expected, strict=True):
        assert classes == tuple(c for c, inside in zip(model.classes_, held, strict=True) if inside)
    pd.testing.assert_frame_equal(found.drop(columns="set"), predict_table(model, X))


def test_sets_need_what_the_folds_used_and_no_more():
    model, (X, _) = fitted(DisjointPanelClassifier(rounds=2, random_state=0)), frame(seed=1)
    used = np.unique(np.concatenate([fold.model.features for fold in model[-1].fold_models_]))
    only_folds = X.columns[np.setdiff1d(used, np.flatnonzero(model[-1].get_support()))]
    assert len(only_folds) > 0
    for missing in ("error", "tolerate"):
        with pytest.raises(ValueError, match=rf"some samples lack 1 of them: {only_folds[0]}\. .*leave confidence="):
            predict_table(model, X.drop(columns=only_folds[0]), missing=missing, confidence=0.9)
        assert len(predict_table(model, X.drop(columns=only_folds[0]), missing=missing)) == len(X)
    needed = needed_features(model, sets=True)
    assert set(needed) == {*X.columns[used], *needed_features(model)}
    assert len(needed) < N_FEATURES
    found = predict_table(model, X[needed], confidence=0.9)
    assert found["set"].tolist() == predict_table(model, X, confidence=0.9)["set"].tolist()


def test_sets_that_cannot_be_given_say_why():
    X, _ = frame()
    with pytest.raises(
        ValueError, match=r"NearestDisjointCentroid gives no sets of classes.*fit a DisjointPanelClassifier"
    ):
        predict_table(fitted(), X, confidence=0.9)
    model = panel()
    for confidence in (0.0, 1.0, 90):
        with pytest.raises(ValueError, match="confidence must lie between 0 and 1"):
            predict_table(model, X, confidence=confidence)


OTHERS = {
    "logistic": DisjointLogisticRegression(estimator=NearestDisjointCentroid(**QUICK), random_state=0),
    "neighbours": DisjointKNeighborsClassifier(
        n_neighbors=5, estimator=NearestDisjointCentroid(lam=1.0, **QUICK), random_state=0
    ),
    "overlapping": OverlappingCentroidClassifier(max_features_per_class=5, n_init=5, random_state=0),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_other_classifiers_answer_as_they_do_alone(kind):
    model, (X, _) = fitted(OTHERS[kind], transform="log2"), frame(seed=1)
    found = predict_table(model, X)
    np.testing.assert_array_equal(found["label"], model.predict(X))
    np.testing.assert_array_equal(found.filter(like="probability_"), model.predict_proba(X))
    np.testing.assert_array_equal(found.filter(like="distance_"), model[-1].distances(transformed(model, X)))


def test_what_other_classifiers_do_about_missing_features():
    new, _ = frame(seed=1)
    overlapping = fitted(OTHERS["overlapping"])
    gone = new.columns[overlapping[-1].feature_sets_[0][:1]]
    found = predict_table(overlapping, new.drop(columns=gone), missing="tolerate")
    assert (found["present_AML"] == 0.8).all()
    for j, own in enumerate(overlapping[-1].feature_sets_):
        left = [f for f in own if new.columns[f] not in gone]
        gaps = new.to_numpy()[:, left] - overlapping[-1].centroids_[j, left]
        np.testing.assert_allclose(found.iloc[:, 4 + j] ** 2, (gaps**2).mean(axis=1))
    logistic = fitted(OTHERS["logistic"])
    assert (predict_table(logistic, new.iloc[:, 1:], missing="tolerate")["label"] != "").all()
    voting = fitted(OTHERS["neighbours"])
    used = voting[-1].get_support()
    assert 0 < used.sum() < len(used)
    with pytest.raises(ValueError, match=r"compares samples with training samples.*Add them"):
        predict_table(voting, new.drop(columns=new.columns[used][:1]), missing="tolerate")
    found = predict_table(voting, new.drop(columns=new.columns[~used]), missing="tolerate")
    np.testing.assert_array_equal(found["label"], voting.predict(new))


def test_a_sample_of_which_nothing_is_known_has_no_label():
    X, _ = frame(seed=1)
    X.iloc[0] = np.nan
    for model in (fitted(), panel(), fitted(OTHERS["overlapping"]), fitted(OTHERS["logistic"])):
        found = predict_table(model, X, missing="tolerate")
        assert found["label"].iloc[0] == ""
        assert (found["label"].iloc[1:] == model.predict(X.iloc[1:])).all()
        assert (found.filter(like="present_").iloc[0] == 0.0).all()


# Samples unlike all training samples


def samples_like_each_other(n_samples, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 2
    X = 8 + rng.normal(size=(n_samples, 30)) + y[:, None] * (np.arange(30) < 5)
    return pd.DataFrame(X, columns=[f"g{f}" for f in range(30)]), np.array(["a", "b"])[y]


def test_typicality_is_a_column_and_needs_the_features_of_the_folds():
    X, y = samples_like_each_other(60, 0)
    model = DisjointPanelClassifier(rounds=2, terms="linear", random_state=0).fit(X, y)
    new = samples_like_each_other(40, 1)[0]
    answer = predict_table(model, new)
    np.testing.assert_array_equal(answer["typicality"], model.typicality(new))
    assert np.isnan(predict_table(model, new[needed_features(model)])["typicality"]).all()
    enough = needed_features(model, sets=True)
    np.testing.assert_array_equal(predict_table(model, new[enough])["typicality"], answer["typicality"])
    some = new.copy()
    (further, *_) = sorted(set(enough) - set(needed_features(model)))
    some.loc[[3, 5], further] = np.nan
    expected = answer["typicality"].copy()
    expected[[3, 5]] = np.nan
    np.testing.assert_array_equal(predict_table(model, some)["typicality"], expected)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("change", [lambda X: 2.0**X, lambda X: 50 * X, lambda X: X + 5])
def test_many_samples_unlike_the_training_samples_are_warned_of(change):
    X, y = samples_like_each_other(60, 0)
    model = DisjointPanelClassifier(rounds=2, terms="linear", random_state=0).fit(X, y)
    for seed in range(1, 6):
        predict_table(model, samples_like_each_other(40, seed)[0])  # no warning
    new = change(samples_like_each_other(40, 1)[0])
    with pytest.warns(
        UnlikeTrainingWarning, match=r"40 of 40 samples are unlike all training .* about 2 would be\): chec"
    ):
        predict_table(model, new)


def test_three_samples_cannot_be_many_by_chance_of_few_training_samples():
    """With 60 training samples the smallest share is 1/61: one sample alone says little, five say it."""
    X, y = samples_like_each_other(60, 0)
    model = DisjointPanelClassifier(rounds=2, terms="linear", random_state=0).fit(X, y)
    far = np.full(5, 1 / 61)
    assert unlike_training(model, far[:1]) is None
    assert unlike_training(model, far) is not None
    assert unlike_training(model, np.array([np.nan, 0.3])) is None


def test_models_from_sums_have_no_sets_of_classes():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = model_pipeline(DisjointPanelClassifier(rounds=1))
    model[-1].fit_sums(TableSums.of(X, y))
    with pytest.raises(ValueError, match=r"no sets of classes.*fitted to sums.*Leave confidence= out"):
        predict_table(model, X, confidence=0.9)
    assert len(predict_table(model, X)) == 150
