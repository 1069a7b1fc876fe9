"""GenePattern's files: GCT (one feature per row) and CLS (one class per sample)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from disjoint_centroids._listed import listed
from disjoint_centroids.tables.cells.file_cells import FileCells, RowCollector
from disjoint_centroids.tables.formats.delimited import collect, text_encoding, text_rows
from disjoint_centroids.tables.formats.opening import check_signature, file_bytes
from disjoint_centroids.tables.formats.wanted import Wanted
from disjoint_centroids.tables.memory.bounds import MemoryBound
from disjoint_centroids.tables.problems import TableProblems


def read_gct(path: Path, wanted: Wanted, bound: MemoryBound) -> FileCells:
    """Read a GCT file."""
    raw = file_bytes(path, bound)
    check_signature(raw, bound.source, text=True)
    return cells_of_gct(raw, bound, target=wanted.target)


def cells_of_gct(raw: bytes, bound: MemoryBound, *, target: str | None = None) -> FileCells:
    """Read GCT 1.2 or 1.3; in 1.3 the target is a row of sample annotation."""
    source = bound.source
    # The format knows no quotes: a description may hold a single one.
    rows = text_rows(raw, text_encoding(raw, source), "\t", source, quotes=False)
    version = _line(rows, source)[0].strip()
    if version not in ("#1.2", "#1.3"):
        raise TableProblems(
            source, [f"a GCT file starts with a line '#1.2' or '#1.3', this one with {version[:40]!r}. Repair line 1."]
        )
    n_counts = 2 if version == "#1.2" else 4
    n_features, n_samples, n_about_features, n_about_samples = (*_counts(rows, n_counts, source), 1, 0)[:4]
    header = [name.strip() for name in _line(rows, source)]
    while header and not header[-1]:
        header.pop()
    if len(header) != 1 + n_about_features + n_samples:
        raise TableProblems(
            source,
            [
                f"line 2 says {n_samples} samples, but the header in line 3 has "
                f"{max(0, len(header) - 1 - n_about_features)} after the {1 + n_about_features} columns about "
                "features. Correct whichever is wrong."
            ],
        )
    about = set(range(1, 1 + n_about_features))
    collector = RowCollector(header, {0, *about}, keep_row=target, bound=bound)
    annotation = RowCollector(header, range(len(header)), bound=bound)
    collect(annotation, islice(rows, n_about_samples), source)
    collect(collector, rows, source)
    cells = _without(collector.cells().turned(), about)
    if len(cells.names) != n_features:
        raise TableProblems(
            source,
            [
                f"line 2 says {n_features} features, but there are {len(cells.names)}. The file is cut off, or line 2 "
                "is wrong: get the file again, or correct it."
            ],
        )
    samples = _without(annotation.cells().turned(), about)
    if target is not None and (at := samples.find(target)) is not None:
        cells.labels = samples.text(at)
    return cells


def _line(rows: Iterator[tuple[int, list[str]]], source: str) -> list[str]:
    line = next(rows, None)
    if line is None:
        raise TableProblems(source, ["it ends within the three header lines of a GCT file. Get the whole file."])
    return line[1]


def _counts(rows: Iterator[tuple[int, list[str]]], n: int, source: str) -> list[int]:
    counts = [cell.strip() for cell in _line(rows, source) if cell.strip()]
    if len(counts) != n or not all(count.isdecimal() for count in counts):
        raise TableProblems(
            source,
            [
                f"line 2 of a GCT file has {n} counts (features, samples …), this one {' '.join(counts)[:60]!r}. "
                "Repair it."
            ],
        )
    return [int(count) for count in counts]


def _without(cells: FileCells, about: set[int]) -> FileCells:
    """Without the columns about features, which became samples when the table was turned."""
    assert cells.ids is not None
    shift = len(about)
    words = {
        column: {row - shift: word for row, word in by_row.items() if row >= shift}
        for column, by_row in cells.words.items()
    }
    return FileCells(cells.names, cells.numbers[shift:], words, ids=cells.ids[shift:])


def read_cls(raw: bytes, source: str) -> list[str]:
    """Read the class names of a categorical CLS file, one per sample."""
    text = raw.decode(text_encoding(raw, source))
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if lines[0][0].lower() == "#numeric":
        raise TableProblems(
            source, ["it is a CLS file of numbers (#numeric). Labels need classes: a categorical CLS file."]
        )
    counts = lines[0]
    if len(lines) < 3 or len(counts) < 2 or not all(count.isdecimal() for count in counts) or lines[1][0][0] != "#":
        raise TableProblems(
            source,
            [
                "a CLS file has a line 'n_samples n_classes 1', a line '# name name …' and a line with one class per "
                "sample. Repair it, or give the labels as a CSV file with the columns id and label."
            ],
        )
    names = " ".join(lines[1]).lstrip("#").split()
    codes = [code for line in lines[2:] for code in line]
    if (len(codes), len(names)) != (int(counts[0]), int(counts[1])):
        raise TableProblems(
            source,
            [
                f"line 1 says {counts[0]} samples and {counts[1]} classes, but there are {len(codes)} labels and "
                f"{len(names)} class names. Correct whichever is wrong."
            ],
        )
    return _named(codes, names, source)


def _named(codes: list[str], names: list[str], source: str) -> list[str]:
    """The name of each code. The first code used means the first name; codes that say otherwise are refused."""
    order = list(dict.fromkeys(codes))
    if len(order) > len(names):
        raise TableProblems(
            source, [f"line 3 uses {len(order)} different labels, line 2 names {len(names)} classes. Name each class."]
        )
    by_number = order == [str(at) for at in range(len(order))]
    by_name = order == names[: len(order)]
    says_otherwise = set(order) <= {str(at) for at in range(len(names))} or bool(set(order) & set(names))
    if says_otherwise and not (by_number or by_name):
        raise TableProblems(
            source,
            [
                f"it is not clear which label is which class: line 2 names {listed(names, 5)}, but the labels "
                f"first come in the order {listed(order, 5)}. In a CLS file the names stand in the order in which "
                "the labels first come, and numbers start from 0: put both in that order."
            ],
        )
    name_of = dict(zip(order, names, strict=False))
    return [name_of[code] for code in codes]
