from inspect import signature

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disjoint_centroids import DisjointPanelClassifier, NearestDisjointCentroidCV
from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.evaluation import (
    DEFAULT_METHODS,
    METHODS,
    PAPER_METHODS,
    TrainingPart,
    compare,
    compare_with_predictions,
    comparison,
    evaluate,
    fit_and_predict,
)
from disjoint_centroids.evaluation.held_out_predictions import CONFIDENCE
from disjoint_centroids.pipeline import model_pipeline

pytestmark = pytest.mark.filterwarnings("error")

QUICK = {"n_init": 5, "inner_folds": 3}
COLUMNS = ["method", "repeat", "fold", "error", "balanced_error", "features", "seconds", "samples"]


@pytest.fixture(scope="module")
def blocks():
    """Training and test samples on which every method must beat chance."""
    return [make_blocks(k=3, n=40, d=4, mu=(1.5, 0.0), sigma=(1.0, 1.5), irrelevant=6, random_state=s) for s in (0, 1)]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_and_counts_its_features(method, blocks):
    outcome = evaluate(method, *blocks, **QUICK)
    assert outcome.error < 0.45  # chance is 0.67
    assert outcome.balanced_error == pytest.approx(outcome.error)  # the classes are of one size
    selects = method in {"Panel", "Panel own", "NDC-S", "NDC-S auto", "NSC", "Logistic"}
    assert 3 <= outcome.features <= 18 if selects else outcome.features == 18
    assert outcome.seconds > 0


@pytest.mark.parametrize("method", DEFAULT_METHODS)
def test_labels_may_be_words_and_classes_two_and_unbalanced(method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 10))
    y = np.repeat(["case", "control"], [28, 52])
    X[y == "case", :4] += 2.5
    assert evaluate(method, (X[::2], y[::2]), (X[1::2], y[1::2]), **QUICK).error < 0.3


def test_the_paper_compares_eight():
    assert PAPER_METHODS == ("NDC", "NDC-S", "NC", "NSC", "KNN", "LDA", "SVM", "Logistic")


def test_ours_comes_first_and_the_papers_eight_follow():
    assert list(DEFAULT_METHODS) == ["Panel", *PAPER_METHODS]
    assert signature(compare).parameters["methods"].default == DEFAULT_METHODS
    assert set(DEFAULT_METHODS) < set(METHODS)


def test_panel_is_the_classifier_as_it_comes_in_the_folds_to_tune_with(blocks):
    (X, y), (new, truth) = blocks
    model = DisjointPanelClassifier(cv=3, random_state=4).fit(X, y)
    outcome = evaluate("Panel", *blocks, inner_folds=3, seed=4)
    assert (1 - outcome.error, outcome.features) == (model.score(new, truth), model.get_support().sum())


def test_compare_is_nested_cross_validation_on_the_same_splits(tmp_path):
    X, y = load_iris(return_X_y=True)
    table = compare(X, y, methods=["NC", "KNN"], cv=4, repeats=2, random_state=7)
    assert list(table.columns) == COLUMNS
    assert table.groupby("method").size().to_dict() == {"NC": 8, "KNN": 8}
    seed = np.random.RandomState(7).randint(2**31 - 1)
    by_hand = []
    for repeat in range(2):
        for train, test in StratifiedKFold(4, shuffle=True, random_state=seed + repeat).split(X, y):
            by_hand.append(1 - NearestCentroid().fit(X[train], y[train]).score(X[test], y[test]))
    np.testing.assert_allclose(table.loc[table["method"] == "NC", "error"], by_hand)


def test_transforms_are_part_of_the_pipeline():
    X, y = load_iris(return_X_y=True)
    scale = np.array([1.0, 1.0, 1e4, 1.0])
    plain, scaled = (
        compare(values, y, methods=["NC"], repeats=1, transform="standardize")["error"] for values in (X, X * scale)
    )
    np.testing.assert_allclose(plain, scaled)


def test_what_is_in_the_results_file_is_not_done_again(tmp_path, monkeypatch):
    X, y = load_iris(return_X_y=True)
    file = tmp_path / "results.csv"
    some = compare(X, y, methods=["NC"], repeats=1, results=file)
    asked = []

    def watched(method, *args, **kwargs):
        asked.append(method)
        return fit_and_predict(method, *args, **kwargs)

    monkeypatch.setattr(comparison, "fit_and_predict", watched)
    all_of_them = compare(X, y, methods=["NC", "LDA"], repeats=1, results=file)
    assert asked == ["LDA"] * 3
    np.testing.assert_allclose(all_of_them.loc[all_of_them["method"] == "NC", "error"], some["error"])


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"X": load_iris().data + 1.0}, "data"),
        ({"y": np.roll(load_iris().target, 1)}, "data"),
        ({"random_state": 1}, "seed"),
        ({"cv": 4}, "folds"),
        ({"inner_folds": 4}, "inner_folds"),
        ({"transform": "standardize"}, "transform"),
        ({"impute": "median"}, "impute"),
        ({"n_init": 7, "cv": 5}, "folds, restarts"),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_results_file_of_something_else_is_refused_and_kept(tmp_path, change, named, ending):
    X, y = load_iris(return_X_y=True)
    file = tmp_path / f"results.{ending}"
    compare(X, y, methods=["NC"], repeats=1, results=file)
    before = file.read_bytes()
    with pytest.raises(ValueError, match=f"holds fits of something else: its {named} differ"):
        compare(**{"X": X, "y": y, "methods": ["NC"], "repeats": 1, "results": file} | change)
    assert file.read_bytes() == before


