"""Panels of tables on disk, in a process of its own: ``python -m performance.panel_reach_probe QUESTION``."""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.numerics import one_thread_a_product
from performance.dask_table import DiskTable, bare_columns_pass, bare_gram_pass, write_table
from performance.peak import forget_peak, peak_bytes
from performance.sparse_disk import SparseDisk, bare_sparse_gram_pass, write_sparse
from performance.timing import in_turns, ratio, spread

FOLDS = 5
KEPT = 10_000
"""Rows whose picked columns are taken, about: as in a fit."""

_FEW = 3000
Fits = dict[str, dict[str, Any]]


def answer(
    sizes: list[int], p: int, fits: Fits, repeats: int, limit: float, folder: str | None = None, **how: Any
) -> list[dict[str, Any]]:
    """Fits beside bare passes, one table of each size; with a folder sparse tables, the last of which stays there."""
    # Address space, which is never less than memory: beyond the limit the process ends with a MemoryError.
    resource.setrlimit(resource.RLIMIT_AS, (int(limit), int(limit)))
    found = []
    for n in sizes:
        # Processor time of all threads: threads of the linear algebra that wait for each other would count too.
        with tempfile.TemporaryDirectory() as own, one_thread_a_product():
            table: DiskTable | SparseDisk
            if folder is None:
                table = write_table(Path(own) / "table.bin", n, p, how["block_bytes"])
            else:
                place = Path(folder if n == sizes[-1] else own)
                table = write_sparse(place, n, p, how["n_classes"], how["rows_of_block"])
            found.append({"n": n, "p": p, "blocks": len(table.edges), **_measured(table, fits, repeats)})
    return found


def _measured(table: DiskTable | SparseDisk, fits: Fits, repeats: int) -> dict[str, Any]:
    works: dict[str, Callable[[], object]] = {}
    peaks = {}
    few = slice(0, min(_FEW, table.rows_of_block))
    for name, options in fits.items():
        model = DisjointPanelClassifier(random_state=0, **options)
        model.fit(table.array()[few], table.labels[few])  # loads what is compiled
        forget_peak()
        model.fit(table.array(), table.labels)
        peaks[name] = peak_bytes()
        works[name] = partial(_fit, model, table)
    bare = _bare(table, np.flatnonzero(model.owner_ >= 0))
    times = in_turns(works | bare, repeats, warm=False, clock=time.process_time)
    below = np.sum([times[name] for name in bare], axis=0)
    return {
        "seconds": {name: spread(taken) for name, taken in times.items()},
        "ratio": {name: ratio(times[name], below) for name in fits},
        "peak": peaks,
    }


def _fit(model: DisjointPanelClassifier, table: DiskTable | SparseDisk) -> None:
    model.fit(table.array(), table.labels)


def _bare(table: DiskTable | SparseDisk, picked: np.ndarray) -> dict[str, Callable[[], object]]:
    """Bare passes: sums for every fold and picked columns; of a sparse table one matrix of products alone."""
    rng = np.random.default_rng(0)
    weights = rng.uniform(0.5, 1.5, len(table.labels))
    if isinstance(table, SparseDisk):
        return {"gram": partial(bare_sparse_gram_pass, table, weights)}
    folds = rng.integers(FOLDS, size=len(table.labels))
    kept = rng.random(len(table.labels)) < KEPT / len(table.labels)
    return {
        "gram": partial(bare_gram_pass, table, folds, weights),
        "columns": partial(bare_columns_pass, table, kept, picked),
    }


if __name__ == "__main__":
    print(json.dumps(answer(**json.loads(sys.argv[1]))))
