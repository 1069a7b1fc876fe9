"""`ndc evaluate`: a list on the screen, as JSON and as a page."""

import json

import numpy as np
import pytest

from disjoint_centroids.markers import evaluate_markers

LIST = "feature,class\ng0,class 0\ng1,class 0\ng4,class 1\ng7,class 2\n"


@pytest.fixture
def mine(here):
    (here / "mine.csv").write_text(LIST)
    return "mine.csv"


def test_a_list_is_judged(ndc, here, table, mine):
    result = ndc("evaluate", mine, "blocks.csv", "-t", "kind", "--json", "-o", "mine.html", "--direction", "up")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    markers = {"class 0": ["g0", "g1"], "class 1": ["g4"], "class 2": ["g7"]}
    same = evaluate_markers(table.drop(columns="kind"), table["kind"], markers, parameters={"direction": "up"})
    assert [row["error"] for row in answer["errors"]] == pytest.approx(same.errors["error"].tolist())
    assert [row["feature"] for row in answer["markers"]] == ["g0", "g1", "g4", "g7"]
    assert answer["page"] == "mine.html"
    page = (here / "mine.html").read_text(encoding="utf-8")
    assert "data:image/svg+xml;base64," in page
    assert "script" not in page.split("</style>")[1]
    assert "https://" not in page.split("</style>")[1]
    headings = page.split('id="markers-title"')[1].split("</thead>")[0].split('<th scope="col"')[1:]
    assert len(set(headings)) == len(headings) == 11
    for text in (
        "The 4 features of the list tell 3 classes apart",
        "If these samples helped",
        "max-width: 100%",
        "Disjoint panels, same size",
        '<th scope="row">g7',
        "on blocks.csv: 36 samples, 13 features, 3 classes",
        "scroll it sideways",
        "Cross-validation in 3 folds with the classes evenly spread.",
        "A marker is on in a sample if its value there is above the mean of its class means",
        "On-target fractions are missing where a marker has negative values",
        "<dt>Disjoint panels</dt>",
        "<dt>Panel scores</dt>",
        "<dt>Seed</dt><dd>0</dd>",
        "scikit-learn",
    ):
        assert text in page


def test_a_list_on_the_screen(ndc, here, mine):
    result = ndc("evaluate", mine, "blocks.csv", "-t", "kind", "--folds", 2)
    assert result.exit_code == 0, result.output
    for word in ("Random features", "nearest centroid", "redundancy", "class 2", "The 4 features of the list"):
        assert word in result.stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("g0\ng99\n", "mine.csv names features that the table does not have (1 of 2): g99"),
        ("g0\ng0\n", "mine.csv names features more than once (1): g0. Name each once"),
        ("feature,class\n", "mine.csv names no feature. Name one at least."),
        ("feature,class\ng0,kind\n", "mine.csv names classes that the table does not have: kind. The classes are"),
    ],
)
def test_lists_that_are_refused(ndc, here, content, message):
    (here / "mine.csv").write_text(content)
    result = ndc("evaluate", "mine.csv", "blocks.csv", "-t", "kind")
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_model_is_no_list(ndc, here, table, panel_file):
    result = ndc("evaluate", panel_file, "blocks.csv", "-t", "kind")
    assert result.exit_code == 2
    told = " ".join(result.stderr.split())
    assert f"is a model, which is not read as a list. Write its list with: ndc features {panel_file} -o" in told


def test_missing_values_are_filled_in_within_the_folds(ndc, here, table, mine):
    holes = table.mask((table.columns == "g0") & (np.arange(36) % 2 == 0).reshape(-1, 1))
    holes.to_csv(here / "holes.csv")
    result = ndc(
        "evaluate", mine, "holes.csv", "-t", "kind", "--json", "--impute", "median", "--transform", "standardize"
    )
    assert result.exit_code == 0, result.output
    markers = {"class 0": ["g0", "g1"], "class 1": ["g4"], "class 2": ["g7"]}
    how = {"transform": "standardize", "impute": "median"}
    same = evaluate_markers(holes.drop(columns="kind"), holes["kind"], markers, **how)
    answer = json.loads(result.stdout)
    assert [row["auc"] for row in answer["errors"]] == pytest.approx(same.errors["auc"].tolist())


def test_batches_that_are_held_out_are_said(ndc, here, table):
    (here / "one.txt").write_text("g0\n")
    table.assign(donor=[f"d{at % 4}" for at in range(36)]).to_csv(here / "donors.csv")
    asked = ("evaluate", "one.txt", "donors.csv", "-t", "kind", "--on", "1.5", "--repeats", 2)
    result = ndc(*asked, "--batch", "donor", "-o", "one.html")
    assert result.exit_code == 0, result.output
    page, said = (here / "one.html").read_text(encoding="utf-8"), " ".join(result.stdout.split())
    for text in (
        "The one feature of the list tells 3 classes apart with a held-out error of",
        "on samples of batches not seen, read by",
        "Cross-validation in 3 folds, 2 times with new splits.",
        "4 batches: errors are those on samples of batches not seen.",
    ):
        assert text in page
        assert text in said
    assert "A marker is on in a sample if its value there is above 1.5." in page
    assert "<dt>Repeats</dt><dd>2</dd>" in page


def test_errors_are_rounded_alike_everywhere(ndc, here, mine):
    result = ndc("evaluate", mine, "blocks.csv", "-t", "kind", "-o", "mine.html")
    page = (here / "mine.html").read_text(encoding="utf-8").replace("\xa0", " ")
    rows = [line.split("│") for line in result.stdout.replace("\xa0", " ").splitlines() if "This list" in line]
    errors = [cells[3].strip() for cells in rows if len(cells) == 8]
    assert len(errors) == 3
    for error in errors:
        assert error.endswith(" %")
        assert f'<td class="number">{error}</td>' in page
