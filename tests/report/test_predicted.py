"""Predictions of every sample, by hand and against scikit-learn."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix, precision_score, recall_score, roc_auc_score

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.evaluation import compare_with_predictions
from disjoint_centroids.pipeline import model_pipeline
from disjoint_centroids.report import render, summarize
from disjoint_centroids.report.predicted import class_facts, confusion_facts, roc_facts, sample_facts
from disjoint_centroids.tables import LabelledTable
from reported import SETTINGS, block_table

CLASSES = ["ill", "well"]


def by_hand():
    """Two repeats of five samples; "ill" has three."""
    label = ["ill", "ill", "ill", "well", "well"]
    rows = []
    for repeat, (taken, likely) in enumerate(
        [
            (["ill", "ill", "well", "well", "well"], [0.9, 0.8, 0.3, 0.1, 0.4]),
            (["ill", "well", "well", "well", "ill"], [0.7, 0.4, 0.2, 0.3, 0.6]),
        ]
    ):
        rows += [
            {"repeat": repeat, "row": at, "sample": f"s{at}", "label": label[at], "predicted": taken[at]}
            | {"probability_ill": likely[at], "probability_well": 1 - likely[at]}
            for at in (4, 0, 1, 3, 2)
        ]
    return pd.DataFrame(rows)


def test_confusion_counts_all_repeats():
    found = confusion_facts(by_hand(), CLASSES)
    assert found == {"classes": CLASSES, "predicted": CLASSES, "counts": [[3, 3], [1, 3]], "repeats": 2}


def test_sensitivity_specificity_and_precision():
    ill, well = class_facts(by_hand(), CLASSES)
    assert ill == {"class": "ill", "samples": 3, "sensitivity": 0.5, "specificity": 0.75, "precision": 0.75}
    assert well == {"class": "well", "samples": 2, "sensitivity": 0.75, "specificity": 0.5, "precision": 0.5}
    never = by_hand().assign(predicted="ill")
    assert class_facts(never, CLASSES)[1] == {
        "class": "well",
        "samples": 2,
        "sensitivity": 0.0,
        "specificity": 1.0,
        "precision": None,
    }


def test_samples_that_are_wrong_come_first():
    found = sample_facts(by_hand())
    assert (found["n_samples"], found["n_wrong"], found["repeats"]) == (5, 3, 2)
    assert found["rows"] == [
        [2, "s2", "ill", "well", 2, 0.25],
        [4, "s4", "well", "ill", 1, 0.5],
        [1, "s1", "ill", "ill", 1, 0.6],
        [0, "s0", "ill", "ill", 0, 0.8],
        [3, "s3", "well", "well", 0, 0.8],
    ]


def test_classes_predicted_equally_often_are_told_by_their_probability_not_by_their_names():
    answers = [("a true one", 0.2, 0.1), ("b", 0.1, 0.4), ("c", 0.3, 0.5)]  # each once
    rows = [
        {"repeat": repeat, "row": 0, "sample": "s", "label": "a true one", "predicted": taken}
        | {"probability_a true one": 1 - b - c, "probability_b": b, "probability_c": c}
        for repeat, (taken, b, c) in enumerate(answers)
    ]
    assert sample_facts(pd.DataFrame(rows))["rows"] == [[0, "s", "a true one", "a true one", 2, pytest.approx(0.4667)]]
    sure = [row | {"probability_a true one": 0.0, "probability_c": 1 - row["probability_b"]} for row in rows]
    assert sample_facts(pd.DataFrame(sure))["rows"][0][3] == "c"
    more = pd.DataFrame([*sure, rows[1] | {"repeat": 3}])
    assert sample_facts(more)["rows"][0][3] == "b"  # a prediction more counts more than any probability


def test_the_roc_of_the_rarer_class():
    found = roc_facts(by_hand(), CLASSES)
    assert (found["positive"], found["negative"]) == ("well", "ill")
    areas = [5 / 6, 3 / 6]  # pairs of a well and an ill sample in the right order
    assert (found["low"], found["high"], found["auc"]) == pytest.approx((min(areas), max(areas), np.mean(areas)))
    for curve in found["curves"]:
        assert curve["points"][0] == [0.0, 0.0]
        assert curve["points"][-1] == [1.0, 1.0]
    assert roc_facts(by_hand(), [*CLASSES, "third"]) is None
    assert roc_facts(by_hand().drop(columns=["probability_ill", "probability_well"]), CLASSES) is None
    assert roc_facts(by_hand().query("label == 'ill'"), CLASSES) is None


def test_nothing_held_out_gives_nothing():
    assert confusion_facts(None, CLASSES) is class_facts(None, CLASSES) is sample_facts(None) is None
    assert roc_facts(None, CLASSES) is None


def test_a_report_tells_what_the_comparison_predicted(table, summary):
    settings = {name: value for name, value in SETTINGS.items() if name != "methods"}
    found = compare_with_predictions(table.values, table.labels, methods=["Panel"], **settings).predictions
    classes = sorted(set(table.labels))
    expected = confusion_matrix(found["label"], found["predicted"], labels=classes)
    assert summary["confusion"]["counts"] == expected.tolist()
    assert np.sum(expected) == SETTINGS["repeats"] * len(table.labels)
    recall = recall_score(found["label"], found["predicted"], labels=classes, average=None)
    precision = precision_score(found["label"], found["predicted"], labels=classes, average=None)
    assert [row["sensitivity"] for row in summary["by_class"]] == pytest.approx(recall)
    assert [row["precision"] for row in summary["by_class"]] == pytest.approx(precision)
    wrong = (found["label"] != found["predicted"]).groupby(found["row"]).sum()
    assert {row[0]: row[4] for row in summary["samples"]["rows"]} == wrong.to_dict()
    assert [row[1] for row in sorted(summary["samples"]["rows"])] == [str(name) for name in table.values.index]
    assert summary["answer"]["methods"][0]["error"] == pytest.approx(wrong.sum() / np.sum(expected))
    assert summary["roc"] is None  # three classes


def test_two_classes_have_a_roc_curve():
    table = block_table(k=2, n=10, d=4, irrelevant=6)
    summary = summarize(table, methods=("NC",), cv=3, repeats=2, n_init=2)
    found = compare_with_predictions(table.values, table.labels, methods=["Panel"], repeats=2, n_init=2).predictions
    areas = [roc_auc_score(part["label"] == "B", part["probability_B"]) for _, part in found.groupby("repeat")]
    assert summary["roc"]["auc"] == pytest.approx(np.mean(areas))
    page = render(json.loads(json.dumps(summary)))
    assert f"The area under the curve (AUC) is {np.mean(areas):.3f} on average over 2 repeats" in page
    assert 'id="chart-roc"' in page


def test_a_given_model_tells_its_own_predictions():
    training, table = block_table(seed=0), block_table(seed=1)
    labels = table.labels.where(np.arange(36) > 0, "new")  # a class that the model does not know
    model = model_pipeline(DisjointPanelClassifier(rounds=2, random_state=0)).fit(training.values, training.labels)
    summary = summarize(LabelledTable(table.values, labels, "t.csv"), model=model, training_checksum="another")
    answers = model.predict(table.values)
    assert {row[0]: row[3] for row in summary["samples"]["rows"]} == dict(enumerate(answers))
    assert summary["samples"]["repeats"] == 1
    assert next(row for row in summary["samples"]["rows"] if row[0] == 0)[4:] == [1, None]
    new = summary["by_class"][-1]
    assert (new["class"], new["samples"], new["sensitivity"], new["precision"]) == ("new", 1, 0.0, None)
    page = render(summary)
    assert "These are the predictions of the model for the samples of this table." in page
    assert "Held out" not in page[page.index("<main>") : page.index("report-data")]


def test_a_very_long_table_of_samples_keeps_the_wrong_ones():
    found = sample_facts(by_hand(), most_samples=3)
    assert [row[1] for row in found["rows"]] == ["s2", "s4", "s1"]
    assert found["n_samples"] == 5
