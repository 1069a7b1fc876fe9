"""The cells of a user's file, samples in rows: numbers in one array, and the words among them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from disjoint_centroids.tables.cells.cell_rules import MISSING, CellRules, number
from disjoint_centroids.tables.memory.bounds import CELL_BYTES, WORD_BYTES, MemoryBound

_TRUTH = {"true": 1.0, "false": 0.0}


@dataclass(slots=True)
class FileCells:
    """A table as its file holds it, turned so that samples are rows.

    Attributes
    ----------
    names : list of str
        One name per column.
    numbers : array of shape (n_rows, n_columns)
        NaN for a cell that holds no number.
    words : dict of int to dict of int to str
        By column, then by row: the cells that are not numbers, and whole columns that were kept as they are written
        because they may be ids or labels ("007" is not 7).
    ids, labels : list of str or None
        Where the format itself has a place for them.
    decimal : str
        The decimal mark of the words that turn out to be numbers.
    rules : CellRules
        Words that are numbers or missing values all the same.
    other_sheets : tuple of str
        Sheets of the same file that hold something and are not read.
    """

    names: list[str]
    numbers: np.ndarray
    words: dict[int, dict[int, str]]
    ids: list[str] | None = None
    labels: list[str] | None = None
    decimal: str = "."
    rules: CellRules = field(default_factory=CellRules)
    other_sheets: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of samples."""
        return len(self.numbers)

    def find(self, name: str) -> int | None:
        """Return the position of the first column of this name, or None."""
        return self.names.index(name) if name in self.names else None

    def text(self, column: int) -> list[str]:
        """The column as it is written; "" where nothing is."""
        words = self.words.get(column, {})
        return [words[row] if row in words else _written(self.numbers[row, column]) for row in range(self.n_rows)]

    def column_words(self, column: int) -> list[str]:
        """The cells of the column that are neither numbers nor missing."""
        return [word for word in self.words.get(column, {}).values() if self.rules.number(word, self.decimal) is None]

    def settle(self, columns: Iterable[int]) -> None:
        """Turn the words of these columns into numbers where they are numbers, or all are true or false."""
        missing = MISSING | self.rules.na_values
        for column in columns:
            words = self.words.pop(column, {})
            for code in self.rules.codes:
                self.numbers[self.numbers[:, column] == code, column] = np.nan
            if words and all(word.lower() in _TRUTH or word in missing for word in words.values()):
                words = {row: str(_TRUTH.get(word.lower(), "")) for row, word in words.items()}
            left = {}
            for row, word in words.items():
                value = self.rules.number(word, self.decimal)
                if value is None:
                    left[row] = word
                else:
                    self.numbers[row, column] = value
            if left:
                self.words[column] = left

    def without_rows(self, rows: Collection[int]) -> FileCells:
        """Leave these samples out."""
        stay = [row for row in range(self.n_rows) if row not in set(rows)]
        place = {row: at for at, row in enumerate(stay)}
        words = {
            column: {place[row]: word for row, word in by_row.items() if row in place}
            for column, by_row in self.words.items()
        }
        ids = None if self.ids is None else [self.ids[row] for row in stay]
        return replace(self, numbers=self.numbers[stay], words=words, ids=ids)

    def turned(self) -> FileCells:
        """Exchange rows and columns: the first column gives the names, the column names become the ids."""
        words: dict[int, dict[int, str]] = defaultdict(dict)
        for column, by_row in self.words.items():
            for row, word in by_row.items():
                if column > 0:
                    words[row][column - 1] = word
        return FileCells(
            self.text(0), self.numbers[:, 1:].T.copy(), dict(words), ids=self.names[1:], decimal=self.decimal
        )


