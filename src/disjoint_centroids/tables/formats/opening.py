"""Opening of files; errors become one sentence each."""

from __future__ import annotations

import gzip
import textwrap
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from disjoint_centroids.tables.memory.bounds import MemoryBound, read_within
from disjoint_centroids.tables.nearest_names import nearest_names
from disjoint_centroids.tables.problems import TableProblems

_SIGNATURES = {
    b"\x1f\x8b": ("compressed with gzip", ".csv.gz, .tsv.gz or .gct.gz"),
    b"PAR1": ("a Parquet file", ".parquet"),
    b"PK\x03\x04": ("an Excel file or another zip archive", ".xlsx"),
    b"\x89HDF": ("an HDF5 file", ".h5ad"),
    b"\xd0\xcf\x11\xe0": ("an old Excel file; save it as .xlsx from the spreadsheet", ".xls"),
}
_EMPTY = "it is empty. Give a table with a header row and one sample per row."
FOLDER = "it is a folder. Give a file in it; folders of Parquet parts and zarr stores are read by open_parts"


def table_suffix(path: Path) -> str:
    """Return the extension in small letters, without .gz."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def file_bytes(path: Path, bound: MemoryBound) -> bytes:
    """Read all bytes of a text file, unpacked if its name ends in .gz."""
    with opening(path):
        raw = read_within(path, bound)
    if not raw:
        raise TableProblems(bound.source, [_EMPTY])
    return raw


def first_bytes(path: Path) -> bytes:
    """Read the first bytes of a file, which say what it is."""
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
        raise TableProblems(source, [f"{FOLDER}."]) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise TableProblems(
            source, [f"it cannot be unpacked as gzip ({error}): cut off, damaged, or not gzip. Get the file again."]
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TableProblems(source, [f"it cannot be read ({reason}). Check the name and its permissions."]) from error


def no_such_file(path: Path) -> TableProblems:
    """Report a file that is not there, naming files that may be meant."""
    return TableProblems(str(path), [f"there is no such file.{_beside(path)}"])


def _beside(path: Path) -> str:
    """The files of similar names in the same folder."""
    try:
        names = [file.name for file in path.parent.iterdir()]
    except (OSError, ValueError):
        return f" There is no folder {path.parent} either; check the spelling."
    return nearest_names(path.name, names) or " Check the spelling and the folder."


def check_signature(raw: bytes, source: str, *, text: bool = False, own: bytes = b"") -> None:
    """Refuse a file that is evidently of another format than its name says."""
    for signature, (what, extension) in _SIGNATURES.items():
        if signature != own and raw.startswith(signature):
            raise TableProblems(source, [f"it is {what}, whatever its name says. Name it {extension}."])
    if not text and not raw.startswith(own):
        raise TableProblems(
            source, ["it is not of the format its name says: damaged, or text? Text tables are .csv or .tsv."]
        )


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
    """Report a package that is not installed."""
    return TableProblems(
        source, [f"reading it needs {package}, which is not installed: pip install 'disjoint-centroids[{extra}]'"]
    )
