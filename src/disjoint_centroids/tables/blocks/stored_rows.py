"""Tables as blocks of rows: the protocol of a format that is read block by block, and tables in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from disjoint_centroids.tables.cells.file_cells import FileCells, without_point_zero

BLOCK_BYTES = 64 * 2**20
"""Default limit on the bytes of a block, as float64."""


class StoredRows(Protocol):
    """A table that is read a block of rows at a time. Holds paths and row ranges, no open file: it can be pickled.

    Attributes
    ----------
    source : str
        The file or folder.
    names : sequence of str
        Columns in the order of the table, those with ids and labels included if the format has them there.
    lengths : sequence of int
        Rows of each block.
    ids : str or None
        Name under which the format itself keeps sample ids; None if it has no such place.
    labels_are_columns : bool
        True if labels and ids are columns of the table itself, False if they are stored beside it.
    advice : str or None
        Sentence on what would make reading quicker.
    """

    @property
    def source(self) -> str: ...  # noqa: D102 - see above, as are the others
    @property
    def names(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def lengths(self) -> Sequence[int]: ...  # noqa: D102
    @property
    def ids(self) -> str | None: ...  # noqa: D102
    @property
    def labels_are_columns(self) -> bool: ...  # noqa: D102
    @property
    def advice(self) -> str | None: ...  # noqa: D102

    def cells(self, at: int, columns: Sequence[int]) -> FileCells:
        """Some columns of a block."""

    def label_names(self) -> Sequence[str]:
        """Columns that may be named as target or as ids."""

    def text(self, at: int, name: str) -> list[str]:
        """A column of a block that may hold labels or ids, as it is written; "" for empty cells."""

    def place(self, at: int) -> str:
        """Place of a block, for messages."""

    def rows(self, at: int) -> Sequence[int]:
        """The numbers of a block's rows in the table, from 0."""


@dataclass(frozen=True, slots=True)
class RowSubset:
    """A table on disk without some of its rows: :class:`StoredRows`.

    Attributes
    ----------
    inner : StoredRows
        The whole table.
    kept : tuple of (int, tuple of int)
        Blocks of it that have rows left, and which rows of the block these are.
    """

    inner: StoredRows
    kept: tuple[tuple[int, tuple[int, ...]], ...]

    @classmethod
    def without(cls, inner: StoredRows, rows: Sequence[int]) -> RowSubset:
        """Leave out rows, given by their numbers in the table."""
        gone = set(rows)
        kept = (
            (at, tuple(place for place, row in enumerate(inner.rows(at)) if row not in gone))
            for at in range(len(inner.lengths))
        )
        return cls(inner, tuple((at, places) for at, places in kept if places))

    @property
    def source(self) -> str:
        """Name of the table, as the user gave it."""
        return self.inner.source

    @property
    def names(self) -> Sequence[str]:
        """Columns."""
        return self.inner.names

    @property
    def lengths(self) -> Sequence[int]:
        """Rows of each block that are left."""
        return tuple(len(places) for _, places in self.kept)

    @property
    def ids(self) -> str | None:
        """Place in which the format itself keeps sample ids."""
        return self.inner.ids

    @property
    def labels_are_columns(self) -> bool:
        """True if labels may be in any column of the whole table."""
        return self.inner.labels_are_columns

    @property
    def advice(self) -> str | None:
        """Advice about the whole table."""
        return self.inner.advice

    def cells(self, at: int, columns: Sequence[int]) -> FileCells:
        """Some columns of a block."""
        block, places = self.kept[at]
        cells = self.inner.cells(block, columns)
        return cells.without_rows(set(range(cells.n_rows)).difference(places))

    def label_names(self) -> Sequence[str]:
        """Columns that may be named as target or as ids."""
        return self.inner.label_names()

    def text(self, at: int, name: str) -> list[str]:
        """Columns that may be label or id, as they are written."""
        block, places = self.kept[at]
        texts = self.inner.text(block, name)
        return [texts[place] for place in places]

    def place(self, at: int) -> str:
        """Place of a block, for messages."""
        return self.inner.place(self.kept[at][0])

    def rows(self, at: int) -> Sequence[int]:
        """The numbers of a block's rows in the whole table."""
        block, places = self.kept[at]
        rows = self.inner.rows(block)
        return [rows[place] for place in places]


