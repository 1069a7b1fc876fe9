"""What the report says of a panel, and of classifiers that decide by more than distances."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state

from disjoint_centroids import DisjointKNeighborsClassifier, DisjointLogisticRegression, DisjointPanelClassifier
from disjoint_centroids.evaluation import METHODS, TrainingPart
from disjoint_centroids.evaluation.held_out_predictions import CONFIDENCE
from disjoint_centroids.panels import TableSums
from disjoint_centroids.panels.chosen import rounds_choice
from disjoint_centroids.panels.tables import reads_all_panels
from disjoint_centroids.pipeline import model_pipeline
from disjoint_centroids.report import explanation, owners, render, summarize
from disjoint_centroids.report.charts import chart_specs
from disjoint_centroids.report.class_sets import HeldOutSets, set_facts
from disjoint_centroids.report.explanation import MOST_SAMPLES, explanation_facts
from disjoint_centroids.report.path import rounds_facts
from disjoint_centroids.tables import LabelledTable
from reported import SETTINGS, block_table, small_table


def fitted(table, transform="none", **settings):
    """A panel as it stands at the end of a pipeline; small, so that every feature is shown."""
    classifier = DisjointPanelClassifier(**{"rounds": 3, "terms": "both", "cv": 3, "random_state": 0} | settings)
    return model_pipeline(classifier, transform=transform).fit(table.values, table.labels)


@pytest.fixture(scope="module")
def plain():
    """A table without hostile names, and a panel fitted to it."""
    table = block_table()
    return table, fitted(table)[-1]


@pytest.fixture(scope="module")
def of_all(table):
    """The panel that the summary is about."""
    part = TrainingPart(table.labels.to_numpy(), 5, SETTINGS["random_state"], SETTINGS["n_init"])
    return METHODS["Panel"](part).fit(table.values, table.labels)


def test_the_model_is_the_panel_fitted_on_all_samples(table, summary, of_all):
    model = of_all
    assert summary["kind"] == "panel"
    assert summary["reads"] == ("all" if reads_all_panels(model) else "own")
    for row, coef, own in zip(summary["classes"], model.coef_, model.feature_sets_, strict=True):
        assert row["features"] == own.size
        assert row["clearest"] == table.values.columns[own][:8].tolist()
        assert row["directions"] == ["high" if w > 0 else "low" for w in coef[own][:8]]
    assert summary["path"] is None
    assert summary["lam"] is None


def test_owners_are_listed_class_by_class_in_the_order_of_picking(plain):
    table, model = plain
    found = owners.owner_facts(model, table.values, table.labels)
    means = ["Mean in A", "Mean in B", "Mean in C"]
    assert found["columns"] == ["Pick", "Margin", "Coefficient", "Curvature", *means]
    rows = pd.DataFrame(found["rows"], columns=["feature", "owner", *found["columns"]]).set_index("feature")
    assert len(rows) == found["n_features"] == 26
    used = rows[rows["owner"].notna()]
    assert len(used) == found["n_used"] == 9
    assert used["owner"].tolist() == ["A"] * 3 + ["B"] * 3 + ["C"] * 3
    assert used["Pick"].tolist() == [1, 2, 3] * 3
    told = model.feature_table().set_index("feature").loc[used.index]
    for column, name in (("Margin", "margin"), ("Coefficient", "coef"), ("Curvature", "curvature")):
        np.testing.assert_allclose(used[column], told[name], rtol=1e-3)
    for label in "ABC":
        means = table.values.loc[table.labels == label, rows.index].mean()
        np.testing.assert_allclose(rows[f"Mean in {label}"], means, rtol=1e-3)
    assert rows.loc[rows["owner"].isna(), ["Pick", "Margin", "Coefficient", "Curvature"]].isna().all(axis=None)


def test_linear_panels_have_no_curvature_and_many_classes_no_column_each():
    table = block_table(k=8, n=6, d=3, irrelevant=3)
    model = fitted(table, terms="linear", rounds=2)[-1]
    found = owners.owner_facts(model, table.values, table.labels)
    assert found["columns"] == ["Pick", "Margin", "Coefficient", "Mean in class", "Mean elsewhere", "SD in class"]
    name, owner, pick, *_, mean, elsewhere, spread = found["rows"][0]
    inside = table.values.loc[table.labels == owner, name]
    outside = table.values.loc[table.labels != owner, name]
    assert pick == 1
    assert (mean, elsewhere, spread) == pytest.approx((inside.mean(), outside.mean(), inside.std(ddof=0)), rel=1e-3)


def test_a_wide_table_lists_the_panels_only(plain):
    table, model = plain
    found = owners.owner_facts(model, table.values, table.labels, most_features=50)
    assert [row[0] for row in found["rows"]] == table.values.columns[np.concatenate(model.feature_sets_)].tolist()


def test_directions_by_hand(plain):
    _, model = plain
    changed = fitted(block_table(), terms="squared")[-1]
    assert set(changed._readings(np.concatenate(changed.feature_sets_))) <= {"near", "far"}
    own = model.feature_sets_[0]
    assert model._readings(own) == ["high" if model.coef_[0, f] > 0 else "low" for f in own]
    for f in changed.feature_sets_[0]:
        assert changed._readings(np.array([f])) == ["near" if changed.curvature_[0, f] < 0 else "far"]


def test_rounds_are_those_of_cross_validation(summary, of_all):
    found, model = summary["rounds"], of_all
    results = pd.DataFrame(model.cv_results_).query("reads == @model.reads_").drop(columns="reads")
    assert found["reads_by_folds"] and len(results) < len(model.cv_results_["reads"])
    assert "because this way of reading had the lower held-out loss" in render(summary)
    assert len(found["rows"]) == len(results)
    told = {(row["line"], row["rounds"]): (row["loss"], row["error"]) for row in found["rows"]}
    for row in results.itertuples():
        name = "both kinds of terms" if row.terms == "both" else f"{row.terms} terms"
        assert told[f"{name}, penalty {row.penalty:g}", row.rounds] == pytest.approx((row.loss, row.error), rel=1e-3)
    (chosen,) = (row for row in found["rows"] if row["chosen"])
    assert (chosen["rounds"], chosen["line"]) == (model.rounds_, found["line"])
    assert (found["rounds"], found["n_folds"], found["given"]) == (model.rounds_, 5, [])
    assert found["sentence"] == rounds_choice(model).sentence
    assert (
        "too few features for the default of 50 rounds, so the number of rounds and the penalty with the lowest"
        in render(summary)
    )


def test_the_page_and_its_chart_say_what_the_terminal_says():
    y = np.arange(40) % 2
    X = np.random.default_rng(0).normal(size=(40, 120))
    X[:, :4] += 0.4 * (2 * y - 1)[:, None]
    values = pd.DataFrame(X, columns=[f"f{f}" for f in range(120)])
    table = LabelledTable(values, pd.Series(np.array(["A", "B"])[y]), "wide.csv")
    model = model_pipeline(DisjointPanelClassifier(terms="linear", cv=3, random_state=0)).fit(values, table.labels)
    choice = rounds_choice(model[-1])
    summary = summarize(table, model=model)
    marks = {row["rounds"]: row["mark"] for row in summary["rounds"]["rows"] if row["mark"]}
    assert marks == {50: "default", choice.fewer: "as well or better"}
    page = render(summary)
    assert f"<strong>50 features per class, the default number; {choice.fewer} had no higher held-out loss<" in page
    assert "is optimistic because they made the choice" not in page
    default = (
        "Linear terms, 50 rounds and a ridge regression with penalty 2 are therefore the default, and another "
        "candidate replaces them only if"
    )
    assert default in page
    assert "From 500 samples on" not in page
    few = model_pipeline(DisjointPanelClassifier(terms="linear", cv=3, rule="1se", random_state=0))
    page = render(summarize(table, model=few.fit(values, table.labels)))
    assert "The rule 1se therefore takes the fewest rounds" in page
    assert default not in page
    chart = chart_specs(summary)["chart-rounds-loss"]
    assert "datum.rounds + ': ' + datum.mark" in json.dumps(chart)


@pytest.mark.parametrize(("reads", "terms"), [("all", "linear"), ("own", "linear"), ("all", "squared")])
def test_the_page_says_who_reads(reads, terms):
    """Squared terms enter the score of the owner only, whatever linear ones may do."""
    table = block_table()
    summary = summarize(table, model=fitted(table, reads=reads, terms=terms))
    page = render(summary)
    effective = "all" if (reads, terms) == ("all", "linear") else "own"
    assert summary["reads"] == summary["explanation"]["reads"] == effective
    said = {
        "all": [
            "The score of every class is computed from the features on all lists",
            "the scores of all classes use it",
            "every feature on the lists of all classes raises or lowers it",
            "a pale bar is one that another class owns",
        ],
        "own": [
            "The score of a class is computed from the features on its own list only",
            "only the score of that class uses it",
            "features of other classes do not count",
        ],
    }
    other = "own" if effective == "all" else "all"
    assert all(words in page for words in said[effective])
    assert not any(words in page for words in said[other])
    linear = "the scores of all classes" if reads == "all" else "the score of the class that owns the feature only"
    assert f"Linear terms enter {linear}; squared terms" in page


def test_with_many_samples_the_page_says_that_both_regressions_were_tried():
    table = block_table(n=170, d=4, irrelevant=0)
    model = fitted(table, terms="linear", rounds=2)
    page = render(summarize(table, model=model))
    assert "From 500 samples on a logistic regression on the same features is tried too" in page
    assert f"; {model[-1].regression_} regression (which had the lower held-out loss) with penalty" in page
    assert "is optimistic because they made the choice" in page


def test_what_was_given_is_not_called_a_choice(plain):
    table, model = plain
    assert rounds_facts(model)["given"] == ["rounds", "terms"]
    page = render(summarize(table, model=fitted(table, penalty=0.1)))
    assert (
        "3 features per class, as asked for</strong> "
        "(both kinds of terms, as asked for; logistic regression with penalty 0.1, as asked for)"
    ) in page
    assert "chart-rounds-loss" not in page


def test_nothing_held_out_is_said():
    table = block_table(n=1, d=4)
    page = render(summarize(table, model=fitted(table, terms="linear")))
    assert (
        "3 features per class, as asked for</strong> (linear terms, as asked for; ridge regression with penalty 2)"
    ) in page


@pytest.mark.parametrize("reads", ["all", "own"])
@pytest.mark.parametrize("priors", [None, "empirical"])
def test_starts_and_contributions_add_up_to_the_score(priors, reads, monkeypatch):
    monkeypatch.setattr(explanation, "MOST_FEATURES", 9)  # all that a class reads
    table = block_table()
    keep = np.r_[0:12, 12:20, 24:30]
    table = LabelledTable(table.values.iloc[keep], table.labels.iloc[keep], table.source)
    model = fitted(table, priors=priors, reads=reads)[-1]
    found = explanation_facts(model, table.values, table.labels)
    assert (found["kind"], found["reads"]) == ("score", reads)
    assert found["counts"] == ([9, 9, 9] if reads == "all" else [3, 3, 3])
    owners = dict(zip(table.values.columns, model.owner_, strict=True))
    for sample in found["samples"]:
        assert found["classes"][sample["order"][0]] == model.predict(table.values.loc[[sample["id"]]])[0]
        assert sample["totals"] == pytest.approx(model.decision_function(table.values.loc[[sample["id"]]])[0], rel=1e-3)
        likely = np.sort(model.predict_proba(table.values.loc[[sample["id"]]])[0])[::-1]
        assert sample["likely"] == pytest.approx(likely[:2], rel=1e-3)
        for j, parts in sample["parts"].items():
            added = sum(part[3] for part in parts)
            assert found["starts"][j] + added == pytest.approx(sample["totals"][j], abs=2e-3)
            sizes = [abs(part[3]) for part in parts]
            assert sizes == sorted(sizes, reverse=True)
            assert len(parts) == found["counts"][j]
            for feature, value, centroid, _, others, owner in parts:
                name, label = found["features"][feature], found["classes"][j]
                assert owner == owners[name]
                means = table.values[name].groupby(table.labels).mean()
                assert value == pytest.approx(table.values.loc[sample["id"], name], rel=1e-3)
                assert centroid == pytest.approx(means[label], rel=1e-3, abs=1e-9)
                assert others == pytest.approx(means.drop(label).mean(), rel=1e-3, abs=1e-9)


def test_of_many_samples_those_with_a_close_second_class_are_explained():
    table = block_table(n=90, d=4, irrelevant=0)
    model = fitted(table, terms="linear")[-1]
    found = explanation_facts(model, table.values, table.labels)
    wrong = model.predict(table.values) != table.labels.to_numpy()
    assert len(found["samples"]) == MOST_SAMPLES
    assert found["n_wrong"] == wrong.sum() > 0
    scores = np.sort(model.decision_function(table.values), axis=1)
    gaps = pd.Series(scores[:, -1] - scores[:, -2], table.values.index)[~wrong]
    kept = gaps.index.isin([s["id"] for s in found["samples"]])
    assert gaps[kept].max() <= gaps[~kept].min()


def test_sets_by_hand():
    sets = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 1, 0]], dtype=bool)
    labels = pd.Series(["a", "b", "b", "c", "new"])
    found = set_facts(sets, np.array(["a", "b", "c"]), labels, held_out=True)
    assert found["covered"] == pytest.approx(3 / 5)
    assert found["size"] == pytest.approx(7 / 5)
    assert [found[size] for size in ("none", "one", "two", "three or more")] == pytest.approx([0.2, 0.4, 0.2, 0.2])
    assert [(row["class"], row["samples"], row["covered"], row["size"]) for row in found["classes"]] == [
        ("a", 1, 1.0, 1.0),
        ("b", 2, 0.5, 1.0),
        ("c", 1, 1.0, 3.0),
        ("new", 1, 0.0, 1.0),
    ]
    text = found["sentence"].replace("\N{NO-BREAK SPACE}", " ")
    assert "for 90 % of the samples of every class. Here the sets hold it for 60.0 % of 5 held-out samples" in text
    assert (
        "1.40 classes on average: one for 40.0 % of the samples, several for 40.0 %, "
        "and none, because no class fits well, for 20.0 %" in text
    )


def test_sets_are_those_of_models_that_did_not_see_the_samples(table, summary, compared):
    said = compared.predictions
    found = HeldOutSets.of(said[said["method"] == "Panel"])
    expected = set_facts(found.sets, found.classes, table.labels, held_out=True)
    assert summary["sets"] == expected
    # The first of the outer folds, by hand.
    seed = int(check_random_state(SETTINGS["random_state"]).randint(2**31 - 1))
    known = table.labels.to_numpy()
    train, test = next(StratifiedKFold(3, shuffle=True, random_state=seed).split(known, known))
    values = table.values.to_numpy()
    model = METHODS["Panel"](TrainingPart(known[train], 5, seed, 4)).fit(values[train], known[train])
    with pytest.warns(UserWarning, match="3 of 3 classes have fewer than the 9 training samples"):
        np.testing.assert_array_equal(found.sets[test], model.predict_set(values[test], CONFIDENCE))
    assert expected["sentence"].endswith(
        "In every set: <script>window.sentinel=1</script>, B, C. A model can leave a class out only if it was "
        "fitted on nine samples of it or more; the models here were fitted on a part of the samples."
    )


def test_a_given_panel_has_sets_on_new_samples_only():
    training, table = block_table(seed=0), block_table(seed=1)
    model = fitted(training, transform="standardize")
    new = summarize(table, model=model, in_training=np.zeros(36))
    seen = model[:-1].transform(table.values)
    expected = model[-1].predict_set(seen, CONFIDENCE)
    assert new["sets"] == set_facts(expected, model[-1].classes_, table.labels, held_out=False)
    assert "36 new samples" in new["sets"]["sentence"]
    assert "using 9 of 26 features, 3 for each class" in new["answer"]["sentence"]
    some = np.arange(36) < 20
    mixed = summarize(table, model=model, in_training=some)
    assert mixed["sets"] == set_facts(expected[~some], model[-1].classes_, table.labels[~some], held_out=False)
    assert summarize(table, model=model)["sets"] is None
    assert summarize(training, model=model, training_checksum=training.checksum)["sets"] is None
    page = render(json.loads(json.dumps(new)))
    assert new["sets"]["sentence"] in page
    assert "3 features per class, as asked for" in page


@pytest.mark.parametrize("kind", [DisjointKNeighborsClassifier, DisjointLogisticRegression])
def test_classifiers_that_decide_by_more_than_distances_say_so(kind):
    table = block_table()
    model = model_pipeline(kind(random_state=0)).fit(table.values, table.labels)
    summary = summarize(table, model=model)
    page = render(summary)
    assert summary["kind"] == "centroids"
    assert summary["explanation"]["kind"] == "distance"
    assert "whose centroid is nearest" not in page
    assert {"DisjointKNeighborsClassifier": "neighbours vote", "DisjointLogisticRegression": "a regression on its"}[
        kind.__name__
    ] in page
    predicted = model.predict(table.values)
    for sample in summary["explanation"]["samples"]:
        first = summary["explanation"]["classes"][sample["order"][0]]
        assert first == predicted[table.values.index.get_loc(sample["id"])]


def test_a_panel_is_fitted_on_halves_too():
    summary = summarize(small_table(), methods=("NC",), repeats=1, stability=2)
    facts = summary["stability"]
    assert facts["reason"] is None
    assert facts["n_used"] == summary["owners"]["n_used"]
    assert [row["features"] for row in facts["classes"]] == [row["features"] for row in summary["classes"]]


def test_a_model_from_sums_was_compared_by_stand_ins(plain):
    """No fold held samples out, and the page does not say so."""
    table, of_samples = plain
    sums = TableSums.of(table.values, table.labels, smallest=3)
    pipeline = model_pipeline(DisjointPanelClassifier(terms="linear"))
    model = pipeline[-1].fit_sums(sums)
    assert rounds_facts(model)["stand_ins"]
    assert not rounds_facts(of_samples)["stand_ins"]
    page = render(summarize(table, model=pipeline))
    section = page[page.index('<section id="path"') :]
    section = section[: section.index("</section>")]
    assert "-fold cross-validation" not in section
    assert "The model was fitted to sums over samples" in section
    assert "compared by their loss on stand-ins for samples" in section
    assert "is not one of samples" in section
