"""A cost model of the fit: what is done as functions of the shape, predicted beside measured, and a far look ahead."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from markdown_tables import markdown as markdown_table

from disjoint_centroids.numerics.threads import default_threads
from performance import calibration, drawing
from performance.cluster import Cluster, far_ahead
from performance.cost import MEASURED_DIRECTLY, UNITS, Shape, predicted, seconds_by_unit, work
from performance.shapes import TIMES, thousands, times_sign
from performance.words import figure, megabytes, seconds

TITLE = "A cost model"
_FULL = (
    Shape(200, 20, 2, 10),
    Shape(1000, 100, 4, 1000),
    Shape(2000, 300, 20, 100),
    Shape(20_000, 50, 40, 100),
    Shape(64_000, 100, 4, 100),
    Shape(400_000, 20, 4, 30),
    Shape(6000, 1200, 4, 30),
    Shape(60, 2000, 2, 300),
    Shape(100, 20_000, 2, 100),
    Shape(300, 3000, 10, 30),
    Shape(1000, 100, 4, 100, lams=30, folds=5),
    Shape(100, 2000, 2, 20, lams=30, folds=5),
)
_QUICK = (Shape(60, 12, 3, 4), Shape(400, 20, 2, 2), Shape(30, 280, 2, 2), Shape(80, 12, 2, 2, lams=3, folds=3))


def measure(quick: bool) -> dict[str, Any]:
    rates = calibration.rates(quick)
    rows = []
    for shape in _QUICK if quick else _FULL:
        taken, steps = calibration.measure_fit(shape, 1 if quick else 3)
        rows.append(
            {
                **asdict(shape),
                "start_steps": steps.start_steps / max(steps.n_starts, 1),
                "run_steps": steps.run_steps / max(steps.n_runs, 1),
                "candidates": sum(len(owners) for owners in steps.candidates),
                "measured": taken,
                "predicted": predicted(shape, steps, rates),
                "by_unit": seconds_by_unit(work(shape, steps), rates),
            }
        )
    return {"rates": rates, "threads": default_threads(), "rows": rows}


def markdown(results: dict[str, Any]) -> str:
    off = np.array([row["predicted"] / row["measured"] for row in results["rows"]])
    within = int(np.sum((off < 1.5) & (off > 1 / 1.5)))
    worst = results["rows"][int(np.argmax(np.abs(np.log(off))))]
    return f"""{_formulas()}

The time per unit of work on this machine, with {results["threads"]} threads, measured in the same run:
{" and ".join(MEASURED_DIRECTLY)} from plain matrix products, the others by regression on the times of
{len(calibration.SHAPES)} small fits, none of which is in the table below.

{_rates(results["rates"])}

How many steps the restarts take, how many distances cannot be skipped and how many different partitions are found
depends on the data, not only on the shape. These numbers are counted in the run and given to the model; everything else
is predicted. The measured time is the shortest of three fits.

{_shapes(results["rows"])}

![Predicted against measured time](images/performance-cost-model.png)

{within} of {len(off)} predictions are within a factor of 1.5 of what was measured. The worst is {_name(worst)}:
{seconds(worst["predicted"])} predicted, {seconds(worst["measured"])} measured.
The model leaves out that products of thin matrices are slower, the cost of deciding which distances to skip, caches,
and the other work of the machine.

{_far_ahead(results["rates"], results["threads"])}"""


def _formulas() -> str:
    rows = [
        ["checking, copying, class means", "8 n p", "n p", "a few"],
        ["Gram matrices (p ≤ n/k, or p ≤ 256)", "8 k p² kept", "n p²", "1"],
        [
            "a step of one start or restart, Gram form",
            "8 (k + 1) p, in cache",
            "(k + 1) p, and p for every feature that moves",
            "0",
        ],
        [
            "a step of one start, wide form",
            "8 n p for all restarts together",
            "2 (k + 1) n p, less what is skipped",
            "1",
        ],
        ["a step of one restart, wide form", "8 n p for all restarts together", "4 n p, less what is skipped", "1"],
        ["scoring C different partitions", "8 n p", "k n p for the gaps, at most 2 k C n p", "1"],
        ["sparse: a step, with z stored values", "12 z for all restarts together", "2 (k + 1) z", "1"],
        ["dask: Gram matrices", "8 k p² sent by every worker, added up in a tree", "n p²", "1 (reads all blocks)"],
        ["dask: scoring", "C p bytes sent to every worker, C numbers back", "as above", "1 (reads all blocks)"],
        [
            "cross-validation, F folds, L lambdas",
            "as above",
            "starts once for all lambdas, restarts L times; Gram matrices twice; F + 1 searches",
            "as above",
        ],
    ]
    return f"""The cost of a fit with n samples, p features, k classes and R restarts. Each restart takes some
