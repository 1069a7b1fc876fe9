"""Small files beside a table (lists of names, costs), whatever program wrote them: their rows, headings and columns."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from disjoint_centroids._listed import listed

_SHOWN = 5
_DELIMITERS = ("\t", ";", ",")
_TABS = (".tsv", ".tab")
_OTHER_FORMATS = {
    ".json": "a JSON file",
    ".gmt": "a file of gene sets",
    ".parquet": "a Parquet file",
    ".h5ad": "an AnnData file",
    ".xls": "an old Excel file",
    ".ods": "an OpenDocument spreadsheet",
    ".doc": "a document",
    ".docx": "a document",
    ".rtf": "a document",
    ".pdf": "a document",
}
_THINGS = ("feature", "gene", "marker", "probe", "protein")
NAMES = (
    *(f"{thing}{ending}" for ending in ("", "s", "name", "names", "symbol", "symbols") for thing in _THINGS),
    *("name", "names", "symbol", "symbols"),
)
"""Headings of a column with names of features, the first of them first, as :func:`plain_heading` writes them."""

CLASSES = ("class", "owner", "group", "type", "celltype", "label", "cluster", "clustername")
COSTS = ("cost", "costs", "price", "prices")

Row = tuple[int, list[str]]
"""Number of a line, and its cells."""


def plain_heading(text: str) -> str:
    """Write a heading without case, spaces, underscores, hyphens and what stands in brackets.

    Examples
    --------
    >>> from disjoint_centroids.evaluation.list_files import plain_heading
    >>> plain_heading("Gene name"), plain_heading("cell_type"), plain_heading("Price (EUR)")
    ('genename', 'celltype', 'price')
    """
    return re.sub(r"\(.*?\)|\[.*?\]|[\s_\-]", "", text.casefold())


@dataclass(frozen=True, slots=True)
class ListTable:
    """A list as a table.

    Attributes
    ----------
    source : str
        File, or how messages call the list.
    headings : tuple of str or None
        Headings as they are written; None: there are none, and every row is one name.
    rows : list of (int, list of str)
        Numbers of lines, and their cells.
    """

    source: str
    headings: tuple[str, ...] | None
    rows: list[Row]

    def find(self, known: Sequence[str], features: Collection[str] = ()) -> int | None:
        """Position of the column with one of these headings; of several, the one with most features of the table."""
        plain = [plain_heading(heading) for heading in self.headings or ()]
        found = [plain.index(heading) for heading in known if heading in plain]
        if not found:
            return None
        return max(found, key=lambda at: sum(cell in features for cell in self.column(at)))

    def column(self, at: int) -> list[str]:
        """Cells of a column; a short row has an empty one."""
        return [row[at] if at < len(row) else "" for _, row in self.rows]

    def names(self, at: int) -> tuple[str, ...]:
        """Cells of a column that may have no empty one."""
        found = self.column(at)
        if "" in found:
            line, heading = self.rows[found.index("")][0], (self.headings or ("",))[at]
            raise ValueError(f"{self.source}: line {line} has no name in the column {heading!r}. Correct it.")
        return tuple(found)


def read_list_table(path: Path, features: Collection[str]) -> ListTable:
    """Read a file as a table; ``features`` of the users' table tell names from headings, and one cell from several."""
    rows = _sheet_rows(path) if path.suffix.lower() == ".xlsx" else _text_rows(path, features)
    return as_list_table(str(path), rows, features)


def as_list_table(source: str, rows: list[Row], features: Collection[str]) -> ListTable:
    """Find headings and names in rows of cells."""
    if not rows:
        return ListTable(source, None, [])
    headings, below = tuple(rows[0][1]), rows[1:]
    width = max(len(row) for _, row in rows)
    if _are_headings(headings) and not (width == 1 and headings[0] in features):
        if _have_row_names(headings, below, features):
            headings = ("", *headings)
        _check_not_wider(source, headings, below)
        return ListTable(source, headings, below)
    cells = [(line, [cell]) for line, row in rows for cell in row if cell]
    is_of_names = width == 1 or len(rows) == 1 or all(cell in features for _, (cell,) in cells)
    if not is_of_names:
        raise ValueError(
            f"{source} has several columns, and none is called feature or gene. Its first line must be: feature,class"
        )
    return ListTable(source, None, cells)


def _are_headings(cells: Iterable[str]) -> bool:
    return any(plain_heading(cell) in NAMES for cell in cells)


