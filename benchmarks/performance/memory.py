"""Peak memory of a fit above the table it was given, each in a process of its own.

``python -m performance.memory QUESTION`` answers for one shape.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from markdown_tables import markdown as markdown_table

from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV
from performance import drawing
from performance.peak import in_a_fresh_process, peak_memory
from performance.shapes import block_table, times_sign
from performance.words import figure, megabytes

TITLE = "Memory"
_FULL = (
    (1000, 100, 4, "fit"),
    (1000, 100, 4, "cv"),
    (100, 20_000, 2, "fit"),
    (100, 2000, 2, "cv"),
    (2000, 2000, 10, "fit"),
    (20_000, 500, 4, "fit"),
    (256_000, 100, 4, "fit"),
    (64_000, 100, 4, "cv"),
)
_QUICK = ((40, 300, 2, "cv"),)


def measure(quick: bool) -> dict[str, Any]:
    n_init = 3 if quick else 100
    names = ("n", "p", "k", "task")
    rows = []
    for shape in _QUICK if quick else _FULL:
        asked = dict(zip(names, shape, strict=True))
        rows.append({**asked, **in_a_fresh_process("performance.memory", **asked, n_init=n_init)})
    return {"n_init": n_init, "rows": rows}


def answer(n: int, p: int, k: int, task: str, n_init: int) -> dict[str, int]:
    """Bytes of the table, and the most that a fit took beyond it."""
    kind = NearestDisjointCentroidCV if task == "cv" else NearestDisjointCentroid
    given = {"n_lams": 30} if task == "cv" else {"lam": 1.0}
    model = kind(n_init=n_init, random_state=0, **given)
    # What is compiled is loaded by a small table that takes the same way through the engine.
    small = block_table(min(n, 40), p if p > n else min(p, 40), min(k, 4))
    kind(n_init=2, random_state=0, **given).fit(*small)
    X, y = block_table(n, p, k)
    with peak_memory() as above:
        model.fit(X, y)
    return {"table": int(X.nbytes), "above": above[0]}


def markdown(results: dict[str, Any]) -> str:
    tasks = {"fit": "a fit", "cv": "five folds, 30 lambdas"}
    rows = [
        [
            f"{times_sign(row['n'], row['p'])}, {row['k']} classes",
            tasks[row["task"]],
            megabytes(row["table"]),
            megabytes(row["above"]),
            figure(row["above"] / row["table"]),
        ]
        for row in results["rows"]
    ]
    return f"""The largest amount of memory that a fit with {results["n_init"]} restarts needed in addition to the
table, as reported by the operating system; each fit ran in a process of its own.

{markdown_table(["table", "task", "size of the table", "additional memory", "additional memory divided by size"], rows)}

![Additional memory against the size of the table](images/performance-memory.png)

A wide table is copied once, with its samples sorted by class. A long one is read in chunks and replaced by k + 1 Gram
matrices of p² numbers. In cross-validation the training part of the current fold is copied."""


def picture(results: dict[str, Any], folder: Path) -> list[Path]:
    """Memory above the table against its size, both axes logarithmic."""
    made, ax = drawing.figure(6.4, 3.8)
    for task, colour, label in (("fit", 0, "a fit"), ("cv", 1, "a cross-validation")):
        rows = [row for row in results["rows"] if row["task"] == task]
        ax.plot(
            [row["table"] / 1e6 for row in rows],
            [max(row["above"], 1e4) / 1e6 for row in rows],
            "o",
            color=drawing.COLOURS[colour],
            label=label,
        )
        for row in rows:
            at = row["table"] / 1e6, max(row["above"], 1e4) / 1e6
            ax.annotate(times_sign(row["n"], row["p"]), at, (5, -9), textcoords="offset points", fontsize=7)
    ends = [f(row["table"] for row in results["rows"]) / 1e6 for f in (min, max)]
    ax.plot(ends, ends, color=drawing.INK, lw=1, ls=":", label="as much as the table")
    ax.set(xscale="log", yscale="log", xlabel="table, MB", ylabel="above the table, MB")
    for axis in (ax.xaxis, ax.yaxis):
        drawing.plain_ticks(axis)
    ax.legend(frameon=False, fontsize=8)
    return [drawing.save(made, folder, "memory")]


if __name__ == "__main__":
    print(json.dumps(answer(**json.loads(sys.argv[1]))))
