"""Text tables: encoding, delimiter, decimal mark, and rows."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Collection, Iterator
from itertools import chain, islice

from disjoint_centroids._listed import listed
from disjoint_centroids.tables.cells.file_cells import FileCells, RowCollector
from disjoint_centroids.tables.checks.title_rows import ROWS_EXAMINED, check_no_title_rows
from disjoint_centroids.tables.memory.bounds import MemoryBound
from disjoint_centroids.tables.problems import TableProblems

DELIMITERS = (",", "\t", ";")
_DELIMITER_NAMES = {",": "commas", "\t": "tabs", ";": "semicolons"}
_LINES_EXAMINED = 8
_PIECE = 2**20
_SHOWN = 5
_SOMETHING = re.compile(rb"[^\xef\xbb\xbf \t\r\n]")
"""Anything but the mark of UTF-8 and white space; a search, unlike ``strip``, copies nothing."""


def read_delimited(
    raw: bytes,
    bound: MemoryBound,
    *,
    keep: Collection[str] = (),
    features_in_rows: bool = False,
    keep_row: str | None = None,
    skipped: int = 0,
) -> FileCells:
    """Read a table with one header row; the columns of ``keep`` and the first one stay as they are written.

    ``skipped`` lines of the file are no longer there, and count in messages.
    """
    source = bound.source
    encoding = text_encoding(raw, source)
    delimiter = find_delimiter(raw, encoding, source)
    decimal = decimal_mark(raw, delimiter)
    below = ((line + skipped, row) for line, row in text_rows(raw, encoding, delimiter, source))
    top = list(islice(below, ROWS_EXAMINED))
    check_no_title_rows(top, source)
    rows = chain(top, below)
    _, header = next(rows)
    names = [name.strip() for name in header]
    first = next(rows, None)
    if first is None:
        raise TableProblems(source, ["it has a header row and no rows below it. Give a table with one sample per row."])
    if len(first[1]) == len(names) + 1:
        names = ["", *names]  # R writes row names without a name for their column
    kept = {0, *(at for at, name in enumerate(names) if name in keep)}
    collector = RowCollector(names, kept, keep_row if features_in_rows else None, decimal, bound)
    collect(collector, chain([first], rows), source)
    return collector.cells().turned() if features_in_rows else collector.cells()


def collect(collector: RowCollector, rows: Iterator[tuple[int, list[str]]], source: str) -> None:
    """Give all rows to the collector; rows of another length than the header are a problem."""
    width = len(collector.names)
    ragged = []
    for line, row in rows:
        if len(row) > width and not any(row[width:]):
            row = row[:width]
        if len(row) != width:
            ragged.append((line, len(row)))
        else:
            collector.add(row)
    if ragged:
        shown = listed((f"line {line} has {n}" for line, n in ragged), _SHOWN, more="more such lines")
        above = (
            " If there are lines above the header, pass over them: skip_rows=N"
            if width < min(n for _, n in ragged)
            else ""
        )
        raise TableProblems(
            source,
            [
                f"the number of cells in the header is {width}, but {shown}. Every row needs a cell "
                f"for each column: repair these lines (a delimiter inside a cell needs quotes around the cell).{above}"
            ],
        )


def text_encoding(raw: bytes, source: str) -> str:
    """Return the encoding, which must be UTF-8 with or without its mark at the start."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise TableProblems(source, [f"it is UTF-16 text, not UTF-8. {_convert('UTF-16')}"])
    if b"\0" in raw:
        raise TableProblems(
            source,
            [
                f"it holds a zero byte (at byte {raw.index(0) + 1}), so it is not a text file, or a damaged one. "
                f"Give a text table in UTF-8, or name the file after what it is. {_convert('UTF-16')}"
            ],
        )
    if _SOMETHING.search(raw) is None:
        raise TableProblems(source, ["it is empty. Give a table with a header row and one sample per row."])
    wrong = _first_wrong_byte(raw)
    if wrong is not None:
        line = raw.count(b"\n", 0, wrong) + 1
        raise TableProblems(
            source,
            [f"it is not UTF-8 text: byte {wrong + 1} (line {line}) is 0x{raw[wrong]:02x}. {_convert('WINDOWS-1252')}"],
        )
    return "utf-8-sig"


