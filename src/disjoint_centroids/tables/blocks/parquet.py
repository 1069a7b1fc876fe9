"""Parquet, one file or a folder of parts, a block of rows at a time."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from disjoint_centroids._listed import listed
from disjoint_centroids.tables.blocks.stored_rows import even_cuts, rows_within
from disjoint_centroids.tables.cells.file_cells import FileCells, cell_text, cells_of_frame
from disjoint_centroids.tables.checks import messages
from disjoint_centroids.tables.formats.opening import library_errors, needs_package, table_suffix
from disjoint_centroids.tables.memory.bounds import MemoryBound, reserve_names
from disjoint_centroids.tables.memory.parquet_bounds import columns_of_text, reserve_columns
from disjoint_centroids.tables.problems import TableProblems

_UNNAMED_INDEX = "__index_level_"
_BUFFER = 2**16
_WORTH_REWRITING = 2
_UNPACKED_SHARE = 4


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows of one file: those from ``start`` to ``stop`` of one or several of its row groups.

    Attributes
    ----------
    file : int
        Index of the file.
    groups : tuple of int
        Which row groups, one after the other.
    group_rows : int
        Their rows, which must be unpacked to get at some of them.
    start, stop : int
        The rows wanted, counted from the first of these groups.
    before : int
        Rows of the file before these groups.
    """

    file: int
    groups: tuple[int, ...]
    group_rows: int
    start: int
    stop: int
    before: int

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class ParquetBlocks:
    """Files, their columns, and the pieces of them that make up each block: :class:`StoredRows`.

    Attributes
    ----------
    source : str
        The file or folder.
    files : tuple of str
        Absolute paths, since a worker may stand in another folder.
    columns, names : tuple of str
        Names in the files, with the index that pandas kept in front; and the same as the user sees them.
    blocks : tuple of tuple of Piece
        Small row groups are put together, and large ones divided.
    limit : int
        Bytes that unpacking some columns of a row group may take.
    texts : tuple of str
        Columns of text, of which every different one is held once.
    """

    source: str
    files: tuple[str, ...]
    columns: tuple[str, ...]
    names: tuple[str, ...]
    blocks: tuple[tuple[Piece, ...], ...]
    limit: int
    texts: tuple[str, ...] = ()

    @property
    def lengths(self) -> tuple[int, ...]:
        """Rows of each block."""
        return tuple(sum(piece.rows for piece in block) for block in self.blocks)

    @property
    def ids(self) -> None:
        """None: Parquet has no place of its own for sample ids."""
        return

    @property
    def labels_are_columns(self) -> bool:
        """True, as in any frame."""
        return True

    @property
    def advice(self) -> str | None:
        """A command that writes smaller row groups, if there are some that several blocks must unpack."""
        largest = max((piece.group_rows for block in self.blocks for piece in block), default=0)
        longest = max(self.lengths, default=0)
        if largest <= _WORTH_REWRITING * longest:
            return None
        command = rewriting(Path(self.source), longest)
        return (
            f"{self.source} has row groups of up to {largest} rows, larger than a block, and each block unpacks the "
            f"whole group again. Written once with smaller ones it is read faster: {command}"
        )

    def label_names(self) -> tuple[str, ...]:
        """Any column may hold labels or ids."""
        return self.names

    def cells(self, at: int, columns: Sequence[int]) -> FileCells:
        """Some columns of a block: numbers as they are, anything else as words."""
        wanted = [self.columns[column] for column in columns]
        rows = self.lengths[at]
        found = FileCells([self.names[column] for column in columns], np.full((rows, len(wanted)), np.nan), {})
        first = 0
        for piece in self.blocks[at]:
            # Only some columns are unpacked at a time, so that this takes a share of what the block takes, or a column.
            width = max(1, rows * len(wanted) // (_UNPACKED_SHARE * piece.group_rows))
            with open_parquet(self.files[piece.file], self.texts) as file:
                self._check(piece, file, wanted, width)
                for start in range(0, len(wanted), width):
                    table = _rows(file, piece, wanted[start : start + width])
                    for column, name in enumerate(wanted[start : start + width], start=start):
                        _put(found, column, first, table.column(name))
            first += piece.rows
        return found

    def text(self, at: int, name: str) -> list[str]:
        """A column of a block as it is written."""
        column = self.columns[self.names.index(name)]
        texts: list[str] = []
        for piece in self.blocks[at]:
            with open_parquet(self.files[piece.file], self.texts) as file:
                self._check(piece, file, [column], 1)
                texts += _texts(_rows(file, piece, [column]).column(column))
        return texts

    def _check(self, piece: Piece, file: Any, columns: list[str], width: int) -> None:
        bound = MemoryBound(self.files[piece.file], self.limit)
        reserve_columns(Path(self.files[piece.file]), file, piece.groups, columns, width, bound)

    def place(self, at: int) -> str:
        """The file or files, and which of their rows."""
        first, last = self.blocks[at][0], self.blocks[at][-1]
        begins, ends = Path(self.files[first.file]).name, Path(self.files[last.file]).name
        begin, end = first.before + first.start + 1, last.before + last.stop
        if first.file == last.file:
            return f"rows {begin} to {end} of {begins}"
        return f"row {begin} of {begins} to row {end} of {ends}"

    def rows(self, at: int) -> range:
        """The numbers of a block's rows, from 0."""
        before = sum(self.lengths[:at])
        return range(before, before + self.lengths[at])


@contextmanager
def open_parquet(path: str, texts: Sequence[str] = ()) -> Iterator[Any]:
    """Open a Parquet file; whatever is wrong with it becomes one sentence."""
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise needs_package(path, "pyarrow", "parquet") from error
    with (
        library_errors(path, "Parquet", "Cut off or damaged: write or fetch it again."),
        parquet.ParquetFile(path, pre_buffer=False, buffer_size=_BUFFER, read_dictionary=list(texts) or None) as file,
    ):
        yield file


def _rows(file: Any, piece: Piece, columns: list[str]) -> Any:
    return file.read_row_groups(list(piece.groups), columns=columns).slice(piece.start, piece.rows)


def _texts(values: Any) -> Iterator[str]:
    """A column as it is written; a text that comes often is held once."""
    import pyarrow as pa

    for chunk in values.chunks:
        if pa.types.is_dictionary(chunk.type):
            different = [*map(cell_text, chunk.dictionary.to_pylist()), ""]
            yield from (different[-1 if code is None else code] for code in chunk.indices.to_pylist())
        else:
            yield from map(cell_text, chunk.to_pylist())


def _put(cells: FileCells, column: int, first: int, values: Any) -> None:
    """Put a column of some rows where it belongs."""
    import pyarrow as pa

    rows = slice(first, first + len(values))
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.uint8())
    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
        cells.numbers[rows, column] = values.cast(pa.float64(), safe=False).to_numpy()
        return
    written_out = cells_of_frame(values.to_pandas().to_frame())
    cells.numbers[rows, column] = written_out.numbers[:, 0]
    words = {first + row: word for row, word in written_out.words.get(0, {}).items()}
    if words:
        cells.words.setdefault(column, {}).update(words)


