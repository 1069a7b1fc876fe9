import json

import pandas as pd
import pytest

FEW = ("--methods", "nc,NDC", "--repeats", 2, "--restarts", 3)


def test_compare_leaves_a_table_a_picture_and_a_file(ndc, here, files):
    result = ndc("compare", "blocks.csv", "-t", "kind", *FEW)
    assert result.exit_code == 0, result.output
    assert files() == ["blocks-compare.csv", "blocks-compare.png", "blocks.csv"]
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--methods", "nope"), "there are NDC"),
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


def test_a_report_of_a_table_and_of_a_model(ndc, here, model_file, files):
    result = ndc("report", "blocks.csv", "-t", "kind", "--repeats", 1, "--restarts", 3)
    assert result.exit_code == 0, result.output
    assert files() == ["blocks-report.html", "blocks.csv"]
    page = (here / "blocks-report.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "class 2" in page
    result = ndc("report", model_file, "blocks.csv", "-t", "kind", "-o", "of-model.html")
    assert result.exit_code == 0, result.output
    assert "of-model.html" in files()


def test_a_report_of_a_model_alone_says_what_is_missing(ndc, here, model_file):
    result = ndc("report", model_file)
    assert result.exit_code == 2
    assert "name the table after it" in result.stderr


def test_three_samples_a_class(ndc, here, table):
    table.groupby("kind").head(3).to_csv(here / "three.csv")
    result = ndc("compare", "three.csv", "-t", "kind", "--repeats", 1, "--restarts", 3, "--json")
    assert result.exit_code == 0, result.output
    methods = {row["method"] for row in json.loads(result.stdout)["methods"]}
    assert {"NSC", "NDC-S"} <= methods
    assert "Logistic" not in methods
    assert "Logistic is left out" in result.stderr
