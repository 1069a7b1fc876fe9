"""A table of results that grows as they come and survives an interruption: always whole on disk."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_SECONDS_BETWEEN_WRITES = 5.0


class ResultsFile:
    """Rows with a key, kept in a CSV or Parquet file that is replaced as a whole.

    Parameters
    ----------
    path : path or None
        ``.csv`` or ``.parquet``; None keeps the rows in memory only.
    key : sequence of str
        The columns that say which job a row answers.
    """

    def __init__(self, path: str | Path | None, key: Iterable[str]) -> None:
        self.path = None if path is None else Path(path)
        self.key = tuple(key)
        self._rows: list[dict[str, Any]] = []
        self._written = 0.0
        if self.path is not None and self.path.suffix not in {".csv", ".parquet"}:
            raise ValueError(f"results go into a .csv or a .parquet file; got {self.path.name!r}.")
        if self.path is not None and self.path.exists():
            self._rows = self._read(self.path)

    def __len__(self) -> int:
        return len(self._rows)

    def done(self) -> set[tuple[Any, ...]]:
        """Keys of the rows that are there."""
        return {tuple(row[name] for name in self.key) for row in self._rows}

    def add(self, row: dict[str, Any]) -> None:
        """Take a row in; write if the last time is some seconds ago."""
        self._rows.append(row)
        if time.monotonic() - self._written > _SECONDS_BETWEEN_WRITES:
            self.write()

    def write(self) -> None:
        """Replace the file by all rows so far."""
        if self.path is None:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_name(f"{self.path.name}.{os.getpid()}.part")
        table = self.frame()
        if self.path.suffix == ".csv":
            table.to_csv(part, index=False)
        else:
            table.to_parquet(part, index=False)
        part.replace(self.path)
        self._written = time.monotonic()

    def frame(self) -> pd.DataFrame:
        """All rows, sorted by key."""
        import pandas as pd

        table = pd.DataFrame(self._rows)
        return table.sort_values(list(self.key), ignore_index=True) if self._rows else table

    def _read(self, path: Path) -> list[dict[str, Any]]:
        import pandas as pd

        try:
            table = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
            missing = [name for name in self.key if name not in table.columns]
        except Exception as error:  # whatever a damaged file makes the reader say
            raise ValueError(
                f"{path} cannot be read as a results file ({error}). Name another, or move it away."
            ) from error
        if missing:
            raise ValueError(f"{path} is no results file of this kind: it lacks {', '.join(missing)}. Name another.")
        return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]
