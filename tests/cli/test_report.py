"""``ndc report``: which method it is about, and with a model."""

import json

import pytest

from disjoint_centroids.evaluation import comparison, fit_and_predict

QUICK = ("-t", "kind", "--repeats", 1, "--folds", 2, "--restarts", 3, "--json")


@pytest.mark.parametrize(
    ("asked", "name", "words"),
    [
        ((), "Panel", "Disjoint panels misclassify"),
        (("--method", "ndc-s"), "NDC-S", "Nearest disjoint centroids (NDC-S)"),
    ],
)
def test_it_is_about_the_method_that_was_asked_for(ndc, here, asked, name, words):
    result = ndc("report", "blocks.csv", *QUICK, *asked)
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)["summary"]["answer"]
    assert answer["sentence"].startswith(words)
    first, *others = answer["methods"]
    assert (first["method"], first["own"]) == (name, True)
    assert {row["method"] for row in others} >= {"Panel", "NDC-S", "NC", "NSC"} - {name}
    assert words in (here / "blocks-report.html").read_text(encoding="utf-8")


def test_a_model_needs_no_method(ndc, here, model_file, files):
    result = ndc("report", model_file, "blocks.csv", "-t", "kind", "--method", "ndc")
    assert result.exit_code == 2
    assert "--method is for a report from a table alone" in result.stderr
    assert files() == ["blocks.csv"]


def test_a_model_is_judged_as_it_is(ndc, here, model_file):
    result = ndc("report", model_file, "blocks.csv", "-t", "kind", "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)["summary"]["answer"]
    assert answer["kind"] == "training"
    assert [row["name"] for row in answer["methods"]] == ["This model"]


def test_an_interrupted_report_goes_on(ndc, here, files, monkeypatch):
    asked = ("report", "blocks.csv", "-t", "kind", "--repeats", 1, "--methods", "NC", "--rounds", 2)
    fits = []

    def interrupted(method, *args, **kwargs):
        fits.append(method)
        if len(fits) == 4:
            raise KeyboardInterrupt
        return fit_and_predict(method, *args, **kwargs)

    monkeypatch.setattr(comparison, "fit_and_predict", interrupted)
    result = ndc(*asked)
    assert result.exit_code == 130
    assert "what was done is in blocks-report-unfinished.csv. Go on with --resume." in result.stderr
    kept = ["blocks-report-unfinished-predictions.csv", "blocks-report-unfinished.csv"]
    assert files() == [*kept, "blocks.csv"]
    result = ndc(*asked)
    assert result.exit_code == 2
    assert "Give --resume to go on with them, or --force to begin anew." in result.stderr
    result = ndc(*asked, "--resume", "--seed", 1)
    assert result.exit_code == 2
    assert "its seed differ" in result.stderr
    assert files() == [*kept, "blocks.csv"]
    result = ndc(*asked, "--resume")
    assert result.exit_code == 0, result.output
    assert len(fits) == 4 + 3  # three of six were there
    assert files() == ["blocks-report.html", "blocks.csv"]
    result = ndc(*asked, "--force", "--resume")
    assert result.exit_code == 2
    assert "there is no blocks-report-unfinished.csv to go on with" in result.stderr


def test_methods_of_a_report_and_what_is_left_out_unasked(ndc, here):
    # 36 x 13 values times so many restarts are more than NDC-S is given unasked
    many = ("report", "blocks.csv", "-t", "kind", "--repeats", 1, "--folds", 2, "--json")
    result = ndc(*many, "--restarts", 200_000)
    assert result.exit_code == 0, result.output
    assert [row["method"] for row in json.loads(result.stdout)["summary"]["answer"]["methods"]] == [
        "Panel",
        "NC",
        "NSC",
        "Logistic",
    ]
    assert "(NDC-S) is left out" in result.stderr
    assert "Ask for it with --methods Panel,NDC-S,NC,NSC,Logistic." in result.stderr
    result = ndc(*many, "--restarts", 2, "--methods", "ndc-s,nope", "--force")
    assert result.exit_code == 2
    assert "there is no method 'nope'" in result.stderr


def test_the_report_is_about_what_the_options_ask_for(ndc, here):
    few = ("--max-features-per-class", "2", "--methods", "NC", "--repeats", "1", "--folds", "2", "--json")
    summary = json.loads(ndc("report", "blocks.csv", "--target", "kind", *few).stdout)["summary"]
    assert all(row["features"] <= 2 for row in summary["classes"])
    assert summary["answer"]["methods"][0]["features"] <= 2 * len(summary["classes"])
