"""Tables that commands print."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from disjoint_centroids.cli.output import print_data, shown_name
from disjoint_centroids.exports.tables import csv_text
from disjoint_centroids.models.class_sets import with_sets_as_text

if TYPE_CHECKING:
    import pandas as pd


def print_table(blocks: Iterable[pd.DataFrame]) -> None:
    """Print blocks of rows as CSV: to a pipe or a file as they are, to a terminal with visible control characters."""
    for at, block in enumerate(blocks):
        shown = _literal_table(block) if sys.stdout.isatty() else block
        print_data(csv_text(shown, None, header=at == 0))


def _literal_table(block: pd.DataFrame) -> pd.DataFrame:
    text = with_sets_as_text(block)
    shown = text.map(lambda cell: shown_name(cell) if isinstance(cell, str) else cell)
    return shown.set_axis([shown_name(name) for name in text.columns], axis=1)
