"""Sparse tables: memory beside scikit-learn's nearest centroid, and the time of an iteration against stored values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from markdown_tables import markdown as markdown_table

from performance import drawing
from performance.shapes import thousands, times_sign
from performance.words import figure
from sparse_fits import measure_growth, measure_memory

TITLE = "Sparse tables"


def measure(quick: bool) -> dict[str, Any]:
    growth = measure_growth(quick)
    for row in growth:  # the first table has none before it to be compared with
        if np.isnan(row["ns_per_further_value"]):
            del row["ns_per_further_value"]
    return {"memory": measure_memory(quick), "growth": growth}


def markdown(results: dict[str, Any]) -> str:
    held, growth = results["memory"], results["growth"]
    memory = [
        ["the table", f"{figure(held['input_mb'])} MB"],
        ["the same table, dense", f"{figure(held['dense_mb'])} MB"],
        ["in addition, `NearestDisjointCentroid`", f"{figure(held['ours_mb'])} MB"],
        ["in addition, scikit-learn's `NearestCentroid`", f"{figure(held['nearest_centroid_mb'])} MB"],
    ]
    times = [
        [
            f"{row['density']:.1%}",
            thousands(row["n_stored"]),
            f"{row['ms_per_iteration']:.1f} ms",
            f"{row['ns_per_value']:.2f} ns",
            f"{row['ns_per_further_value']:.2f} ns" if "ns_per_further_value" in row else "",
        ]
        for row in growth
    ]
    header = [
        "density",
        "stored values",
        "time per iteration",
        "per value and restart",
        "per further value and restart",
    ]
    return f"""CSR and CSC tables are never made dense. Memory for a table of {times_sign(*held["shape"])} with
{held["density"]:.0%} of the cells stored and {held["n_init"]} restarts, each fit in a process of its own:

{markdown_table(["", "memory"], memory)}

The time of an iteration (processor time, all {held["n_init"]} restarts, the shortest of several runs) against the
number of stored values. Part of it depends on features and restarts only, so that a further value costs less than the
average one:

{markdown_table(header, times)}

![An iteration against stored values, and memory](images/performance-sparse.png)"""


def picture(results: dict[str, Any], folder: Path) -> list[Path]:
    """Time of an iteration against stored values, and memory as bars."""
    made, (ax, bars) = drawing.figure(9, 3.2, 2)
    stored = np.array([row["n_stored"] for row in results["growth"]])
    taken = np.array([row["ms_per_iteration"] for row in results["growth"]])
    ax.plot(stored / 1e6, taken, "o-", color=drawing.COLOURS[0], label="measured")
    straight = np.polyfit(stored, taken, 1)
    ends = np.array([0, stored.max()])
    ax.plot(ends / 1e6, np.polyval(straight, ends), color=drawing.INK, lw=1, ls=":", label="straight line")
    ax.set(xlabel="stored values, millions", ylabel="ms per iteration", ylim=(0, 1.1 * taken.max()), xlim=(0, None))
    ax.legend(frameon=False, fontsize=8)
    held = results["memory"]
    shown = {
        "the table": held["input_mb"],
        "in addition: ours": held["ours_mb"],
        "in addition: NearestCentroid": held["nearest_centroid_mb"],
        "the table, dense": held["dense_mb"],
    }
    colours = [drawing.COLOURS[at] for at in (1, 0, 3, 1)]
    bars.barh(list(shown), list(shown.values()), color=colours)
    bars.invert_yaxis()
    bars.set(xlabel="MB")
    for at, value in enumerate(shown.values()):
        bars.annotate(figure(value), (value, at), (3, 0), textcoords="offset points", va="center", fontsize=8)
    bars.margins(x=0.15)
    return [drawing.save(made, folder, "sparse")]
