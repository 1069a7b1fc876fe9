"""The picture of the comparison at equal size: errors against features per class."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from real_data_study.equal_size.jobs import SIZES
from real_data_study.equal_size.methods import METHODS, OURS, RIVALS
from real_data_study.equal_size.section import mean_errors
from real_data_study.pictures import OUR_COLOUR, RIVAL_COLOUR, STYLE
from real_data_study.sets import ALL

AT_SIZES = "real-data-sizes-log2.svg"

_DASHES = {name: style for name, style in zip(OURS, ("-", (0, (4, 1.5))), strict=True)}
_MARKS = dict(zip(RIVALS, "svD^Xp*h", strict=True))
_LEAST_GAP = 0.045  # between two names, as a share of the height


def draw_at_sizes(rows: pd.DataFrame, folder: Path) -> None:
    """Write the picture, an SVG file that is the same for the same results."""
    with mpl.rc_context(STYLE):
        figure = errors_against_sizes(mean_errors(rows, ALL))
        figure.savefig(folder / AT_SIZES, metadata={"Date": None})


def errors_against_sizes(table: pd.DataFrame) -> Figure:
    """One line per method, ours bold; ``table`` has one row per method and one column per size."""
    figure = Figure(figsize=(8.4, 4.8), layout="constrained")
    ax = figure.subplots()
    for name in (name for name in reversed(METHODS) if name in table.index):  # ours last, on top of the others
        if name in OURS:
            ax.plot(SIZES, table.loc[name], color=OUR_COLOUR, lw=2.8, ls=_DASHES[name], marker="o", ms=6)
        else:
            ax.plot(SIZES, table.loc[name], color=RIVAL_COLOUR, lw=0.9, marker=_MARKS[name], ms=5)
    ax.set_xscale("log")
    ax.set_xticks(SIZES, labels=map(str, SIZES))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlim(SIZES[0] / 1.1, SIZES[-1] * 2.6)  # room for the names
    ax.set(
        xlabel="features per class",
        ylabel="error, mean over sets",
        title="The same number of features for every method (ours in blue)",
    )
    _names_at_the_end(ax, table[SIZES[-1]])
    return figure


def _names_at_the_end(ax: Axes, last: pd.Series) -> None:
    """Names to the right of the last points, moved up where they would lie on one another."""
    low, high = ax.get_ylim()
    place = -np.inf
    for name, error in last.sort_values(kind="stable").items():
        place = max(float(error), place + _LEAST_GAP * (high - low))
        ours = name in OURS
        ax.annotate(
            str(name),
            (SIZES[-1], error),
            xytext=(SIZES[-1] * 1.15, place),
            va="center",
            fontsize=8,
            fontweight="bold" if ours else "normal",
            color=OUR_COLOUR if ours else RIVAL_COLOUR,
            arrowprops={"arrowstyle": "-", "lw": 0.4, "color": RIVAL_COLOUR, "shrinkA": 0, "shrinkB": 3},
        )