def _first_wrong_byte(raw: bytes) -> int | None:
    """Position of the first byte that is not UTF-8, found in pieces: the whole text is never held a second time."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(raw), _PIECE):
        before = len(decoder.getstate()[0])
        try:
            decoder.decode(raw[start : start + _PIECE], final=start + _PIECE >= len(raw))
        except UnicodeDecodeError as error:
            return start - before + error.start
    return None


def without_lines(raw: bytes, n_lines: int, bound: MemoryBound) -> bytes:
    """Return the text below its first lines."""
    at = 0
    for found in range(n_lines):
        at = raw.find(b"\n", at) + 1
        if not at:
            raise TableProblems(
                bound.source,
                [f"skip_rows={n_lines} passes over all of it: it has {found + 1} lines. Give fewer."],
            )
    if n_lines:
        bound.reserve(len(raw))
    return raw[at:]


def _convert(encoding: str) -> str:
    return (
        f"If it is {encoding}, convert it: iconv -f {encoding} -t UTF-8 TABLE > NEW, "
        "or save it as 'CSV UTF-8' from the spreadsheet."
    )


def find_delimiter(raw: bytes, encoding: str, source: str) -> str:
    """Return the delimiter that splits the first lines into the same number of cells, the most cells if several do.

    Where none does, lines at the top that have hardly any cells may be a title, which is then said: they do not count.
    """
    lines = []
    for line in io.TextIOWrapper(io.BytesIO(raw), encoding=encoding):
        if line.strip():
            lines.append(line)
        if len(lines) == _LINES_EXAMINED:
            break
    counts = {delimiter: [_n_cells(line, delimiter) for line in lines] for delimiter in DELIMITERS}

    def merit(delimiter: str, top: int) -> tuple[bool, int]:
        header, *below = counts[delimiter][top:]
        even = len(set(below)) <= 1 and all(n in (header, header + 1) for n in below)
        narrow = all(2 * n <= header for n in counts[delimiter][:top])
        return even and header > 1 and narrow, header

    for top in range(max(1, len(lines) - 1)):
        even, _, first = max((*merit(delimiter, top), -at) for at, delimiter in enumerate(DELIMITERS))
        if even:
            return DELIMITERS[-first]
    best = max(DELIMITERS, key=lambda delimiter: merit(delimiter, 0))
    if max(counts[best]) < 2:
        names = ", ".join(_DELIMITER_NAMES.values())
        raise TableProblems(
            source,
            [f"its header is one cell ({lines[0].strip()[:40]!r}). Cells must be separated by one of: {names}."],
        )
    return best


def _n_cells(line: str, delimiter: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=delimiter), []))
    except csv.Error:
        return 1


_END = r"[\"' ]*(?=[\t;\r\n]|$)"
_EXPONENT = r"(?:[eE][+-]?\d+)?"
_POINT = re.compile(rf"[\t;][\"' ]*[+-]?\d*\.\d+{_EXPONENT}{_END}".encode(), re.MULTILINE)
# Not of the form 1,234 or 12,345,678, in which the comma may separate thousands.
_COMMA = re.compile(
    rf"[\t;][\"' ]*[+-]?(?:0*,\d+{_EXPONENT}|\d+,(?:\d{{1,2}}|\d{{4,}}){_EXPONENT}|\d+,\d+[eE][+-]?\d+){_END}".encode(),
    re.MULTILINE,
)


def decimal_mark(raw: bytes, delimiter: str) -> str:
    """Return the decimal comma if there are numbers with one and none with a point."""
    if delimiter == "," or b"," not in raw:
        return "."
    return "," if _COMMA.search(raw) and not _POINT.search(raw) else "."


def text_rows(
    raw: bytes, encoding: str, delimiter: str, source: str, *, quotes: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and cells of every row that is not empty."""
    text = io.TextIOWrapper(io.BytesIO(raw), encoding=encoding, newline="")
    if quotes:
        reader = csv.reader(text, delimiter=delimiter, strict=True)
    else:
        reader = csv.reader(text, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    try:
        for row in reader:
            if any(row):
                yield reader.line_num, row
    except csv.Error as error:
        raise TableProblems(
            source,
            [
                f"line {reader.line_num} cannot be split into cells ({error}). Look for a quotation mark that is not "
                "closed, there or in a line above."
            ],
        ) from error
