"""Each file format to the cells it holds."""

from __future__ import annotations

import gzip
import textwrap
import warnings
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disjoint_centroids.tables import checks
from disjoint_centroids.tables.bounds import MemoryBound, read_within
from disjoint_centroids.tables.cells import Cells, RowCollector, cells_of_frame, written
from disjoint_centroids.tables.delimited import collect, read_delimited, without_lines
from disjoint_centroids.tables.excel import Sheet, read_sheet
from disjoint_centroids.tables.genepattern import read_gct
from disjoint_centroids.tables.nearest_names import nearest_names
from disjoint_centroids.tables.parquet_bounds import columns_of_text, take_whole_file
from disjoint_centroids.tables.problems import TableProblems
from disjoint_centroids.tables.stored_arrays import take_arrays
from disjoint_centroids.tables.title_rows import ROWS_LOOKED_AT, refuse_title_rows

_SIGNATURES = {
    b"\x1f\x8b": ("compressed with gzip", ".csv.gz, .tsv.gz or .gct.gz"),
    b"PAR1": ("a Parquet file", ".parquet"),
    b"PK\x03\x04": ("an Excel file or another zip archive", ".xlsx"),
    b"\x89HDF": ("an HDF5 file", ".h5ad"),
    b"\xd0\xcf\x11\xe0": ("an old Excel file; save it as .xlsx from the spreadsheet", ".xls"),
}
_EXCEL = ".xlsx"
_TEXT = (".csv", ".tsv", ".tab", ".txt")
_EMPTY = "it is empty. Give a table with a header row and a sample a row."
_FOLDER = "it is a folder. Give a file in it; folders of Parquet parts and zarr stores are read by open_parts"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the reader of a format needs to know of the user's wishes."""

    target: str | None = None
    sample_id: str | None = None
    features_in_rows: bool = False
    sheet: str | None = None
    skip_rows: int = 0
    max_memory: float | None = None

    @property
    def keep(self) -> Collection[str]:
        """Columns to keep as they are written."""
        return [name for name in (self.target, self.sample_id) if name is not None]


def read_cells(path: Path, wanted: Wanted) -> Cells:
    """Read a file by what its name says it is; whatever is wrong with it becomes TableProblems."""
    source = str(path)
    suffix = table_suffix(path)
    reader = READERS.get(suffix)
    if reader is None and path.is_dir():
        raise TableProblems(source, [f"{_FOLDER}."])
    if reader is None:
        raise TableProblems(source, [_unknown(suffix)])
    refuse_idle(suffix, wanted, source)
    return reader(path, wanted, MemoryBound.of(source, wanted.max_memory))


def refuse_idle(suffix: str, wanted: Wanted, source: str) -> None:
    """Refuse options that mean nothing in this format."""
    if wanted.skip_rows < 0:
        raise ValueError(f"skip_rows is a number of rows; got {wanted.skip_rows}.")
    if wanted.sheet is not None and suffix != _EXCEL:
        raise TableProblems(source, [f"only Excel files have sheets, and this is {suffix}. Leave out sheet=."])
    if wanted.skip_rows and suffix not in (*_TEXT, _EXCEL):
        raise TableProblems(source, [f"{suffix} files have no rows above the header. Leave out skip_rows=."])


