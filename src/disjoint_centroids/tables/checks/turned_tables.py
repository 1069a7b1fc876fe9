"""Detection of tables with one feature per row where one sample per row is expected."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from disjoint_centroids.tables.cells.file_cells import FileCells

_FEWEST = 3
_MOST_ROWS = 3
_TALL = 5
_MANY = 100


def row_of_labels(cells: FileCells, columns: Sequence[int]) -> list[str]:
    """Report a table whose columns all hold text in the same few rows, and numbers elsewhere."""
    rows = [frozenset(_rows_of_words(cells, at)) for at in columns if at > 0]
    if cells.ids is not None or len(rows) < _FEWEST or not rows[0] or len(set(rows)) > 1:
        return []
    if len(rows[0]) > _MOST_ROWS or 2 * len(rows[0]) > cells.n_rows:
        return []
    names = [name for name in (cells.text(0)[row] for row in sorted(rows[0])) if name]
    target = f" target={names[0]!r}" if len(names) == 1 else " target=NAME"
    which = f"the row {' and the row '.join(map(repr, names))}" if names else "a row"
    return [
        f"{which} holds text in every column, as labels do: the table seems to have one feature per row and one "
        f"sample per column. Then give features_in_rows=True{target if names else ''}"
    ]


def _rows_of_words(cells: FileCells, column: int) -> list[int]:
    words = cells.words.get(column, {})
    return [row for row, word in words.items() if cells.rules.number(word, cells.decimal) is None]


def features_in_first_column(cells: FileCells, found: Sequence[int], only: Collection[str]) -> list[str]:
    """Report a table that has the features of a model in its first column and none in its header."""
    if found or cells.ids is not None or not cells.names:
        return []
    inside = set(cells.text(0)).intersection(only)
    if not inside:
        return []
    return [
        f"{len(inside)} of the model's features are in its first column and none is in its header: there is one "
        "feature per row. Then give features_in_rows=True"
    ]


def shape_hint(cells: FileCells) -> str:
    """Return a hint for a table with far more rows than columns; "" for others."""
    if cells.ids is not None or cells.n_rows < max(_MANY, _TALL * len(cells.names)):
        return ""
    return (
        f" There are {cells.n_rows} rows and {len(cells.names)} columns: if the rows are features and the columns "
        "samples, give features_in_rows=True."
    )
