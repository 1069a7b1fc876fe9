"""Tables of every format as programs write them, and ways in which they get damaged."""

from __future__ import annotations

import gzip
import io
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

from disjoint_centroids.tables import LabelledTable

LABELS = ["ALL", "AML", "ALL", "AML", "ALL", "AML", "ALL", "AML"]
IDS = [f"s{at}" for at in range(8)]
GENES = [f"g{at}" for at in range(6)]


def frame() -> pd.DataFrame:
    values = np.random.default_rng(0).normal(5, 2, (8, 6)).round(3)
    found = pd.DataFrame(values, columns=GENES)
    found.insert(0, "id", IDS)
    found.insert(1, "class", LABELS)
    return found


def csv(**options) -> bytes:
    return frame().to_csv(None, index=False, **options).encode()


def gct(version: str = "#1.2", n_features: int = 6, n_samples: int = 8) -> bytes:
    rows = ["\t".join([name, "d", *map(str, frame()[name])]) for name in GENES]
    annotation = ["\t".join(["class", "na", *LABELS])] if version == "#1.3" else []
    counts = f"{n_features}\t{n_samples}" + ("\t1\t1" if version == "#1.3" else "")
    return "\n".join([version, counts, "\t".join(["Name", "Description", *IDS]), *annotation, *rows, ""]).encode()


def compcancer() -> bytes:
    rows = ["\t".join([name, *map(str, frame()[name])]) for name in GENES]
    return "\n".join(["\t".join(["GENES", *LABELS]), *rows, ""]).encode()


def in_memory(write: Callable[[io.BytesIO], object]) -> bytes:
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def h5ad(folder: Path) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import anndata

        obs = pd.DataFrame({"class": LABELS}, index=IDS)
        data = anndata.AnnData(frame()[GENES].to_numpy(), obs=obs, var=pd.DataFrame(index=GENES))
        data.write_h5ad(folder / "whole.h5ad")
    return (folder / "whole.h5ad").read_bytes()


def whole_files(folder: Path) -> dict[str, bytes]:
    whole = {
        "t.csv": csv(),
        "decimal.csv": csv(sep=";", decimal=","),
        "t.tsv": csv(sep="\t"),
        "t.csv.gz": gzip.compress(csv(), mtime=0),
        "t.gct": gct(),
        "meta.gct": gct("#1.3"),
        "set.txt": compcancer(),
        "t.parquet": in_memory(lambda buffer: frame().to_parquet(buffer)),
        "t.xlsx": in_memory(lambda buffer: frame().to_excel(buffer, index=False)),
    }
    # anndata holds pandas back, so only one of the two environments of `make test` has it.
    return whole | ({"t.h5ad": h5ad(folder)} if find_spec("anndata") else {})


