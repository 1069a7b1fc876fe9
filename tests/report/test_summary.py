import json

import numpy as np
import pandas as pd
import pytest
from markupsafe import escape

from disjoint_centroids import (
    DisjointPanelClassifier,
    NearestDisjointCentroid,
    OverlappingCentroidClassifier,
)
from disjoint_centroids.evaluation import compare, compare_with_predictions, comparison, error_interval, fit_and_predict
from disjoint_centroids.pipeline import model_pipeline
from disjoint_centroids.report import owners, render, summarize
from disjoint_centroids.report.class_sets import HeldOutSets
from disjoint_centroids.report.explanation import MOST_SAMPLES, explanation_facts
from disjoint_centroids.report.formatting import percent
from disjoint_centroids.tables import LabelledTable
from reported import SETTINGS, block_table, small_table

QUICK = {"methods": ("NC",), "repeats": 1, "n_init": 2}


def fitted(table, **options):
    pipeline = model_pipeline(NearestDisjointCentroid(n_init=5, random_state=0), **options)
    return pipeline.fit(table.values, table.labels)


def test_it_is_json_without_gaps_in_the_standard(either_summary):
    assert json.loads(json.dumps(either_summary, allow_nan=False)) == json.loads(json.dumps(either_summary))


def test_errors_are_those_of_nested_cross_validation(table, summary, compared):
    expected = compared.results
    for row in summary["answer"]["methods"]:
        own = expected[expected["method"] == row["method"]]
        by_repeat = (own["error"] * own["samples"]).groupby(own["repeat"]).sum() / len(table.labels)
        assert row["error"] == pytest.approx(by_repeat.mean())
        assert (row["lowest"], row["highest"]) == pytest.approx((by_repeat.min(), by_repeat.max()))
        assert (row["low"], row["high"]) == pytest.approx(error_interval(row["error"], len(table.labels)))
        assert row["balanced_error"] == pytest.approx(own["balanced_error"].mean())
    assert [row["method"] for row in summary["answer"]["methods"]] == ["Panel", "NDC-S", "NC"]
    assert [row["own"] for row in summary["answer"]["methods"]] == [True, False, False]


@pytest.mark.parametrize("method", ["Panel", "NDC-S", "SVM"])
def test_held_out_sets_are_read_in_the_order_of_the_table(method):
    table = small_table()
    found = compare_with_predictions(table.values, table.labels, methods=[method], repeats=2, n_init=3).predictions
    for repeat in (0, 1):
        rows = found[found["repeat"] == repeat].set_index("sample").loc[table.values.index]
        said = HeldOutSets.of(found, repeat)
        assert (said is None) == (method != "Panel")
        if said is not None:
            assert said.classes.tolist() == sorted(set(table.labels))
            np.testing.assert_array_equal(said.sets, rows[[f"in_set_{label}" for label in said.classes]])


def test_no_fold_is_fitted_twice(monkeypatch):
    fits = []

    def counted(method, train, *args, **kwargs):
        fits.append((method, len(train[1])))
        return fit_and_predict(method, train, *args, **kwargs)

    monkeypatch.setattr(comparison, "fit_and_predict", counted)
    summary = summarize(small_table(), methods=("NC",), repeats=2, n_init=2)
    assert sorted(fits) == [("NC", 24)] * 6 + [("Panel", 24)] * 6
    assert summary["sets"] is not None
    assert np.sum(summary["confusion"]["counts"]) == 2 * 36


@pytest.mark.parametrize("method", ["Panel", "NDC-S"])
def test_the_confusion_matrix_holds_all_repeats(table, summary, centroid_summary, compared, method):
    confusion, repeats = (summary if method == "Panel" else centroid_summary)["confusion"], SETTINGS["repeats"]
    counts = np.array(confusion["counts"])
    rows = compared.results[compared.results["method"] == method]
    assert confusion["repeats"] == repeats
    assert counts.sum() == repeats * len(table.labels)
    assert 1 - np.trace(counts) / counts.sum() == pytest.approx(rows["error"].mean())  # folds of one size
    by_class = table.labels.value_counts()
    assert counts.sum(axis=1).tolist() == [repeats * by_class[name] for name in confusion["classes"]]


