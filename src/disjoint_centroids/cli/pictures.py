"""Pictures that commands write, without opening a window."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from disjoint_centroids.cli.files import Outputs

ENDINGS = (".png", ".svg", ".pdf", ".jpg")


def displays() -> ModuleType:
    """Import the displays, set to draw into files only."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise ImportError("pictures need the extra 'plots': pip install 'disjoint-centroids[plots]'") from error
    mpl.use("Agg")
    from disjoint_centroids import plots

    return plots


def save(display: Any, path: Path, outputs: Outputs) -> bool:
    """Write a display's figure and close it. True if the file is there."""
    import matplotlib.pyplot as plt

    from disjoint_centroids.plots.fonts import show_every_name

    show_every_name(display.figure_)  # also what a command has written into it, such as a title
    # "tight": titles that are wider than their panel are not cut off at the edge.
    saved = outputs.write(path, lambda part: display.figure_.savefig(part, dpi=130, bbox_inches="tight"))
    plt.close(display.figure_)
    return saved
