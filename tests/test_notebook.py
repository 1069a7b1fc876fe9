"""What a notebook shows of a classifier: scikit-learn's parameters, and who owns what once it is fitted."""

from html import escape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context

from disjoint_centroids import (
    DisjointKNeighborsClassifier,
    DisjointLogisticRegression,
    DisjointPanelClassifier,
    NearestDisjointCentroid,
    OverlappingCentroidClassifier,
)

EXAMPLES = Path(__file__).parents[1] / "examples"
HOSTILE = "<script>alert('x')</script>"
CLASSIFIERS = [
    DisjointKNeighborsClassifier(random_state=0),
    DisjointLogisticRegression(random_state=0),
    DisjointPanelClassifier(random_state=0, rounds=2),
    NearestDisjointCentroid(lam=0.9, n_init=3, random_state=0),
    OverlappingCentroidClassifier(n_init=3, random_state=0),
]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = np.repeat(["plain", HOSTILE], 12)
    X = pd.DataFrame(rng.normal(size=(24, 6)), columns=[HOSTILE, *(f"x{f}" for f in range(1, 6))])
    X[HOSTILE] += 3 * (y == HOSTILE)
    X["x1"] += 3 * (y == "plain")
    return X, y


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_a_fitted_classifier_shows_who_owns_what(model, table):
    fitted = model.fit(*table)
    bundle = fitted._repr_mimebundle_()
    for html in (fitted._repr_html_(), bundle["text/html"]):
        assert type(model).__name__ in html
        owners = html[html.index("Features that each class owns") :]
        assert HOSTILE not in html
        assert owners.count("&lt;script&gt;") >= 1
        assert ">plain</th>" in owners
        assert "not used" in owners
    assert "<table>" not in bundle["text/plain"]
    with config_context(display="text"):
        assert "text/html" not in fitted._repr_mimebundle_()
        assert not hasattr(fitted, "_repr_html_")


def test_the_table_has_the_features_of_each_class(table):
    model = DisjointPanelClassifier(random_state=0, rounds=2).fit(*table)
    _, first, second, unused = model._owners_html().split("<tbody>")[1].split("<tr>")
    for row, label, features in zip((first, second), model.classes_, model.feature_sets_, strict=True):
        assert f">{escape(label)}</th>" in row
        assert f">{len(features)}</td>" in row
        for feature in features:
            assert escape(table[0].columns[feature]) in row
    assert f">{(model.owner_ < 0).sum()}</td>" in unused


def test_before_the_fit_there_is_no_table():
    assert "Features that each class owns" not in NearestDisjointCentroid()._repr_html_()


def test_long_lists_are_cut(table):
    X = pd.DataFrame(
        np.random.default_rng(0).normal(size=(24, 40)), columns=[f"{f:03d}" + "y" * 100 for f in range(40)]
    )
    html = NearestDisjointCentroid(n_init=2, random_state=0).fit(X, table[1])._owners_html()
    assert " more</td>" in html
    assert "y" * 60 not in html


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("plot_*.py")), ids=lambda path: path.stem)
def test_examples_are_offered_as_notebooks_with_all_their_code(example):
    """The documentation offers each example as a notebook; ``make docs`` runs the same code."""
    parser = pytest.importorskip("sphinx_gallery.py_source_parser")
    notebook = pytest.importorskip("sphinx_gallery.notebook")
    from sphinx_gallery.gen_gallery import DEFAULT_GALLERY_CONF

    _, blocks = parser.split_code_and_text_blocks(str(example))
    cells = notebook.jupyter_notebook(blocks, DEFAULT_GALLERY_CONF, str(EXAMPLES))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 3
    compile("\n".join(code), example.name, "exec")
    imports = {line for line in example.read_text("utf-8").splitlines() if line.startswith(("import ", "from "))}
    assert imports <= set("\n".join(code).splitlines())
