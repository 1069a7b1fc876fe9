"""The page's pictures: mean ranks with what is not told apart, and errors against numbers of genes."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, ScalarFormatter

from real_data_study.methods import OURS
from real_data_study.sets import ALL, SCALES
from real_data_study.summaries import Friedman, alike, by_set, friedman, summary

STYLE = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "svg.hashsalt": "real data"}
OUR_COLOUR, RIVAL_COLOUR, INK = "#0072B2", "#6C6C6C", "#333333"


def picture_name(kind: str, scale: str) -> str:
    """File of a picture: ``kind`` is "ranks" or "features"."""
    return f"real-data-{kind}-{scale.replace(' ', '-')}.svg"


def draw_all(results: pd.DataFrame, folder: Path) -> None:
    """Every picture of the page, as SVG files that are the same for the same results."""
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(STYLE):
        for scale in SCALES:
            ranked = friedman(by_set(results, scale, "error", ALL))
            for kind, figure in (
                ("ranks", rank_diagram(ranked, scale)),
                ("features", features_against_errors(summary(results, scale, ALL), scale)),
            ):
                figure.savefig(folder / picture_name(kind, scale), metadata={"Date": None})


def _colour(method: str) -> str:
    return OUR_COLOUR if method in OURS else RIVAL_COLOUR


def rank_diagram(ranked: Friedman, scale: str) -> Figure:
    """Demšar's critical-difference diagram: bars join methods that Nemenyi's test does not tell apart."""
    names, values = list(ranked.mean_ranks.index), ranked.mean_ranks.to_numpy()
    rows = -(-len(names) // 2)
    bars = alike(ranked.mean_ranks, ranked.critical_difference)
    below = 0.5 + 0.28 * len(bars)  # how far down the names begin
    figure = Figure(figsize=(8.4, 1.0 + 0.24 * (below / 0.5 + rows)), layout="constrained")
    ax = figure.subplots()
    low, high = np.floor(values.min()), np.ceil(values.max())
    width = high - low
    ax.set(xlim=(low - 0.42 * width, high + 0.42 * width), ylim=(below + 0.5 * rows + 0.2, -1.3))
    ax.axis("off")
    _ruler(ax, low, high)
    _critical_bar(ax, low, ranked)
    for at, (first, last) in enumerate(bars):
        ends = ranked.mean_ranks[first] - 0.006 * width, ranked.mean_ranks[last] + 0.006 * width
        ax.plot(ends, [0.3 + 0.28 * at] * 2, color=INK, lw=3, solid_capstyle="butt")
    for at, (name, rank) in enumerate(zip(names, values, strict=True)):
        left = at < rows
        depth = below + 0.5 * (at if left else len(names) - 1 - at)
        end = low - 0.03 * width if left else high + 0.03 * width
        ax.plot([rank, rank, end], [0, depth, depth], color=_colour(name), lw=0.9)
        label = f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}"
        ax.text(
            end + (-0.01 if left else 0.01) * width,
            depth,
            label,
            ha="right" if left else "left",
            va="center",
            color=_colour(name),
        )
    ax.set_title(f"Mean rank over {ranked.n_sets} sets, {scale} (1 is best; ours in blue)")
    return figure


def _ruler(ax: Axes, low: float, high: float) -> None:
    ax.plot([low, high], [0, 0], color=INK, lw=1.2)
    for rank in np.arange(low, high + 1):
        ax.plot([rank, rank], [0, -0.15], color=INK, lw=1.0)
        ax.text(rank, -0.22, f"{rank:.0f}", ha="center", va="bottom", color=INK)


def _critical_bar(ax: Axes, low: float, ranked: Friedman) -> None:
    end = low + ranked.critical_difference
    ax.plot([low, end], [-1.0, -1.0], color=INK, lw=1.2, marker="|")
    ax.text(end, -1.0, f"  critical difference {ranked.critical_difference:.2f}", va="center", color=INK)


def features_against_errors(table: pd.DataFrame, scale: str) -> Figure:
    """One dot per method: low and to the left is good."""
    figure = Figure(figsize=(8.4, 4.6), layout="constrained")
    ax = figure.subplots()
    ax.set_xscale("log")
    for name, row in table.iterrows():
        ours = name in OURS
        ax.plot(row["features"], row["error"], "o" if ours else "s", ms=6, color=_colour(str(name)))
    _names(ax, table)
    ax.xaxis.set_major_formatter(ScalarFormatter())
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.margins(y=0.08)
    ax.set_xlim(table["features"].min() / 1.5, table["features"].max() * 2.5)  # room for the names
    ax.set(
        xlabel="genes used, mean over sets",
        ylabel="error, mean over sets",
        title=f"{scale} (dots: ours; squares: other methods)",
    )
    return figure


def _names(ax: Axes, table: pd.DataFrame) -> None:
    """Names beside the dots; those with about as many genes and as large an error are shifted down in turn."""
    height = np.ptp(table["error"].to_numpy()) or 1.0
    placed: list[tuple[float, float]] = []
    for name, row in table.sort_values("error", kind="stable").iterrows():
        x, y = float(np.log10(row["features"])), float(row["error"])
        while any(abs(x - there[0]) < 0.35 and abs(y - there[1]) < 0.04 * height for there in placed):
            y += 0.01 * height
        placed.append((x, y))
        ax.annotate(
            str(name),
            (row["features"], y),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
            color=_colour(str(name)),
        )
