"""A table on disk that is too large for memory, read a block of rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from disjoint_centroids.datasets import checks
from disjoint_centroids.datasets.array_blocks import is_zarr, open_array_blocks
from disjoint_centroids.datasets.cells import without_point_zero
from disjoint_centroids.datasets.formats import no_such_file, table_suffix
from disjoint_centroids.datasets.parquet_blocks import open_parquet_blocks, rewriting
from disjoint_centroids.datasets.problems import TableProblems
from disjoint_centroids.datasets.reading import holds_ids
from disjoint_centroids.datasets.sample_labels import is_missing, read_labels
from disjoint_centroids.datasets.stored_rows import StoredRows

_TEXT = (".csv", ".tsv", ".tab", ".txt")


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
    """

    blocks: StoredRows
    columns: tuple[int, ...]
    missing: bool = False

    def __call__(self, at: int) -> np.ndarray:
        """The numbers of a block, float64 of shape (rows, features)."""
        columns = range(len(self.columns))
        cells = self.blocks.cells(at, self.columns)
        cells.settle(columns)
        problems = checks.columns_of_words(cells, columns)
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
    >>> from disjoint_centroids.datasets import open_parts
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
        The column with the sample ids. If None, where the format keeps them, or the first column if it holds words of
        which most are different; otherwise samples are numbered from 1.
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
    >>> from disjoint_centroids.datasets import open_parts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(pathlib.Path(folder) / "X.npy", np.arange(8.0).reshape(4, 2))
    ...     _ = (pathlib.Path(folder) / "y.txt").write_text("T\nT\nN\nN\n")
    ...     parts = open_parts(pathlib.Path(folder) / "X.npy", labels=pathlib.Path(folder) / "y.txt")
    >>> parts.names, parts.lengths, parts.labels.tolist()
    (('x0', 'x1'), (4,), ['T', 'T', 'N', 'N'])
    """
    blocks = _open_blocks(Path(path), rows)
    opening = _Opening(blocks, set(drop))
    opening.find_ids(sample_id, target if labels is None else None)
    found = opening.labels(target, None if labels is None else Path(labels), sample_id, needed=need_labels)
    columns = opening.features(only)
    if found is not None:
        opening.check_labels(found, training=need_labels)
    opening.raise_problems()
    return Parts(
        names=tuple(blocks.names[at] for at in columns),
        labels=found,
        lengths=tuple(blocks.lengths),
        read=BlockReader(blocks, tuple(columns), missing),
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
        before = sum(self.blocks.lengths[:at])
        return [str(before + row + 1) for row in range(self.blocks.lengths[at])]

    def all(self) -> list[str]:
        """Those of all blocks."""
        return [name for at in range(len(self.blocks.lengths)) for name in self(at)]


def _open_blocks(path: Path, rows: int | None) -> StoredRows:
    """By what the path is, and what its name says."""
    if not path.exists():
        raise no_such_file(path)
    blocks: StoredRows
    if path.is_dir():
        blocks = open_array_blocks(path, rows) if is_zarr(path) else open_parquet_blocks(path, rows)
    elif path.suffix.lower() == ".npy":
        blocks = open_array_blocks(path, rows)
    elif path.suffix.lower() == ".parquet":
        blocks = open_parquet_blocks(path, rows)
    else:
        suffix = table_suffix(path)
        cure = (
            f"Write it as Parquet once: {rewriting(path, text=True)}"
            if suffix in _TEXT
            else "Such a file is read in memory: leave out --engine dask."
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
    ids: str | None = None
    taken: set[int] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

    def find_ids(self, sample_id: str | None, target: str | None) -> None:
        """Where the ids are: where the user says, where the format has them, in the first column, or nowhere."""
        blocks = self.blocks
        if sample_id is not None:
            if sample_id in blocks.label_names():
                self._take(sample_id)
                self.ids = sample_id
            else:
                self.problems.append(checks.not_there(sample_id, "--id", blocks.label_names()))
        elif blocks.ids is not None:
            self.ids = blocks.ids
        elif blocks.labels_are_columns and blocks.names[0] != target and blocks.names[0] not in self.drop:
            # Whether the ids are all different is seen in the first block only: all of them would fill the memory.
            first = blocks.cells(0, [0])
            if holds_ids(first):
                self._take(blocks.names[0])
                self.ids = blocks.names[0]

    def _take(self, name: str) -> None:
        if self.blocks.labels_are_columns:
            self.taken.add(list(self.blocks.names).index(name))

    def labels(
        self, target: str | None, file: Path | None, sample_id: str | None, *, needed: bool
    ) -> np.ndarray | None:
        """A label a row: of a file, or of the column of this name."""
        texts: list[str] | None = None
        if file is not None:
            texts = self._labels_of(file, target, sample_id)
        elif target is not None and target in self.blocks.label_names():
            texts = self._labels_in(target)
            self._take(target)
        elif target is not None:
            self.problems.append(checks.not_there(target, "--target", self.blocks.label_names()))
        elif needed:
            self.problems.append(checks.which_labels("column", self._likely_labels()))
        return None if texts is None else np.array(without_point_zero(texts), dtype=object)

    def _labels_in(self, target: str) -> list[str]:
        # Few texts come often: each is kept once.
        known: dict[str, str] = {}
        return [
            known.setdefault(text, text)
            for at in range(len(self.blocks.lengths))
            for text in map(str.strip, self.blocks.text(at, target))
        ]

    def _labels_of(self, file: Path, target: str | None, sample_id: str | None) -> list[str] | None:
        ids = IdReader(self.blocks, self.ids).all()
        try:
            return read_labels(file, ids, target=target, sample_id=sample_id, ids_are_numbers=self.ids is None)
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

    def features(self, only: Collection[str] | None) -> list[int]:
        """The columns that are features."""
        names = self.blocks.names
        self.problems += checks.dropped_names(self.drop, names)
        wanted = None if only is None else set(only)
        columns = [
            at
            for at, name in enumerate(names)
            if at not in self.taken and name not in self.drop and (wanted is None or name in wanted)
        ]
        self.problems += checks.feature_names([names[at] for at in columns], columns)
        if not columns and only is None:
            self.problems.append("no feature is left beside ids and labels. Give a table with columns of numbers.")
        return columns

    def check_labels(self, labels: np.ndarray, *, training: bool) -> None:
        """Samples without a label, classes of one sample, one class only."""
        # Ids are for messages about labels that are missing, and fill more memory than labels do.
        unnamed = (str(row + 1) for row in range(len(labels)))
        ids = IdReader(self.blocks, self.ids).all() if any(map(is_missing, labels)) else unnamed
        self.problems += checks.class_labels(labels.tolist(), ids, training=training)

    def raise_problems(self) -> None:
        """Say all that is wrong."""
        if self.problems:
            raise TableProblems(self.blocks.source, self.problems)
