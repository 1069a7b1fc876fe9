"""Colours, axes and files that the pictures of the page have in common."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from performance.shapes import thousands

INK = "#333333"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
SHADES = (
    "#56B4E9",
    "#0072B2",
    "#CC79A7",
    "#999999",
    "#E69F00",
    "#D55E00",
    "#F0E442",
    "#009E73",
    "#44AA99",
    "#332288",
    "#882255",
)


def figure(width: float, height: float, columns: int = 1, **options: Any) -> tuple[Figure, Any]:
    """A figure with axes side by side, without the lines nobody needs."""
    made = Figure(figsize=(width, height), layout="constrained")
    axes = made.subplots(1, columns, **options)
    for ax in made.axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize=8)
    return made, axes


def plain_ticks(axis: Axis) -> None:
    """Ticks of a logarithmic axis as plain numbers, and never so many that they overlap."""
    axis.set_major_locator(LogLocator(10, subs=(1.0,)))
    low, high = axis.get_view_interval()
    if high / low < 100:
        axis.set_major_locator(LogLocator(10, subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: _number(value)))
    axis.set_minor_formatter(NullFormatter())


def times_and_ratios(ax: Axes, beside: Axes, at: Sequence[int], times: str) -> None:
    """Axes of times against numbers of rows, and of their ratios to bare passes beside them."""
    ax.set(xscale="log", yscale="log", xlabel="rows", ylabel=times)
    beside.set(xscale="log", xlabel="rows", ylabel="time divided by bare passes")
    beside.set_ylim(bottom=0)
    for one in (ax, beside):
        one.set_xticks(at, [thousands(n) for n in at])
        one.minorticks_off()
        one.grid(alpha=0.3)
    plain_ticks(ax.yaxis)
    ax.legend(frameon=False, fontsize=8)


def _number(value: float) -> str:
    return thousands(value) if value >= 1 else f"{value:g}"


def save(made: Figure, folder: Path, name: str) -> Path:
    """Write ``performance-NAME.png``, the same for the same results."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"performance-{name}.png"
    made.savefig(path, dpi=130, metadata={"Software": None})
    return path
