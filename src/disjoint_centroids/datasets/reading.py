"""A user's file to a table that can be used, or everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from disjoint_centroids.datasets import checks
from disjoint_centroids.datasets.cells import Cells, without_point_zero
from disjoint_centroids.datasets.formats import Wanted, read_cells
from disjoint_centroids.datasets.labelled_table import LabelledTable
from disjoint_centroids.datasets.nearest_names import nearest_names
from disjoint_centroids.datasets.problems import TableProblems
from disjoint_centroids.datasets.sample_labels import read_labels


def read_table(
    path: str | Path,
    *,
    target: str | None = None,
    labels: str | Path | None = None,
    sample_id: str | None = None,
    features_in_rows: bool = False,
    drop: Collection[str] = (),
    impute: str | None = None,
    need_labels: bool = True,
    only: Collection[str] | None = None,
) -> LabelledTable:
    r"""Read a table of numbers with labels; what is wrong with it is said once, completely, with the cure.

    The extension says what the file is: ``.csv``, ``.tsv``, ``.tab`` or ``.txt`` (the delimiter is found among comma,
    tab and semicolon; decimal commas are understood with the latter two; a header ``GENES<TAB>label…`` marks the
    CompCancer format), ``.gct``, each of them also with ``.gz``; ``.parquet``, ``.xlsx`` (the first sheet) and
    ``.h5ad``.

    Parameters
    ----------
    path : str or Path
        The file.
    target : str or None, default=None
        The column that holds the labels (with ``features_in_rows`` and in GCT the row; in AnnData the column of obs;
        with ``labels`` the column of that file). Not needed where the file has a place for labels of its own.
    labels : str or Path or None, default=None
        A file with the labels: a table with sample ids in its first column, matched in any order; ``.cls`` or ``.txt``
        (a label a line), in the order of the samples.
    sample_id : str or None, default=None
        The column that holds the sample ids. If None, the first column is taken if its cells are all different and
        either none is a number or the column has no name; otherwise samples are numbered from 1.
    features_in_rows : bool, default=False
        Whether the file has a feature a row (its name in the first column) and a sample a column.
    drop : collection of str, default=()
        Columns to leave out.
    impute : str or None, default=None
        If given, missing values are no problem: they stay NaN, for a step of the pipeline to fill in.
    need_labels : bool, default=True
        False for prediction: then there may be no labels, one class, or classes of one sample.
    only : collection of str or None, default=None
        Features. If given, all other columns are left out unseen, whatever they hold. Names that the table does not
        have are passed over.

    Returns
    -------
    LabelledTable
        Numbers with names, and labels.

    Raises
    ------
    TableProblems
        A ValueError with all that is wrong.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from disjoint_centroids.datasets import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "tiny.csv"
    ...     _ = file.write_text("id;class;g1;g2\na;T;1,5;2\nb;T;2,5;2\nc;N;0,5;1\nd;N;0,25;1\n")
    ...     table = read_table(file, target="class")
    >>> table.values
         g1   g2
    a  1.50  2.0
    b  2.50  2.0
    c  0.50  1.0
    d  0.25  1.0
    >>> table.labels.tolist()
    ['T', 'T', 'N', 'N']
    """
    path = Path(path)
    in_table = target if labels is None else None
    cells = read_cells(path, Wanted(in_table, sample_id, features_in_rows))
    assembly = _Assembly(cells, str(path), set(drop))
    assembly.take_ids(sample_id, in_table)
    if labels is not None:
        assembly.take_labels_of(Path(labels), target, sample_id)
    else:
        assembly.take_labels(target, needed=need_labels, features_in_rows=features_in_rows)
    return assembly.table(only, imputed=impute is not None, training=need_labels)


@dataclass(slots=True)
class _Assembly:
    """Takes ids, labels and features out of the cells one after the other, and remembers what is wrong."""

    cells: Cells
    source: str
    drop: set[str]
    ids: list[str] = field(default_factory=list)
    ids_from: str = ""
    labels: list[str] | None = None
    taken: set[int] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

    def take_ids(self, sample_id: str | None, target: str | None) -> None:
        """Ids from the named column, from the format, from the first column, or numbers."""
        cells = self.cells
        named = cells.find(sample_id) if sample_id is not None else None
        if sample_id is not None and named is None:
            self.problems.append(checks.not_there(sample_id, "--id", cells.names))
        if named is not None:
            self._take_id_column(named)
        elif cells.ids is not None:
            self.ids, self.ids_from = without_point_zero(cells.ids), "the header"
        elif cells.names and cells.names[0] != target and cells.names[0] not in self.drop and holds_ids(cells):
            self._take_id_column(0)
        if not self.ids:
            self.ids = [str(at + 1) for at in range(cells.n_rows)]
        else:
            self.problems += checks.sample_ids(self.ids, self.ids_from)

    def _take_id_column(self, column: int) -> None:
        self.ids = without_point_zero(self.cells.text(column))
        self.ids_from = f"the column {self.cells.names[column]!r}"
        self.taken.add(column)

    def take_labels_of(self, path: Path, target: str | None, sample_id: str | None) -> None:
        """Labels from a file of their own."""
        try:
            self.labels = read_labels(
                path, self.ids, target=target, sample_id=sample_id, ids_are_numbers=not self.ids_from
            )
        except TableProblems as error:
            self.problems += [f"the labels in {error.source}: {problem}" for problem in error.problems]

    def take_labels(self, target: str | None, *, needed: bool, features_in_rows: bool) -> None:
        """Labels from where the format has them, or from the column of this name."""
        column = self.cells.find(target) if target is not None else None
        if self.cells.labels is not None:
            self.labels = self.cells.labels
        elif column is not None:
            self.labels = self.cells.text(column)
            self.taken.add(column)
        elif target is not None:
            self.problems.append(f"there is nothing called {target!r}, which --target names.{self._meant(target)}")
        elif needed:
            self.problems.append(self._which_labels(features_in_rows))

    def _meant(self, target: str) -> str:
        """What to do about a target that is not there."""
        cells = self.cells
        if cells.ids is not None and target in cells.ids:
            return " It is the name of a column: leave out --features-in-rows."
        if cells.ids is None and cells.names and target in cells.text(0):
            return " It is in the first column: is there a feature a row? Then give --features-in-rows."
        return nearest_names(target, cells.names) or " Check the spelling; or give the labels in a file: --labels FILE."

    def _which_labels(self, features_in_rows: bool) -> str:
        """The question for labels, with the columns that may be meant."""
        likely = [at for at in self._columns() if 1 < len(set(self.cells.column_words(at))) <= self.cells.n_rows / 2]
        # Not to be called a column that should be left out as well.
        self.taken.update(likely)
        return checks.which_labels("row" if features_in_rows else "column", [self.cells.names[at] for at in likely])

    def _columns(self) -> list[int]:
        """Columns that are neither taken nor dropped, nor mere commas at the ends of lines."""
        return [
            at
            for at, name in enumerate(self.cells.names)
            if at not in self.taken
            and name not in self.drop
            and (name or not pd.isna(self.cells.numbers[:, at]).all() or self.cells.words.get(at))
        ]

    def table(self, only: Collection[str] | None, *, imputed: bool, training: bool) -> LabelledTable:
        """The table, or all that is wrong with it."""
        cells = self.cells
        self.problems += checks.dropped_names(self.drop, cells.names)
        columns = self._columns()
        if only is not None:
            wanted = set(only)
            columns = [at for at in columns if cells.names[at] in wanted]
        cells.settle(columns)
        names = [cells.names[at] for at in columns]
        numbers = cells.numbers[:, columns]
        with_words = {at for at, column in enumerate(columns) if cells.words.get(column)}
        # A word is not a missing value as well.
        of_numbers = [at for at in range(len(columns)) if at not in with_words]
        number_names = [names[at] for at in of_numbers]
        if self.labels is not None:
            self.labels = without_point_zero([label.strip() for label in self.labels])
            self.problems += checks.class_labels(self.labels, self.ids, training=training)
        self.problems += checks.feature_names(names, columns)
        self.problems += checks.columns_of_words(cells, columns)
        self.problems += checks.missing_values(numbers[:, of_numbers], number_names, imputed=imputed)
        self.problems += checks.infinite_values(numbers[:, of_numbers], number_names)
        if not cells.n_rows:
            self.problems = ["it has no samples. Give a table with a header row and a sample a row."]
        elif not columns and only is None:
            self.problems.append("no feature is left beside ids and labels. Give a table with columns of numbers.")
        if self.problems:
            raise TableProblems(self.source, self.problems)
        values = pd.DataFrame(numbers, index=pd.Index(self.ids), columns=pd.Index(names, dtype=object))
        labels = None if self.labels is None else pd.Series(self.labels, index=values.index, name="label")
        return LabelledTable(values, labels, self.source)


def holds_ids(cells: Cells) -> bool:
    """Whether the first column names the samples: words, or anything in a column without a name, and all different.

    Words of which more than half are different are ids as well: some come twice, which is then said.
    """
    texts = cells.text(0)
    if not texts or not all(texts):
        return False
    if len(cells.column_words(0)) < len(texts):
        return not cells.names[0] and len(set(texts)) == len(texts)
    return len(set(texts)) > len(texts) / 2
