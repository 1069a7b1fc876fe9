"""`ndc evaluate`: a list on the screen, as JSON and as a page."""

import json

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
    for text in (
        "The 4 features of the list tell 3 classes apart",
        "If these samples helped",
        "max-width: 100%",
        "Disjoint panels, same size",
        '<th scope="row">g7',
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
