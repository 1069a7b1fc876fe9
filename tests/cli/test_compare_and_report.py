import json

import pandas as pd
import pytest

from disjoint_centroids.evaluation import comparison

FEW = ("--methods", "nc,NDC", "--repeats", 2, "--restarts", 3)


def test_compare_leaves_a_table_a_picture_and_a_file(ndc, here, files):
    result = ndc("compare", "blocks.csv", "-t", "kind", *FEW)
    assert result.exit_code == 0, result.output
    assert files() == ["blocks-compare-predictions.csv", "blocks-compare.csv", "blocks-compare.png", "blocks.csv"]
    said = pd.read_csv(here / "blocks-compare-predictions.csv")
    assert len(said) == 2 * 2 * 36
    assert set(said["sample"]) == {f"s{i}" for i in range(36)}
    assert "blocks-compare-predictions.csv" in result.stdout
    rows = pd.read_csv(here / "blocks-compare.csv")
    assert rows.groupby("method").size().to_dict() == {"NC": 6, "NDC": 6}
    assert "Held-out error" in result.stdout


def test_compare_goes_on_where_it_was(ndc, here):
    ndc("compare", "blocks.csv", "-t", "kind", *FEW)
    rows = pd.read_csv(here / "blocks-compare.csv")
    assert ndc("compare", "blocks.csv", "-t", "kind", *FEW).exit_code == 2
    rows.iloc[:5].to_csv(here / "blocks-compare.csv", index=False)
    result = ndc("compare", "blocks.csv", "-t", "kind", *FEW, "--resume", "--json")
    assert result.exit_code == 0, result.output
    again = pd.read_csv(here / "blocks-compare.csv")
    assert again[["method", "repeat", "fold", "error"]].equals(rows[["method", "repeat", "fold", "error"]])
    assert again["seconds"].iloc[:5].tolist() == rows["seconds"].iloc[:5].tolist()
    answer = json.loads(result.stdout)
    assert {row["method"] for row in answer["methods"]} == {"NC", "NDC"}


def test_compare_does_not_go_on_with_something_else(ndc, here):
    asked = ("compare", "blocks.csv", "-t", "kind", "--methods", "NC", "--repeats", 1, "--restarts", 3)
    assert ndc(*asked).exit_code == 0
    before = (here / "blocks-compare.csv").read_bytes()
    for change, named in (
        (("--seed", 1), "seed"),
        (("--folds", 4), "folds"),
        (("--transform", "standardize"), "transform"),
        (("--restarts", 4), "restarts"),
        (("--impute", "median"), "impute"),
        (("--drop", "g3"), "data"),
    ):
        result = ndc(*asked, "--resume", *change)
        assert result.exit_code == 2, named
        assert f"blocks-compare.csv holds fits of something else: its {named} differ" in result.stderr
        assert (here / "blocks-compare.csv").read_bytes() == before
    assert ndc(*asked, "--resume").exit_code == 0
    assert ndc(*asked, "--force", "--seed", 1).exit_code == 0


def test_ours_and_the_papers_eight_are_compared_unless_told(ndc, here):
    result = ndc("compare", "blocks.csv", "-t", "kind", "--repeats", 1, "--folds", 2, "--restarts", 2, "--json")
    assert result.exit_code == 0, result.output
    methods = [row["method"] for row in json.loads(result.stdout)["methods"]]
    assert sorted(methods) == sorted(["Panel", "NDC", "NDC-S", "NC", "NSC", "KNN", "LDA", "SVM", "Logistic"])
    assert list(pd.read_csv(here / "blocks-compare.csv").columns)[-1] == "fingerprint"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--methods", "nope"), "no method 'nope'; there are Panel, NDC, NDC-S, NC,"),
        (("--methods", " , "), "no method ' , '; there are Panel"),
        (("--folds", "20"), "--folds 12"),
        (("--resume",), "Leave --resume out"),
        (("-o", "out.txt"), ".csv"),
        (("--target", "Kind"), "kind"),
    ],
)
def test_what_compare_refuses(ndc, here, files, arguments, message):
    target = () if "--target" in arguments else ("--target", "kind")
    result = ndc("compare", "blocks.csv", *target, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert files() == ["blocks.csv"]


def test_predictions_of_another_run_are_not_overwritten_unasked(ndc, here, files):
    beside = here / "blocks-compare-predictions.csv"
    beside.write_text("mine")
    result = ndc("compare", "blocks.csv", "-t", "kind", *FEW)
    assert result.exit_code == 2
    assert "blocks-compare-predictions.csv exists. Give --force" in result.stderr
    assert beside.read_text() == "mine"
    assert files() == ["blocks-compare-predictions.csv", "blocks.csv"]


def test_a_report_of_a_table(ndc, here, files):
    result = ndc("report", "blocks.csv", "-t", "kind", "--repeats", 1, "--folds", 2, "--methods", "NC", "--rounds", 2)
    assert result.exit_code == 0, result.output
    assert files() == ["blocks-report.html", "blocks.csv"]
    page = (here / "blocks-report.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "class 2" in page


def test_a_report_of_a_model(ndc, here, model_file, files):
    result = ndc("report", model_file, "blocks.csv", "-t", "kind", "-o", "of-model.html")
    assert result.exit_code == 0, result.output
    assert files() == ["blocks.csv", "of-model.html"]


def test_a_report_of_a_model_alone_says_what_is_missing(ndc, here, model_file):
    result = ndc("report", model_file)
    assert result.exit_code == 2
    assert "name the table after it" in result.stderr


def test_three_samples_a_class(ndc, here, table):
    table.groupby("kind").head(3).to_csv(here / "three.csv")
    result = ndc("compare", "three.csv", "-t", "kind", "--repeats", 1, "--restarts", 3, "--json")
    assert result.exit_code == 0, result.output
    methods = {row["method"] for row in json.loads(result.stdout)["methods"]}
    assert {"Panel", "NSC", "NDC-S"} <= methods
    assert "Logistic" not in methods
    assert "Logistic is left out" in result.stderr


def test_an_interruption_before_the_first_result_names_no_file(ndc, here, files, monkeypatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(comparison, "fit_and_predict", interrupted)
    result = ndc("compare", "blocks.csv", "-t", "kind", "--methods", "NC")
    assert result.exit_code == 130
    assert result.stderr.rstrip().endswith("ndc: interrupted; nothing half-written was left behind.")
    assert files() == ["blocks.csv"]
