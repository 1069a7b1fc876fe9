"""Markers of a million cells that are not loaded: ``python benchmarks/million_cells.py``, where anndata and dask are.

Writes sparse cells to disk in blocks, puts them into an AnnData as a dask array, and finds markers with
``disjoint_markers``. Leaves processor time and peak memory in benchmarks/published/million_cells.json, which
``python benchmarks/marker_panels.py page`` shows. ``--cells 20000`` is quick.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd
from anndata import AnnData

from disjoint_centroids.markers import disjoint_markers, disjoint_markers_df

sys.path.append(str(Path(__file__).parents[1] / "paper"))
from performance.peak import forget_peak, peak_bytes
from performance.sparse_disk import STORED, write_sparse

PUBLISHED = Path(__file__).parent / "published" / "million_cells.json"
GENES, TYPES, ROWS_OF_BLOCK, MARKERS = 2000, 20, 20_000, 10
MARKERS_OF_A_TYPE = 20
"""Genes on which the cells of a type have larger values, as ``write_sparse`` makes them."""


def measured(n_cells: int) -> dict[str, Any]:
    """Processor seconds and peak memory of the markers of so many cells."""
    with tempfile.TemporaryDirectory() as folder:
        table = write_sparse(Path(folder), n_cells, GENES, TYPES, ROWS_OF_BLOCK)
        cells = AnnData(table.array(), obs=pd.DataFrame({"type": [f"type {code}" for code in table.labels]}))
        cells.obs["type"] = cells.obs["type"].astype("category")
        stored = sum(path.stat().st_size for path in Path(folder).iterdir())
        forget_peak()
        began, clock = time.process_time(), time.perf_counter()
        disjoint_markers(cells, "type", n_genes=MARKERS, direction="up", terms="linear")
        seconds, wall, peak = time.process_time() - began, time.perf_counter() - clock, peak_bytes()
    found = disjoint_markers_df(cells)
    right = sum(
        int(name) // MARKERS_OF_A_TYPE == int(group.split()[1])
        for group, name in zip(found["group"], found["names"], strict=True)
    )
    return {
        "cells": n_cells,
        "genes": GENES,
        "types": TYPES,
        "stored": STORED,
        "bytes": stored,
        "markers": len(found),
        "right": right,
        "seconds": seconds,
        "wall": wall,
        "peak": peak,
    }


def main() -> None:
    """Measure, print and publish."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=1_000_000)
    asked = parser.parse_args()
    found = measured(asked.cells)
    print(json.dumps(found, indent=1))
    if asked.cells == parser.get_default("cells"):
        PUBLISHED.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
