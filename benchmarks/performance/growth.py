"""Growth of the time of a fit with samples, features, classes and restarts, beside one pass over the table."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from markdown_tables import markdown as markdown_table

from disjoint_centroids import NearestDisjointCentroid
from performance import drawing
from performance.shapes import block_table, thousands
from performance.timing import in_turns, ratio, spread
from performance.words import ranged, seconds

TITLE = "How it grows"
AXES = {"n": "samples", "p": "features", "k": "classes", "restarts": "restarts"}
_BASE = {"n": 1000, "p": 100, "k": 4, "restarts": 100}
_FULL = {
    "n": (1000, 4000, 16_000, 64_000, 256_000),
    "p": (32, 100, 320, 1000, 3200),
    "k": (2, 4, 8, 16, 20),
    "restarts": (10, 30, 100, 300, 1000),
}
_QUICK_BASE = {"n": 80, "p": 16, "k": 2, "restarts": 2}
_QUICK = {"n": (80, 160), "p": (16, 320), "k": (2, 4), "restarts": (2, 4)}


def measure(quick: bool) -> dict[str, Any]:
    base, values, repeats = (_QUICK_BASE, _QUICK, 1) if quick else (_BASE, _FULL, 5)
    return {
        "base": base,
        "repeats": repeats,
        "curves": {along: [_point({**base, along: value}, repeats) for value in values[along]] for along in AXES},
    }


def _point(at: dict[str, int], repeats: int) -> dict[str, Any]:
    X, y = block_table(at["n"], at["p"], at["k"])
    model = NearestDisjointCentroid(lam=1.0, n_init=at["restarts"], random_state=0)
    times = in_turns({"fit": partial(model.fit, X, y), "pass": lambda: X.T @ X}, repeats)
    return {
        **at,
        "fit": spread(times["fit"]),
        "pass": spread(times["pass"]),
        "ratio": ratio(times["fit"], times["pass"]),
    }


def slope(points: list[dict[str, Any]], along: str) -> float:
    """The power with which the time grows over the last half of a curve."""
    last = points[len(points) // 2 :] if len(points) > 2 else points
    return float(
        np.polyfit(np.log([point[along] for point in last]), np.log([point["fit"]["median"] for point in last]), 1)[0]
    )


def markdown(results: dict[str, Any]) -> str:
    base = results["base"]
    rows = [
        [
            f"{thousands(point[along])} {AXES[along]}",
            seconds(point["fit"]["median"]),
            seconds(point["pass"]["median"]),
            ranged(point["ratio"]),
        ]
        for along, points in results["curves"].items()
        for point in points
    ]
    powers = ", ".join(
        f"{AXES[along]} to the power {slope(points, along):.1f}" for along, points in results["curves"].items()
    )
    return f"""Each curve changes one quantity of a fit of {base["n"]} samples, {base["p"]} features and {base["k"]}
classes with {base["restarts"]} restarts at lambda 1. A pass is the product X'X, which reads the table once. Times
are medians of {results["repeats"]} runs.

![Time of a fit against samples, features, classes and restarts](images/performance-growth.png)

Over the second half of each curve the time grows as {powers}.

{markdown_table(["", "fit", "pass", "fit divided by pass"], rows)}"""


def picture(results: dict[str, Any], folder: Path) -> list[Path]:
    """Four panels, both axes logarithmic: the fit and a pass."""
    made, axes = drawing.figure(10, 3, len(AXES), sharey=True)
    for ax, (along, points) in zip(axes, results["curves"].items(), strict=True):
        at = [point[along] for point in points]
        for name, colour, label in (("fit", 0, "a fit"), ("pass", 1, "a pass over the table")):
            median = [point[name]["median"] for point in points]
            ax.plot(at, median, "o-", ms=4, color=drawing.COLOURS[colour], label=label)
            ends = ([point[name][end] for point in points] for end in ("low", "high"))
            ax.fill_between(at, *ends, color=drawing.COLOURS[colour], alpha=0.2, lw=0)
        ax.set(xscale="log", yscale="log", xlabel=AXES[along])
        drawing.plain_ticks(ax.xaxis)
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("seconds")
    drawing.plain_ticks(axes[0].yaxis)
    axes[0].legend(frameon=False, fontsize=8)
    return [drawing.save(made, folder, "growth")]
