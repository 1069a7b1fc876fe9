"""Ids, labels and features taken out of the cells of a file one after the other, and all that is wrong with them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from disjoint_centroids.tables import checks, turned_tables
from disjoint_centroids.tables.cells import Cells, without_point_zero
from disjoint_centroids.tables.class_labels import left_out, plain_labels, rows_without, settle_spellings
from disjoint_centroids.tables.formats import Wanted
from disjoint_centroids.tables.identifiers import find_ids, numbered_columns
from disjoint_centroids.tables.labelled_table import LabelledTable
from disjoint_centroids.tables.nearest_names import nearest_names
from disjoint_centroids.tables.problems import TableProblems
from disjoint_centroids.tables.sample_labels import read_labels


@dataclass(slots=True)
class Assembly:
    """A table in the making.

    Attributes
    ----------
    cells : Cells
        The file.
    source : str
        Its name.
    wanted : Wanted
        What the user said of the file.
    drop, keep : set of str
        Columns to leave out, and columns that are features whatever they look like.
    only : set of str or None
        Features that are looked for; None for all.
    """

    cells: Cells
    source: str
    wanted: Wanted
    drop: set[str]
    keep: set[str]
    only: set[str] | None = None
    ids: list[str] = field(default_factory=list)
    ids_from: str = ""
    labels: list[str] | None = None
    taken: set[int] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def take_ids(self, target: str | None) -> None:
        """Ids from the named column, from the format, from the first column, or numbers."""
        cells, sample_id = self.cells, self.wanted.sample_id
        named = cells.find(sample_id) if sample_id is not None else None
        if sample_id is not None and named is None:
            self.problems.append(checks.not_there(sample_id, "sample_id=", cells.names))
        if named is not None:
            self._take_id_column(named)
        elif cells.ids is not None:
            self.ids, self.ids_from = without_point_zero(cells.ids), "the header"
        elif cells.names and cells.labels is None:
            found = find_ids(cells, target=target, drop=self.drop, keep=self.keep, only=self.only)
            self.problems += found.problems
            self.remarks += found.remarks
            if found.column is not None:
                self._take_id_column(found.column)
        if not self.ids:
            self.ids = [str(at + 1) for at in range(cells.n_rows)]
        else:
            self.problems += checks.sample_ids(self.ids, self.ids_from)
        for given, option in ((self.drop, "drop="), (self.keep, "keep=")):
            self.problems += checks.names_not_there(given, option, cells.names)

    def _take_id_column(self, column: int) -> None:
        self.ids = without_point_zero(self.cells.text(column))
        self.ids_from = f"the column {self.cells.names[column]!r}"
        self.taken.add(column)

    def take_labels_of(self, path: Path, target: str | None, *, partly: bool) -> None:
        """Labels from a file of their own."""
        try:
            self.labels = read_labels(
                path,
                self.ids,
                target=target,
                sample_id=self.wanted.sample_id,
                ids_are_numbers=not self.ids_from,
                columns=self.cells.names,
                partly=partly,
                max_memory=self.wanted.max_memory,
            )
        except TableProblems as error:
            self.problems += [f"the labels in {error.source}: {problem}" for problem in error.problems]

    def take_labels(self, target: str | None, *, needed: bool) -> None:
        """Labels from where the format has them, or from the column of this name."""
        column = self.cells.find(target) if target is not None else None
        if self.cells.labels is not None:
            self.labels = self.cells.labels
        elif column is not None:
            self.labels = self.cells.text(column)
            self.taken.add(column)
        elif target is not None:
            self.problems.append(f"there is nothing called {target!r}, which target= names.{self._meant(target)}")
        elif needed:
            self.problems.append(self._which_labels())

    def _meant(self, target: str) -> str:
        """Cure for a target that is not there."""
        cells = self.cells
        if cells.ids is not None and target in cells.ids:
            return " It is the name of a column: leave out features_in_rows=True."
        if cells.ids is None and cells.names and target in cells.text(0):
            return " It is in the first column: is there a feature a row? Then give features_in_rows=True."
        return nearest_names(target, cells.names) or " Check the spelling; or give the labels in a file: labels=FILE."

    def _which_labels(self) -> str:
        """The question for labels, with the columns that may be meant."""
        likely = [at for at in self._columns() if 1 < len(set(self.cells.column_words(at))) <= self.cells.n_rows / 2]
        # Not to be called a column that should be left out as well.
        self.taken.update(likely)
        in_rows = self.wanted.features_in_rows
        question = checks.which_labels("row" if in_rows else "column", [self.cells.names[at] for at in likely])
        return question + ("" if in_rows or likely else turned_tables.shape_hint(self.cells))

    def settle_labels(self, *, training: bool, unlabelled: str, merge: bool | None) -> None:
        """One spelling per class, no sample without a label; or say what is wrong."""
        if self.labels is None:
            return
        rules = self.cells.rules
        self.labels, problems, remarks = settle_spellings(plain_labels(self.labels), rules, merge)
        self.problems += problems
        self.remarks += remarks
        absent = rows_without(self.labels, rules, unlabelled)
        if absent and len(absent) < len(self.labels):
            self.remarks.append(left_out([self.ids[row] for row in absent], len(self.labels)))
            self._leave_out(set(absent))
        self.problems += checks.class_labels(self.labels, self.ids, training=training, rules=rules)

    def _leave_out(self, rows: set[int]) -> None:
        assert self.labels is not None
        self.cells = self.cells.without_rows(rows)
        self.ids = [name for row, name in enumerate(self.ids) if row not in rows]
        self.labels = [label for row, label in enumerate(self.labels) if row not in rows]

    def _columns(self) -> list[int]:
        """Columns that are neither taken nor dropped, nor mere commas at the ends of lines."""
        return [
            at
            for at, name in enumerate(self.cells.names)
            if at not in self.taken
            and name not in self.drop
            and (name or not pd.isna(self.cells.numbers[:, at]).all() or self.cells.words.get(at))
        ]

    def table(self, *, imputed: bool) -> LabelledTable:
        """The table, or all that is wrong with it."""
        cells = self.cells
        columns = self._columns()
        if self.only is None:
            self._ask_about_numbered(columns)
        else:
            columns = [at for at in columns if cells.names[at] in self.only]
            self.problems += turned_tables.features_in_first_column(cells, columns, self.only)
        turned = turned_tables.row_of_labels(cells, columns)
        cells.settle(columns)
        names = [cells.names[at] for at in columns]
        numbers = cells.numbers[:, columns]
        with_words = {at for at, column in enumerate(columns) if cells.words.get(column)}
        # A word is not a missing value as well.
        of_numbers = [at for at in range(len(columns)) if at not in with_words]
        number_names = [names[at] for at in of_numbers]
        self.problems += checks.feature_names(names, columns)
        self.problems += turned or checks.columns_of_words(cells, columns, imputed=imputed)
        self.problems += checks.missing_values(numbers[:, of_numbers], number_names, imputed=imputed)
        self.problems += checks.infinite_values(numbers[:, of_numbers], number_names)
        if not cells.n_rows:
            self.problems = ["it has no samples. Give a table with a header row and a sample a row."]
        elif not columns and self.only is None:
            self.problems.append("no feature is left beside ids and labels. Give a table with columns of numbers.")
        if self.problems:
            raise TableProblems(self.source, [*self.problems, *checks.other_sheets(cells.other_sheets)])
        self._remark()
        values = pd.DataFrame(numbers, index=pd.Index(self.ids), columns=pd.Index(names, dtype=object))
        labels = None if self.labels is None else pd.Series(self.labels, index=values.index, name="label")
        return LabelledTable(values, labels, self.source)

    def _ask_about_numbered(self, columns: list[int]) -> None:
        """Ask about sample numbers that would be features; the first column was asked about before."""
        asked = [at for at in numbered_columns(self.cells, columns) if self.cells.names[at] not in self.keep]
        self.problems += [checks.sample_numbers(self.cells.names[at]) for at in asked]

    def _remark(self) -> None:
        for text in [*self.remarks, *checks.other_sheets(self.cells.other_sheets)]:
            warnings.warn(f"{self.source}: {text}", stacklevel=4)