def table_suffix(path: Path) -> str:
    """The extension in small letters, without .gz."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def file_bytes(path: Path, bound: MemoryBound) -> bytes:
    """All bytes of a text file, unpacked if its name ends in .gz."""
    with opening(path):
        raw = read_within(path, bound)
    if not raw:
        raise TableProblems(bound.source, [_EMPTY])
    return raw


def first_bytes(path: Path) -> bytes:
    """The first bytes of a file, which say what it is."""
    with opening(path), path.open("rb") as file:
        found = file.read(8)
    if not found:
        raise TableProblems(str(path), [_EMPTY])
    return found


@contextmanager
def opening(path: Path) -> Iterator[None]:
    """Turn what goes wrong when a file is opened and read into one sentence."""
    source = str(path)
    try:
        yield
    except TableProblems:
        raise
    except FileNotFoundError as error:
        raise no_such_file(path) from error
    except IsADirectoryError as error:
        raise TableProblems(source, [f"{_FOLDER}."]) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise TableProblems(
            source, [f"it cannot be unpacked as gzip ({error}): cut off, damaged, or not gzip. Get the file again."]
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TableProblems(source, [f"it cannot be read ({reason}). Check the name and its permissions."]) from error


def no_such_file(path: Path) -> TableProblems:
    """The sentence about a file that is not there, with what may be meant."""
    return TableProblems(str(path), [f"there is no such file.{_beside(path)}"])


def _beside(path: Path) -> str:
    """The files of similar names in the same folder."""
    try:
        names = [file.name for file in path.parent.iterdir()]
    except (OSError, ValueError):
        return f" There is no folder {path.parent} either; check the spelling."
    return nearest_names(path.name, names) or " Check the spelling and the folder."


def _unknown(suffix: str) -> str:
    if suffix == ".cls":
        return "it holds labels only. Give the GCT file as the table and this one as labels=."
    if suffix in (".xls", ".ods"):
        return f"{suffix} files cannot be read. Save it as .xlsx or .csv from the spreadsheet."
    found = f"the extension {suffix!r} is not known" if suffix else "its name has no extension"
    return f"{found}. Name it after its format: {', '.join(READERS)} (text also with .gz)."


@contextmanager
def library_errors(source: str, what: str, cure: str) -> Iterator[None]:
    """Turn whatever a library raises on a damaged file into one sentence."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a library's remarks on how a file was written are of no use to the user
            yield
    except (TableProblems, ImportError):
        raise
    except Exception as error:  # the libraries raise nearly everything on damaged files, AssertionError included
        reason = textwrap.shorten(str(error).replace(source, "it"), 120, placeholder=" …") or type(error).__name__
        raise TableProblems(source, [f"it cannot be read as {what} ({reason}). {cure}"]) from error


def needs_package(source: str, package: str, extra: str) -> TableProblems:
    """The sentence about a package that is not there."""
    return TableProblems(
        source, [f"reading it needs {package}, which is not installed: pip install 'disjoint-centroids[{extra}]'"]
    )


def _read_text(path: Path, wanted: Wanted, bound: MemoryBound) -> Cells:
    """CSV, TSV and the CompCancer format, told apart by the header."""
    raw = file_bytes(path, bound)
    _check_signature(raw, bound.source, text=True)
    raw = without_lines(raw, wanted.skip_rows, bound)
    if raw.removeprefix(b"\xef\xbb\xbf")[:6].upper() == b"GENES\t":
        cells = read_delimited(raw, bound, features_in_rows=True, keep_row=wanted.target, skipped=wanted.skip_rows)
        return cells if wanted.target in cells.names else _compcancer(cells, bound.source, wanted)
    return read_delimited(
        raw,
        bound,
        keep=wanted.keep,
        features_in_rows=wanted.features_in_rows,
        keep_row=wanted.target,
        skipped=wanted.skip_rows,
    )


def _compcancer(cells: Cells, source: str, wanted: Wanted) -> Cells:
    """The header holds labels, not ids, unless all are different; genes that come again get a number."""
    assert cells.ids is not None
    if len(set(cells.ids)) < len(cells.ids):
        cells.labels, cells.ids = cells.ids, None
        if wanted.target is not None:
            raise TableProblems(
                source,
                [f"its labels are in its header (GENES, label, …), not in {wanted.target!r}. Leave out target=."],
            )
    seen: dict[str, int] = {}
    for at, name in enumerate(cells.names):
        again = seen.get(name, 0)
        seen[name] = again + 1
        if again:
            cells.names[at] = f"{name}.{again}"
    return cells


def _check_signature(raw: bytes, source: str, *, text: bool = False, own: bytes = b"") -> None:
    """Refuse a file that is evidently of another format than its name says."""
    for signature, (what, extension) in _SIGNATURES.items():
        if signature != own and raw.startswith(signature):
            raise TableProblems(source, [f"it is {what}, whatever its name says. Name it {extension}."])
    if not text and not raw.startswith(own):
        raise TableProblems(
            source, ["it is not of the format its name says: damaged, or text? Text tables are .csv or .tsv."]
        )


def _read_gct(path: Path, wanted: Wanted, bound: MemoryBound) -> Cells:
    raw = file_bytes(path, bound)
    _check_signature(raw, bound.source, text=True)
    return read_gct(raw, bound, target=wanted.target)


def _read_parquet(path: Path, wanted: Wanted, bound: MemoryBound) -> Cells:
    _check_signature(first_bytes(path), bound.source, own=b"PAR1")
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise needs_package(bound.source, "pyarrow", "parquet") from error
    with library_errors(bound.source, "Parquet", "Cut off or damaged: write or fetch it again."):
        with parquet.ParquetFile(path) as file:
            take_whole_file(path, file.metadata, bound)
            words = columns_of_text(file.schema_arrow)
        # A text that comes often is held once, as it is stored: written out, a small file could fill the memory.
        cells = cells_of_frame(parquet.read_table(path, read_dictionary=words).to_pandas())
    return cells.turned() if wanted.features_in_rows else cells


