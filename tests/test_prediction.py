import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV
from disjoint_centroids.model_file import load_model, save_model
from disjoint_centroids.pipeline import IMPUTERS, model_pipeline
from disjoint_centroids.prediction import predict_table
from disjoint_centroids.transforms import TRANSFORMS
from labelled import QUICK, names_of, table

N_FEATURES = 24


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
@pytest.mark.parametrize("impute", [None, *IMPUTERS])
@pytest.mark.parametrize("transform", TRANSFORMS)
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
    with pytest.raises(ValueError, match=r"lacks 2 of the model's features: gene 24, gene 23\. .*--missing tolerate"):
        predict_table(fitted(), X.iloc[:, 2:])
    with pytest.raises(ValueError, match=r"lacks 12 .*gene 15 and 2 more\. "):
        predict_table(fitted(), X.iloc[:, 12:])


def test_absent_columns_that_no_class_uses_are_said_not_to_matter():
    X, _ = frame()
    model = fitted(NearestDisjointCentroidCV(n_lams=4, cv=3, rule="1se", **QUICK))
    unused = X.columns[model[-1].owner_ == -1]
    assert len(unused) > 0
    with pytest.raises(ValueError, match="No class uses them"):
        predict_table(model, X.drop(columns=unused))
    found = predict_table(model, X.drop(columns=unused), missing="tolerate")
    np.testing.assert_array_equal(found["label"], model.predict(X))
    assert (found.filter(like="present_") == 1.0).all(axis=None)


def test_a_feature_with_two_columns_is_refused():
    X, _ = frame()
    with pytest.raises(ValueError, match=r"more than one column in the table: gene 20\. "):
        predict_table(fitted(), pd.concat([X, X[["gene 20"]]], axis=1), missing="tolerate")


def test_an_empty_cell_without_imputer_is_an_error_that_says_where():
    X, _ = frame()
    X.iloc[3, 1] = X.iloc[5, 0] = np.nan
    with pytest.raises(ValueError, match=r"2 cell.*no value: gene 23 of sample s3, gene 24 of sample s5\. .*--impute"):
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
    with pytest.raises(ValueError, match=r"not numbers in the table: gene 20\. "):
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


@pytest.mark.parametrize("options", [{}, {"norm": "euclidean"}, {"shared_features": ["gene 3", "gene 17"]}])
@pytest.mark.parametrize("transform", TRANSFORMS)
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
