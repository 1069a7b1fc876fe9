from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from disjoint_centroids import DisjointPanelClassifier, NearestDisjointCentroid
from disjoint_centroids.evaluation.stability import OwnershipStability
from disjoint_centroids.plots import StabilityDisplay
from disjoint_centroids.plots.colours import class_colour
from disjoint_centroids.plots.stability import _equal_parts

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def found(blocks):
    X, y = blocks
    model = NearestDisjointCentroid(lam=1.0, n_init=5, shared_features=[0])
    return OwnershipStability(model, n_resamples=10, random_state=0).fit(X, y)


def bars(display):
    """(row, left, width, colour) of every bar, without the swatches before the headings."""
    return [
        (round(patch.get_y() + patch.get_height() / 2), patch.get_x(), patch.get_width(), patch.get_facecolor())
        for patch in display.ax_.patches
        if patch.get_height() == pytest.approx(0.78)
    ]


def headings(display):
    return [text.get_text() for text in display.ax_.texts if text.get_fontweight() == "bold"]


def test_by_hand():
    shares = pd.DataFrame(
        {"a": [0.75, 0.25], "b": [0.25, 0.5], "nobody": [0.0, 0.25]}, index=pd.Index(["p", "q"], name="feature")
    )
    display = StabilityDisplay(shares, np.array([0, 1]), np.array([1, 0]), np.array(["a", "b"]), 0.6, 4).plot()
    first, second, grey = (plt.matplotlib.colors.to_rgba(c) for c in (class_colour(0), class_colour(1), "#EDEDED"))
    assert bars(display) == [
        (1, 0.0, 0.75, first),
        (1, 0.75, 0.25, second),
        (3, 0.0, 0.5, second),  # a bar begins with the class it stands under
        (3, 0.5, 0.25, first),
        (3, 0.75, 0.25, grey),
    ]
    assert headings(display) == ["a: 1 stable feature", "b: 0 stable features"]
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["p", "q"]
    assert display.ax_.get_yticks().tolist() == [1, 3]
    assert "4 fits" in display.ax_.get_xlabel()
    assert display.ax_.lines[0].get_xdata() == [0.6, 0.6]
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["used by nobody"]


def test_the_surest_features_of_every_class_are_drawn(found):
    display = StabilityDisplay.from_estimator(found, max_features=9)
    assert np.bincount(display.owners).tolist() == [3, 3, 3]
    for j, label in enumerate("abc"):
        drawn = display.probabilities[label][display.owners == j]
        own = found.probabilities_[label][found.owner_ == j]
        assert drawn.tolist() == own.sort_values(ascending=False).head(3).tolist()
    total = {}
    for row, _, width, _ in bars(display):
        total[row] = total.get(row, 0.0) + width
    assert list(total.values()) == pytest.approx([1.0] * 9)
    stable = [len(names) for names in found.stable_features_.values()]
    assert display.stable_counts.tolist() == stable
    for text, label, count in zip(headings(display), "abc", stable, strict=True):
        shown = ", 3 shown" if count > 3 else ""
        assert text == f"{label}: {count} stable feature{'' if count == 1 else 's'}{shown}"
    assert "x0" not in display.probabilities.index  # shared by all: nobody's own


def test_shared_features_are_named_where_they_are_drawn():
    shares = pd.DataFrame({1: [0.5], 2: [0.0], "nobody": [0.0], "shared": [0.5]}, index=["p"])
    display = StabilityDisplay(shares, np.array([0]), np.array([0, 0]), np.array([1, 2]), 0.6, 2).plot()
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["shared by all"]
    assert headings(display) == ["1: 0 stable features", "2: 0 stable features"]


@pytest.mark.parametrize(
    ("sizes", "total", "parts"),
    [([5, 5], 4, [2, 2]), ([1, 9], 6, [1, 5]), ([3, 3, 3], 4, [2, 1, 1]), ([2, 0], 9, [2, 0]), ([0, 0], 3, [0, 0])],
)
def test_room_is_shared_out_equally(sizes, total, parts):
    assert _equal_parts(sizes, total) == parts


def test_it_draws_where_it_is_told_and_again(found):
    figure, (left, _) = plt.subplots(1, 2)
    display = StabilityDisplay.from_estimator(found, ax=left)
    assert display.ax_ is left
    assert display.figure_ is figure
    assert plt.get_fignums() == [figure.number]
    assert display.plot().ax_ is not left


def test_nothing_overlaps_with_fourteen_classes_and_long_names(named):
    _, table, labels = named
    model = NearestDisjointCentroid(lam=1.0, init="variance")
    found = OwnershipStability(model, n_resamples=4, random_state=0).fit(table, labels)
    display = StabilityDisplay.from_estimator(found)
    display.figure_.draw_without_rendering()
    ticks = [text.get_window_extent() for text in display.ax_.get_yticklabels()]
    titles = [text.get_window_extent() for text in display.ax_.texts if text.get_fontweight() == "bold"]
    assert len(titles) == 14
    rows = sorted([*ticks, *titles], key=lambda box: -box.y1)
    assert not any(one.overlaps(other) for one, other in pairwise(rows))
    inside = display.figure_.bbox
    for box in rows:
        assert inside.x0 <= box.x0
        assert box.x1 <= inside.x1
    assert len(set(headings(display))) == 14


@pytest.mark.parametrize("cutoff", [0.51, 1.0])
def test_the_legend_does_not_cover_the_name_of_the_line(found, cutoff):
    other = OwnershipStability(found.estimator, n_resamples=10, cutoff=cutoff, random_state=0)
    other.__dict__ |= {name: value for name, value in vars(found).items() if name.endswith("_")}
    display = StabilityDisplay.from_estimator(other)
    display.figure_.draw_without_rendering()
    (name,) = (text for text in display.ax_.texts if "stable from" in text.get_text())
    box = name.get_window_extent()
    assert not box.overlaps(display.ax_.get_legend().get_window_extent())
    assert box.x1 <= display.figure_.bbox.x1


def test_more_classes_than_features_are_drawn_by_default():
    rng, n_classes = np.random.default_rng(0), 33
    y = np.repeat(np.arange(n_classes), 4)
    X = rng.normal(size=(y.size, n_classes)) + 9.0 * (y[:, None] == np.arange(n_classes))
    panels = DisjointPanelClassifier(rounds=1, terms="linear", reads="own", penalty=2.0, overdraft=1, cv=2)
    found = OwnershipStability(panels, n_resamples=2, random_state=0).fit(X, y)
    assert len(StabilityDisplay.of(found).probabilities) == n_classes


def test_errors_name_the_cure(found):
    with pytest.raises(ValueError, match=r"nothing to draw for NearestDisjointCentroid\. Give a fitted Ownership"):
        StabilityDisplay.from_estimator(NearestDisjointCentroid())
    with pytest.raises(NotFittedError, match="Call 'fit'"):
        StabilityDisplay.from_estimator(OwnershipStability(NearestDisjointCentroid()))
    with pytest.raises(ValueError, match=r"max_features=2 .* at least 3"):
        StabilityDisplay.from_estimator(found, max_features=2)
    assert plt.get_fignums() == []
