"""What a format must offer to be read a block of rows at a time, and how rows are cut into blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from disjoint_centroids.tables.cells import Cells

BLOCK_BYTES = 64 * 2**20
"""The most that the numbers of a block take, as float64, if nothing is said."""


class StoredRows(Protocol):
    """A table on disk, a block of rows at a time. Holds paths and row ranges, no open file: it travels to workers.

    Attributes
    ----------
    source : str
        The file or folder.
    names : sequence of str
        Columns in the order of the table, those with ids and labels included if the format has them there.
    lengths : sequence of int
        Rows of each block.
    ids : str or None
        Where the format itself keeps sample ids; None if it has no such place.
    labels_are_columns : bool
        Whether labels and ids are columns of the table itself, not of something beside it.
    advice : str or None
        What would make reading it quicker.
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

    def cells(self, at: int, columns: Sequence[int]) -> Cells:
        """Some columns of a block."""

    def label_names(self) -> Sequence[str]:
        """Columns that may be named as target or as ids."""

    def text(self, at: int, name: str) -> list[str]:
        """What may be label or id, as it is written; "" where nothing is."""

    def place(self, at: int) -> str:
        """Place of a block, for messages."""

    def rows(self, at: int) -> Sequence[int]:
        """The numbers of a block's rows in the table, from 0."""


@dataclass(frozen=True, slots=True)
class LabelledRows:
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
    def without(cls, inner: StoredRows, rows: Sequence[int]) -> LabelledRows:
        """Leave out rows, given by their numbers in the table."""
        gone = set(rows)
        kept = (
            (at, tuple(place for place, row in enumerate(inner.rows(at)) if row not in gone))
            for at in range(len(inner.lengths))
        )
        return cls(inner, tuple((at, places) for at, places in kept if places))

    @property
    def source(self) -> str:
        """As the user names it."""
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
        """As in the whole table."""
        return self.inner.labels_are_columns

    @property
    def advice(self) -> str | None:
        """As for the whole table."""
        return self.inner.advice

    def cells(self, at: int, columns: Sequence[int]) -> Cells:
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


def rows_within(n_columns: int, rows: int | None) -> int:
    """The most rows of a block: as asked, or as many as the bound on bytes allows."""
    if rows is not None and rows < 1:
        raise ValueError(f"a block needs a row at least; got rows={rows}.")
    return max(1, BLOCK_BYTES // (8 * max(n_columns, 1))) if rows is None else rows


def even_cuts(n_rows: int, most: int) -> Iterator[tuple[int, int]]:
    """Start and stop of as few ranges as can be, none longer than ``most``, their lengths as equal as can be."""
    n_ranges = -(-n_rows // most)
    for at in range(n_ranges):
        yield at * n_rows // n_ranges, (at + 1) * n_rows // n_ranges
