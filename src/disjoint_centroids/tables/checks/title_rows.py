"""Detection of rows above the header, such as a title."""

from __future__ import annotations

from collections.abc import Sequence

from disjoint_centroids.tables.cells.cell_rules import number
from disjoint_centroids.tables.problems import TableProblems

ROWS_EXAMINED = 10
_FEWEST = 3


def check_no_title_rows(rows: Sequence[tuple[int, list[str]]], source: str, *, sheet: str | None = None) -> None:
    """Refuse a table that begins with rows of few cells, followed by one that looks like a header.

    Parameters
    ----------
    rows : sequence of (int, list of str)
        The first rows that are not empty, each with its number in the file.
    source : str
        The file.
    sheet : str or None, default=None
        The sheet of an Excel file.
    """
    filled = [sum(bool(cell.strip()) for cell in row) for _, row in rows]
    width = max(filled, default=0)
    # A column of names need not have a name itself, so that a header may lack one cell.
    header = next((at for at, n in enumerate(filled) if n >= width - 1), 0)
    if width < _FEWEST or header == 0 or any(2 * n > width for n in filled[:header]):
        return
    names = [cell for cell in rows[header][1] if cell.strip()]
    if sum(number(cell) is not None for cell in names) * 2 > len(names):
        return
    n_above = rows[header - 1][0]
    title = next(cell.strip() for cell in rows[0][1] if cell.strip())
    where = "" if sheet is None else f"the sheet {sheet!r} "
    raise TableProblems(
        source,
        [
            f"{where or 'it '}begins with {'a row' if n_above == 1 else f'{n_above} rows'} above the header "
            f"({title[:60]!r} …). Pass over {'it' if n_above == 1 else 'them'}: skip_rows={n_above}"
        ],
    )
