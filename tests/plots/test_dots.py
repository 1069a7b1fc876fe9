"""Dots of classes and markers."""

import numpy as np
import pandas as pd

from disjoint_centroids.plots import MarkerDotDisplay
from disjoint_centroids.plots.embedded import as_data_uri


def dots():
    rows = [
        ("T", "CD3", "T", 1.0, 4.0),
        ("T", "CD19", "B", 0.25, 0.5),
        ("T", "ACTB", "B", 1.0, 2.0),
        ("B", "CD3", "T", 0.0, 0.0),
        ("B", "CD19", "B", 0.5, 2.5),
        ("B", "ACTB", "B", 1.0, 2.0),
    ]
    return pd.DataFrame(rows, columns=["class", "feature", "owner", "share_on", "mean"])


def test_sizes_are_shares_and_colours_are_means():
    display = MarkerDotDisplay.from_table(dots())
    drawn = display.ax_.collections[0]
    sizes = drawn.get_sizes()
    np.testing.assert_allclose(sizes / sizes.max(), [1.0, 0.25, 1.0, 0.0, 0.5, 1.0])
    np.testing.assert_allclose(drawn.get_array(), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0])  # a marker of one mean is pale
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == ["CD3", "CD19", "ACTB"]
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["T", "B"]


def test_markers_of_a_class_stand_under_its_name():
    display = MarkerDotDisplay.from_table(dots())
    bars = display.ax_.patches
    assert [round(bar.get_x() + bar.get_width() / 2, 2) for bar in bars] == [0.0, 1.5]
    assert [text.get_text() for text in display.ax_.texts] == ["T", "B"]
    assert [text.xy[0] for text in display.ax_.texts] == [0.0, 1.5]
    assert {text.get_rotation() for text in display.ax_.texts} == {0.0}
    assert bars[0].get_facecolor() != bars[1].get_facecolor()


def test_names_that_do_not_fit_side_by_side_are_turned():
    named = dots().replace({"class": {"T": "T cell, memory"}, "owner": {"T": "T cell, memory"}})
    display = MarkerDotDisplay.from_table(named)
    assert {text.get_rotation() for text in display.ax_.texts} == {90.0}


def test_long_names_leave_room_for_the_dots():
    long = [f"a long name of something, number {at}" for at in range(6)]
    rows = [
        {"class": c, "feature": f"{f} gene", "owner": long[at], "share_on": 0.5, "mean": 1.0}
        for c in long
        for at, f in enumerate(long)
    ]
    figure = MarkerDotDisplay.from_table(pd.DataFrame(rows)).figure_
    figure.draw_without_rendering()
    page, drawn = figure.bbox, figure.get_tightbbox().transformed(figure.dpi_scale_trans)
    assert (drawn.x0 >= page.x0, drawn.y0 >= page.y0) == (True, True)
    assert (drawn.x1 <= page.x1, drawn.y1 <= page.y1) == (True, True)
    assert figure.axes[0].get_position().height * figure.get_figheight() > 0.2 * len(long)


def test_keys_have_one_size_however_many_markers_there_are():
    rows = [
        {"class": c, "feature": f"g{at}", "owner": c, "share_on": 0.5, "mean": 1.0} for c in "TB" for at in range(60)
    ]
    for table in (dots(), pd.DataFrame(rows)):
        figure = MarkerDotDisplay.from_table(table).figure_
        figure.draw_without_rendering()
        width = figure.axes[1].get_position().width * figure.get_figwidth()
        assert 0.08 < width < 0.3


def test_a_picture_for_a_page():
    assert as_data_uri(MarkerDotDisplay.from_table(dots())).startswith("data:image/svg+xml;base64,")