@dataclass(slots=True)
class RowCollector:
    """Collector of rows of text, which it holds as numbers and words.

    Measured on 100 x 20 000 numbers of 17 digits (37 MB), seconds on a busy core: this with csv.reader 1.2; pandas' C
    engine 0.8 with low_memory=False (1.4 by default), but its numbers may be off in the last digit, and 1.6 to 2.2 with
    float_precision="round_trip"; pyarrow 1.8 and polars 1.5, slowed by inferring a type for every column. Here numbers
    are exact, and a row that is too short is seen, which pandas fills up with missing values.

    Attributes
    ----------
    names : list of str
        One name per column.
    keep : collection of int
        Columns to keep as they are written.
    keep_row : str or None
        A row to keep as it is written: the one whose first cell is this.
    decimal : str
        "." or ",".
    bound : MemoryBound or None
        Memory for a row is reserved here before the row is kept.
    """

    names: list[str]
    keep: Collection[int] = (0,)
    keep_row: str | None = None
    decimal: str = "."
    bound: MemoryBound | None = None
    _rows: list[np.ndarray] = field(default_factory=list)
    _words: dict[int, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, row: list[str]) -> None:
        """Take a row that has a cell for each column."""
        at = len(self._rows)
        self._reserve(CELL_BYTES * len(row))
        kept = range(len(row)) if self.keep_row is not None and row[0].strip() == self.keep_row else self.keep
        for column in kept:
            if word := row[column].strip():
                self._words[column][at] = word
            row[column] = "nan"
        self._reserve(WORD_BYTES * len(kept))
        numbers = self._numbers(row)
        if numbers is None:
            numbers = self._cell_by_cell(row, at)
        self._rows.append(numbers)

    def cells(self) -> FileCells:
        """Return all rows that were added."""
        numbers = np.vstack(self._rows) if self._rows else np.empty((0, len(self.names)))
        return FileCells(self.names, numbers, dict(self._words), decimal=self.decimal)

    def _reserve(self, n_bytes: int) -> None:
        if self.bound is not None:
            self.bound.reserve(n_bytes)

    def _numbers(self, row: list[str]) -> np.ndarray | None:
        """The row as numbers, if all its cells are."""
        joined = "\x1f".join(row)
        if "_" in joined:  # Python reads 1_000 as a number
            return None
        if self.decimal == ",":
            row = joined.replace(",", ".").split("\x1f")
        try:
            return np.array(row, dtype=np.float64)
        except ValueError:
            return None

    def _cell_by_cell(self, row: list[str], at: int) -> np.ndarray:
        numbers = np.full(len(row), np.nan)
        for column, cell in enumerate(row):
            value = number(cell, self.decimal)
            if value is None:
                self._reserve(WORD_BYTES)
                self._words[column][at] = cell.strip()
            else:
                numbers[column] = value
        if at == 0 and self._words:
            # Columns that start with a word are columns of words: the rows below need not try them.
            self.keep = sorted(self._words)
        return numbers


def cells_of_frame(frame: pd.DataFrame) -> FileCells:
    """The cells of a frame whose columns have types; an index that says something becomes the first column."""
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index(names=["" if name is None else str(name) for name in frame.index.names])
    names = [str(name).strip() for name in frame.columns]
    # Each type is tested once, not once for each of its columns.
    numeric = {kind for kind in set(frame.dtypes) if pd.api.types.is_any_real_numeric_dtype(kind)}
    of_numbers = [at for at, kind in enumerate(frame.dtypes) if kind in numeric]
    numbers = np.full(frame.shape, np.nan)
    numbers[:, of_numbers] = frame.iloc[:, of_numbers].to_numpy(np.float64, na_value=np.nan)
    words = {
        at: {row: word for row, word in enumerate(_texts(frame.iloc[:, at])) if word}
        for at in sorted(set(range(len(names))).difference(of_numbers))
    }
    return FileCells(names, numbers, words)


def _texts(column: pd.Series) -> Iterable[str]:
    """The cells of a column as text; those that are categories share one text per category."""
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return map(cell_text, column.tolist())
    categories = [*map(cell_text, column.cat.categories.tolist()), ""]
    return (categories[code] for code in column.cat.codes.tolist())  # -1: none


def cell_text(value: object) -> str:
    """A typed cell as text."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float | np.floating):
        return _written(float(value))
    if value is None or value is pd.NA or value is pd.NaT:
        return ""
    return str(value).strip()


def without_point_zero(texts: Sequence[str]) -> list[str]:
    """Write class or sample numbers that were stored as 1.0, 2.0 … as 1, 2 …; leave anything else as it is."""
    whole = [text.split(".")[0] if text.partition(".")[2].strip("0") == "" else None for text in texts]
    if all(text is not None and (text == "" or text.lstrip("+-").isdecimal()) for text in whole):
        return [text for text in whole if text is not None]
    return list(texts)


def _written(value: float) -> str:
    if np.isnan(value):
        return ""
    return str(int(value)) if np.isfinite(value) and value == int(value) else repr(float(value))
