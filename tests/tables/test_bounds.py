"""Files that would fill the memory are refused within a bound, shown by the peak of a process that reads them."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import zipfile
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

from disjoint_centroids.tables import TableProblems, open_parts, read_table

MEGABYTE = 2**20
SHEET = "xl/worksheets/sheet1.xml"
SPACE = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'

PROBE = """
import json, re, resource, sys
from pathlib import Path
import openpyxl, pyarrow.parquet
from disjoint_centroids.tables import TableProblems, read_table

# A bomb that goes off is to end this process, not the machine.
resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, 8 * 2**30))

def peak():
    # Of this program alone: getrusage counts what the parent had in memory when it started this one.
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024

before = peak()
for path in sys.argv[1:]:
    try:
        read_table(path, target="class")
    except TableProblems as error:
        print(json.dumps([path, error.problems[0], peak() - before]))
"""


def gzipped(path, head: bytes, piece: bytes, times: int) -> None:
    """A gzip file of as many members: small to make, large to unpack."""
    member = gzip.compress(piece, 1, mtime=0)
    with path.open("wb") as file:
        file.write(gzip.compress(head, 1, mtime=0))
        for _ in range(times):
            file.write(member)


def workbook(path, part: str, head: bytes, piece: bytes, times: int, tail: bytes) -> None:
    """An Excel file with one part replaced."""
    plain = io.BytesIO()
    pd.DataFrame({"id": ["a"], "class": ["T"]}).to_excel(plain, index=False)
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        for found in old.infolist():
            if found.filename != part:
                new.writestr(found.filename, old.read(found))
        with new.open(part, "w") as file:
            file.write(head)
            for _ in range(times):
                file.write(piece)
            file.write(tail)


def sheet(path, rows: bytes, times: int = 1, *, head: bytes = b"", tail: bytes = b"") -> None:
    start = b"<worksheet " + SPACE + b"><sheetData>" + head
    workbook(path, SHEET, start, rows, times, tail + b"</sheetData></worksheet>")


def bombs(folder) -> dict[str, str]:
    """Files of at most a few megabytes on disk, and words of the sentence that refuses each."""
    with (folder / "line.csv").open("wb") as file:  # a hole: one gigabyte that takes no place
        file.write(b"id,class,g\na,T,")
        file.truncate(1024 * MEGABYTE)
    gzipped(folder / "line.csv.gz", b"id,class,g\na,T,", b"0" * (16 * MEGABYTE), 64)
    row = b"s,T," + b"0," * 500 + b"0\n"
    gzipped(folder / "rows.csv.gz", b"id,class,g\n", row * 8000, 128)
    gzipped(folder / "labels.txt.gz", b"", b"T\n" * (8 * MEGABYTE), 64)
    sheet(folder / "ratio.xlsx", b"<row/>" * 200_000, 60)
    sheet(folder / "row.xlsx", b"<c/>" * 250_000, 16, head=b"<row>", tail=b"</row>")
    sheet(folder / "rows.xlsx", b"<row/>" * 200_000, 20)
    sheet(folder / "far.xlsx", b'<row r="99999999999"><c><v>1</v></c></row>')
    workbook(
        folder / "strings.xlsx", "xl/sharedStrings.xml", b"<sst " + SPACE + b">", b"<si/>" * 200_000, 70, b"</sst>"
    )
    laughs = b"".join(b'<!ENTITY l%d "%s">' % (at, b"&l%d;" % (at - 1) * 10) for at in range(1, 10))
    laugh = b'<!DOCTYPE l [<!ENTITY l0 "ha">' + laughs + b"]><worksheet " + SPACE + b"><sheetData>"
    cell = b'<row><c t="inlineStr"><is><t>&l9;</t></is></c></row>'
    workbook(folder / "laughs.xlsx", SHEET, laugh, cell, 1, b"</sheetData></worksheet>")
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    once = pa.DictionaryArray.from_arrays(pa.array(np.zeros(4_000, dtype=np.int32)), pa.array(["long" * 2**18]))
    columns = {"id": [f"s{at}" for at in range(4_000)], "class": ["T", "N"] * 2_000, "text": once}
    # Without the schema the text is read as plain text: 4 gigabytes, written out.
    parquet.write_table(pa.table(columns), folder / "text.parquet", compression="zstd", store_schema=False)
    return {
        "line.csv": "line 2 is longer than 67.1 MB",
        "line.csv.gz": "unpacks to more than 100 times its size",
        "rows.csv.gz": "unpacks to more than 100 times its size",
        "labels.txt.gz": "unpacks to more than 100 times its size",
        "ratio.xlsx": "unpacks to more than 100 times its size",
        "row.xlsx": "a row longer than 8.39 MB",
        "rows.xlsx": "over 1048576 rows",
        "far.xlsx": "holds nothing",
        "strings.xlsx": "unpacks to more than 100 times its size",
        "laughs.xlsx": "cannot be read as Excel",
        "text.parquet": "'text' ('longlonglonglonglonglonglongl…')",
    }


def test_files_made_to_fill_the_memory_are_refused_in_little_of_it(tmp_path):
    expected = bombs(tmp_path)
    files = [str(tmp_path / name) for name in expected]
    run = subprocess.run([sys.executable, "-c", PROBE, *files], capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in run.stdout.splitlines()]
    assert [path for path, _, _ in found] == files
    for (path, problem, _), words in zip(found, expected.values(), strict=True):
        assert words in problem, path
        assert problem.count(". ") or "--" in problem, path
    # The page on the command line states 300 MB.
    assert max(peak for _, _, peak in found) < 300


@pytest.fixture
def constant(tmp_path):
    """Two million rows of one number and one word, in a file of some kilobytes."""
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    zeros = np.zeros(2_000_000, dtype=np.int32)
    columns = {
        "g": pa.DictionaryArray.from_arrays(pa.array(zeros), pa.array([1.5])).cast(pa.float64()),
        "class": pa.DictionaryArray.from_arrays(pa.array(zeros), pa.array(["T"])),
    }
    file = tmp_path / "constant.parquet"
    parquet.write_table(pa.table(columns), file, compression="zstd")
    assert file.stat().st_size < 100_000
    return file


def test_parquet_with_more_rows_than_fit_is_refused_by_what_it_declares(constant):
    with pytest.raises(TableProblems, match=r"more than 200 MB of memory, as max_memory= says.*open_parts"):
        read_table(constant, target="class", max_memory=0.2)
    with pytest.raises(TableProblems, match=r"more than 20 MB of memory"):
        open_parts(constant, target="class", max_memory=0.02)


def test_parquet_with_a_page_that_claims_much_is_refused(tmp_path):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "page.parquet"
    long = pa.array(["0" * (2 * MEGABYTE)])
    parquet.write_table(pa.table({"class": long}), file, compression="zstd", use_dictionary=False)
    raw = bytearray(file.read_bytes())
    with pytest.raises(TableProblems, match="all samples have the label"):
        read_table(file, target="class", max_memory=0.1)
    # The header of the first page: its kind, then its size unpacked, a number of four bytes; made 134 MB.
    assert raw[4:7] == b"\x15\x00\x15"
    raw[7:11] = b"\xfe\xff\xff\x7f"
    file.write_bytes(raw)
    with pytest.raises(TableProblems, match="more than 100 MB of memory"):
        read_table(file, target="class", max_memory=0.1)


@pytest.mark.skipif(find_spec("h5py") is None, reason="needs h5py")
def test_arrays_of_anndata_that_are_declared_and_never_written(tmp_path):
    import h5py

    from disjoint_centroids.tables.memory.bounds import MemoryBound
    from disjoint_centroids.tables.memory.hdf5_bounds import reserve_arrays

    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file.create_dataset("X", shape=(10**6, 10**6), chunks=(100, 100), dtype="f8")
    assert (tmp_path / "t.h5ad").stat().st_size < MEGABYTE
    with pytest.raises(TableProblems, match="allow more: max_memory=GB"):
        reserve_arrays(tmp_path / "t.h5ad", MemoryBound.of("t.h5ad", 100))


def test_an_array_store_that_declares_more_than_there_is(tmp_path):
    zarr = pytest.importorskip("zarr")
    zarr.create_array(tmp_path / "t.zarr", shape=(10**10, 10**10), chunks=(10, 10), dtype="f8")
    with pytest.raises(TableProblems, match="more than 1 TB of memory"):
        open_parts(tmp_path / "t.zarr", need_labels=False, max_memory=1000)


def test_a_table_of_words_is_counted_as_it_grows(tmp_path):
    file = tmp_path / "words.csv"
    file.write_text("id,class,g\n" + "".join(f"s{at},T,word{at}\n" for at in range(20_000)))
    with pytest.raises(TableProblems, match=r"more than 5 MB of memory"):
        read_table(file, target="class", max_memory=0.005)
    with pytest.raises(TableProblems, match="hold"):
        read_table(file, target="class")
    with pytest.raises(ValueError, match="positive number of gigabytes; got 0"):
        read_table(file, target="class", max_memory=0)


def test_labels_and_genes_in_rows_are_bounded_too(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("id,g\na,1.5\nb,2.5\n")
    gzipped(tmp_path / "y.txt.gz", b"", b"T\n" * (8 * MEGABYTE), 64)
    with pytest.raises(TableProblems, match=r"the labels in .*100 times its size"):
        read_table(table, labels=tmp_path / "y.txt.gz")
    with (tmp_path / "genes.txt").open("wb") as file:
        file.write(b"GENES\tA\tB\n")
        file.truncate(200 * MEGABYTE)
    with pytest.raises(ValueError, match="line 2 is longer than"):
        read_table(tmp_path / "genes.txt")


def test_unusual_honest_tables_are_read(tmp_path):
    """Lines of two megabytes, and zeros that compress several hundredfold."""
    wide = np.random.default_rng(0).random((4, 100_000))
    lines = [",".join(["label", *(f"g{at}" for at in range(100_000))])]
    lines += [",".join([label, *map(repr, row.tolist())]) for label, row in zip("AABB", wide, strict=True)]
    (tmp_path / "wide.csv").write_text("\n".join(lines))
    np.testing.assert_array_equal(read_table(tmp_path / "wide.csv", target="label").values.to_numpy(), wide)
    row = ",0" * 2000 + "\n"
    zeros = "label," + ",".join(f"h{at}" for at in range(2000)) + "\n" + f"A{row}B{row}" * 20
    (tmp_path / "zeros.csv.gz").write_bytes(gzip.compress(zeros.encode()))
    assert read_table(tmp_path / "zeros.csv.gz", target="label").values.shape == (40, 2000)
