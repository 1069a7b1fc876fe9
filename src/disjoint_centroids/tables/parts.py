"""A table on disk that is too large for memory, read a block of rows at a time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from disjoint_centroids.tables import checks
from disjoint_centroids.tables.array_blocks import is_zarr, open_array_blocks
from disjoint_centroids.tables.bounds import MemoryBound
from disjoint_centroids.tables.cell_rules import CellRules
from disjoint_centroids.tables.cells import without_point_zero
from disjoint_centroids.tables.class_labels import left_out, plain_labels, rows_without, settle_spellings
from disjoint_centroids.tables.formats import no_such_file, table_suffix
from disjoint_centroids.tables.identifiers import find_ids, names_samples, numbered_columns
from disjoint_centroids.tables.parquet_blocks import open_parquet_blocks, rewriting
from disjoint_centroids.tables.problems import TableProblems
from disjoint_centroids.tables.sample_labels import read_labels
from disjoint_centroids.tables.stored_rows import LabelledRows, StoredRows

_TEXT = (".csv", ".tsv", ".tab", ".txt")
_COLUMNS_LOOKED_AT = 50


@dataclass(frozen=True, slots=True)
class BlockReader:
    """Reads a block and refuses what a model cannot take. Small, without open files: made to travel to workers.

    Attributes
    ----------
    blocks : StoredRows
        The table.
    columns : tuple of int
        Its columns that are features.
    missing : bool
        Whether missing values stay, as NaN, for a step of the model to fill in.
    rules : CellRules
        Words that are numbers or missing values.
    """

    blocks: StoredRows
    columns: tuple[int, ...]
    missing: bool = False
    rules: CellRules = field(default_factory=CellRules)

    def __call__(self, at: int) -> np.ndarray:
        """The numbers of a block, float64 of shape (rows, features)."""
        columns = range(len(self.columns))
        cells = self.blocks.cells(at, self.columns)
        cells.rules = self.rules
        cells.settle(columns)
        problems = checks.columns_of_words(cells, columns, can_impute=False)
        # A word is not a missing value as well.
        plain = [at for at in columns if not cells.words.get(at)]
        numbers = cells.numbers if len(plain) == len(columns) else cells.numbers[:, plain]
        names = [cells.names[at] for at in plain]
        if not self.missing:
            problems += checks.missing_values(numbers, names, imputed=False, can_impute=False)
        problems += checks.infinite_values(numbers, names, can_impute=False)
        if problems:
            place = f"block {at + 1} of {len(self.blocks.lengths)} ({self.blocks.place(at)})"
            raise TableProblems(self.blocks.source, [f"in {place}, {problem}" for problem in problems])
        return cells.numbers


@dataclass(frozen=True, slots=True)
class Parts:
    """A table on disk as blocks of rows: of all its numbers, only blocks that somebody reads are in memory.

    Attributes
    ----------
    names : tuple of str
        Feature names.
    labels : numpy.ndarray or None
        A label a row, as text: read from the column of labels alone. None for a table without labels.
    lengths : tuple of int
        Rows of each block.
    read : callable
        ``read(at)`` gives block ``at``: float64 of shape (lengths[at], len(names)). It can be pickled, and is small.
    sample_ids : callable
        ``sample_ids(at)`` gives the sample ids of block ``at``.
    source : str
        The file or folder.
    advice : str or None
        What would make reading it quicker.

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
        Whether missing values may stay, as NaN.
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
    blocks = _open_blocks(Path(path), rows, MemoryBound.of(str(path), max_memory))
    opening = _Opening(blocks, set(drop), set(keep), rules, None if only is None else set(only))
    opening.find_ids(sample_id, target if labels is None else None)
    found = opening.labels(target, None if labels is None else Path(labels), sample_id, unlabelled, needed=need_labels)
    columns = opening.features()
    if found is not None:
        found = opening.settle_labels(found, unlabelled, merge_labels, training=need_labels)
    opening.raise_problems()
    blocks = opening.blocks
    return Parts(
        names=tuple(blocks.names[at] for at in columns),
        labels=None if found is None else np.array(found, dtype=object),
        lengths=tuple(blocks.lengths),
        read=BlockReader(blocks, tuple(columns), missing, rules),
        sample_ids=IdReader(blocks, opening.ids),
        source=blocks.source,
        advice=blocks.advice,
    )


@dataclass(frozen=True, slots=True)
class IdReader:
    """Sample ids of a block: of the column of this name, or numbers from 1."""

    blocks: StoredRows
    name: str | None

    def __call__(self, at: int) -> list[str]:
        """A text a row."""
        if self.name is not None:
            return without_point_zero(self.blocks.text(at, self.name))
        return [str(row + 1) for row in self.blocks.rows(at)]

    def all(self) -> list[str]:
        """Those of all blocks."""
        return [name for at in range(len(self.blocks.lengths)) for name in self(at)]


def _open_blocks(path: Path, rows: int | None, bound: MemoryBound) -> StoredRows:
    """By what the path is, and what its name says."""
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
        raise TableProblems(str(path), ["it has no samples. Give a table with a sample a row."])
    return blocks