steps to find its start (k-means) and some more from there. A row about a step has to be multiplied by R and by the
number of steps. The row of the Gram form holds if the Gram matrices fit into the cache.

{markdown_table(["what", "bytes", "operations", "passes over the table"], rows)}"""


def _rates(rates: dict[str, float]) -> str:
    rows = [
        [unit, about, f"{figure(rates[unit] * 1e9)} ns" if unit != "fit" else seconds(rates[unit])]
        for unit, about in UNITS.items()
    ]
    return markdown_table(["unit", "what it is", "time"], rows)


def _name(row: dict[str, Any]) -> str:
    cv = f", {row['folds']} folds, {row['lams']} lambdas" if row["folds"] else ""
    return f"{times_sign(row['n'], row['p'])}, {row['k']} classes, {thousands(row['restarts'])} restarts{cv}"


def _shapes(rows: list[dict[str, Any]]) -> str:
    shown = []
    for row in rows:
        most = max(row["by_unit"], key=row["by_unit"].get)
        steps = f"{row['start_steps']:.1f} + {row['run_steps']:.1f}"
        times = [seconds(row["predicted"]), seconds(row["measured"]), figure(row["predicted"] / row["measured"])]
        shown.append([_name(row), steps, *times, f"{most} ({row['by_unit'][most] / row['predicted']:.0%})"])
    header = [
        "table",
        "steps of the start + of the restart",
        "predicted",
        "measured",
        "predicted divided by measured",
        "largest part",
    ]
    return markdown_table(header, shown)


def _far_ahead(rates: dict[str, float], threads: int) -> str:
    shape, cluster = Shape(100_000_000, 2000, 4, 100), Cluster()
    parts = far_ahead(shape, cluster, rates, threads)
    rows = [[what, seconds(taken), why] for what, taken, why in parts]
    total = sum(taken for _, taken, _ in parts)
    return f"""### 10⁸ {TIMES} 2 000 on a hundred machines

The table takes {megabytes(8.0 * shape.n * shape.p)}. Assumptions: {cluster.machines} machines of {cluster.cores} cores
as fast as ours, each reading its part of the table from disk at {megabytes(cluster.disk)} per second, sending at
{megabytes(cluster.network)} per second and adding up in memory at {megabytes(cluster.memory)} per second; {shape.k}
classes, {shape.restarts} restarts of {cluster.steps} + {cluster.steps} steps, which end in {cluster.candidates}
different partitions; blocks of {thousands(cluster.rows_of_block)} rows, so that the Gram matrices of a block
({megabytes(8.0 * shape.k * shape.p**2)}) are smaller than the block
({megabytes(8.0 * cluster.rows_of_block * shape.p)}).

{markdown_table(["what", "predicted", "why"], rows)}

In all {seconds(total)}. The search runs on one machine, so that more machines do not shorten it. This is a prediction
of the model; nobody has run it."""


def picture(results: dict[str, Any], folder: Path) -> list[Path]:
    """Predicted against measured, and where the predicted time goes."""
    made, (ax, bars) = drawing.figure(10, 4.4, 2, width_ratios=(1, 1.25))
    measured, foreseen = (np.array([row[name] for row in results["rows"]]) for name in ("measured", "predicted"))
    ends = np.array([min(measured.min(), foreseen.min()) / 1.5, max(measured.max(), foreseen.max()) * 1.5])
    ax.plot(ends, ends, color=drawing.INK, lw=1)
    ax.fill_between(ends, ends / 1.5, ends * 1.5, color="0.9", lw=0, label="within a factor of 1.5")
    ax.plot(measured, foreseen, "o", color=drawing.COLOURS[0])
    ax.set(xscale="log", yscale="log", xlabel="measured, seconds", ylabel="predicted, seconds")
    for axis in (ax.xaxis, ax.yaxis):
        drawing.plain_ticks(axis)
    ax.legend(frameon=False, fontsize=8, loc="upper left")
    left = np.zeros(len(results["rows"]))
    for at, unit in enumerate(UNITS):
        share = np.array([row["by_unit"][unit] / row["predicted"] for row in results["rows"]])
        bars.barh(range(len(share)), share, left=left, color=drawing.SHADES[at], label=unit)
        left += share
    bars.invert_yaxis()
    bars.set(xlim=(0, 1), xlabel="share of the predicted time", yticks=range(len(left)))
    bars.set_yticklabels(
        [_name(row).replace(" classes", "").replace(" restarts", "") for row in results["rows"]], fontsize=7
    )
    made.legend(*bars.get_legend_handles_labels(), loc="outside lower right", ncols=5, frameon=False, fontsize=8)
    return [drawing.save(made, folder, "cost-model")]