def test_the_sentence_says_error_interval_features_and_the_best_rival(either_summary):
    own, *others = either_summary["answer"]["methods"]
    text = either_summary["answer"]["sentence"].replace("\N{NO-BREAK SPACE}", " ")
    interval = f"95 % confidence interval: {100 * own['low']:.1f} to {100 * own['high']:.1f} %"
    assert f"misclassify {100 * own['error']:.1f} % of held-out samples ({interval});" in text
    sizes = sorted(row["features"] for row in either_summary["classes"])
    each = f"{sizes[0]} for each class" if sizes[0] == sizes[-1] else f"{sizes[0]} to {sizes[-1]} for a class"
    assert f"use {either_summary['owners']['n_used']} of 26 features, {each}." in text
    best = min(others, key=lambda row: row["error"])
    assert text.startswith("Disjoint panels" if own["method"] == "Panel" else "Nearest disjoint centroids (NDC-S)")
    assert ("Best of 2 other methods: " in text) == (len(others) == 2)
    used = "all" if best["features"] == 26 else best["features"]
    assert text.endswith(f"{best['name']}, {100 * best['error']:.1f} % with {used} features.")


def test_owners_and_class_rows_agree(table, centroid_summary):
    summary = centroid_summary
    assert summary["owners"]["columns"] == ["Margin", "Mean in class", "Mean elsewhere", "SD in class"]
    rows = pd.DataFrame(summary["owners"]["rows"], columns=["feature", "owner", "margin", "mean", "elsewhere", "sd"])
    assert sorted(rows["feature"]) == sorted(table.values.columns)
    for found in summary["classes"]:
        own = rows[rows["owner"] == found["class"]]
        assert len(own) == found["features"] > 0
        assert found["samples"] == (table.labels == found["class"]).sum()
        assert found["clearest"] == own.sort_values("margin", ascending=False)["feature"].head(5).tolist()
    assert rows["owner"].notna().sum() == summary["owners"]["n_used"] < len(rows)
    first = rows.iloc[0]
    inside = table.values.loc[table.labels == first["owner"], first["feature"]]
    outside = table.values.loc[table.labels != first["owner"], first["feature"]]
    assert (first["mean"], first["elsewhere"], first["sd"]) == pytest.approx(
        (inside.mean(), outside.mean(), inside.std(ddof=0)), rel=1e-3
    )


def test_a_wide_table_lists_the_features_in_use_only(table):
    model = NearestDisjointCentroid(lam=0.9, n_init=5, random_state=0).fit(table.values, table.labels)
    found = owners.owner_facts(model, table.values, table.labels, most_features=20)
    assert 3 <= found["n_used"] == len(found["rows"]) < 20
    assert all(owner is not None for _, owner, *_ in found["rows"])
    assert len(owners.owner_facts(model, table.values, table.labels, most_features=3)["rows"]) == 3


def test_the_path_marks_the_chosen_lambda(centroid_summary):
    summary, path = centroid_summary, centroid_summary["path"]
    assert summary["rounds"] is summary["sets"] is None
    lams = [row["lam"] for row in path["rows"]]
    assert lams == sorted(lams)
    chosen, frugal = (path["rows"][lams.index(path[name])] for name in ("chosen", "one_se"))
    assert chosen["features"] == summary["owners"]["n_used"] >= frugal["features"]
    assert chosen["error"] <= frugal["error"] <= chosen["error"] + chosen["se"] + 1e-12


def test_contributions_add_up_to_the_squared_distance():
    table = block_table(d=4, irrelevant=0)
    model = NearestDisjointCentroid(n_init=5, random_state=0).fit(table.values, table.labels)
    assert max(own.size for own in model.feature_sets_) <= 8  # so that none is left out
    found = explanation_facts(model, table.values, table.labels)
    assert [found["classes"][s["order"][0]] for s in found["samples"]] == [
        model.predict(table.values.loc[[s["id"]]])[0] for s in found["samples"]
    ]
    for sample in found["samples"]:
        for j, parts in sample["parts"].items():
            assert sum(part[3] for part in parts) == pytest.approx(sample["totals"][j] ** 2, rel=2e-3)
            assert {found["features"][part[0]] for part in parts} == set(table.values.columns[model.feature_sets_[j]])


