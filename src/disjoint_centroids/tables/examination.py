"""Examination of a table before anything is done with it: what was understood, and what is wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from disjoint_centroids.tables.cells.cell_rules import CellRules
from disjoint_centroids.tables.formats.wanted import Wanted
from disjoint_centroids.tables.labelled_table import LabelledTable
from disjoint_centroids.tables.problems import TableProblems
from disjoint_centroids.tables.reading import assemble
from disjoint_centroids.tables.table_settings import TableSettings, names_listed


@dataclass(frozen=True, slots=True)
class Examined:
    """A table that was read, or the problems that keep it from being used.

    Attributes
    ----------
    table : LabelledTable or None
        The table; None if there are problems.
    problems, remarks : list of str
        What is wrong, and decisions that the user may want otherwise; each names its cure as in a call.
    columns : list of str
        Names of the columns of the file (of its rows, if features are in rows).
    ids : str or None
        Column, or place in the format, that names the samples; None if they are numbered.
    label_choices : list of str
        What the labels can be taken from.
    likely_labels : list of str
        Those of them that look like labels, if nothing says which holds them.
    labels_inside : bool
        True if the format has a place of its own for labels.
    """

    table: LabelledTable | None
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    ids: str | None = None
    label_choices: list[str] = field(default_factory=list)
    likely_labels: list[str] = field(default_factory=list)
    labels_inside: bool = False


def examine_table(
    path: Path,
    settings: TableSettings,
    *,
    need_labels: bool = True,
    only: list[str] | None = None,
    batch: str | None = None,
) -> Examined:
    r"""Read a table as :meth:`TableSettings.read` does, and report what was understood instead of raising an error.

    Parameters
    ----------
    path : Path
        The file.
    settings : TableSettings
        How to read it.
    need_labels : bool, default=True
        False for prediction.
    only : list of str, default=None
        Features; all other columns are left out unseen.
    batch : str, default=None
        Column with the batch of each sample.

    Returns
    -------
    Examined
        The table, or its problems; and what can be chosen otherwise.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from disjoint_centroids.tables.examination import examine_table
    >>> from disjoint_centroids.tables.table_settings import TableSettings
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "tiny.csv"
    ...     _ = file.write_text("id,class,g1\na,T,1\nb,T,2\nc,N,3\nd,N,4\n")
    ...     found = examine_table(file, TableSettings())
    >>> found.table is None, found.ids, found.likely_labels
    (True, 'id', ['class'])
    """
    rules = settings.common()
    target, labels = settings.target, settings.labels
    wanted = Wanted(
        target if labels is None else None,
        settings.sample_id,
        settings.features_in_rows,
        settings.sheet,
        settings.skip_rows,
        settings.max_memory,
        batch,
    )
    try:
        assembly, table = assemble(
            path,
            wanted,
            CellRules.of(rules.get("na_values", ()), rules.get("limits")),
            drop=set(names_listed(settings.drop)),
            keep=set(names_listed(settings.keep)),
            only=None if only is None else set(only),
            imputed=settings.impute is not None,
            find={
                "target": target,
                "file": labels,
                "needed": need_labels,
                "unlabelled": rules["unlabelled"],
                "merge": settings.merge_labels,
            },
        )
    except TableProblems as error:
        return Examined(None, problems=error.problems)
    blocks, whole = assembly.blocks, assembly.in_memory
    problems = [*assembly.problems, *assembly.about_sheets()] if assembly.problems else []
    return Examined(
        None if problems else table,
        TableProblems(str(path), problems).problems,
        [] if problems else [*assembly.remarks, *assembly.about_sheets()],
        [str(name) for name in blocks.names],
        assembly.ids,
        [str(name) for name in blocks.label_names()],
        assembly.likely,
        whole is not None and whole.labels is not None,
    )
