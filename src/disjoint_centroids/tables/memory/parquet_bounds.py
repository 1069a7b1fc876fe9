"""Memory that reading a Parquet file will take, from its metadata, before anything is unpacked."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from disjoint_centroids.tables.memory.bounds import CELL_BYTES, WORD_BYTES, MemoryBound

_NUMBERS = frozenset(["BOOLEAN", "INT32", "INT64", "FLOAT", "DOUBLE"])
_BOOLEANS = (1, 2)
_VARINTS = (4, 5, 6)
_BYTE, _DOUBLE, _BINARY, _STRUCT = 3, 7, 8, 12
_DEEPEST = 16


def reserve_whole_file(path: Path, metadata: Any, bound: MemoryBound) -> None:
    """Reserve memory for reading all columns of all row groups."""
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        for column in range(row_group.num_columns):
            bound.reserve(_unpacked(row_group.column(column), row_group.num_rows))
    groups, columns = range(metadata.num_row_groups), range(metadata.num_columns)
    bound.reserve(_largest_page(path, metadata, groups, columns) * (os.cpu_count() or 1))


def reserve_columns(
    path: Path, file: Any, groups: Sequence[int], names: Sequence[str], at_once: int, bound: MemoryBound
) -> None:
    """Reserve memory for reading some columns of some row groups, ``at_once`` columns at once."""
    metadata = file.metadata
    place = {metadata.schema.column(at).path: at for at in range(metadata.num_columns)}
    columns = [place[name] for name in names if name in place]
    largest = sum(
        max((_unpacked(row_group.column(at), row_group.num_rows) for at in columns), default=0)
        for row_group in map(metadata.row_group, groups)
    )
    bound.reserve(largest * at_once + _largest_page(path, metadata, groups, columns) * (os.cpu_count() or 1))


def _unpacked(chunk: Any, n_rows: int) -> int:
    """Bytes of a column of a row group, as numbers or as words."""
    each = CELL_BYTES if chunk.physical_type in _NUMBERS else WORD_BYTES
    return int(each * max(chunk.num_values, n_rows, 0) + max(chunk.total_uncompressed_size, 0))


def columns_of_text(schema: Any) -> list[str]:
    """Columns of text or bytes, which can be read with every different value held once."""
    import pyarrow as pa

    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    return [field.name for field in schema if any(check(field.type) for check in kinds)]


def _largest_page(path: Path, metadata: Any, groups: Iterable[int], columns: Sequence[int]) -> int:
    """Bytes of the largest page when unpacked, which is held whole, as the headers of the pages say."""
    largest = 0
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for row_group in map(metadata.row_group, groups):
            for chunk in map(row_group.column, columns):
                start = min((at for at in (chunk.dictionary_page_offset, chunk.data_page_offset) if at), default=0)
                largest = max(largest, _largest_in(data, start, start + chunk.total_compressed_size))
    return largest


def _largest_in(data: mmap.mmap, at: int, stop: int) -> int:
    """The largest page of a column; what is no header any more is left to the library to refuse."""
    largest = 0
    try:
        while at < stop:
            header = _Header(data, at)
            largest = max(largest, header.numbers.get(2, 0))
            at = header.at + max(header.numbers.get(3, 0), 0)
    except (IndexError, ValueError):
        pass
    return largest


class _Header:
    """A structure in Thrift's compact protocol: its whole numbers by field, and the position after it."""

    def __init__(self, data: mmap.mmap, at: int) -> None:
        self.data = data
        self.at = at
        self.numbers = self._struct(0)

    def _struct(self, depth: int) -> dict[int, int]:
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")
        found: dict[int, int] = {}
        field = 0
        while head := self._byte():
            delta, kind = head >> 4, head & 15
            field = field + delta if delta else self._number()
            if kind in _VARINTS:
                found[field] = self._number()
            else:
                self._skip(kind, depth)
        return found

    def _skip(self, kind: int, depth: int) -> None:
        """Pass over a value that is not asked for."""
        if kind in _BOOLEANS:
            return
        if kind in _VARINTS:
            self._number()
        elif kind == _BYTE:
            self.at += 1
        elif kind == _DOUBLE:
            self.at += 8
        elif kind == _BINARY:
            self.at += self._varint()
        elif kind == _STRUCT:
            self._struct(depth + 1)
        else:
            raise ValueError("no page header has lists or maps")

    def _byte(self) -> int:
        value = self.data[self.at]
        self.at += 1
        return value

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise ValueError("no number is that long")
        return value | byte << shift

    def _number(self) -> int:
        zigzag = self._varint()
        return (zigzag >> 1) ^ -(zigzag & 1)
