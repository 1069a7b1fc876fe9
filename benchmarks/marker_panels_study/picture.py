"""The picture of the page: errors against markers per class, by both readings."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from marker_panels_study.jobs import READERS
from marker_panels_study.methods import OURS, RIVALS, SIZES
from marker_panels_study.summaries import errors_by_size
from real_data_study.pictures import OUR_COLOUR, RIVAL_COLOUR, STYLE

PICTURE = "markers-sizes.svg"
_DASHES = dict(zip(OURS, ("-", (0, (4, 1.5))), strict=True))
_MARKS = dict(zip(RIVALS, "svD^Xp*h<>", strict=True))
_LEAST_GAP = 0.05  # between two names, as a share of the height


def draw(rows: pd.DataFrame, methods: list[str], names: list[str], folder: Path) -> None:
    """Write the picture, an SVG file that is the same for the same results."""
    with mpl.rc_context({**STYLE, "svg.hashsalt": "markers"}):
        figure = Figure(figsize=(10.0, 4.8), layout="constrained")
        for ax, reading in zip(figure.subplots(1, 2), READERS, strict=True):
            errors = errors_by_size(rows, reading)
            table = pd.DataFrame({size: errors[size].loc[names, methods].mean() for size in SIZES})
            _lines(ax, table)
            ax.set(xlabel="markers per class", ylabel=f"error, mean over {len(names)} sets", title=f"read by {reading}")
        figure.savefig(folder / PICTURE, metadata={"Date": None})


def _lines(ax: Axes, table: pd.DataFrame) -> None:
    """One line per program, ours bold and on top."""
    for name in reversed(table.index):
        if name in OURS:
            ax.plot(SIZES, table.loc[name], color=OUR_COLOUR, lw=2.6, ls=_DASHES[name], marker="o", ms=6)
        else:
            ax.plot(SIZES, table.loc[name], color=RIVAL_COLOUR, lw=0.9, marker=_MARKS[name], ms=5)
    ax.set_xscale("log")
    ax.set_xticks(SIZES, labels=map(str, SIZES))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlim(SIZES[0] / 1.1, SIZES[-1] * 2.4)  # room for the names
    low, high = ax.get_ylim()
    place = -np.inf
    for name, error in table[SIZES[-1]].sort_values(kind="stable").items():
        place = max(float(error), place + _LEAST_GAP * (high - low))
        ax.annotate(
            str(name),
            (SIZES[-1], error),
            xytext=(SIZES[-1] * 1.12, place),
            va="center",
            fontsize=8,
            fontweight="bold" if name in OURS else "normal",
            color=OUR_COLOUR if name in OURS else RIVAL_COLOUR,
            arrowprops={"arrowstyle": "-", "lw": 0.4, "color": RIVAL_COLOUR, "shrinkA": 0, "shrinkB": 3},
        )