def open_parquet_blocks(path: Path, rows: int | None, bound: MemoryBound) -> ParquetBlocks:
    """Read the metadata at the end of each file, and divide the rows into blocks."""
    files = [str(file) for file in (_parts_of(path) if path.is_dir() else [path.absolute()])]
    group_rows: list[list[int]] = []
    with open_parquet(files[0]) as first:
        schema = first.schema_arrow
    for file in files:
        with open_parquet(file) as part:
            _check_same_columns(part.schema_arrow, schema, Path(file).name, Path(files[0]).name, str(path))
            group_rows.append([part.metadata.row_group(g).num_rows for g in range(part.num_row_groups)])
    columns = _columns(schema)
    reserve_names(sum(map(sum, group_rows)), len(columns), bound)
    names = ["" if name.startswith(_UNNAMED_INDEX) else name.strip() for name in columns]
    if len(set(columns)) < len(columns):
        # Columns are read by name, so that this is to be said before any is.
        raise TableProblems(str(path), messages.bad_feature_names(names, range(len(names))))
    blocks = _plan(group_rows, rows_within(len(columns), rows))
    return ParquetBlocks(
        str(path),
        tuple(files),
        tuple(columns),
        tuple(names),
        tuple(blocks),
        bound.limit,
        tuple(columns_of_text(schema)),
    )


