import json
import os
import sys

import pandas as pd
import pytest

from disjoint_centroids import DisjointPanelClassifier, NearestDisjointCentroid
from disjoint_centroids.evaluation.stability import OwnershipStability
from disjoint_centroids.pipeline import model_pipeline

FEW = ("--lam", "1.0", "--resamples", 6, "--restarts", 3)


@pytest.fixture(scope="module")
def expected(table):
    model = model_pipeline(NearestDisjointCentroid(lam=1.0, n_init=3), transform="standardize")
    values = table.drop(columns="kind")
    return OwnershipStability(model, n_resamples=6, cutoff=0.8, random_state=2).fit(values, table["kind"])


def test_it_is_ownership_stability(ndc, here, expected, files):
    asked = ("stability", "blocks.csv", "-t", "kind", *FEW, "--transform", "standardize", "--cutoff", 0.8, "--seed", 2)
    outputs = ("-o", "all.csv", "-o", "all.json", "-o", "all.png")
    result = ndc(*asked, *outputs, "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert answer.pop("outputs") == ["all.csv", "all.json", "all.png"]
    assert files() == ["all.csv", "all.json", "all.png", "blocks.csv"]
    assert answer == json.loads((here / "all.json").read_text())
    assert answer["stability"] == expected.stability_
    assert (answer["n_resamples"], answer["cutoff"]) == (6, 0.8)
    for label, names in expected.stable_features_.items():
        assert answer["stable_features"][label] == expected.probabilities_.loc[names, label].to_dict()
    assert answer["false_selections"] == expected.expected_false_selections_.to_dict("index")
    written = pd.read_csv(here / "all.csv").set_index("feature").loc[expected.probabilities_.index]
    pd.testing.assert_frame_equal(
        written.drop(columns=["role", "owner"]),
        expected.table().set_index("feature").drop(columns=["role", "owner"]),
        check_names=False,
        check_index_type=False,
        check_column_type=False,
    )
    assert ndc(*asked, "-o", "all.csv").exit_code == 2
    assert ndc(*asked, "-o", "all.csv", "--force").exit_code == 0


def test_on_the_screen(ndc, here, files):
    result = ndc("stability", "blocks.csv", "-t", "kind", *FEW)
    assert result.exit_code == 0, result.output
    for words in ("class 2", "at least 4 of 6 fits", "adjusted Rand index"):
        assert words in result.stdout
    assert "6/6" in result.stderr
    assert files() == ["blocks.csv"]


def test_lambda_is_chosen_in_folds_that_halves_have(ndc, here, table):
    table.groupby("kind").head(4).to_csv(here / "four.csv")
    result = ndc("stability", "four.csv", "-t", "kind", "--resamples", 2, "--restarts", 2, "--json")
    assert result.exit_code == 0, result.output
    assert "n_splits" not in result.stderr


def test_it_goes_on_where_it_was(ndc, here):
    asked = ("stability", "blocks.csv", "-t", "kind", *FEW, "--results", "fits.csv", "--json")
    first = ndc(*asked)
    assert first.exit_code == 0, first.output
    rows = pd.read_csv(here / "fits.csv")
    assert len(rows) == 6
    rows.iloc[:4].to_csv(here / "fits.csv", index=False)
    assert ndc(*asked).stdout == first.stdout
    pd.testing.assert_frame_equal(pd.read_csv(here / "fits.csv"), rows)
    result = ndc(*asked, "--seed", 1)
    assert result.exit_code == 2
    assert "fits.csv holds fits of something else: its seed" in result.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
def test_an_interruption_says_how_to_go_on(here, interrupted, files):
    asked = ("--lam", "1.0", "--restarts", 2, "--resamples", 20000, "--results", "fits.csv")
    said = interrupted("stability", "blocks.csv", "-t", "kind", *asked, until="fits.csv")
    assert said.endswith("what was done is in fits.csv. The same command goes on.")
    assert files() == ["blocks.csv", "fits.csv"]
    assert 0 < len(pd.read_csv(here / "fits.csv")) < 20000


def test_an_interruption_within_compiled_code_does_the_same(ndc, here, files):
    """numba loses an exception that is raised while it hands over an array, and Python raises a SystemError."""
    asked = ("--lam", "1.0", "--restarts", 2, "--resamples", 20, "--results", "fits.csv")

    def interrupt(frame, event, arg):
        if frame.f_code.co_name == "_numba_unpickle" and (here / "fits.csv").exists():
            sys.setprofile(None)
            raise KeyboardInterrupt

    sys.setprofile(interrupt)
    try:
        result = ndc("stability", "blocks.csv", "-t", "kind", *asked)
    finally:
        sys.setprofile(None)
    assert result.exit_code == 130
    assert result.stderr.rstrip().endswith("what was done is in fits.csv. The same command goes on.")
    assert 0 < len(pd.read_csv(here / "fits.csv")) < 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "x.docx"), "--output takes .csv, .tsv, .xlsx, .json, .parquet, .png"),
        (("-o", "no/x.csv"), "does not exist"),
        (("--resamples", "5"), "Give 4 or 6"),
        (("--cutoff", "0.3"), "cutoff"),
        (("--results", "x.txt"), ".parquet"),
        (("--lam", "abc"), "--lam"),
    ],
)
def test_what_it_refuses(ndc, here, files, arguments, message):
    result = ndc("stability", "blocks.csv", "-t", "kind", "--restarts", 2, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert files() == ["blocks.csv"]


def test_help_has_an_example(ndc):
    result = ndc("stability", "--help")
    assert result.exit_code == 0
    assert "Example: ndc stability" in result.stdout


def test_in_the_report(ndc, here):
    few = ("--methods", "NC", "--repeats", 1, "--folds", 2, "--rounds", 2)
    asked = ("report", "blocks.csv", "-t", "kind", *few, "--stability")
    result = ndc(*asked, 4, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["summary"]["stability"]["n_resamples"] == 4
    assert "fitted 4 times" in (here / "blocks-report.html").read_text()
    result = ndc(*asked, 3, "--force")
    assert result.exit_code == 2
    assert "even number" in result.stderr


def test_panels_unless_told_with_all_their_options(ndc, here, table):
    options = ("--rounds", 2, "--exclude", "g0", "--require", "g12:class 1", "--resamples", 4, "--seed", 3)
    result = ndc("stability", "blocks.csv", "-t", "kind", *options, "--json")
    assert result.exit_code == 0, result.output
    model = DisjointPanelClassifier(rounds=2, excluded=["g0"], forced={"class 1": ["g12"]})
    values = table.drop(columns="kind")
    same = OwnershipStability(model_pipeline(model), n_resamples=4, random_state=3).fit(values, table["kind"])
    answer = json.loads(result.stdout)
    assert answer["stability"] == same.stability_
    assert answer["stable_features"]["class 1"]["g12"] == 1.0
    assert answer["stable_features"] == {
        label: same.probabilities_.loc[names, label].to_dict() for label, names in same.stable_features_.items()
    }


def test_a_results_file_does_not_answer_for_another_method(ndc, here):
    asked = ("stability", "blocks.csv", "-t", "kind", "--resamples", 2, "--results", "fits.csv")
    assert ndc(*asked, "--rounds", 1).exit_code == 0
    for other in (("--rounds", 2), ("--rounds", 1, "--exclude", "g1"), ("--method", "ndc", "--restarts", 2)):
        result = ndc(*asked, *other)
        assert result.exit_code == 2
        assert "its estimator differ" in result.stderr
