"""``ndc report``: which method it is about, and with a model."""

import json

import pytest

QUICK = ("-t", "kind", "--repeats", 1, "--restarts", 3, "--json")


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
