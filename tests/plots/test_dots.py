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
    bars = [patch.get_facecolor() for patch in display.ax_.patches]
    assert bars[0] != bars[1] == bars[2]


def test_a_picture_for_a_page():
    assert as_data_uri(MarkerDotDisplay.from_table(dots())).startswith("data:image/svg+xml;base64,")
