"""Pictures written by commands: no window is opened, and files are whole or not there."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from disjoint_centroids.cli.output import write_whole

ENDINGS = (".png", ".svg", ".pdf", ".jpg")


def displays() -> ModuleType:
    """The displays, drawing into files only."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise ImportError("pictures need the extra 'plots': pip install 'disjoint-centroids[plots]'") from error
    mpl.use("Agg")
    from disjoint_centroids import plots

    return plots


def refuse_ending(path: Path) -> None:
    """Say which pictures can be written, before any work is done."""
    if path.suffix.lower() not in ENDINGS:
        raise ValueError(f"{path} ends in {path.suffix!r}; pictures are written as {', '.join(ENDINGS)}.")


def save(display: Any, path: Path) -> None:
    """Write a display's figure and close it."""
    import matplotlib.pyplot as plt

    from disjoint_centroids.plots.fonts import show_every_name

    show_every_name(display.figure_)  # also what a command has written into it, such as a title
    write_whole(path, lambda part: display.figure_.savefig(part, dpi=130))
    plt.close(display.figure_)