def _have_row_names(headings: tuple[str, ...], rows: list[Row], features: Collection[str]) -> bool:
    """True if names of features are one column to the right of their heading: R names no column of row names."""
    if any(len(row) != len(headings) + 1 for _, row in rows):
        return False
    known = [plain_heading(heading) in NAMES for heading in headings]
    below, right = (
        sum(row[at + shift] in features for _, row in rows for at, is_name in enumerate(known) if is_name)
        for shift in (0, 1)
    )
    return right > below


def _check_not_wider(source: str, headings: tuple[str, ...], rows: list[Row]) -> None:
    wide = next(((line, len(row)) for line, row in rows if any(row[len(headings) :])), None)
    if wide is not None:
        raise ValueError(
            f"{source} has {len(headings)} columns, and line {wide[0]} has {wide[1]} cells. Correct it: a comma "
            "within a cell needs quotes around the cell, and costs have a decimal point."
        )


def _text_rows(path: Path, features: Collection[str]) -> list[Row]:
    """Rows of a text file, cut at the delimiter that gives known headings or, without headings, names of features."""
    text = _text(path)
    if path.suffix.lower() in _TABS:
        return _split(path, text, "\t")
    split = {delimiter: _split(path, text, delimiter) for delimiter in _DELIMITERS}
    headed = [rows for rows in split.values() if rows and len(rows[0][1]) > 1 and _are_headings(rows[0][1])]
    if headed:
        return max(headed, key=lambda rows: len(rows[0][1]))
    lines = [(at, [line.strip()]) for at, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if any(len(rows) and len(rows[0][1]) == 1 and _are_headings(rows[0][1]) for rows in split.values()):
        return min(split.values(), key=_n_cells)  # one column; a name may hold what delimits elsewhere
    # A name may hold a comma: cells are told from names by what the table has. Of equals the first, whole lines.
    return max([lines, *split.values()], key=lambda rows: (_n_known(rows, features), _is_even(rows)))


def _n_known(rows: list[Row], features: Collection[str]) -> int:
    return sum(cell in features for _, row in rows for cell in row)


def _n_cells(rows: list[Row]) -> int:
    return sum(len(row) for _, row in rows)


def _is_even(rows: list[Row]) -> bool:
    """True if all rows have the same number of cells, and more than one."""
    return len({len(row) for _, row in rows}) == 1 and len(rows[0][1]) > 1


def _split(path: Path, text: str, delimiter: str) -> list[Row]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        return [(reader.line_num, _stripped(row)) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise ValueError(f"{path} cannot be read as CSV (line {reader.line_num}: {error}). Correct it.") from error


def _stripped(row: Iterable[str]) -> list[str]:
    """Cells without white space around them, and without empty ones at the end."""
    cells = [cell.strip() for cell in row]
    while len(cells) > 1 and not cells[-1]:
        cells.pop()
    return cells


def _text(path: Path) -> str:
    """Text of a file, which takes no more memory than a table may; "" if there is nothing in it."""
    from disjoint_centroids.tables.formats.delimited import text_encoding
    from disjoint_centroids.tables.formats.opening import check_signature, opening, table_suffix
    from disjoint_centroids.tables.memory.bounds import MemoryBound, read_within

    source = str(path)
    with opening(path):
        raw = read_within(path, MemoryBound.of(source, None))
    if path.suffix.lower() == ".ndc":
        raise ValueError(
            f"{path} is a model, which is not read as a list. Write its list with: ndc features {path} -o list.csv"
        )
    what = _OTHER_FORMATS.get(table_suffix(path))
    if what is not None:
        raise ValueError(
            f"{path} is {what}, which is not read as a list. Save it as .csv or .xlsx with a column feature, or as a "
            "text file with one name per line."
        )
    check_signature(raw, source, text=True)
    if not raw.removeprefix(b"\xef\xbb\xbf").strip():
        return ""
    return raw.decode(text_encoding(raw, source))


def _sheet_rows(path: Path) -> list[Row]:
    """Rows of the first sheet of an Excel file."""
    from disjoint_centroids.tables.formats.excel import open_sheet
    from disjoint_centroids.tables.memory.bounds import MemoryBound

    sheet = open_sheet(path, None, MemoryBound.of(str(path), None))
    if sheet.others:
        warnings.warn(
            f"{path}: the sheet {sheet.name!r} is read, the others are not: {listed(map(repr, sheet.others), _SHOWN)}",
            stacklevel=2,
        )
    return [(line, _stripped(row)) for line, row in sheet.rows]