def cut_and_flipped(name: str, whole: bytes) -> Iterator[tuple[str, str, bytes]]:
    """Cut off at many places, and with bytes changed at many others."""
    rng = np.random.default_rng(7)
    for share in np.linspace(0.02, 0.99, 15):
        yield f"cut at {share:.0%}", name, whole[: int(len(whole) * share)]
    yield "the start is missing", name, whole[len(whole) // 5 :]
    yield "a piece is missing", name, whole[: len(whole) // 3] + whole[len(whole) // 2 :]
    yield "twice", name, whole + whole
    yield "zeros at the end", name, whole + b"\0" * 100
    for n_flips in (1, 1, 2, 3, 5, 10, 30, 100):
        damaged = bytearray(whole)
        for at in rng.integers(len(whole), size=n_flips):
            damaged[at] ^= 1 << int(rng.integers(8))
        yield f"{n_flips} bits flipped", name, bytes(damaged)
    yield "noise", name, whole[:8] + rng.bytes(len(whole))


def text_damage() -> Iterator[tuple[str, str, bytes]]:
    """What editors, spreadsheets and scripts do to text tables."""
    whole = csv()
    lines = whole.splitlines(keepends=True)
    cells = [line.split(b",") for line in whole.splitlines()]
    yield "no header", "t.csv", b"".join(lines[1:])
    yield "header only", "t.csv", lines[0]
    yield "empty", "t.csv", b""
    yield "spaces", "t.csv", b"   \n\n  \t \n"
    yield "one character", "t.csv", b"x"
    yield "mark only", "t.csv", b"\xef\xbb\xbf"
    yield "old line ends mixed", "t.csv", whole.replace(b"\n", b"\r", 3)
    yield "the header twice", "t.csv", lines[0] + whole
    yield "a row twice", "t.csv", whole + lines[3]
    yield "a comment above", "t.csv", b"# made by hand\n" + whole
    yield "a sum below", "t.csv", whole + b"sum,,40,40,40,40,40,40\n"
    for at in range(len(cells[0])):
        yield f"column {at} removed", "t.csv", b"\n".join(b",".join(row[:at] + row[at + 1 :]) for row in cells)
        yield f"column {at} twice", "t.csv", b"\n".join(b",".join([*row, row[at]]) for row in cells)
        emptied = [cells[0], *([*row[:at], b"", *row[at + 1 :]] for row in cells[1:])]
        yield f"column {at} emptied", "t.csv", b"\n".join(b",".join(row) for row in emptied)
    for at in range(1, 9):
        rows = list(lines)
        rows[at] = rows[at][: len(rows[at]) // 2] + b"\n"
        yield f"row {at} cut", "t.csv", b"".join(rows)
    for encoding in ("utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "cp037", "shift-jis", "utf-7"):
        text = whole.decode().replace("class", "klässe" if encoding in ("latin-1", "cp1252") else "class")
        yield f"encoded as {encoding}", "t.csv", text.encode(encoding)
    for word in (
        b'"',
        b'""',
        b"'",
        b"\0",
        b"\xff",
        b";",
        b"\t",
        b",",
        b"\\",
        b"1e999",
        b"-inf",
        b"nan",
        b"1.2.3",
        b"1,5",
    ):
        for at in (len(whole) // 3, len(whole) - 4):
            yield f"{word!r} at {at}", "t.csv", whole[:at] + word + whole[at:]
        yield f"{word!r} for every point", "t.csv", whole.replace(b".", word)
        yield f"{word!r} for every comma", "t.csv", whole.replace(b",", word)
    yield "half commas, half semicolons", "t.csv", whole[:150] + whole[150:].replace(b",", b";")
    yield "a very long cell", "t.csv", whole + b"s," + b"9" * 200_000 + b",1,1,1,1,1,1\n"
    yield "a very long quoted cell", "t.csv", whole + b'"' + b"9," * 200_000


def other_damage() -> Iterator[tuple[str, str, bytes]]:
    """Counts that lie, and files under the name of another format."""
    for counts in ((5, 8), (7, 8), (6, 7), (6, 9), (0, 0), (10**12, 8)):
        yield f"counts {counts}", "t.gct", gct("#1.2", *counts)
        yield f"counts {counts}", "meta.gct", gct("#1.3", *counts)
    yield "negative counts", "t.gct", gct().replace(b"6\t8", b"-6\t8")
    yield "no counts", "t.gct", gct().replace(b"6\t8", b"")
    yield "version of the other", "t.gct", gct().replace(b"#1.2", b"#1.3")
    for name in ("t.parquet", "t.xlsx", "t.h5ad", "t.csv.gz", "t.gct", "t.cls", "t.dat", "t", "t.xls"):
        yield "text inside", name, csv()
        yield "gzip inside", name, gzip.compress(csv(), mtime=0)
    empty = pd.DataFrame()
    yield "no cells", "t.parquet", in_memory(lambda buffer: empty.to_parquet(buffer))
    yield "no cells", "t.xlsx", in_memory(lambda buffer: empty.to_excel(buffer, index=False))
    yield "no rows", "t.parquet", in_memory(lambda buffer: frame().iloc[:0].to_parquet(buffer))
    yield "no rows", "t.xlsx", in_memory(lambda buffer: frame().iloc[:0].to_excel(buffer, index=False))
    nested = pd.DataFrame({"class": LABELS, "g": [[1, 2]] * 8, "when": pd.Timestamp("2020-01-01"), "b": [b"x"] * 8})
    yield "nested", "t.parquet", in_memory(lambda buffer: nested.to_parquet(buffer))


def is_usable(table: LabelledTable) -> bool:
    values, labels = table.values, table.labels
    return (
        (values.dtypes == np.float64).all()
        and bool(np.isfinite(values.to_numpy()).all())
        and values.index.is_unique
        and values.columns.is_unique
        and all(isinstance(name, str) and name for name in [*values.index, *values.columns, *labels])
        and labels.index.equals(values.index)
        and labels.value_counts().min() >= 2
        and labels.nunique() >= 2
        and values.shape[1] >= 1
    )


OPTIONS = [
    {"target": "class"},
    {"target": "class", "sample_id": "id"},
    {"target": "class", "features_in_rows": True},
    {},
]
