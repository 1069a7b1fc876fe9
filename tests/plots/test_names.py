import io

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.plots import (
    CentroidDisplay,
    ClassMatrixDisplay,
    ExplanationDisplay,
    PartitionDisplay,
    PathDisplay,
    RoundsDisplay,
)
from disjoint_centroids.plots.names import fit_side_by_side, shown_name, shown_names, told_apart

pytestmark = pytest.mark.filterwarnings("error")

DISPLAYS = {
    "partition": lambda model, X, y: PartitionDisplay.from_estimator(model, X, y),
    "path": lambda model, X, y: PathDisplay.from_estimator(model),
    "centroids": lambda model, X, y: CentroidDisplay.from_estimator(model, X, y),
    "distances": lambda model, X, y: ClassMatrixDisplay.from_estimator(model, X, y),
    "explanation": lambda model, X, y: ExplanationDisplay.from_estimator(model, X, sample="$s_3$"),
}

PANEL_DISPLAYS = {name: DISPLAYS[name] for name in ("partition", "explanation")} | {
    "rounds": lambda model, X, y: RoundsDisplay.from_estimator(model),
    "scores": lambda model, X, y: ClassMatrixDisplay.from_estimator(model, X, y),
}


@pytest.fixture(scope="module")
def named_panel(named):
    _, table, labels = named
    return DisjointPanelClassifier(rounds=2, terms="linear", cv=2, random_state=0).fit(table, labels), table, labels


def assert_it_can_be_written(display):
    for kind in ("png", "svg"):
        page = io.BytesIO()
        display.figure_.savefig(page, format=kind)
        assert page.tell() > 1000
    assert len(plt.get_fignums()) == 1


@pytest.mark.parametrize("draw", DISPLAYS.values(), ids=DISPLAYS)
def test_names_that_look_like_formulas_are_text(named, draw):
    assert_it_can_be_written(draw(*named))


@pytest.mark.parametrize("draw", PANEL_DISPLAYS.values(), ids=PANEL_DISPLAYS)
def test_names_that_look_like_formulas_are_text_for_a_panel_too(named_panel, draw):
    assert_it_can_be_written(draw(*named_panel))


def test_long_names_lose_their_middle():
    assert shown_name("abcdefghij", 7) == "abc…hij"
    assert shown_name("abcdefghij", 6) == "abc…ij"
    assert shown_name("abcdefghij", 10) == "abcdefghij"
    assert shown_name("line\nbreak\tand tab") == "line break and tab"
    assert shown_name(3) == "3"


def test_dollars_are_drawn_as_dollars():
    assert shown_name("$a$") == r"\$a\$"


def test_names_that_would_look_the_same_show_where_they_differ():
    assert shown_names(["probe_0001_of_long_name", "probe_0002_of_long_name", "other"], 12) == [
        "…1_of_long_…",
        "…2_of_long_…",
        "other",
    ]
    assert shown_names(["same long long name"] * 2, 9) == ["same…name"] * 2


def test_names_with_a_common_beginning_and_end_are_told_apart_step_by_step():
    names = [f"lymphoma of the {kind} type, stage {stage} of four" for kind in ("B", "T") for stage in "12"]
    shown = told_apart(names, 12)
    assert len(set(shown)) == 4
    assert all(len(text) <= 12 for text in shown)
    assert told_apart(["a\nb", "a\tb", "a b", "a b"]) == ["a b", "a b~2", "a b~3", "a b~3"]


def test_wide_letters_count_twice():
    assert told_apart(["急性骨髄性白血病の患者"], 12) == ["急性骨…患者"]
    assert fit_side_by_side(["ab" * 3], [0.6], 10)
    assert not fit_side_by_side(["骨髄" * 3], [0.6], 10)


@given(st.lists(st.text(max_size=60), max_size=6), st.integers(6, 30))
def test_different_names_never_come_out_the_same(names, longest):
    shown = dict(zip(names, told_apart(names, longest), strict=True))
    assert len(set(shown.values())) == len(shown)


PREFIX = "diffuse large B-cell lymphoma, activated, subtype "


@pytest.mark.parametrize("name", ["partition", "centroids", "scores", "explanation"])
def test_classes_with_a_common_prefix_are_told_apart_in_every_picture(name):
    X, y = make_blocks(k=3, n=8, d=3, mu=(3.0, 0.0), irrelevant=4, random_state=0)
    labels = np.array([f"{PREFIX}{letter} of the third kind of all" for letter in "XYZ"])[y]
    model = DisjointPanelClassifier(rounds=2, terms="linear", cv=2, random_state=0).fit(X, labels)
    draw = {
        "partition": lambda: PartitionDisplay.from_estimator(model, X, labels),
        "centroids": lambda: CentroidDisplay.from_estimator(model, X, labels),
        "scores": lambda: ClassMatrixDisplay.from_estimator(model, X, labels),
        "explanation": lambda: ExplanationDisplay.from_estimator(model, X, sample=0),
    }[name]
    texts = " ".join(text.get_text() for text in draw().figure_.findobj(plt.Text))
    assert all(f"…{letter} of" in texts for letter in "XYZ")


@given(st.lists(st.text(max_size=60), max_size=5), st.integers(5, 30))
def test_shown_names_are_short_printable_and_never_formulas(names, longest):
    for name, shown in zip(names, shown_names(names, longest), strict=True):
        text = shown.replace(r"\$", "$")
        assert len(text) <= longest
        assert text.isprintable()
        assert shown.count("$") == shown.count(r"\$")
        assert len(name) > longest or "…" not in text or "…" in name


def test_room_for_labels():
    assert fit_side_by_side(["ab", "cd"], [1.0, 1.0], 10)
    assert not fit_side_by_side(["ab", "a very long label"], [1.0, 1.0], 10)
    assert fit_side_by_side(["two short\nlines here"], [1.0], 10)