def _read_excel(path: Path, wanted: Wanted, bound: MemoryBound) -> Cells:
    source = bound.source
    _check_signature(first_bytes(path), source, own=b"PK\x03\x04")
    try:
        with library_errors(source, "Excel", "Cut off or damaged: save or fetch it again, or save it as .csv."):
            sheet = read_sheet(path, wanted.sheet, bound)
    except ImportError as error:
        raise needs_package(source, "openpyxl", "excel") from error
    try:
        cells = _cells_of_sheet(sheet, wanted, bound)
    except TableProblems as error:
        raise TableProblems(source, [*error.problems, *checks.other_sheets(sheet.others)]) from error
    cells.other_sheets = sheet.others if wanted.sheet is None else ()
    return cells


def _cells_of_sheet(sheet: Sheet, wanted: Wanted, bound: MemoryBound) -> Cells:
    """A sheet's rows may differ in length; what is empty at their ends does not count."""
    filled = [(line, row) for line, row in sheet.rows if line > wanted.skip_rows]
    if len(filled) < 2:
        found = "a header row and no rows below it" if filled else "nothing"
        below = f" below row {wanted.skip_rows}" if wanted.skip_rows else ""
        raise TableProblems(
            bound.source,
            [f"its sheet {sheet.name!r} holds {found}{below}. Put the table there, with one sample per row."],
        )
    refuse_title_rows(filled[:ROWS_LOOKED_AT], bound.source, sheet=sheet.name)
    width = max(at for _, row in filled for at, cell in enumerate(row, start=1) if cell)
    even = ((line, (row + [""] * width)[:width]) for line, row in filled)
    _, names = next(even)
    kept = {0, *(at for at, name in enumerate(names) if name in wanted.keep)}
    collector = RowCollector(names, kept, wanted.target if wanted.features_in_rows else None, bound=bound)
    collect(collector, even, bound.source)
    return collector.cells().turned() if wanted.features_in_rows else collector.cells()


def _read_h5ad(path: Path, wanted: Wanted, bound: MemoryBound) -> Cells:
    """X of an AnnData file; target and sample_id are columns of obs."""
    source = bound.source
    _check_signature(first_bytes(path), source, own=b"\x89HDF")
    if wanted.features_in_rows:
        raise TableProblems(source, ["an AnnData file has its samples in obs. Leave out features_in_rows=True."])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import anndata
    except ImportError as error:
        raise needs_package(source, "anndata", "anndata") from error
    with library_errors(source, "AnnData", "Cut off or damaged: write or fetch it again."):
        take_arrays(path, bound)
        return _cells_of_anndata(anndata.read_h5ad(path), source, wanted)


def _cells_of_anndata(data: Any, source: str, wanted: Wanted) -> Cells:
    import numpy as np
    from scipy import sparse

    if data.X is None:
        raise TableProblems(source, ["its X is empty. Put the numbers of the samples there."])
    for name, option in ((wanted.target, "target="), (wanted.sample_id, "sample_id=")):
        if name is not None and name not in data.obs.columns:
            near = (
                nearest_names(name, map(str, data.obs.columns)) or f" The columns are: {', '.join(data.obs.columns)}."
            )
            raise TableProblems(source, [f"obs has no column {name!r} for {option}.{near}"])
    dense = data.X.toarray() if sparse.issparse(data.X) else np.asarray(data.X)
    # What is wanted of obs comes first, so that a feature of the same name does not stand in its way.
    names = [str(name).strip() for name in data.var_names]
    about = np.full((len(dense), len(wanted.keep)), np.nan)
    words = {
        at: {row: word for row, value in enumerate(data.obs[name].tolist()) if (word := written(value))}
        for at, name in enumerate(wanted.keep)
    }
    numbers = np.hstack([about, dense.astype(np.float64)])
    return Cells([*wanted.keep, *names], numbers, words, ids=[str(name).strip() for name in data.obs_names])


READERS: dict[str, Callable[[Path, Wanted, MemoryBound], Cells]] = {
    ".csv": _read_text,
    ".tsv": _read_text,
    ".tab": _read_text,
    ".txt": _read_text,
    ".parquet": _read_parquet,
    ".xlsx": _read_excel,
    ".gct": _read_gct,
    ".h5ad": _read_h5ad,
}
"""The reader of each extension."""
