"""A table on disk that is too large for memory, read a block of rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from disjoint_centroids.tables.assembly import Assembly
from disjoint_centroids.tables.blocks.arrays import is_zarr, open_array_blocks
from disjoint_centroids.tables.blocks.parquet import open_parquet_blocks, rewriting
from disjoint_centroids.tables.blocks.stored_rows import IdReader, StoredRows
from disjoint_centroids.tables.cells.cell_rules import CellRules
from disjoint_centroids.tables.checks import messages
from disjoint_centroids.tables.formats.opening import no_such_file, table_suffix
from disjoint_centroids.tables.formats.wanted import Wanted
from disjoint_centroids.tables.memory.bounds import MemoryBound
from disjoint_centroids.tables.problems import TableProblems

_TEXT = (".csv", ".tsv", ".tab", ".txt")


@dataclass(frozen=True, slots=True)
class BlockReader:
    """Reader of the blocks of a table, which checks their numbers. Small and without open files: it can be pickled.

    Attributes
    ----------
    blocks : StoredRows
        The table.
    columns : tuple of int
        Its columns that are features.
    missing : bool
        If True, missing values stay, as NaN, for a step of the model to fill in.
    rules : CellRules
        Words that are numbers or missing values.
    """

    blocks: StoredRows
    columns: tuple[int, ...]
    missing: bool = False
    rules: CellRules = field(default_factory=CellRules)

    def __call__(self, at: int) -> np.ndarray:
        """Read the numbers of a block, float64 of shape (rows, features)."""
        columns = range(len(self.columns))
        cells = self.blocks.cells(at, self.columns)
        cells.rules = self.rules
        cells.settle(columns)
        problems = messages.columns_of_words(cells, columns, can_impute=False)
        problems += messages.unusable_numbers(cells, columns, missing=self.missing, can_impute=False)
        if problems:
            place = f"block {at + 1} of {len(self.blocks.lengths)} ({self.blocks.place(at)})"
            raise TableProblems(self.blocks.source, [f"in {place}, {problem}" for problem in problems])
        return cells.numbers


@dataclass(frozen=True, slots=True)
class Parts:
    """A table on disk as blocks of rows, of which only those being read are in memory.

    Attributes
    ----------
    names : tuple of str
        Feature names.
    labels : numpy.ndarray or None
        One label per row, as text: read from the column of labels alone. None for a table without labels.
    lengths : tuple of int
        Rows of each block.
    read : callable
        ``read(at)`` gives block ``at``: float64 of shape (lengths[at], len(names)). It can be pickled, and is small.
    sample_ids : callable
        ``sample_ids(at)`` gives the sample ids of block ``at``.
    source : str
        The file or folder.
    advice : str or None
        Sentence on what would make reading quicker.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pandas as pd
    >>> from disjoint_centroids.tables import open_parts
    >>> frame = pd.DataFrame({"g1": [1.5, 2.5, 0.5, 0.25], "kind": ["T", "T", "N", "N"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "tiny.parquet"
    ...     frame.to_parquet(file)
    ...     parts = open_parts(file, target="kind", rows=2)
    ...     second = parts.read(1)
    >>> parts.names, parts.lengths, parts.labels.tolist()
    (('g1',), (2, 2), ['T', 'T', 'N', 'N'])
    >>> second
    array([[0.5 ],
           [0.25]])
    """

    names: tuple[str, ...]
    labels: np.ndarray | None
    lengths: tuple[int, ...]
    read: Callable[[int], np.ndarray]
    sample_ids: Callable[[int], list[str]]
    source: str
    advice: str | None = None


def open_parts(
    path: str | Path,
    *,
    target: str | None = None,
    labels: str | Path | None = None,
    sample_id: str | None = None,
    drop: Collection[str] = (),
    need_labels: bool = True,
    only: Collection[str] | None = None,
    missing: bool = False,
    rows: int | None = None,
    na_values: Collection[str] = (),
    limits: str | None = None,
    unlabelled: str = "error",
    merge_labels: bool | None = None,
    keep: Collection[str] = (),
    max_memory: float | None = None,
) -> Parts:
    r"""Open a table that is too large for memory: its names and labels are read, its numbers a block at a time.

    What :func:`read_table` accepts in memory is accepted here, and what it refuses is refused in the same words; but
    what can only be seen in the numbers is said when their block is read.

    Parameters
    ----------
    path : str or Path
        A Parquet file; a folder of Parquet files (``*.parquet``, in the order of their names) with the same columns; a
        zarr array, or group with a samples x features array ``X``, such as AnnData writes; or ``.npy``.
    target : str or None, default=None
        The column with the labels; of a zarr group the array beside ``X``, or the column of AnnData's obs.
    labels : str or Path or None, default=None
        A file with the labels, as for :func:`read_table`.
    sample_id : str or None, default=None
        The column with the sample ids. If None, where the format keeps them, or the first column if it names samples,
        as :func:`read_table` decides it, by the rows of the first block; otherwise samples are numbered from 1.
    drop : collection of str, default=()
        Columns to leave out.
    need_labels : bool, default=True
        False for prediction: then there may be no labels, one class, or classes of one sample.
    only : collection of str or None, default=None
        Features. If given, all other columns are left out unseen.
    missing : bool, default=False
        If True, missing values may stay, as NaN.
    rows : int or None, default=None
        The most rows of a block. If None, as many as fit into 64 MB.
    na_values, limits, unlabelled, merge_labels, keep : optional
        As for :func:`read_table`.
    max_memory : float or None, default=None
        Gigabytes that the names, the labels and a block may take. If None, half of the machine's memory.

    Returns
    -------
    Parts
        Names, labels, and the way to each block.

    Raises
    ------
    TableProblems
        A ValueError with what is wrong, and with which part.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from disjoint_centroids.tables import open_parts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(pathlib.Path(folder) / "X.npy", np.arange(8.0).reshape(4, 2))
    ...     _ = (pathlib.Path(folder) / "y.txt").write_text("T\nT\nN\nN\n")
    ...     parts = open_parts(pathlib.Path(folder) / "X.npy", labels=pathlib.Path(folder) / "y.txt")
    >>> parts.names, parts.lengths, parts.labels.tolist()
    (('x0', 'x1'), (4,), ['T', 'T', 'N', 'N'])
    """
    rules = CellRules.of(na_values, limits)
    assembly = Assembly(
        _open_blocks(Path(path), rows, MemoryBound.of(str(path), max_memory)),
        Wanted(target if labels is None else None, sample_id, max_memory=max_memory),
        rules,
        set(drop),
        set(keep),
        None if only is None else set(only),
    )
    assembly.find_ids_and_labels(target, labels, needed=need_labels, unlabelled=unlabelled, merge=merge_labels)
    columns = assembly.features()
    assembly.finish()
    blocks = assembly.blocks
    return Parts(
        names=tuple(blocks.names[at] for at in columns),
        labels=None if assembly.labels is None else np.array(assembly.labels, dtype=object),
        lengths=tuple(blocks.lengths),
        read=BlockReader(blocks, tuple(columns), missing, rules),
        sample_ids=IdReader(blocks, assembly.ids),
        source=blocks.source,
        advice=blocks.advice,
    )


def _open_blocks(path: Path, rows: int | None, bound: MemoryBound) -> StoredRows:
    """Open a table by its format, known from its name or, for a folder, from its content."""
    if not path.exists():
        raise no_such_file(path)
    blocks: StoredRows
    if path.is_dir():
        blocks = open_array_blocks(path, rows, bound) if is_zarr(path) else open_parquet_blocks(path, rows, bound)
    elif path.suffix.lower() == ".npy":
        blocks = open_array_blocks(path, rows, bound)
    elif path.suffix.lower() == ".parquet":
        blocks = open_parquet_blocks(path, rows, bound)
    else:
        suffix = table_suffix(path)
        cure = (
            f"Write it as Parquet once: {rewriting(path, text=True)}"
            if suffix in _TEXT
            else "Such a file is read in memory: give it to read_table."
        )
        raise TableProblems(
            str(path),
            [
                f"{suffix or 'such'} files cannot be read a block at a time: Parquet (a file, or a folder of parts), "
                f"zarr and .npy can. {cure}"
            ],
        )
    if not blocks.lengths:
        raise TableProblems(str(path), ["it has no samples. Give a table with one sample per row."])
    return blocks