@dataclass(frozen=True, slots=True)
class OneBlock:
    """A file that was read into memory, as one block of rows: :class:`StoredRows`.

    Attributes
    ----------
    whole : FileCells
        All cells.
    source : str
        The file.
    kept : sequence of int or None
        Numbers of the rows in the file, if some were left out.
    """

    whole: FileCells
    source: str
    kept: Sequence[int] | None = None
    labels_are_columns: bool = True
    advice: str | None = None

    @property
    def names(self) -> Sequence[str]:
        """Columns."""
        return self.whole.names

    @property
    def lengths(self) -> Sequence[int]:
        """Number of rows."""
        return (self.whole.n_rows,)

    @property
    def ids(self) -> str | None:
        """The header, if the file has one sample per column."""
        return None if self.whole.ids is None else "the header"

    def cells(self, at: int, columns: Sequence[int]) -> FileCells:
        """Some columns; all of them are not copied."""
        if len(columns) == len(self.names):
            return self.whole
        places = {column: place for place, column in enumerate(columns)}
        words = {places[column]: words for column, words in self.whole.words.items() if column in places}
        names = [self.names[column] for column in columns]
        return replace(self.whole, names=names, numbers=self.whole.numbers[:, list(columns)], words=words)

    def label_names(self) -> Sequence[str]:
        """Any column may hold labels or ids."""
        return self.names

    def text(self, at: int, name: str) -> list[str]:
        """A column as it is written, or the sample ids of the header."""
        if self.whole.ids is not None and name == self.ids:
            return self.whole.ids
        return self.whole.text(self.whole.names.index(name))

    def place(self, at: int) -> str:
        """Place of the block, for messages."""
        return "all rows"

    def rows(self, at: int) -> Sequence[int]:
        """The numbers of the rows in the file."""
        return range(self.whole.n_rows) if self.kept is None else self.kept


def without_rows(blocks: StoredRows, rows: Sequence[int]) -> StoredRows:
    """Leave out rows, given by their numbers in the table."""
    if isinstance(blocks, OneBlock):
        gone = set(rows)
        kept = [row for row in blocks.rows(0) if row not in gone]
        return OneBlock(blocks.whole.without_rows(gone), blocks.source, kept)
    return RowSubset.without(blocks, rows)


@dataclass(frozen=True, slots=True)
class IdReader:
    """Reader of the sample ids of a block: the column of this name, or numbers from 1."""

    blocks: StoredRows
    name: str | None

    def __call__(self, at: int) -> list[str]:
        """Sample ids of one block."""
        if self.name is not None:
            return without_point_zero(self.blocks.text(at, self.name))
        return [str(row + 1) for row in self.blocks.rows(at)]

    def all(self) -> list[str]:
        """Sample ids of all blocks."""
        return [name for at in range(len(self.blocks.lengths)) for name in self(at)]


def rows_within(n_columns: int, rows: int | None) -> int:
    """The most rows of a block: as asked, or as many as the bound on bytes allows."""
    if rows is not None and rows < 1:
        raise ValueError(f"a block needs a row at least; got rows={rows}.")
    return max(1, BLOCK_BYTES // (8 * max(n_columns, 1))) if rows is None else rows


def even_cuts(n_rows: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield start and stop of the fewest ranges that are no longer than ``most``, of nearly equal length."""
    n_ranges = -(-n_rows // most)
    for at in range(n_ranges):
        yield at * n_rows // n_ranges, (at + 1) * n_rows // n_ranges
