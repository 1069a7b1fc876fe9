"""Text where numbers are needed: which columns of a table hold it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, NamedTuple

import numpy as np

from disjoint_centroids._listed import listed

_SHOWN = 5
_LONGEST = 30


class TextColumn(NamedTuple):
    """A column with text or dates in it: its name, the first such cell, the number of such cells and of all cells."""

    name: str
    example: Any
    n_text: int
    n_cells: int

    def __str__(self) -> str:
        text = str(self.example)
        example = repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
        where = "" if self.n_text == self.n_cells else f", in {self.n_text} of {self.n_cells} cells"
        return f"{self.name} (such as {example}{where})"


def text_columns(X: Any) -> list[TextColumn]:
    """Columns of a table that hold text or dates; text that spells a number is a number, as it is to scikit-learn.

    Parameters
    ----------
    X : pandas or polars data frame, or array-like of two dimensions
        The table.

    Returns
    -------
    list of TextColumn
        In the order of the table. Columns of an array are called "column 0", "column 1" and so on.

    Examples
    --------
    >>> import pandas as pd
    >>> from disjoint_centroids.rows.text_cells import text_columns
    >>> print(*text_columns(pd.DataFrame({"g1": [1.0, 2.0], "g2": ["3.5", "ND"], "site": ["Oslo", "Bergen"]})))
    g2 (such as 'ND', in 1 of 2 cells) site (such as 'Oslo')
    """
    found = []
    for name, cells in _object_columns(X):
        text = [cell for cell in cells if _is_text(cell)]
        if text:
            found.append(TextColumn(name, text[0], len(text), len(cells)))
    return found


def check_no_text(who: str, X: Any) -> None:
    """Raise an error that names the columns of text, if there are any.

    Parameters
    ----------
    who : str
        What needs numbers, for the message.
    X : data frame or array-like
        The table.

    Examples
    --------
    >>> import pandas as pd
    >>> from disjoint_centroids.rows.text_cells import check_no_text
    >>> check_no_text("log2", pd.DataFrame({"g1": [1.0, 2.0]}))
    """
    found = text_columns(X)
    if not found:
        return
    some = any(column.n_text < column.n_cells for column in found)
    coerce = " Cells of text among numbers: pandas.to_numeric(…, errors='coerce') and an imputer." if some else ""
    raise ValueError(
        f"Input X holds text in {len(found)} feature(s): {listed(found, _SHOWN)}. {who} needs a "
        "number in every cell: leave these columns out (X.drop(columns=[…])), or turn them into numbers (for example "
        f"sklearn.preprocessing.OneHotEncoder in a ColumnTransformer).{coerce}"
    )


def _object_columns(X: Any) -> Iterator[tuple[str, list[Any]]]:
    """Names and cells of the columns that may hold something else than numbers."""
    if isinstance(X, np.ndarray) and X.dtype.kind in "biufc":
        return
    if hasattr(X, "columns") and hasattr(X, "shape"):
        for at, (name, kind) in enumerate(zip(X.columns, X.dtypes, strict=True)):
            if not (isinstance(kind, np.dtype) and kind.kind in "biuf"):
                yield str(name), list(X.iloc[:, at] if hasattr(X, "iloc") else X[:, at])
        return
    table = np.asarray(X, dtype=object)
    for at in range(table.shape[1] if table.ndim == 2 else 0):
        yield f"column {at}", list(table[:, at])


def _is_text(cell: Any) -> bool:
    if isinstance(cell, date | np.datetime64):
        return True
    if not isinstance(cell, str):
        return False
    try:
        float(cell)
    except ValueError:
        return True
    return False
