"""Panels of tables larger than memory: a fit beside bare passes over the same blocks, memory, growth, and COSG."""

from __future__ import annotations

import json
import subprocess
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from markdown_tables import markdown as markdown_table

from performance import drawing
from performance.peak import BENCHMARKS, in_a_fresh_process
from performance.shapes import thousands, times_sign
from performance.sparse_disk import STORED
from performance.words import figure, line, megabytes, ranged, seconds

TITLE = "Panels of millions of rows"
LIMIT = 4e9
"""Bytes that a process may have in all."""

RIVALS_PYTHON = BENCHMARKS.parent / ".venv-rivals" / "bin" / "python"
"""Interpreter of the environment with other people's programs: ``make rivals``."""

DEFAULT, TEN = "default", "10 per class"
_FITS: dict[str, dict[str, Any]] = {DEFAULT: {}, TEN: {"rounds": 10, "terms": "linear"}}
_DENSE = {"p": 200, "block_bytes": 24e6, "repeats": 3, "fits": _FITS}
_SPARSE = {"p": 2000, "n_classes": 20, "rows_of_block": 20_000, "repeats": 1, "fits": {TEN: _FITS[TEN]}}
_QUICK_DENSE = {**_DENSE, "p": 10, "block_bytes": 2e4, "repeats": 1}
_QUICK_SPARSE = {**_SPARSE, "p": 60, "n_classes": 3, "rows_of_block": 200}
_MARKERS = 10


def measure(quick: bool) -> dict[str, Any]:
    dense, table = (_QUICK_DENSE, _QUICK_SPARSE) if quick else (_DENSE, _SPARSE)
    sizes = (600, 1200) if quick else (125_000, 250_000, 500_000, 1_000_000)
    probe = partial(in_a_fresh_process, "performance.panel_reach_probe", sizes=sizes, limit=LIMIT)
    with tempfile.TemporaryDirectory() as folder:
        wide = probe(folder=folder, **table)
        cosg = _cosg(folder, int(table["p"]), wide[-1]["blocks"])
    return {
        "limit": LIMIT,
        "dense": probe(**dense),
        "sparse": wide,
        "cosg": cosg,
        "n_classes": table["n_classes"],
    }


def _cosg(folder: str, p: int, n_blocks: int) -> dict[str, Any] | None:
    """Time and memory of COSG on the blocks of the last table; None where it is not installed."""
    if not RIVALS_PYTHON.exists():
        return None
    question = {"folder": folder, "p": p, "n_blocks": n_blocks, "n_genes": _MARKERS}
    probe = Path(__file__).with_name("cosg_probe.py")
    command = [str(RIVALS_PYTHON), str(probe), json.dumps(question)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"COSG failed on {question}:\n{done.stderr}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def markdown(results: dict[str, Any]) -> str:
    dense, wide = results["dense"], results["sparse"]
    return f"""A fit of panels to a dask array of more than 50 000 samples reads it twice: once to add up
products of columns for each of the five folds, once to take the picked columns of about 10 000 samples, on which
scores are calibrated. No process could use more than {megabytes(results["limit"])} of address space. Times in this
section are processor times, those of all threads added up, because they do not depend on what else the machine does.

Dense tables with {dense[0]["p"]} features and 4 classes. For comparison, a pass that computes the inner products of the
columns, fold by fold, and a pass that takes the picked columns. *default* chooses rounds and penalty by the folds;
*{TEN}* has ten rounds and linear terms.

{markdown_table(*_dense_table(dense))}

Sparse tables (CSR blocks) with {wide[0]["p"]} features of which {STORED:.0%} are stored and {results["n_classes"]}
classes, ten rounds. For comparison, a pass that adds up one weighted matrix of inner products by the same compiled
kernel.

{markdown_table(*_sparse_table(wide))}

{_lines(dense, wide)}{_beside_cosg(results["cosg"], wide[-1])}

![Processor time against rows, and its ratio to bare passes](images/performance-panel-reach.png)"""


def _dense_table(rows: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    header = ["table", "fit", "time", "bare passes", "divided by them", "peak memory"]
    body = []
    for row in rows:
        bare = sum(row["seconds"][name]["median"] for name in ("gram", "columns"))
        body += [[times_sign(row["n"], row["p"]), fit, *_cells(row, fit, bare)] for fit in row["ratio"]]
    return header, body


def _sparse_table(rows: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    header = ["table", "time", "bare pass", "divided by it", "peak memory"]
    return header, [
        [times_sign(row["n"], row["p"]), *_cells(row, TEN, row["seconds"]["gram"]["median"])] for row in rows
    ]


def _cells(row: dict[str, Any], fit: str, bare: float) -> list[str]:
    taken = row["seconds"][fit]["median"]
    return [seconds(taken), seconds(bare), ranged(row["ratio"][fit]), megabytes(row["peak"][fit])]


def _lines(dense: list[dict[str, Any]], wide: list[dict[str, Any]]) -> str:
    said = []
    for name, rows, fit in (("dense", dense, DEFAULT), ("sparse", wide, TEN)):
        times = [row["seconds"][fit]["median"] for row in rows]
        said.append(f"{name}: {line([row['n'] for row in rows], times)}")
    return f"Straight lines fitted to the times from {thousands(dense[0]['n'])} rows on: {'; '.join(said)}."


def _beside_cosg(cosg: dict[str, Any] | None, largest: dict[str, Any]) -> str:
    if cosg is None:
        return ""
    ours = largest["seconds"][TEN]["median"]
    return f"""

COSG, which ranks the features of each class by the cosine of their values with the class's indicator and fits no
classifier, took {seconds(cosg["seconds"])} for the {thousands(largest["n"])} rows of the last table, read into one
AnnData beforehand, and {megabytes(cosg["peak"])} of memory at its peak: our fit took
{figure(ours / cosg["seconds"])} times as long with {figure(largest["peak"][TEN] / cosg["peak"])} times its memory."""


def picture(results: dict[str, Any], folder: Path) -> list[Path]:
    """Processor seconds against rows, and ratios against rows."""
    made, (ax, beside) = drawing.figure(9, 3.4, 2)
    kinds = (("dense, default", "dense", DEFAULT), ("dense, 10 per class", "dense", TEN), ("sparse", "sparse", TEN))
    for colour, (name, table, fit) in zip(drawing.COLOURS, kinds, strict=False):
        rows = results[table]
        at = [row["n"] for row in rows]
        ax.plot(at, [row["seconds"][fit]["median"] for row in rows], "o-", color=colour, label=name)
        beside.plot(at, [row["ratio"][fit]["median"] for row in rows], "o-", color=colour, label=name)
        beside.fill_between(
            at, *([row["ratio"][fit][end] for row in rows] for end in ("low", "high")), color=colour, alpha=0.2, lw=0
        )
    drawing.times_and_ratios(ax, beside, at, "processor seconds")
    return [drawing.save(made, folder, "panel-reach")]
