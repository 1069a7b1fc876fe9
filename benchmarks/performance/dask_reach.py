"""Tables larger than memory: a fit beside bare passes over the same dask array, memory, and how it grows."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from markdown_tables import markdown as markdown_table

from performance import drawing, sketch_agreement
from performance.dask_probe import FOLDS
from performance.dask_table import CLASSES
from performance.peak import in_a_fresh_process
from performance.shapes import thousands, times_sign
from performance.words import figure, line, megabytes, ranged, seconds

TITLE = "Larger than memory: dask"
LIMIT = 4e9
"""Bytes that a process may have in all."""

_FULL = {"p": 200, "n_init": 100, "n_lams": 30, "turns": {"fit": 3, "cv": 1}, "block_bytes": 24e6}
_QUICK = {"p": 10, "n_init": 2, "n_lams": 3, "turns": {"fit": 1, "cv": 1}, "block_bytes": 2e4}


def measure(quick: bool) -> dict[str, Any]:
    asked = _QUICK if quick else _FULL
    sizes = (600, 1200) if quick else (125_000, 250_000, 500_000, 1_000_000)
    probe = partial(in_a_fresh_process, "performance.dask_probe", limit=LIMIT, **asked)
    return {**asked, "limit": LIMIT, "rows": [probe(n=n) for n in sizes], "sketch": sketch_agreement.measure(quick)}


def _linear(rows: list[dict[str, Any]], task: str) -> str:
    return line([row["n"] for row in rows], [row[task]["seconds"]["fit"]["median"] for row in rows])


def markdown(results: dict[str, Any]) -> str:
    rows, largest = results["rows"], results["rows"][-1]
    header = ["table", "fit", "Gram pass", "scoring pass", "fit divided by both", "with one partition", "peak memory"]
    said = "; ".join(
        f"{name} {figure(largest[task]['ratio']['median'])} times as long as its bare passes"
        for task, name in (("fit", "a fit takes"), ("cv", "a cross-validation takes"))
    )
    return f"""A dask array (or frame) in blocks of rows is read twice: once to add up the Gram matrix of every class
(and fold), once to score the different partitions that the search found. The search in between runs on the sums.
The tables have {results["p"]} features and {CLASSES} classes and are in a file, which is read in blocks of
{megabytes(largest["block_bytes"])} that are not kept; no process could use more than {megabytes(results["limit"])} of
address space. For comparison, two bare passes over the same array: one computes the inner products of the columns,
class by class (Gram pass); the other the squared distances of every row to the centroids of every partition, by one
matrix product per class, and counts the errors (scoring pass).

With {thousands(largest["n"])} rows ({megabytes(largest["bytes"])}), {said}. Straight lines fitted to the times from
{thousands(rows[0]["n"])} rows on: a fit takes {_linear(rows, "fit")}, a cross-validation {_linear(rows, "cv")}.

A fit, {results["n_init"]} restarts, lambda 1:

{markdown_table(header, [_row(row, "fit") for row in rows])}

{FOLDS} folds, {results["n_lams"]} lambdas, {results["n_init"]} restarts:

{markdown_table(header, [_row(row, "cv") for row in rows])}

![Time against rows, and its ratio to bare passes](images/performance-dask.png)

The fit of the largest table found {largest["fit"]["candidates"]} different partitions with {largest["fit"]["sets"]}
feature sets, the cross-validation {largest["cv"]["candidates"]} with {largest["cv"]["sets"]}. In the column *with one
partition* the fit is divided by a Gram pass and a scoring pass for a single partition.

{sketch_agreement.markdown(results["sketch"])}"""


def _row(row: dict[str, Any], task: str) -> list[str]:
    taken = row[task]["seconds"]
    times = [seconds(taken[name]["median"]) for name in ("fit", "gram", "scoring")]
    ratios = [ranged(row[task]["ratio"]), ranged(row[task]["ratio_one"])]
    return [times_sign(row["n"], row["p"]), *times, *ratios, megabytes(row[task]["peak"])]


def picture(results: dict[str, Any], folder: Path) -> list[Path]:
    """Seconds against rows, ratios against rows, and the sketch."""
    made, (ax, beside) = drawing.figure(9, 3.4, 2)
    at = [row["n"] for row in results["rows"]]
    for task, colour, name in (("fit", 0, "a fit"), ("cv", 1, "a cross-validation")):
        taken = [row[task]["seconds"] for row in results["rows"]]
        bare = [times["gram"]["median"] + times["scoring"]["median"] for times in taken]
        ax.plot(at, [times["fit"]["median"] for times in taken], "o-", color=drawing.COLOURS[colour], label=name)
        ax.plot(at, bare, "s:", mfc="none", color=drawing.COLOURS[colour], label="its bare passes")
        ratios = [row[task]["ratio"] for row in results["rows"]]
        beside.plot(at, [ratio["median"] for ratio in ratios], "o-", color=drawing.COLOURS[colour], label=name)
        ends = ([ratio[end] for ratio in ratios] for end in ("low", "high"))
        beside.fill_between(at, *ends, color=drawing.COLOURS[colour], alpha=0.2, lw=0)
    drawing.times_and_ratios(ax, beside, at, "seconds")
    return [drawing.save(made, folder, "dask"), sketch_agreement.picture(results["sketch"], folder)]
