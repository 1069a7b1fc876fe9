"""Labels in a file of their own, matched with the samples of a table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from disjoint_centroids._listed import listed
from disjoint_centroids.tables.cells.file_cells import FileCells, without_point_zero
from disjoint_centroids.tables.formats.delimited import text_encoding
from disjoint_centroids.tables.formats.genepattern import read_cls
from disjoint_centroids.tables.formats.opening import file_bytes, table_suffix
from disjoint_centroids.tables.formats.read_file import read_cells
from disjoint_centroids.tables.formats.wanted import Wanted
from disjoint_centroids.tables.memory.bounds import MemoryBound
from disjoint_centroids.tables.nearest_names import nearest_names
from disjoint_centroids.tables.problems import TableProblems

_SHOWN = 5
_LINE_BYTES = 30
_TURNED = (
    "its samples are columns of the table, not rows: there is one feature per row. Then give features_in_rows=True"
)


def read_labels(
    path: Path,
    ids: Sequence[str],
    *,
    target: str | None,
    sample_id: str | None,
    ids_are_numbers: bool,
    columns: Collection[str] = (),
    partly: bool = False,
    max_memory: float | None = None,
) -> list[str]:
    """Read the label of each sample: by order from .cls and .txt, by id from a table with ids and labels.

    ``columns`` are those of the table, to see whether it stands on its side. With ``partly`` samples that the file
    does not name have the label "".
    """
    source = str(path)
    suffix = table_suffix(path)
    if suffix in (".cls", ".txt"):
        bound = MemoryBound.of(source, max_memory)
        raw = file_bytes(path, bound)
        bound.reserve(_LINE_BYTES * len(raw))
        in_order = read_cls(raw, source) if suffix == ".cls" else _lines(raw, source)
        if in_order is not None:
            return _in_order(in_order, len(ids), source)
    cells = read_cells(path, Wanted(target, sample_id, max_memory=max_memory))
    label_of = _by_id(cells, set(ids), source, target, sample_id)
    unknown = [name for name in ids if name not in label_of]
    if unknown and not (partly and len(unknown) < len(ids)):
        if len(unknown) == len(ids) and not label_of.keys().isdisjoint(columns):
            raise TableProblems(source, [_TURNED])
        raise TableProblems(source, [_unmatched(unknown, len(ids), list(label_of), ids_are_numbers)])
    return [label_of.get(name, "") for name in ids]


def _lines(raw: bytes, source: str) -> list[str] | None:
    """Read one label per line; None if the lines are rows of cells."""
    text = raw.decode(text_encoding(raw, source)).rstrip()
    return None if "\t" in text else [line.strip() for line in text.split("\n")]


def _in_order(labels: list[str], n_samples: int, source: str) -> list[str]:
    if len(labels) != n_samples:
        raise TableProblems(
            source,
            [
                f"it holds {len(labels)} labels, the table {n_samples} samples. Give a label for each sample in the "
                "order of the table, without a header; or a CSV file with the columns id and label, in any order."
            ],
        )
    return labels


def _by_id(
    cells: FileCells, ids: Collection[str], source: str, target: str | None, sample_id: str | None
) -> dict[str, str]:
    label_column = _label_column(cells, target, source)
    id_column = (cells.find(sample_id) if sample_id is not None else None) or 0
    keys = without_point_zero(cells.text(id_column))
    labels = cells.text(label_column)
    if cells.names[id_column] in ids:
        # The file has no header: what was taken for one is the first sample.
        keys, labels = [cells.names[id_column], *keys], [cells.names[label_column], *labels]
    label_of: dict[str, str] = {}
    for key, label in zip(keys, labels, strict=True):
        if label_of.setdefault(key, label) != label:
            raise TableProblems(
                source, [f"the sample {key!r} has two labels, {label_of[key]!r} and {label!r}. Leave one."]
            )
    return label_of


def _label_column(cells: FileCells, target: str | None, source: str) -> int:
    if target is not None:
        found = cells.find(target)
        if found is None:
            near = nearest_names(target, cells.names) or f" Its columns are: {listed(cells.names)}."
            raise TableProblems(source, [f"there is no column {target!r}, which target= names.{near}"])
        return found
    if len(cells.names) != 2:
        raise TableProblems(
            source,
            [
                f"it has {len(cells.names)} columns ({listed(cells.names)}). Say which holds the labels: "
                "target=NAME; the first column must hold the sample ids."
            ],
        )
    return 1


def _unmatched(unknown: list[str], n_samples: int, keys: list[str], ids_are_numbers: bool) -> str:
    shown = listed(map(repr, unknown), _SHOWN)
    theirs = listed(map(repr, keys), _SHOWN)
    cure = (
        "The table has no sample ids, so its rows were numbered. Name the column with ids: sample_id=NAME."
        if ids_are_numbers
        else "Write the ids alike in both files, or name the table's column with ids: sample_id=NAME."
    )
    if len(unknown) < n_samples:
        cure += " Or leave these samples out: unlabelled='drop'"
    return f"it has no label for {len(unknown)} of {n_samples} samples: {shown}. Its ids are {theirs}. {cure}"
