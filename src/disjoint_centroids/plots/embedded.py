"""Pictures as text, for pages that hold everything in one file."""

from __future__ import annotations

import base64
import io
from typing import Any


def as_data_uri(display: Any) -> str:
    """Write the figure of a display as SVG in a data URI, and close it; letters are drawn as outlines."""
    import matplotlib.pyplot as plt

    from disjoint_centroids.plots.fonts import show_every_name

    show_every_name(display.figure_)
    written = io.BytesIO()
    display.figure_.savefig(written, format="svg", metadata={"Date": None})
    plt.close(display.figure_)
    return f"data:image/svg+xml;base64,{base64.b64encode(written.getvalue()).decode('ascii')}"
