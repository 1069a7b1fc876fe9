"""Reading of a user's file into a checked table."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from disjoint_centroids.tables.assembly import Assembly
from disjoint_centroids.tables.blocks.stored_rows import OneBlock
from disjoint_centroids.tables.cells.cell_rules import CellRules
from disjoint_centroids.tables.checks import messages, turned_tables
from disjoint_centroids.tables.formats.read_file import read_cells
from disjoint_centroids.tables.formats.wanted import Wanted
from disjoint_centroids.tables.labelled_table import LabelledTable


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
    sheet: str | None = None,
    skip_rows: int = 0,
    na_values: Collection[str] = (),
    limits: str | None = None,
    unlabelled: str = "error",
    merge_labels: bool | None = None,
    keep: Collection[str] = (),
    max_memory: float | None = None,
    batch: str | None = None,
    can_impute: bool = True,
) -> LabelledTable:
    r"""Read a table of numbers with labels, and report all problems at once, each with its cure.

    The extension says what the file is: ``.csv``, ``.tsv``, ``.tab`` or ``.txt`` (the delimiter is found among comma,
    tab and semicolon; decimal commas are understood with the latter two; a header ``GENES<TAB>label…`` marks the
    CompCancer format), ``.gct``, each of them also with ``.gz``; ``.parquet``, ``.xlsx`` and ``.h5ad``.

    Parameters
    ----------
    path : str or Path
        The file.
    target : str or None, default=None
        The column that holds the labels (with ``features_in_rows`` and in GCT the row; in AnnData the column of obs;
        with ``labels`` the column of that file). Not needed where the file has a place for labels of its own.
    labels : str or Path or None, default=None
        A file with the labels: a table with sample ids in its first column, matched in any order; ``.cls`` or ``.txt``
        (one label per line), in the order of the samples.
    sample_id : str or None, default=None
        The column that holds the sample ids. If None, the first column is taken if its cells are all different and
        either most are no numbers, or the column has no name, or they are whole numbers that evidently number the
        samples (the column is called "patient" or "sample id", they count the rows, or they have leading zeros), which
        a warning says. Other whole numbers that are all different are asked about. Otherwise samples are numbered
        from 1.
    features_in_rows : bool, default=False
        True if the file has one feature per row (its name in the first column) and one sample per column.
    drop : collection of str, default=()
        Columns to leave out.
    impute : str or None, default=None
        If given, missing values are no problem: they stay NaN, for a step of the pipeline to fill in.
    need_labels : bool, default=True
        False for prediction: then there may be no labels, one class, or classes of one sample.
    only : collection of str or None, default=None
        Features. If given, all other columns are left out unseen, whatever they hold. Names that the table does not
        have are passed over.
    sheet : str or None, default=None
        The sheet of an Excel file; None for the first.
    skip_rows : int, default=0
        Rows above the header to pass over, in text and Excel files: a title, notes.
    na_values : collection of str, default=()
        Cells that mean a missing value, or a missing label, in addition to those that always do (empty cells, ``NA``,
        ``NaN``, ``null``, ``?`` …); numbers such as ``-999`` too.
    limits : {"half", "limit", "missing"} or None, default=None
        Cells that state a limit, such as ``<0.5`` or ``>100``. "half": half of a lower limit, an upper one as it is;
        "limit": the limit itself; "missing": a missing value. In all three, ``ND``, ``n.d.``, ``<LOD`` and the like
        are missing values. If None, such cells are refused.
    unlabelled : {"error", "drop"}, default="error"
        Samples without a label are refused, or left out with a warning.
    merge_labels : bool or None, default=None
        Labels that differ in upper and lower case or spaces only: one class (True, with a warning), different classes
        (False), or refused (None).
    keep : collection of str, default=()
        Columns that are features although they look like sample numbers.
    max_memory : float or None, default=None
        Gigabytes that reading may take; a file that needs more is refused before it is there. If None, half of the
        machine's memory.
    batch : str or None, default=None
        The column that holds the batch (donor, plate, run) of each sample: no feature, but part of the table.
    can_impute : bool, default=True
        False: no problem advises to impute, for uses of a table that cannot.

    Returns
    -------
    LabelledTable
        Numbers with names, and labels.

    Raises
    ------
    TableProblems
        A ValueError with all that is wrong.

    Warns
    -----
    UserWarning
        Decisions that the user may want otherwise: sample numbers taken for ids, samples left out, labels merged,
        sheets that are not read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from disjoint_centroids.tables import read_table
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
    wanted = Wanted(
        target if labels is None else None, sample_id, features_in_rows, sheet, skip_rows, max_memory, batch
    )
    assembly, table = assemble(
        Path(path),
        wanted,
        CellRules.of(na_values, limits),
        drop=set(drop),
        keep=set(keep),
        only=None if only is None else set(only),
        imputed=impute is not None,
        can_impute=can_impute,
        find={"target": target, "file": labels, "needed": need_labels, "unlabelled": unlabelled, "merge": merge_labels},
    )
    assembly.finish()
    return table


def assemble(
    path: Path,
    wanted: Wanted,
    rules: CellRules,
    *,
    drop: set[str],
    keep: set[str],
    only: set[str] | None,
    imputed: bool,
    can_impute: bool = True,
    find: dict[str, Any],
) -> tuple[Assembly, LabelledTable]:
    """Read a file and find its parts; the table is of use only if the assembly has no problems.

    ``find`` are the arguments of :meth:`Assembly.find_ids_and_labels`.
    """
    cells = read_cells(path, wanted)
    cells.rules = rules
    assembly = Assembly(OneBlock(cells, str(path)), wanted, rules, drop, keep, only)
    assembly.find_ids_and_labels(find.pop("target"), find.pop("file"), **find)
    assembly.find_batches()
    columns = assembly.features()
    numbers = _numbers(assembly, columns, imputed=imputed, can_impute=can_impute)
    values = pd.DataFrame(
        numbers,
        index=pd.Index(assembly.sample_ids()),
        columns=pd.Index([cells.names[at] for at in columns], dtype=object),
    )
    found = assembly.labels
    labels = None if found is None else pd.Series(found, values.index, name="label")
    batch = None if assembly.batches is None else pd.Series(assembly.batches, values.index, name="batch")
    return assembly, LabelledTable(values, labels, str(path), batch, tuple(assembly.blocks.label_names()))


def _numbers(assembly: Assembly, columns: list[int], *, imputed: bool, can_impute: bool) -> np.ndarray:
    """The numbers of these columns; whatever is not a number becomes a problem of the assembly."""
    cells = assembly.in_memory
    assert cells is not None
    if assembly.only is not None:
        assembly.problems += turned_tables.features_in_first_column(cells, columns, assembly.only)
    turned = turned_tables.row_of_labels(cells, columns)
    cells.settle(columns)
    if turned or not assembly.lost:
        assembly.problems += turned or messages.columns_of_words(cells, columns, imputed=imputed, can_impute=can_impute)
    assembly.problems += messages.unusable_numbers(cells, columns, imputed=imputed, can_impute=can_impute)
    if not cells.n_rows:
        assembly.problems = ["it has no samples. Give a table with a header row and one sample per row."]
    return cells.numbers[:, columns]
