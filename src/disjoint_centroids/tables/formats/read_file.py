"""Reading of a file by the reader of its format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from disjoint_centroids.tables.cells.file_cells import FileCells
from disjoint_centroids.tables.formats.anndata import read_h5ad
from disjoint_centroids.tables.formats.excel import read_excel
from disjoint_centroids.tables.formats.genepattern import read_gct
from disjoint_centroids.tables.formats.opening import FOLDER, table_suffix
from disjoint_centroids.tables.formats.parquet import read_parquet
from disjoint_centroids.tables.formats.text import read_text
from disjoint_centroids.tables.formats.wanted import Wanted
from disjoint_centroids.tables.memory.bounds import MemoryBound
from disjoint_centroids.tables.problems import TableProblems

_EXCEL = ".xlsx"
_TEXT = (".csv", ".tsv", ".tab", ".txt")
_SUMS = (
    "it is a file of sums, as 'ndc sums' writes it, and holds no samples. Fit panels to it by "
    "DisjointPanelClassifier.fit_sums; everything else needs a table."
)


def read_cells(path: Path, wanted: Wanted) -> FileCells:
    """Read a file by the reader of its extension; whatever is wrong with it becomes TableProblems."""
    source = str(path)
    suffix = table_suffix(path)
    reader = READERS.get(suffix)
    if reader is None and path.is_dir():
        raise TableProblems(source, [f"{FOLDER}."])
    if reader is None:
        raise TableProblems(source, [_unknown(suffix)])
    check_options_are_used(suffix, wanted, source)
    return reader(path, wanted, MemoryBound.of(source, wanted.max_memory))


def check_options_are_used(suffix: str, wanted: Wanted, source: str) -> None:
    """Refuse options that mean nothing in this format."""
    if wanted.skip_rows < 0:
        raise ValueError(f"skip_rows is a number of rows; got {wanted.skip_rows}.")
    if wanted.sheet is not None and suffix != _EXCEL:
        raise TableProblems(source, [f"only Excel files have sheets, and this is {suffix}. Leave out sheet=."])
    if wanted.skip_rows and suffix not in (*_TEXT, _EXCEL):
        raise TableProblems(source, [f"{suffix} files have no rows above the header. Leave out skip_rows=."])


def _unknown(suffix: str) -> str:
    if suffix == ".cls":
        return "it holds labels only. Give the GCT file as the table and this one as labels=."
    if suffix == ".sums":
        return _SUMS
    if suffix in (".xls", ".ods"):
        return f"{suffix} files cannot be read. Save it as .xlsx or .csv from the spreadsheet."
    found = f"the extension {suffix!r} is not known" if suffix else "its name has no extension"
    return f"{found}. Name it after its format: {', '.join(READERS)} (text also with .gz)."


READERS: dict[str, Callable[[Path, Wanted, MemoryBound], FileCells]] = {
    ".csv": read_text,
    ".tsv": read_text,
    ".tab": read_text,
    ".txt": read_text,
    ".parquet": read_parquet,
    ".xlsx": read_excel,
    ".gct": read_gct,
    ".h5ad": read_h5ad,
}
"""The reader of each extension."""
