"""Names in scripts that the usual font lacks: with a font that has them, and without any."""

import io
import re
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib import font_manager

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.plots import CentroidDisplay, ClassMatrixDisplay, ExplanationDisplay, PartitionDisplay
from disjoint_centroids.plots.fonts import show_every_name

pytestmark = pytest.mark.filterwarnings("error")

CLASSES = ["\U00030010\U00030011", "\U00030012\U00030011", "type C"]
"""Chinese characters so rare that hardly any machine has a font with them."""
FAMILY = "Noto Sans CJK JP"
DISPLAYS = {
    "partition": lambda model, X, y: PartitionDisplay.from_estimator(model, X, y),
    "centroids": lambda model, X, y: CentroidDisplay.from_estimator(model, X, y),
    "scores": lambda model, X, y: ClassMatrixDisplay.from_estimator(model, X, y),
    "explanation": lambda model, X, y: ExplanationDisplay.from_estimator(model, X, sample="s3"),
}


@pytest.fixture(scope="module")
def model():
    X, y = make_blocks(k=3, n=8, d=3, mu=(3.0, 0.0), irrelevant=4, random_state=0)
    table = pd.DataFrame(X, [f"s{i}" for i in range(len(X))], [f"gene {f}" for f in range(X.shape[1])])
    labels = np.array(CLASSES)[y]
    return DisjointPanelClassifier(rounds=2, terms="linear", cv=2, random_state=0).fit(table, labels), table, labels


@pytest.fixture
def cjk_font(tmp_path):
    """A font with outlines for the letters of the classes, installed under the name of one that systems have."""
    letters = sorted({letter for name in CLASSES[:2] for letter in name})
    names = [".notdef", *(f"u{ord(letter):X}" for letter in letters)]
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    pen.lineTo((900, 0))
    pen.lineTo((450, 900))
    pen.closePath()
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap(dict(zip(map(ord, letters), names[1:], strict=True)))
    builder.setupGlyf(dict.fromkeys(names, pen.glyph()))
    builder.setupHorizontalMetrics(dict.fromkeys(names, (1000, 0)))
    builder.setupHorizontalHeader(ascent=900, descent=-100)
    builder.setupNameTable({"familyName": FAMILY, "styleName": "Regular"})
    builder.setupOS2()
    builder.setupPost()
    builder.save(tmp_path / "cjk.ttf")
    before = list(font_manager.fontManager.ttflist)
    font_manager.fontManager.addfont(tmp_path / "cjk.ttf")
    yield
    font_manager.fontManager.ttflist[:] = before


def texts_of(figure):
    figure.canvas.draw()
    return [text.get_text() for text in figure.findobj(plt.Text) if text.get_text()]


def written(display):
    """Drawn once: a letter that no font has would be a warning, and so an error."""
    display.figure_.savefig(io.BytesIO(), format="png")
    return " ".join(texts_of(display.figure_))


@pytest.mark.parametrize("draw", DISPLAYS.values(), ids=DISPLAYS)
def test_an_installed_font_that_has_the_letters_is_used(model, cjk_font, draw):
    display = draw(*model)
    shown = written(display)
    assert CLASSES[0] in shown
    assert CLASSES[1] in shown
    families = [text.get_fontfamily() for text in display.figure_.findobj(plt.Text) if CLASSES[0] in text.get_text()]
    assert all(FAMILY in family for family in families)


@pytest.mark.parametrize("draw", DISPLAYS.values(), ids=DISPLAYS)
def test_without_such_a_font_numbers_stand_for_the_names_and_are_explained_once(model, draw):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        display = draw(*model)
    (warning,) = said
    key = dict(re.findall(r"(\[\d\]) = (\S+?)[,.]", str(warning.message)))
    assert sorted(key.values()) == CLASSES[:2]
    assert "such as Noto Sans CJK" in str(warning.message)
    shown = written(display)
    assert all(number in shown for number in key)
    assert "type C" in shown
    assert not any(letter in shown for letter in "".join(CLASSES[:2]))


def test_other_names_are_left_alone():
    figure, ax = plt.subplots()
    ax.set_title("β-globin ± 2 µg, naïve, Ελληνικά")
    before = ax.title.get_fontfamily()
    show_every_name(figure)
    assert ax.title.get_fontfamily() == before