def test_of_many_samples_the_misclassified_and_the_unsure_are_explained():
    table = block_table(n=90, d=4, irrelevant=0)
    model = NearestDisjointCentroid(n_init=5, random_state=0).fit(table.values, table.labels)
    wrong = model.predict(table.values) != table.labels.to_numpy()
    found = explanation_facts(model, table.values, table.labels)
    assert len(found["samples"]) == MOST_SAMPLES < found["n_samples"] == 270
    assert 0 < found["n_wrong"] == wrong.sum() < MOST_SAMPLES
    assert {s["id"] for s in found["samples"][: found["n_wrong"]]} == set(table.values.index[wrong])
    distances = pd.DataFrame(np.sort(model.distances(table.values), axis=1), table.values.index)
    gaps = (distances[1] - distances[0])[~wrong]
    kept = gaps.index.isin([s["id"] for s in found["samples"]])
    assert gaps[kept].max() <= gaps[~kept].min()


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        ({"training_checksum": "own"}, "training", "of the 36 samples it was trained on"),
        ({"training_checksum": "other"}, "unknown", "is not known"),
        ({}, "unknown", "is not known"),
        ({"in_training": [True] * 36}, "training", "of the 36 samples it was trained on"),
        ({"in_training": [False] * 36}, "new", "None of the 36 samples was in the training table."),
        (
            {"in_training": [True] * 34 + [False] * 2, "n_compared": 6},
            "mixed",
            "34 of 36 samples were in the training table (compared in the 6 features that the model uses): their "
            "errors say little about new samples. Of the 2 others it misclassifies",
        ),
    ],
)
def test_a_given_model_is_judged_on_the_table_and_not_fitted_again(given, kind, words):
    training, table = block_table(seed=0), block_table(seed=1)
    model = fitted(training, transform="standardize")
    before = model[-1].centroids_.copy()
    shuffled = LabelledTable(table.values[table.values.columns[::-1]].assign(more=1.0), table.labels, "new.csv")
    if given.get("training_checksum") == "own":
        given = {"training_checksum": shuffled.checksum}
    summary = summarize(shuffled, model=model, command="ndc report m.ndc new.csv", **given)
    [row] = summary["answer"]["methods"]
    assert row["error"] == pytest.approx(np.mean(model.predict(table.values) != table.labels))
    assert summary["answer"]["kind"] == kind
    assert words in summary["answer"]["sentence"]
    # Samples that the model was trained on say nothing of new ones, and their error has no interval.
    interval = (row["error"],) * 2 if kind in ("training", "mixed") else error_interval(row["error"], 36)
    assert (row["low"], row["high"]) == pytest.approx(interval)
    if kind == "mixed":
        error = np.mean(model.predict(table.values)[-2:] != table.labels[-2:])
        assert summary["answer"]["sentence"].endswith(f"Of the 2 others it misclassifies {percent(error)}.")
    assert summary["path"] is None
    assert summary["made"]["settings"] == {"model": "standardscaler → nearestdisjointcentroid"}
    np.testing.assert_array_equal(model[-1].centroids_, before)


def test_labels_that_a_model_does_not_know_are_errors():
    table = block_table()
    renamed = LabelledTable(table.values, table.labels.replace("A", "new"), "new.csv")
    summary = summarize(renamed, model=fitted(table))
    assert summary["answer"]["methods"][0]["error"] >= 1 / 3
    assert summary["confusion"]["classes"] == ["A", "B", "C", "new"]
    assert sum(summary["confusion"]["counts"][3]) == 12


def test_features_that_a_model_needs_are_named():
    table = block_table()
    less = LabelledTable(table.values.drop(columns=["f3", "f4"]), table.labels, "less.csv")
    with pytest.raises(ValueError, match=r"less.csv: the table lacks 2 of the model's features: f3, f4\. Add them"):
        summarize(less, model=fitted(table))


@pytest.mark.parametrize("impute", [None, "median"])
def test_a_table_with_only_the_features_in_use_is_reported_on(impute):
    training, table = block_table(seed=0), block_table(seed=1)
    classifier = DisjointPanelClassifier(rounds=2, terms="linear", random_state=0)
    model = model_pipeline(classifier, impute=impute).fit(training.values, training.labels)
    used = table.values.columns[model[-1].get_support()]
    assert len(used) == 6
    less = LabelledTable(table.values[used], table.labels, "less.csv")
    found, expected = summarize(less, model=model), summarize(table, model=model)
    for part in ("answer", "classes", "explanation", "confusion", "n_features"):
        assert found[part] == expected[part]
    rows = {
        name: [row for row in part["owners"]["rows"] if row[0] in used]
        for name, part in (("less", found), ("all", expected))
    }
    assert rows["less"] == rows["all"]
    unmeasured = [row for row in found["owners"]["rows"] if row[0] not in used]
    assert len(unmeasured) == 20
    at = found["owners"]["columns"].index("Mean in A")
    assert {row[2 + at] for row in unmeasured} == {None}
    json.dumps(found, allow_nan=False)
    with pytest.raises(ValueError, match=r"stability fits the model anew .* less.csv lacks 20: "):
        summarize(less, model=model, stability=4)