def _parts_of(folder: Path) -> list[Path]:
    """The Parquet files of a folder, by name; what other programs leave beside them (_metadata, .crc) is not read."""
    found = [
        file.absolute()
        for file in folder.iterdir()
        if file.suffix.lower() == ".parquet" and file.name[0] not in "._" and file.is_file()
    ]
    parts = sorted(found, key=_in_numbers)
    if parts:
        return parts
    below = sorted({file.parent.relative_to(folder).parts[0] for file in folder.glob("*/**/*.parquet")})
    if below:
        raise TableProblems(
            str(folder),
            [
                f"its Parquet files are in folders of their own: {listed([repr(name) for name in below])}. Put all "
                f"parts into one folder, with every column inside them: {rewriting(folder, partitioned=True)}"
            ],
        )
    raise TableProblems(str(folder), ["it is a folder without Parquet files. Give one with *.parquet, or a file."])


def _in_numbers(file: Path) -> list[tuple[int, str]]:
    """A name with its numbers as numbers: part-2 comes before part-10."""
    return [(int(piece), "") if piece.isdecimal() else (0, piece) for piece in re.split(r"(\d+)", file.name)]


def _columns(schema: Any) -> list[str]:
    """Names in the order of the table; an index that pandas kept comes first, where other formats have it."""
    kept = (schema.pandas_metadata or {}).get("index_columns", [])
    index = [name for name in kept if isinstance(name, str) and name in schema.names]
    return [*index, *(name for name in schema.names if name not in index)]


def _check_same_columns(schema: Any, expected: Any, name: str, first: str, source: str) -> None:
    """Parts may differ in the order of their columns and in how precise their numbers are, in nothing else."""
    if schema.equals(expected):
        return
    here, there = set(schema.names), set(expected.names)
    lost = [repr(column) for column in expected.names if column not in here]
    more = [repr(column) for column in schema.names if column not in there]
    problems = []
    if lost:
        problems.append(f"{name} lacks columns that {first} has: {listed(lost)}")
    if more:
        problems.append(f"{name} has columns that {first} lacks: {listed(more)}")
    if not problems:
        turned = [
            f"{column!r} ({schema.field(column).type}, there {expected.field(column).type})"
            for column in dict.fromkeys(expected.names)
            if _is_number(schema.field(column).type) != _is_number(expected.field(column).type)
        ]
        if turned:
            problems.append(f"{name} has columns of another type than {first}: {listed(turned)}")
    if problems:
        raise TableProblems(source, [f"{problem}. Write all parts with the same columns." for problem in problems])


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return any(check(kind) for check in (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean))


def _plan(group_rows: list[list[int]], most: int) -> list[tuple[Piece, ...]]:
    """Blocks of at most so many rows: row groups of any files are put together while they fit, large ones divided."""
    blocks: list[list[Piece]] = [[]]
    for file, groups in enumerate(group_rows):
        before = 0
        for group, rows in enumerate(groups):
            if rows <= most:
                if sum(piece.rows for piece in blocks[-1]) + rows > most:
                    blocks.append([])
                _append(blocks[-1], Piece(file, (group,), rows, 0, rows, before))
            else:
                blocks += [[Piece(file, (group,), rows, *cut, before)] for cut in even_cuts(rows, most)]
                blocks.append([])
            before += rows
    return [tuple(block) for block in blocks if sum(piece.rows for piece in block)]


def _append(block: list[Piece], piece: Piece) -> None:
    """Add whole row groups; those of the same file are read in one go."""
    if not piece.rows:
        return
    if block and block[-1].file == piece.file and block[-1].groups[-1] + 1 == piece.groups[0]:
        last = block.pop()
        rows = last.rows + piece.rows
        piece = Piece(piece.file, last.groups + piece.groups, rows, 0, rows, last.before)
    block.append(piece)


def rewriting(path: Path, rows: int = 1000, *, text: bool = False, partitioned: bool = False) -> str:
    """A command that writes a table anew as Parquet that is quick to read by blocks, in little memory."""
    tabs = text and table_suffix(path) != ".csv"
    kind = r'd.CsvFileFormat(c.ParseOptions(delimiter="\t"))' if tabs else '"csv"'
    options = f", format={kind}" if text else ', partitioning="hive"' if partitioned else ""
    parts = f"{path.name.split('.')[0] or 'table'}-parts"
    code = (
        f"import pyarrow.dataset as d{', pyarrow.csv as c' if tabs else ''}; d.write_dataset(d.dataset("
        f"{json.dumps(str(path), ensure_ascii=False)}{options}), {json.dumps(parts, ensure_ascii=False)}, "
        f'format="parquet", max_rows_per_group={rows}, use_threads=False)'
    )
    return f"python -c {shlex.quote(code)}"
