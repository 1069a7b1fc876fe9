"""Tables written in the format of the ending of the file, at once or block by block."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoint_centroids._csv_quoting import csv_quoting
from disjoint_centroids._literal import literal
from disjoint_centroids.exports.plain_values import plain_values
from disjoint_centroids.models.class_sets import with_sets_as_text

if TYPE_CHECKING:
    import pandas as pd

_DIGITS = "%.6g"  # of numbers in text; Excel, JSON and Parquet have all
_NAME_LENGTH = 100  # in a message
_EXCEL_ROWS, _EXCEL_LETTERS = 1_048_576, 32_767
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Characters that a spreadsheet takes for the beginning of a formula."""


def write_table(path: Path, blocks: Iterable[pd.DataFrame]) -> None:
    """Write blocks of rows one after the other; the ending of the name says in which format, see ``ENDINGS``.

    Blocks have the same columns, and their index is not written.
    """
    _WRITERS[path.suffix.lower()](path, blocks)


def csv_text(block: pd.DataFrame, file: Any, *, header: bool, separator: str = ",") -> Any:
    """Write a block of rows as CSV into an open file; None: return the text."""
    text = with_sets_as_text(block)
    quoting = csv_quoting(text)
    return text.to_csv(file, index=False, header=header, sep=separator, float_format=_DIGITS, quoting=quoting)


def _write_csv(path: Path, blocks: Iterable[pd.DataFrame]) -> None:
    _write_text(path, blocks, ",")


def _write_tsv(path: Path, blocks: Iterable[pd.DataFrame]) -> None:
    _write_text(path, blocks, "\t")


def _write_text(path: Path, blocks: Iterable[pd.DataFrame], separator: str) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        for at, block in enumerate(blocks):
            csv_text(block, file, header=at == 0, separator=separator)


def _write_json(path: Path, blocks: Iterable[pd.DataFrame]) -> None:
    """Write an array with one object per row."""
    with path.open("w", encoding="utf-8") as file:
        before = "[\n"
        for block in blocks:
            for row in block.to_dict("records"):
                file.write(before + json.dumps(plain_values(row), allow_nan=False))
                before = ",\n"
        file.write("[]\n" if before == "[\n" else "\n]\n")


def _write_parquet(path: Path, blocks: Iterable[pd.DataFrame]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    writer = None
    try:
        for block in blocks:
            # Labels as text: those of a block in which some sample gets none are text anyway.
            named = block.assign(label=block["label"].astype(str)) if "label" in block else block
            schema = pa.Schema.from_pandas(named, preserve_index=False)
            if "set" in named:  # a block of empty sets does not say what would be in them
                named = named.assign(set=named["set"].map(lambda held: [str(label) for label in held]))
                schema = schema.set(schema.get_field_index("set"), pa.field("set", pa.list_(pa.string())))
            table = pa.Table.from_pandas(named, schema=schema, preserve_index=False)
            if writer is None:
                writer = parquet.ParquetWriter(path, table.schema)
            writer.write_table(table.cast(writer.schema))
    finally:
        if writer is not None:
            writer.close()


def _write_excel(path: Path, blocks: Iterable[pd.DataFrame]) -> None:
    """Write one sheet. Text stays text, whatever it begins with: no cell is a formula."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet("table")
    sheet.freeze_panes = "B2"
    try:
        for row in _excel_rows(blocks):
            sheet.append([_excel_cell(sheet, value) for value in row])
    except BaseException:
        sheet.close()  # or the half sheet would complain when it is collected
        raise
    packed = io.BytesIO()  # a zip file that cannot be finished would complain, too
    book.save(packed)
    path.write_bytes(packed.getbuffer())


def _excel_rows(blocks: Iterable[pd.DataFrame]) -> Iterator[tuple[Any, ...]]:
    """The header, then every row."""
    rows = 1
    for at, block in enumerate(blocks):
        text = with_sets_as_text(block)
        rows += len(text)
        if rows > _EXCEL_ROWS:
            raise ValueError(f"an Excel sheet holds {_EXCEL_ROWS} rows, and there are more. Write .csv or .parquet.")
        if at == 0:
            yield tuple(str(name) for name in text.columns)
        yield from text.itertuples(index=False, name=None)


def _excel_cell(sheet: Any, value: Any) -> Any:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    if not isinstance(value, str):
        return plain_values(value)
    if not value:
        return None
    # Excel has no such characters, and reads a carriage return as another line end.
    text = ILLEGAL_CHARACTERS_RE.sub(lambda found: literal(found[0]), value).replace("\r", r"\r")
    if len(text) > _EXCEL_LETTERS:
        raise ValueError(
            f"an Excel cell holds {_EXCEL_LETTERS} characters, and {literal(value, _NAME_LENGTH)!r} has {len(text)}. "
            "Write .csv or .parquet."
        )
    cell = WriteOnlyCell(sheet, text)
    cell.data_type = "s"
    if value.startswith(_FORMULA):
        cell.quotePrefix = True  # text it stays when somebody edits the cell
    return cell


_WRITERS: dict[str, Callable[[Path, Iterable[pd.DataFrame]], None]] = {
    ".csv": _write_csv,
    ".tsv": _write_tsv,
    ".xlsx": _write_excel,
    ".json": _write_json,
    ".parquet": _write_parquet,
}
ENDINGS = tuple(_WRITERS)
"""Formats of tables."""