def test_more_repeats_and_other_processes_go_on_with_the_same_file(tmp_path):
    X, y = load_iris(return_X_y=True)
    file = tmp_path / "results.csv"
    compare(pd.DataFrame(X), y, methods=["NC"], repeats=1, results=file)
    both = compare(X, y, methods=["NC"], repeats=2, results=file, n_jobs=2)
    assert list(both.columns) == COLUMNS
    assert len(pd.read_csv(file)) == len(both) == 6


def test_a_run_that_fails_at_once_leaves_no_file(tmp_path, monkeypatch):
    def fails(*args, **kwargs):
        raise ValueError("no")

    monkeypatch.setattr(comparison, "fit_and_predict", fails)
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="no"):
        compare(X, y, methods=["NC"], repeats=1, results=tmp_path / "results.csv")
    assert list(tmp_path.iterdir()) == []
    assert compare(X, y, methods=[], repeats=1).empty


def test_an_interruption_keeps_what_is_done(tmp_path, monkeypatch):
    X, y = load_iris(return_X_y=True)
    file = tmp_path / "results.parquet"
    calls = []

    def interrupted(*args, **kwargs):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return fit_and_predict(*args, **kwargs)

    monkeypatch.setattr(comparison, "fit_and_predict", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compare(X, y, methods=["NC", "LDA"], repeats=1, results=file)
    monkeypatch.setattr(comparison, "fit_and_predict", fit_and_predict)
    assert len(compare(X, y, methods=["NC", "LDA"], repeats=1, results=file)) == 6


def test_progress_goes_to_standard_error(capsys):
    X, y = load_iris(return_X_y=True)
    compare(X, y, methods=["NC"], repeats=1, verbose=1)
    out, err = capsys.readouterr()
    assert not out
    assert "3/3" in err


def test_a_method_of_ones_own_is_built_from_the_training_part(blocks):
    """It is the named method again, and its features are those of the last step of its pipeline."""
    seen = []

    def build(part):
        seen.append(part)
        ours = NearestDisjointCentroidCV(n_init=part.n_init, cv=part.inner_folds, random_state=part.seed)
        return make_pipeline(StandardScaler(), ours)

    settings = {"inner_folds": 4, "seed": 3, "n_init": 7}
    own = evaluate(build, *blocks, **settings)
    named = evaluate("NDC-S", *blocks, **settings, transform="standardize")
    assert (own.error, own.features) == (named.error, named.features)
    assert own.features < 18
    np.testing.assert_array_equal(seen[0].y, blocks[0][1])


def test_an_unknown_method_lists_the_known():
    with pytest.raises(ValueError, match="NDC, NDC-S, NC"):
        compare([[0.0]], [0], methods=["forest"])


def test_missing_values_are_filled_in_from_the_training_samples_only():
    X, y = load_iris(return_X_y=True)
    gappy = X.copy()
    gappy[::3, 0] = np.nan
    train, test = np.arange(0, 150, 2), np.arange(1, 150, 2)
    filled = [
        np.where(np.isnan(gappy[part]), np.nanmedian(gappy[train], axis=0), gappy[part]) for part in (train, test)
    ]
    by_hand = 1 - NearestCentroid().fit(filled[0], y[train]).score(filled[1], y[test])
    outcome = evaluate("NC", (gappy[train], y[train]), (gappy[test], y[test]), impute="median")
    assert outcome.error == pytest.approx(by_hand)
    assert outcome.features == 4


@pytest.mark.parametrize("method", ["SVM", "NDC-S", "Panel"])
def test_predictions_are_those_of_the_model_that_did_not_see_the_sample(method, blocks):
    X, y = blocks[0]
    settings = {"cv": 4, "transform": "standardize", "random_state": 5, **QUICK}
    found = compare_with_predictions(X, y, methods=[method], repeats=2, **settings)
    assert len(found.predictions) == 2 * len(y)
    for _, rows in found.predictions.groupby("repeat"):
        assert sorted(rows["row"]) == list(range(len(y)))
    wrong = found.predictions["predicted"] != found.predictions["label"]
    errors = wrong.groupby([found.predictions["repeat"], found.predictions["fold"]]).mean()
    np.testing.assert_allclose(errors, found.results["error"])
    assert errors.mean() > 0
    # One fold by hand.
    held_out = found.predictions.query("repeat == 1 and fold == 2")
    test = held_out["row"].to_numpy()
    train = np.setdiff1d(np.arange(len(y)), test)
    seed = np.random.RandomState(5).randint(2**31 - 1) + 1000 * 1 + 2
    part = TrainingPart(y[train], QUICK["inner_folds"], seed, QUICK["n_init"])
    model = model_pipeline(METHODS[method](part), transform="standardize").fit(X[train], y[train])
    np.testing.assert_array_equal(held_out["predicted"], model.predict(X[test]))
    np.testing.assert_array_equal(held_out["label"], y[test])
    likely = held_out[[f"probability_{label}" for label in np.unique(y)]]
    in_set = held_out[[f"in_set_{label}" for label in np.unique(y)]]
    if method == "SVM":
        assert likely.isna().all(axis=None)
    else:
        np.testing.assert_allclose(likely, model.predict_proba(X[test]))
    if method == "Panel":
        np.testing.assert_array_equal(in_set, model[-1].predict_set(model[:-1].transform(X[test]), CONFIDENCE))
    else:
        assert in_set.isna().all(axis=None)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_predictions_come_back_from_their_file_as_they_were(tmp_path, ending):
    """Labels and names that look like numbers, or like nothing at all, stay what they are."""
    X, codes = load_iris(return_X_y=True)
    table = pd.DataFrame(X, index=[f"0{i}" if i else "NA" for i in range(150)])
    file = tmp_path / f"my.{ending}"
    for classes in (np.array(["01", "NA", "a;b"]), np.array([3, 1, 2]), np.array([True, False, True])):
        y = classes[codes]
        asked = {"methods": ["NC", "KNN", "Panel", "SVM"], "repeats": 1, "inner_folds": 3}
        new = compare_with_predictions(table, y, results=file, **asked)
        assert sorted(path.name for path in tmp_path.iterdir()) == [f"my-predictions.{ending}", f"my.{ending}"]
        again = compare_with_predictions(table, y, results=file, **asked)
        pd.testing.assert_frame_equal(new.predictions, again.predictions, check_exact=ending == "parquet")
        assert new.predictions["label"].dtype == y.dtype or y.dtype.kind == "U"
        assert set(new.predictions["sample"]) == set(table.index)
        for path in tmp_path.iterdir():
            path.unlink()


def test_fits_whose_predictions_are_lost_are_done_again(tmp_path, monkeypatch):
    X, y = load_iris(return_X_y=True)
    file, beside = tmp_path / "my.csv", tmp_path / "my-predictions.csv"
    whole = compare_with_predictions(X, y, methods=["NC", "KNN"], repeats=1, results=file)
    asked = []

    def watched(method, *args, **kwargs):
        asked.append(method)
        return fit_and_predict(method, *args, **kwargs)

    monkeypatch.setattr(comparison, "fit_and_predict", watched)
    rows = pd.read_csv(beside)
    rows[rows["method"] == "NC"].iloc[1:].to_csv(beside, index=False)
    again = compare_with_predictions(X, y, methods=["NC", "KNN"], repeats=1, results=file)
    assert sorted(asked) == ["KNN"] * 3 + ["NC"]
    pd.testing.assert_frame_equal(again.predictions, whole.predictions)
    pd.testing.assert_frame_equal(again.results.drop(columns="seconds"), whole.results.drop(columns="seconds"))
    beside.write_text("name,value\nmine,1\n")
    with pytest.raises(ValueError, match=r"my-predictions\.csv is no results file of this kind"):
        compare(X, y, methods=["NC"], repeats=1, results=file)
    assert beside.read_text() == "name,value\nmine,1\n"


def test_a_method_that_cannot_be_fitted_is_left_out_if_that_is_asked_for():
    X, y = make_blocks(k=2, n=3, d=2, random_state=0)  # Logistic needs three samples of each class in a training part
    found = compare_with_predictions(X, y, methods=["NC", "Logistic"], repeats=1, skip_failing=True)
    assert set(found.results["method"]) == set(found.predictions["method"]) == {"NC"}
    assert list(found.failures) == ["Logistic"]
    assert found.results["samples"].tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match=r".+") as raised:
        compare(X, y, methods=["NC", "Logistic"], repeats=1)
    assert str(raised.value) == found.failures["Logistic"]


def test_parameters_are_those_of_the_method_and_part_of_the_results_file(tmp_path):
    X, y = load_iris(return_X_y=True)
    file = tmp_path / "results.csv"
    few = {"Panel": {"rounds": 1, "terms": "linear", "excluded": [3]}}
    found = compare_with_predictions(X, y, methods=["Panel", "NC"], repeats=1, parameters=few, results=file).results
    assert set(found.loc[found["method"] == "Panel", "features"]) == {3}
    with pytest.raises(ValueError, match="parameters"):
        compare_with_predictions(X, y, methods=["Panel", "NC"], repeats=1, results=file)


def test_more_folds_than_samples_of_a_class_are_told_with_a_cure():
    labels = np.array(["a"] * 12 + ["b"] * 3)
    with pytest.warns(UserWarning, match=r"smallest class has 3 samples, fewer than the 10 folds.* Ask for 3 folds"):
        folds = comparison.outer_folds(labels, 10, 0)
    assert len(folds) == 10
    with pytest.raises(ValueError, match=r"20 folds need a class with 20 samples, and the largest has 12\. Ask for 12"):
        comparison.outer_folds(labels, 20, 0)
