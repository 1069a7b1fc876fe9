"""Quotes in CSV files that are written, such that every reader finds the cells that were meant."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def csv_quoting(table: pd.DataFrame) -> Any:
    r"""Return the ``quoting`` of ``DataFrame.to_csv`` with which a table can be read back.

    Cells are quoted where they must be. Before Python 3.13 the writer does not see that a carriage return is such a
    case, while readers take it for the end of a line: a table with one in a name or a cell is quoted throughout.

    Examples
    --------
    >>> import csv
    >>> import pandas as pd
    >>> from disjoint_centroids._csv_quoting import csv_quoting
    >>> csv_quoting(pd.DataFrame({"sample": ["a\nb"]})) == csv.QUOTE_MINIMAL
    True
    >>> csv_quoting(pd.DataFrame({"sample": ["a\rb"]})) == csv.QUOTE_ALL
    True
    """
    return csv.QUOTE_ALL if _has_carriage_return(table) else csv.QUOTE_MINIMAL


def _has_carriage_return(table: pd.DataFrame) -> bool:
    if any("\r" in str(name) for name in table.columns):
        return True
    texts = table.select_dtypes(exclude=["number", "bool"])
    return any("\r" in cell for name in texts for cell in texts[name].unique() if isinstance(cell, str))