def test_missing_values_are_imputed_within_each_training_part():
    table = small_table()
    values = table.values.copy()
    values.iloc[::5, 0] = np.nan
    gappy = LabelledTable(values, table.labels, "gappy.csv")
    summary = summarize(gappy, impute="median", **QUICK)
    expected = compare(values, table.labels, impute="median", **QUICK | {"methods": ["Panel"]})
    assert summary["answer"]["methods"][0]["error"] == pytest.approx(expected["error"].mean())
    assert "missing" in [warning["kind"] for warning in summary["warnings"]]
    with pytest.raises(ValueError, match="NaN"):
        summarize(gappy, **QUICK)


def test_methods_that_cannot_run_are_left_out_with_a_note():
    table = block_table(n=3, d=4, irrelevant=4)
    summary = summarize(table, methods=("NC", "Logistic"), cv=5, repeats=1, n_init=2)
    assert [row["method"] for row in summary["answer"]["methods"]] == ["Panel", "NC"]
    notes = summary["answer"]["notes"]
    assert notes[0].startswith("3 outer folds instead of 5")
    assert notes[1].startswith("Logistic")
    assert "is left out" in notes[1]


def test_with_two_samples_of_a_class_there_is_a_model_but_no_error():
    table = block_table(n=2, d=4, irrelevant=4)
    summary = summarize(table, **QUICK)
    assert "No error can be given" in summary["answer"]["sentence"]
    assert "has 2 samples" in summary["answer"]["sentence"]
    assert summary["confusion"] is None
    assert sum(row["features"] for row in summary["classes"]) >= 3


def test_what_cannot_be_reported_on_is_refused():
    table = block_table()
    with pytest.raises(ValueError, match="has no labels"):
        summarize(LabelledTable(table.values, None, "x.csv"))
    with pytest.raises(ValueError, match="one class only, 'A'"):
        summarize(LabelledTable(table.values, table.labels.where(table.labels == "A", "A"), "x.csv"))
    with pytest.raises(ValueError, match="There is no method 'forest'"):
        summarize(table, methods=["forest"])
    with pytest.raises(ValueError, match="A report is about one of Panel, NDC-S, NDC; got method='NC'"):
        summarize(table, method="NC")
    shared = model_pipeline(OverlappingCentroidClassifier(random_state=0)).fit(table.values, table.labels)
    with pytest.raises(ValueError, match=r"one owner at most; got OverlappingCentroidClassifier\. Fit Disjoint"):
        summarize(table, model=shared)


def test_it_says_how_it_was_made(table, summary):
    made = summary["made"]
    assert made["checksum"] == table.checksum
    expected = {"cv": 3, "repeats": 2, "inner_folds": 5, "n_init": 4, "random_state": 3, "transform": "none"}
    assert made["settings"] == expected | {"methods": "Panel, NDC-S, NC"}
    assert set(made["versions"]) >= {"Python", "disjoint-centroids", "numpy", "scikit-learn"}


def test_a_wide_table_is_reported_without_the_slow_method_unless_asked(tmp_path):
    table = block_table(n=6, d=4, irrelevant=0)
    rng = np.random.default_rng(0)
    noise = pd.DataFrame(rng.normal(size=(18, 60)), table.values.index).add_prefix("noise ")
    wide = LabelledTable(table.values.join(noise), table.labels, "wide.csv")
    restarts = 100_000  # 18 x 72 values times so many restarts are more than NDC-S is given unasked
    summary = summarize(wide, repeats=1, n_init=restarts)
    assert [row["method"] for row in summary["answer"]["methods"]] == ["Panel", "NC", "NSC", "Logistic"]
    [note] = summary["answer"]["notes"]
    assert note.startswith("Nearest disjoint centroids (NDC-S) is left out: on a table this wide (18 samples, 72")
    assert escape(note) in render(summary)
    asked = summarize(wide, methods=("NDC-S",), repeats=1, n_init=2)
    assert [row["method"] for row in asked["answer"]["methods"]] == ["Panel", "NDC-S"]
    assert asked["answer"]["notes"] == []


def test_a_report_goes_on_with_its_results(tmp_path, monkeypatch):
    table, file = small_table(), tmp_path / "kept.csv"
    asked = {"methods": ("NC",), "repeats": 1, "n_init": 2}
    whole = summarize(table, results=file, **asked)
    fits = []

    def counted(method, *args, **kwargs):
        fits.append(method)
        return fit_and_predict(method, *args, **kwargs)

    monkeypatch.setattr(comparison, "fit_and_predict", counted)
    rows = pd.read_csv(file)
    rows[rows["fold"] > 0].to_csv(file, index=False)
    again = summarize(table, results=file, **asked)
    assert sorted(fits) == ["NC", "Panel"]
    for name in ("confusion", "sets"):
        assert again[name] == whole[name]
