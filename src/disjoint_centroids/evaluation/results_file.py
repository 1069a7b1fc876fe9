"""Table of results in a file that grows row by row and is whole on disk at any moment."""

from __future__ import annotations

import io
import time
import warnings
from collections.abc import Iterable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np

from disjoint_centroids._csv_quoting import csv_quoting
from disjoint_centroids._whole_file import write_whole

if TYPE_CHECKING:
    import pandas as pd

FINGERPRINT = "fingerprint"
"""Column with the fingerprint of the data and settings that a row was made from."""

_PAUSE_PER_WRITE = 20.0  # at least so many times as long as the last write took


def fingerprint(table: Any, labels: np.ndarray, **settings: Any) -> str:
    """Fingerprint of what the rows of a results file depend on: the data, the settings, and the release.

    Parameters
    ----------
    table : pandas.DataFrame, array or sparse matrix
        The samples. The column names of a frame count.
    labels : array of shape (n_samples,)
        Class labels.
    **settings
        Everything else that changes a row: seed, folds, the hash of an estimator. No value contains spaces.

    Returns
    -------
    str
        ``name=value`` for every part, with spaces between them.

    Examples
    --------
    >>> import numpy as np
    >>> from disjoint_centroids.evaluation.results_file import fingerprint
    >>> [part.split("=")[0] for part in fingerprint(np.eye(2), np.array(["A", "B"]), seed=0).split()]
    ['data', 'seed', 'version']
    """
    names = [str(name) for name in table.columns] if hasattr(table, "columns") else None
    values = table.to_numpy() if names is not None else table
    if isinstance(values, np.ndarray):
        values = np.ascontiguousarray(values)  # the same numbers in another order of memory are the same
    data = joblib.hash((values, names, labels.tolist()))
    parts = {"data": data} | settings | {"version": version("disjoint-centroids")}
    return " ".join(f"{name}={value}" for name, value in parts.items())


class UnsavedResultsWarning(UserWarning):
    """Results could not be written to their file, ``path``, and are in memory only."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(
            f"cannot write {path}: {error.strerror or error}. The results are complete here, but not kept in that "
            "file: make room, or name a file elsewhere."
        )
        self.path = path


class ResultsFile:
    """Rows with a key, kept in a CSV or Parquet file that is replaced as a whole.

    Parameters
    ----------
    path : path or None
        ``.csv`` or ``.parquet``; None keeps the rows in memory only.
    key : sequence of str
        Columns that name the job of a row.
    made_of : str, default=None
        Result of :func:`fingerprint`, written beside every row; a file with another one is refused. None: rows depend
        on their key only.
    text : sequence of str, default=()
        Columns whose values are text, even if they could be read as numbers or as missing ("01", "NA").
    pause : float, default=5.0
        Least number of seconds between two writes of the file while rows are added.
    """

    def __init__(
        self,
        path: str | Path | None,
        key: Iterable[str],
        made_of: str | None = None,
        *,
        text: Iterable[str] = (),
        pause: float = 5.0,
    ) -> None:
        self.path = None if path is None else Path(path)
        self.key = tuple(key)
        self.made_of = made_of
        self.text = tuple(text)
        self.pause = pause
        self._rows: dict[tuple[Any, ...], dict[str, Any]] = {}
        self._tried = 0.0
        self._took = 0.0
        if self.path is not None and self.path.suffix not in {".csv", ".parquet"}:
            raise ValueError(f"results go into a .csv or a .parquet file; got {self.path.name!r}.")
        if self.path is not None and self.path.exists():
            self._rows = {self._key_of(row): row for row in self._read(self.path)}

    def __len__(self) -> int:
        return len(self._rows)

    def done(self) -> set[tuple[Any, ...]]:
        """Keys of the rows that are there."""
        return set(self._rows)

    def add(self, row: dict[str, Any]) -> None:
        """Add a row, or replace the one with the same key; write the file if the last time is some seconds ago.

        If writing fails, it is tried again with a later row.
        """
        self._rows[self._key_of(row)] = row
        # A long table is written less often, so that writing takes a small part of the time only.
        pause = max(self.pause, _PAUSE_PER_WRITE * self._took)
        if self.path is not None and time.monotonic() - self._tried > pause:
            self._try_to_write()

    def _key_of(self, row: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(row[name] for name in self.key)

    def write(self) -> None:
        """Replace the file by all rows so far; as long as there are none, there is no file.

        A file that cannot be written is warned of, not raised: the rows are still there for the caller.
        """
        if self.path is None or not self._rows:
            return
        error = self._try_to_write()
        if error is not None:
            warnings.warn(UnsavedResultsWarning(self.path, error), stacklevel=2)

    def _try_to_write(self) -> OSError | None:
        """Replace the file by all rows so far; what is there stays if that fails."""
        assert self.path is not None
        began = time.monotonic()
        table = self.frame()
        if self.made_of is not None:
            table[FINGERPRINT] = self.made_of
        is_csv = self.path.suffix == ".csv"
        write = partial(table.to_csv, quoting=csv_quoting(table)) if is_csv else table.to_parquet
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.path, lambda part: write(part, index=False))
        except OSError as error:
            return error
        finally:
            self._tried = time.monotonic()
            self._took = self._tried - began
        return None

    def frame(self) -> pd.DataFrame:
        """All rows, sorted by key."""
        import pandas as pd

        if not self._rows:
            return pd.DataFrame(columns=list(self.key))
        return pd.DataFrame(list(self._rows.values())).sort_values(list(self.key), ignore_index=True)

    def _read(self, path: Path) -> list[dict[str, Any]]:
        import pandas as pd

        needed = self.key if self.made_of is None else (*self.key, FINGERPRINT)
        try:
            table = self._read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
            missing = [name for name in needed if name not in table.columns]
        except Exception as error:  # whatever a damaged file makes the reader say
            raise ValueError(
                f"{path} cannot be read as a results file ({error}). Name another, or move it away."
            ) from error
        if missing:
            raise ValueError(f"{path} is no results file of this kind: it lacks {', '.join(missing)}. Name another.")
        if self.made_of is not None:
            self._check_settings(path, table.pop(FINGERPRINT).astype(str).unique().tolist())
        return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]

    def _read_csv(self, path: Path) -> pd.DataFrame:
        import pandas as pd

        from disjoint_centroids.tables.memory.bounds import MemoryBound, read_within

        raw = read_within(path, MemoryBound.of(str(path), None))
        numbers = [name for name in pd.read_csv(io.BytesIO(raw), nrows=0).columns if name not in self.text]
        return pd.read_csv(
            io.BytesIO(raw),
            dtype=dict.fromkeys(self.text, str),
            keep_default_na=False,
            na_values={name: [""] for name in numbers},
        )

    def _check_settings(self, path: Path, found: list[str]) -> None:
        """Refuse a file with rows that were made from other data or settings."""
        asked = str(self.made_of).split()
        for other in found:
            differ = [part.split("=")[0] for part in asked if part not in other.split()]
            if differ or len(other.split()) != len(asked):
                raise ValueError(
                    f"{path} holds fits of something else: its {', '.join(sorted(differ)) or FINGERPRINT} differ(s) "
                    "from what is asked for. Name another results file, or move this one away."
                )
