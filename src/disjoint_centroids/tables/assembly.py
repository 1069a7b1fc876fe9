"""Find ids, labels and features among the columns of a table, and collect everything that is wrong with them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from disjoint_centroids.tables.blocks.stored_rows import IdReader, OneBlock, StoredRows, without_rows
from disjoint_centroids.tables.cells.cell_rules import CellRules
from disjoint_centroids.tables.cells.file_cells import FileCells, without_point_zero
from disjoint_centroids.tables.checks import messages, turned_tables
from disjoint_centroids.tables.checks.identifiers import find_ids, names_samples, numbered_columns
from disjoint_centroids.tables.formats.wanted import Wanted
from disjoint_centroids.tables.labels.class_labels import left_out, plain_labels, rows_without, settle_spellings
from disjoint_centroids.tables.labels.label_files import read_labels
from disjoint_centroids.tables.nearest_names import nearest_names
from disjoint_centroids.tables.problems import TableProblems

_COLUMNS_READ = 50  # of the first block, to find sample ids in a table on disk


@dataclass(slots=True)
class Assembly:
    """A table whose ids, labels and features are being found; a file in memory is one block of rows.

    Attributes
    ----------
    blocks : StoredRows
        The rows of the table; :class:`OneBlock` if all of them are in memory.
    wanted : Wanted
        Options of the user that concern the file.
    rules : CellRules
        Words that are numbers or missing values.
    drop, keep : set of str
        Columns to leave out, and columns that are features even if they look like sample numbers.
    only : set of str or None
        Features that are needed; None for all.
    ids : str or None
        Column, or place in the format, that holds the sample ids; None if samples are numbered.
    labels : list of str or None
        One label per row.
    batches : list of str or None
        Batch of each row, if a column was named.
    taken : set of int
        Columns that are ids, labels or batches.
    lost : bool
        True if the column that was named for labels or batches is not there. The one that was meant then looks like a
        feature, and what is said of text in features may be about it.
    problems, remarks : list of str
        Sentences for the error, and for warnings if there is no error.
    likely : list of str
        Columns that may hold the labels, if nothing says which does.
    """

    blocks: StoredRows
    wanted: Wanted
    rules: CellRules
    drop: set[str]
    keep: set[str]
    only: set[str] | None = None
    ids: str | None = None
    labels: list[str] | None = None
    batches: list[str] | None = None
    taken: set[int] = field(default_factory=set)
    lost: bool = False
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    likely: list[str] = field(default_factory=list)

    @property
    def in_memory(self) -> FileCells | None:
        """All cells of a file that was read into memory; None for a table on disk."""
        return self.blocks.whole if isinstance(self.blocks, OneBlock) else None

    def sample_ids(self) -> list[str]:
        """Ids of all samples."""
        return IdReader(self.blocks, self.ids).all()

    def find_ids_and_labels(
        self,
        target: str | None,
        file: str | Path | None,
        *,
        needed: bool,
        unlabelled: str,
        merge: bool | None,
    ) -> None:
        """Find sample ids and labels, the latter in ``file`` if there is one; settle and check the labels."""
        self._find_ids()
        if file is None:
            self._find_labels(target, needed=needed)
        else:
            self._read_labels(Path(file), target, partly=unlabelled == "drop")
        if self.labels is not None:
            self._settle_labels(self.labels, training=needed, unlabelled=unlabelled, merge=merge)

    def _find_ids(self) -> None:
        """Find the ids: in the named column, where the format keeps them, in the first column, or nowhere."""
        blocks, sample_id = self.blocks, self.wanted.sample_id
        if sample_id is not None and sample_id not in blocks.label_names():
            self.problems.append(messages.not_there(sample_id, "sample_id=", blocks.label_names()))
            sample_id = None
        if sample_id is not None:
            self.ids = sample_id
            self._mark_as_taken(sample_id)
        elif blocks.ids is not None:
            self.ids = blocks.ids
        elif blocks.labels_are_columns and blocks.names:
            self._find_id_column()
        if self.ids is not None and self.in_memory is not None:
            where = self.ids if self.ids == blocks.ids else f"the column {self.ids!r}"
            self.problems += messages.sample_ids(self.sample_ids(), where)
        for given, option in ((self.drop, "drop="), (self.keep, "keep=")):
            self.problems += messages.names_not_there(given, option, blocks.names)

    def _find_id_column(self) -> None:
        whole, n_columns = self.in_memory, len(self.blocks.names)
        if whole is not None and whole.labels is not None:
            return
        # All ids of a table on disk would fill the memory: the first block decides.
        first = self._cells(range(n_columns if whole is not None else min(n_columns, _COLUMNS_READ)))
        found = find_ids(first, target=self.wanted.target, drop=self.drop, keep=self.keep, only=self.only)
        self.problems += found.problems
        self.remarks += found.remarks
        if found.column is not None:
            self.ids = self.blocks.names[found.column]
            self.taken.add(found.column)

    def _cells(self, columns: range | list[int]) -> FileCells:
        """Some columns of the first block."""
        cells = self.blocks.cells(0, columns)
        cells.rules = self.rules
        return cells

    def _mark_as_taken(self, name: str) -> None:
        """Exclude a column of ids or labels from the features."""
        if self.blocks.labels_are_columns:
            self.taken.add(list(self.blocks.names).index(name))

    def _read_labels(self, path: Path, target: str | None, *, partly: bool) -> None:
        """Read the labels from a file of their own."""
        try:
            self.labels = read_labels(
                path,
                self.sample_ids(),
                target=target,
                sample_id=self.wanted.sample_id,
                ids_are_numbers=self.ids is None,
                columns=() if self.in_memory is None else self.in_memory.names,
                partly=partly,
                max_memory=self.wanted.max_memory,
            )
        except TableProblems as error:
            self.problems += [f"the labels in {error.source}: {problem}" for problem in error.problems]

    def _find_labels(self, target: str | None, *, needed: bool) -> None:
        """Read the labels from where the format keeps them, or from the column of this name."""
        blocks = self.blocks
        if self.in_memory is not None and self.in_memory.labels is not None:
            self.labels = self.in_memory.labels
        elif target is not None and target in blocks.label_names():
            self._mark_as_taken(target)
            # Few texts come often: each is kept once.
            known: dict[str, str] = {}
            texts = (text.strip() for at in range(len(blocks.lengths)) for text in blocks.text(at, target))
            self.labels = [known.setdefault(text, text) for text in texts]
        elif target is not None:
            self.lost = True
            self.problems.append(f"there is nothing called {target!r}, which target= names.{self._meant(target)}")
        elif needed:
            self.problems.append(self._which_labels())

    def _meant(self, target: str) -> str:
        """Cure for a target that is not there."""
        whole = self.in_memory
        if whole is not None and whole.ids is not None and target in whole.ids:
            return " It is the name of a column: leave out features_in_rows=True."
        if whole is not None and whole.ids is None and whole.names and target in whole.text(0):
            return " It is in the first column: is there one feature per row? Then give features_in_rows=True."
        near = nearest_names(target, self.blocks.label_names())
        return near or " Check the spelling; or give the labels in a file: labels=FILE."

    def _which_labels(self) -> str:
        """The question for labels, with the columns that may be meant."""
        if not self.blocks.labels_are_columns:
            self.likely = list(self.blocks.label_names())
            return messages.which_labels("column", self.likely)
        columns = self._columns()
        first = self._cells(columns)
        likely = [at for place, at in enumerate(columns) if 1 < len(set(first.column_words(place))) <= first.n_rows / 2]
        # These are not to be reported as columns of text as well.
        self.taken.update(likely)
        in_rows, whole = self.wanted.features_in_rows, self.in_memory
        self.likely = [self.blocks.names[at] for at in likely]
        question = messages.which_labels("row" if in_rows else "column", self.likely)
        return question + ("" if in_rows or likely or whole is None else turned_tables.shape_hint(whole))

    def _settle_labels(self, labels: list[str], *, training: bool, unlabelled: str, merge: bool | None) -> None:
        """Give each class one spelling and leave out samples without a label, as asked; check the labels."""
        labels, problems, remarks = settle_spellings(plain_labels(labels), self.rules, merge)
        self.problems += problems
        self.remarks += remarks
        absent = rows_without(labels, self.rules, unlabelled)
        if absent and len(absent) < len(labels):
            ids = self.sample_ids()
            self.remarks.append(left_out([ids[row] for row in absent], len(labels)))
            self.blocks = without_rows(self.blocks, absent)
            gone = set(absent)
            labels = [label for row, label in enumerate(labels) if row not in gone]
        # Ids are for messages about labels that are missing, and fill more memory than labels do.
        some_missing = any(map(self.rules.is_missing_label, labels))
        named = self.sample_ids() if some_missing else [""] * len(labels)
        self.problems += messages.class_labels(labels, named, training=training, rules=self.rules)
        self.labels = labels

    def find_batches(self) -> None:
        """Read the column of batches, if one was named, of the rows that are left."""
        name, blocks = self.wanted.batch, self.blocks
        if name is None:
            return
        if name == self.wanted.target:
            self.problems.append(f"batch={name!r} is the column of the labels. Name another column, or leave it out.")
        elif name not in blocks.label_names():
            self.lost = True
            self.problems.append(messages.not_there(name, "batch=", blocks.label_names()))
        else:
            self._mark_as_taken(name)
            texts = without_point_zero(
                [text.strip() for at in range(len(blocks.lengths)) for text in blocks.text(at, name)]
            )
            missing = sum(map(self.rules.is_missing_label, texts))
            if missing:
                self.problems.append(
                    f"{missing} of {len(texts)} samples have no batch in the column {name!r}. Fill it in, or leave "
                    f"batch={name!r} out."
                )
            self.batches = texts

    def _columns(self) -> list[int]:
        """Columns that are neither taken nor dropped, nor mere commas at the ends of lines."""
        names, whole = self.blocks.names, self.in_memory
        return [
            at
            for at, name in enumerate(names)
            if at not in self.taken and name not in self.drop and (name or whole is None or not _is_blank(whole, at))
        ]

    def features(self) -> list[int]:
        """Return the columns that are features; check their names."""
        names, columns = self.blocks.names, self._columns()
        if self.only is None:
            self._ask_about_numbered(columns)
        else:
            columns = [at for at in columns if names[at] in self.only]
        self.problems += messages.bad_feature_names([names[at] for at in columns], columns)
        if not columns and self.only is None:
            self.problems.append("no feature is left beside ids and labels. Give a table with columns of numbers.")
        return columns

    def _ask_about_numbered(self, columns: list[int]) -> None:
        """Ask about sample numbers that would be features; the first column was asked about before."""
        names = self.blocks.names
        if not self.blocks.labels_are_columns:
            return
        asked = [at for at in columns if names[at] not in self.keep and names_samples(names[at])]
        first = self._cells(asked)
        self.problems += [messages.sample_numbers(first.names[at]) for at in numbered_columns(first, range(len(asked)))]

    def finish(self) -> None:
        """Raise all problems in one error; if there are none, issue the remarks as warnings."""
        source = self.blocks.source
        if self.problems:
            raise TableProblems(source, [*self.problems, *self.about_sheets()])
        for text in [*self.remarks, *self.about_sheets()]:
            warnings.warn(f"{source}: {text}", stacklevel=3)

    def about_sheets(self) -> list[str]:
        """Mention sheets of an Excel file that are not read."""
        return messages.other_sheets(() if self.in_memory is None else self.in_memory.other_sheets)


def _is_blank(cells: FileCells, column: int) -> bool:
    return bool(np.isnan(cells.numbers[:, column]).all()) and not cells.words.get(column)
