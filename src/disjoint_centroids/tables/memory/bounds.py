"""Limit on the memory that reading a table may take: no file, damaged or hostile, can fill the machine's memory."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from disjoint_centroids.tables.problems import TableProblems

LINE_BYTES = 64 * 2**20
"""The longest line of a text file: some three million numbers of 17 digits."""
UNPACKED_RATIO = 100
"""The most that a compressed file may grow by. Text grows fourfold, counts of which 2 % are not zero 36-fold."""
UNQUESTIONED_BYTES = 64 * 2**20
"""A file that unpacks to no more than this may have grown by any factor."""
CELL_BYTES = 24
"""Memory for a number: as it is read, in the table, and in the table without the columns that are no features."""
WORD_BYTES = 200
"""Memory for a cell of text."""
_SPLIT_BYTES = 20
_LABEL_BYTES = 32
_CHUNK = 2**20
_ASSUMED_MEMORY = 8 * 2**30
_GROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@dataclass(slots=True)
class MemoryBound:
    """Memory that reading one file may take; it is reserved before it is used.

    Attributes
    ----------
    source : str
        The file.
    limit : int
        Bytes that may be taken in all.
    chosen : bool
        True if the user gave the limit.
    taken : int
        Bytes taken so far.
    """

    source: str
    limit: int
    chosen: bool = False
    taken: int = 0

    @classmethod
    def of(cls, source: str, gigabytes: float | None) -> MemoryBound:
        """Make the bound of a file: as asked for, or half of the machine's memory."""
        if gigabytes is None:
            return cls(source, machine_memory() // 2)
        if not gigabytes > 0:
            raise ValueError(f"max_memory must be a positive number of gigabytes; got {gigabytes}.")
        return cls(source, int(min(gigabytes, 1e9) * 1e9), chosen=True)

    def reserve(self, n_bytes: int) -> None:
        """Count memory that is about to be used; refuse the file if that is too much in all."""
        self.taken += n_bytes
        if self.taken > self.limit:
            whose = "as max_memory= says" if self.chosen else "half of what this machine has"
            raise TableProblems(
                self.source,
                [
                    f"reading it would take more than {size_text(self.limit)} of memory, {whose}. If the file is what "
                    "it should be, allow more: max_memory=GB; or leave it on disk: open_parts reads "
                    "Parquet, zarr and .npy a block at a time."
                ],
            )

    def check_ratio(self, packed: int, unpacked: int, what: str, cure: str) -> None:
        """Refuse what unpacks to far more than tables do."""
        if unpacked > max(UNQUESTIONED_BYTES, UNPACKED_RATIO * packed):
            raise TableProblems(
                self.source,
                [
                    f"{what} unpacks to more than {UNPACKED_RATIO} times its size (over {size_text(unpacked)}), as "
                    f"tables do not: it is damaged, or made to fill the memory. {cure}"
                ],
            )


def reserve_names(n_rows: int, n_columns: int, bound: MemoryBound) -> None:
    """Reserve memory for what is held of a table that stays on disk: names, labels, and one row at least."""
    bound.reserve(_LABEL_BYTES * n_rows + WORD_BYTES * n_columns)


def machine_memory() -> int:
    """Bytes of memory of this machine, or of the container that this runs in."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not on Windows
        return _ASSUMED_MEMORY
    for file in _GROUP_LIMITS:
        try:
            total = min(total, int(Path(file).read_text(encoding="ascii")))
        except (OSError, ValueError):  # not there, or "max"
            continue
    return total


def size_text(n_bytes: float) -> str:
    """Write a number of bytes in words."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if n_bytes >= size:
            return f"{n_bytes / size:.3g} {unit}"
    return f"{n_bytes / 1e3:.3g} kB"


def read_within(path: Path, bound: MemoryBound) -> bytes:
    """Read all bytes of a text file, unpacked if its name ends in .gz, with lines of a bounded length."""
    found = io.BytesIO()
    line = longest = 0
    with path.open("rb") as file:
        for chunk in _chunks(file, path, bound):
            bound.reserve(len(chunk))
            found.write(chunk)
            at = chunk.rfind(b"\n")
            # Lines within a chunk are short; what counts is the one that goes on beyond it.
            line = line + len(chunk) if at < 0 else len(chunk) - at - 1
            longest = max(longest, line if at < 0 else line + _CHUNK)
            if line > LINE_BYTES:
                raise TableProblems(bound.source, [_long_line(found.getvalue()[: found.tell() - line])])
    bound.reserve(_SPLIT_BYTES * longest)
    return found.getvalue()


def _long_line(before: bytes) -> str:
    return (
        f"line {before.count(10) + 1} is longer than {size_text(LINE_BYTES)}, so it is no line of a table: the file is "
        "damaged, has no line ends, or is of another format. A table with that many columns: write it as Parquet."
    )


def _chunks(file: BinaryIO, path: Path, bound: MemoryBound) -> Iterator[bytes]:
    if path.suffix.lower() != ".gz":
        while chunk := file.read(_CHUNK):
            yield chunk
        return
    unpacked = 0
    with gzip.GzipFile(fileobj=file) as unpacking:
        while chunk := unpacking.read(_CHUNK):
            unpacked += len(chunk)
            bound.check_ratio(file.tell(), unpacked, "it", "If you trust it, unpack it first: gunzip FILE")
            yield chunk