@dataclass(slots=True)
class _Opening:
    """Finds ids, labels and features among the columns one after the other, and remembers what is wrong."""

    blocks: StoredRows
    drop: set[str]
    keep: set[str]
    rules: CellRules
    only: set[str] | None = None
    ids: str | None = None
    taken: set[int] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def find_ids(self, sample_id: str | None, target: str | None) -> None:
        """Where the ids are: where the user says, where the format has them, in the first column, or nowhere."""
        blocks = self.blocks
        if sample_id is not None:
            if sample_id in blocks.label_names():
                self._take(sample_id)
                self.ids = sample_id
            else:
                self.problems.append(checks.not_there(sample_id, "sample_id=", blocks.label_names()))
        elif blocks.ids is not None:
            self.ids = blocks.ids
        elif blocks.labels_are_columns:
            # Whether the ids are all different is seen in the first block only: all of them would fill the memory.
            first = blocks.cells(0, range(min(len(blocks.names), _COLUMNS_LOOKED_AT)))
            found = find_ids(first, target=target, drop=self.drop, keep=self.keep, only=self.only)
            self.problems += found.problems
            self.remarks += found.remarks
            if found.column is not None:
                self.ids = blocks.names[found.column]
                self._take(self.ids)

    def _take(self, name: str) -> None:
        if self.blocks.labels_are_columns:
            self.taken.add(list(self.blocks.names).index(name))

    def labels(
        self, target: str | None, file: Path | None, sample_id: str | None, unlabelled: str, *, needed: bool
    ) -> list[str] | None:
        """One label per row: of a file, or of the column of this name."""
        texts: list[str] | None = None
        if file is not None:
            texts = self._labels_of(file, target, sample_id, partly=unlabelled == "drop")
        elif target is not None and target in self.blocks.label_names():
            texts = self._labels_in(target)
            self._take(target)
        elif target is not None:
            self.problems.append(checks.not_there(target, "target=", self.blocks.label_names()))
        elif needed:
            self.problems.append(checks.which_labels("column", self._likely_labels()))
        return None if texts is None else plain_labels(texts)

    def _labels_in(self, target: str) -> list[str]:
        # Few texts come often: each is kept once.
        known: dict[str, str] = {}
        return [
            known.setdefault(text, text)
            for at in range(len(self.blocks.lengths))
            for text in map(str.strip, self.blocks.text(at, target))
        ]

    def _labels_of(self, file: Path, target: str | None, sample_id: str | None, *, partly: bool) -> list[str] | None:
        ids = IdReader(self.blocks, self.ids).all()
        numbers = self.ids is None
        try:
            return read_labels(file, ids, target=target, sample_id=sample_id, ids_are_numbers=numbers, partly=partly)
        except TableProblems as error:
            self.problems += [f"the labels in {error.source}: {problem}" for problem in error.problems]
            return None

    def _likely_labels(self) -> list[str]:
        """What may be meant, from a look at the first block."""
        if not self.blocks.labels_are_columns:
            return list(self.blocks.label_names())
        columns = [at for at in range(len(self.blocks.names)) if at not in self.taken]
        first = self.blocks.cells(0, columns)
        return [
            first.names[at] for at in range(len(columns)) if 1 < len(set(first.column_words(at))) <= first.n_rows / 2
        ]

    def features(self) -> list[int]:
        """The columns that are features."""
        names = self.blocks.names
        self.problems += checks.names_not_there(self.drop, "drop=", names)
        self.problems += checks.names_not_there(self.keep, "keep=", names)
        columns = [
            at
            for at, name in enumerate(names)
            if at not in self.taken and name not in self.drop and (self.only is None or name in self.only)
        ]
        self.problems += checks.feature_names([names[at] for at in columns], columns)
        if not columns and self.only is None:
            self.problems.append("no feature is left beside ids and labels. Give a table with columns of numbers.")
        if self.only is None and self.blocks.labels_are_columns:
            self._ask_about_numbered(columns)
        return columns

    def _ask_about_numbered(self, columns: list[int]) -> None:
        """Ask about sample numbers that would be features, as the first block shows them."""
        names = self.blocks.names
        asked = [at for at in columns if names[at] not in self.keep and names_samples(names[at])]
        first = self.blocks.cells(0, asked)
        self.problems += [checks.sample_numbers(first.names[at]) for at in numbered_columns(first, range(len(asked)))]

    def settle_labels(self, labels: list[str], unlabelled: str, merge: bool | None, *, training: bool) -> list[str]:
        """One spelling per class, no sample without a label; or say what is wrong."""
        labels, problems, remarks = settle_spellings(labels, self.rules, merge)
        self.problems += problems
        self.remarks += remarks
        # Ids are for messages about labels that are missing, and fill more memory than labels do.
        unnamed = (str(row + 1) for row in range(len(labels)))
        some_missing = any(map(self.rules.is_missing_label, labels))
        ids = IdReader(self.blocks, self.ids).all() if some_missing else unnamed
        absent = rows_without(labels, self.rules, unlabelled)
        if absent and len(absent) < len(labels):
            names = list(ids)
            self.remarks.append(left_out([names[row] for row in absent], len(labels)))
            self.blocks = LabelledRows.without(self.blocks, absent)
            gone = set(absent)
            labels, ids = ([x for row, x in enumerate(old) if row not in gone] for old in (labels, names))
        self.problems += checks.class_labels(labels, ids, training=training, rules=self.rules)
        return labels

    def raise_problems(self) -> None:
        """Say all that is wrong; if nothing is, what was decided."""
        if self.problems:
            raise TableProblems(self.blocks.source, self.problems)
        for text in self.remarks:
            warnings.warn(f"{self.blocks.source}: {text}", stacklevel=3)
