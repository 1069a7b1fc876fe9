"""Excel files, read within bounds: an .xlsx file is a zip archive that may unpack to anything."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from disjoint_centroids.tables.cells.file_cells import FileCells, RowCollector, cell_text
from disjoint_centroids.tables.checks import messages
from disjoint_centroids.tables.checks.title_rows import ROWS_EXAMINED, check_no_title_rows
from disjoint_centroids.tables.formats.delimited import collect
from disjoint_centroids.tables.formats.opening import check_signature, first_bytes, library_errors, needs_package
from disjoint_centroids.tables.formats.wanted import Wanted
from disjoint_centroids.tables.memory.bounds import MemoryBound, size_text
from disjoint_centroids.tables.nearest_names import nearest_names
from disjoint_centroids.tables.problems import TableProblems

LAST_ROW = 2**20
"""Excel's own bound."""
ROW_BYTES = 8 * 2**20
"""The longest row of a sheet, as XML. Excel's 16 384 columns take one or two megabytes."""
_ELEMENT_BYTES = 40
_TEXT_BYTES = 60
_CHUNK = 2**20
_TAG_BYTES = 64
_MOST_TAGS = 3 * LAST_ROW
_ROW = re.compile(rb"</?(?:[\w.-]+:)?row[\s/>]")
_SHEETS = "xl/worksheets/"
_PEEKED = 20
_CURE = "Save it anew from the spreadsheet, or as .csv."


@dataclass(frozen=True, slots=True)
class Sheet:
    """Rows of the sheet that is read that are not empty, with their numbers; names of the other sheets."""

    name: str
    rows: list[tuple[int, list[str]]]
    others: tuple[str, ...]


def read_sheet(path: Path, wanted: str | None, bound: MemoryBound) -> Sheet:
    """Read the sheet of this name, or the first."""
    import openpyxl

    _reserve_archive(path, bound)
    book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
    try:
        sheets = {str(sheet.title): sheet for sheet in book.worksheets}
        if wanted is not None and wanted not in sheets:
            near = nearest_names(wanted, sheets) or f" The sheets are: {', '.join(map(repr, sheets))}."
            raise TableProblems(bound.source, [f"it has no sheet {wanted!r}, which sheet= names.{near}"])
        name = wanted if wanted is not None else next(iter(sheets))
        rows = _filled(sheets[name], bound)
        others = tuple(other for other, sheet in sheets.items() if other != name and _holds_something(sheet))
    finally:
        book.close()
    return Sheet(name, rows, others)


def _filled(sheet: Any, bound: MemoryBound) -> list[tuple[int, list[str]]]:
    rows = []
    for line, row in enumerate(_rows(sheet, LAST_ROW), start=1):
        if any(value is not None for value in row):
            bound.reserve(_TEXT_BYTES * len(row))
            texts = [cell_text(value) for value in row]
            if any(texts):
                rows.append((line, texts))
    return rows


def _holds_something(sheet: Any) -> bool:
    return any(value is not None for row in islice(_rows(sheet, _PEEKED), _PEEKED) for value in row)


def _rows(sheet: Any, last: int) -> Iterable[tuple[Any, ...]]:
    # The size that a sheet states may be wrong, by much; its rows say what they are.
    sheet.reset_dimensions()
    rows: Iterable[tuple[Any, ...]] = sheet.iter_rows(max_row=last, values_only=True)
    return rows


def _reserve_archive(path: Path, bound: MemoryBound) -> None:
    """Count what unpacking takes: trees of elements for all parts but the sheets, which are read row by row."""
    with zipfile.ZipFile(path) as archive:
        for part in archive.infolist():
            if not part.filename.lower().endswith((".xml", ".rels", ".vml")):
                continue
            bound.check_ratio(part.compress_size, part.file_size, f"its part {part.filename[:60]!r}", _CURE)
            if part.filename.startswith(_SHEETS):
                bound.reserve(_ELEMENT_BYTES * _longest_row(archive, part, bound))
            else:
                bound.reserve(_ELEMENT_BYTES * part.file_size)


def _longest_row(archive: zipfile.ZipFile, part: zipfile.ZipInfo, bound: MemoryBound) -> int:
    """Bytes of the longest row, which is held whole; refuse one that no spreadsheet has."""
    longest, since, n_tags, tail = _CHUNK, 0, 0, b""
    with archive.open(part) as file:
        while chunk := file.read(_CHUNK):
            piece = tail + chunk
            if b"<!" in piece:  # a comment might hold what looks like rows
                return part.file_size
            tags = [found.start() for found in _ROW.finditer(piece)]
            # Rows within a chunk are short; what counts is the one that goes on beyond it.
            longest = max(longest, since + (tags[0] if tags else len(chunk)))
            since = len(piece) - tags[-1] if tags else since + len(chunk)
            n_tags += len(tags)
            tail = piece[-_TAG_BYTES:]
            if longest > ROW_BYTES or n_tags > _MOST_TAGS:
                rows = f"a row longer than {size_text(ROW_BYTES)}" if longest > ROW_BYTES else f"over {LAST_ROW} rows"
                raise TableProblems(
                    bound.source, [f"its part {part.filename[:60]!r} has {rows}, as no spreadsheet has. {_CURE}"]
                )
    return longest


def open_sheet(path: Path, wanted: str | None, bound: MemoryBound) -> Sheet:
    """Read the sheet of this name, or the first; whatever is wrong with the file becomes TableProblems."""
    source = bound.source
    check_signature(first_bytes(path), source, own=b"PK\x03\x04")
    try:
        with library_errors(source, "Excel", "Cut off or damaged: save or fetch it again, or save it as .csv."):
            return read_sheet(path, wanted, bound)
    except ImportError as error:
        raise needs_package(source, "openpyxl", "excel") from error


def read_excel(path: Path, wanted: Wanted, bound: MemoryBound) -> FileCells:
    """Read one sheet of an Excel file."""
    source = bound.source
    sheet = open_sheet(path, wanted.sheet, bound)
    try:
        cells = _cells_of_sheet(sheet, wanted, bound)
    except TableProblems as error:
        raise TableProblems(source, [*error.problems, *messages.other_sheets(sheet.others)]) from error
    cells.other_sheets = sheet.others if wanted.sheet is None else ()
    return cells


def _cells_of_sheet(sheet: Sheet, wanted: Wanted, bound: MemoryBound) -> FileCells:
    """Make cells of rows that may differ in length; what is empty at their ends does not count."""
    filled = [(line, row) for line, row in sheet.rows if line > wanted.skip_rows]
    if len(filled) < 2:
        found = "a header row and no rows below it" if filled else "nothing"
        below = f" below row {wanted.skip_rows}" if wanted.skip_rows else ""
        raise TableProblems(
            bound.source,
            [f"its sheet {sheet.name!r} holds {found}{below}. Put the table there, with one sample per row."],
        )
    check_no_title_rows(filled[:ROWS_EXAMINED], bound.source, sheet=sheet.name)
    width = max(at for _, row in filled for at, cell in enumerate(row, start=1) if cell)
    even = ((line, (row + [""] * width)[:width]) for line, row in filled)
    _, names = next(even)
    kept = {0, *(at for at, name in enumerate(names) if name in wanted.keep)}
    collector = RowCollector(names, kept, wanted.target if wanted.features_in_rows else None, bound=bound)
    collect(collector, even, bound.source)
    return collector.cells().turned() if wanted.features_in_rows else collector.cells()
