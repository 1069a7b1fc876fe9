"""Text tables: CSV, TSV and the CompCancer format."""

from __future__ import annotations

from pathlib import Path

from disjoint_centroids.tables.cells.file_cells import FileCells
from disjoint_centroids.tables.formats.delimited import read_delimited, without_lines
from disjoint_centroids.tables.formats.opening import check_signature, file_bytes
from disjoint_centroids.tables.formats.wanted import Wanted
from disjoint_centroids.tables.memory.bounds import MemoryBound
from disjoint_centroids.tables.problems import TableProblems


def read_text(path: Path, wanted: Wanted, bound: MemoryBound) -> FileCells:
    """Read CSV, TSV or the CompCancer format, told apart by the header."""
    raw = file_bytes(path, bound)
    check_signature(raw, bound.source, text=True)
    raw = without_lines(raw, wanted.skip_rows, bound)
    if raw.removeprefix(b"\xef\xbb\xbf")[:6].upper() == b"GENES\t":
        cells = read_delimited(raw, bound, features_in_rows=True, keep_row=wanted.target, skipped=wanted.skip_rows)
        return cells if wanted.target in cells.names else _compcancer(cells, bound.source, wanted)
    return read_delimited(
        raw,
        bound,
        keep=wanted.keep,
        features_in_rows=wanted.features_in_rows,
        keep_row=wanted.target,
        skipped=wanted.skip_rows,
    )


def _compcancer(cells: FileCells, source: str, wanted: Wanted) -> FileCells:
    """Take the header for labels, unless all are different: then they are ids. Number genes that come again."""
    assert cells.ids is not None
    if len(set(cells.ids)) < len(cells.ids):
        cells.labels, cells.ids = cells.ids, None
        if wanted.target is not None:
            raise TableProblems(
                source,
                [f"its labels are in its header (GENES, label, …), not in {wanted.target!r}. Leave out target=."],
            )
    seen: dict[str, int] = {}
    for at, name in enumerate(cells.names):
        again = seen.get(name, 0)
        seen[name] = again + 1
        if again:
            cells.names[at] = f"{name}.{again}"
    return cells
