"""Small text files beside a table: costs, lists of names."""

from __future__ import annotations

from pathlib import Path


def file_text(path: Path) -> str:
    """Text of a file, which takes no more memory than a table may."""
    from disjoint_centroids.tables.formats.opening import opening
    from disjoint_centroids.tables.memory.bounds import MemoryBound, read_within

    with opening(path):
        raw = read_within(path, MemoryBound.of(str(path), None))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not a text file in UTF-8. Save it as one.") from error


def separator(path: Path) -> str:
    """Separator of cells that the name of a file stands for."""
    return "\t" if path.suffix.lower() in (".tsv", ".tab") else ","
