"""The same table in every format gives the same checksum."""

from __future__ import annotations

import gzip
import importlib
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from disjoint_centroids.tables import LabelledTable, TableProblems, read_table
from disjoint_centroids.tables.formats.genepattern import _named

FEATURES = ["1007_s_at", "β-actin", "TP53, mutant", "0815"]
IDS = ["s-1", "s 2", "s.3", "s4", "s5", "s6"]
LABELS = ["ALL", "AML", "AML", "ALL", "B-cell", "B-cell"]


@pytest.fixture
def table():
    values = np.random.default_rng(3).lognormal(5, 3, (6, 4)).round(9) * 1.1
    frame = pd.DataFrame(values, index=IDS, columns=FEATURES)
    return LabelledTable(frame, pd.Series(LABELS, index=IDS), "made")


def in_rows(table: LabelledTable) -> pd.DataFrame:
    frame = table.values.copy()
    frame.insert(0, "id", IDS)
    frame.insert(3, "class", LABELS)
    return frame


def in_columns(table: LabelledTable) -> pd.DataFrame:
    frame = table.values.T.astype(object)
    return pd.concat([frame.iloc[:2], pd.DataFrame([LABELS], index=["class"], columns=IDS), frame.iloc[2:]])


@pytest.mark.parametrize("quoting", [0, 1], ids=["few quotes", "all quoted"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("sep", "decimal"), [(",", "."), ("\t", "."), (";", "."), ("\t", ","), (";", ",")])
def test_delimited_text(tmp_path, table, sep, decimal, newline, encoding, quoting):
    file = tmp_path / "table.csv"
    text = in_rows(table).to_csv(None, sep=sep, decimal=decimal, index=False, quoting=quoting, lineterminator="\n")
    file.write_bytes(text.replace("\n", newline).encode(encoding))
    assert read_table(file, target="class").checksum == table.checksum


def test_delimited_text_compressed(tmp_path, table):
    file = tmp_path / "table.tsv.gz"
    in_rows(table).to_csv(file, sep="\t", index=False)
    assert read_table(file, target="class").checksum == table.checksum


@pytest.mark.parametrize("decimal", [".", ","])
def test_delimited_text_with_features_in_rows(tmp_path, table, decimal):
    file = tmp_path / "table.tsv"
    frame = in_columns(table)
    numbers = [at for at in range(len(frame)) if frame.index[at] != "class"]
    frame.iloc[numbers] = frame.iloc[numbers].map(lambda value: repr(value).replace(".", decimal))
    frame.to_csv(file, sep="\t", index_label="name")
    assert read_table(file, target="class", features_in_rows=True).checksum == table.checksum


def test_row_names_as_r_writes_them(tmp_path, table):
    file = tmp_path / "table.csv"
    frame = in_rows(table).set_index("id")
    header, rest = frame.to_csv(None).split("\n", 1)
    file.write_text(header.removeprefix("id,") + "\n" + rest, encoding="utf-8")
    assert read_table(file, target="class").checksum == table.checksum


@pytest.mark.parametrize("index", [True, False])
def test_parquet(tmp_path, table, index):
    file = tmp_path / "table.parquet"
    frame = in_rows(table)
    (frame.set_index("id") if index else frame.reset_index(drop=True)).to_parquet(file)
    assert read_table(file, target="class").checksum == table.checksum


def test_parquet_with_features_in_rows(tmp_path, table):
    file = tmp_path / "table.parquet"
    in_columns(table).map(str).to_parquet(file)
    assert read_table(file, target="class", features_in_rows=True).checksum == table.checksum


def test_parquet_types_are_numbers_or_labels(tmp_path):
    file = tmp_path / "table.parquet"
    frame = pd.DataFrame(
        {
            "small": np.array([1, 2, 2, 4], dtype=np.int8),
            "half": np.array([0.5, 1.5, 2.5, 3.5], dtype=np.float32),
            "nullable": pd.array([1, None, 3, 4], dtype="Int64"),
            "flag": [True, False, True, False],
            "group": pd.Categorical(["x", "y", "x", "y"]),
        }
    )
    frame.to_parquet(file)
    found = read_table(file, target="group", impute="median")
    assert found.values["flag"].tolist() == [1, 0, 1, 0]
    np.testing.assert_array_equal(found.values["nullable"], [1, np.nan, 3, 4])
    assert set(found.values.dtypes) == {np.dtype(np.float64)}
    assert found.labels.tolist() == ["x", "y", "x", "y"]
    assert found.values.index.tolist() == ["1", "2", "3", "4"]
    assert read_table(file, target="flag", drop=["group"], impute="knn").labels.tolist() == ["True", "False"] * 2


@pytest.mark.parametrize("features_in_rows", [False, True])
def test_excel(tmp_path, table, features_in_rows):
    file = tmp_path / "table.xlsx"
    # Excel holds 15 digits, and openpyxl writes no more than 16.
    table = LabelledTable(table.values.map(lambda value: float(f"{value:.15g}")), table.labels, table.source)
    frame = in_columns(table) if features_in_rows else in_rows(table).set_index("id")
    frame.to_excel(file, index_label="id")
    assert read_table(file, target="class", features_in_rows=features_in_rows).checksum == table.checksum


def gct(table: LabelledTable, version: str) -> str:
    n, p = table.values.shape
    if version == "1.2":
        head = [f"#1.2\n{p}\t{n}", "\t".join(["Name", "Description", *IDS])]
    else:
        head = [f"#1.3\n{p}\t{n}\t1\t2", "\t".join(["id", "symbol", *IDS])]
        head += ["\t".join(["batch", "na", *"112233"]), "\t".join(["class", "na", *LABELS])]
    rows = ["\t".join([name, 'a "gene', *map(repr, table.values[name].tolist())]) for name in FEATURES]
    return "\n".join([*head, *rows, ""])


@pytest.mark.parametrize("codes", ["0 1 1 0 2 2", "ALL AML AML ALL B-cell B-cell", "a\tb b a c c"])
@pytest.mark.parametrize("suffix", [".gct", ".gct.gz"])
def test_gct_with_cls(tmp_path, table, suffix, codes):
    file, labels = tmp_path / f"table{suffix}", tmp_path / "table.cls"
    raw = gct(table, "1.2").encode()
    file.write_bytes(gzip.compress(raw) if suffix.endswith("gz") else raw)
    labels.write_text(f"6 3 1\n# ALL AML B-cell\n{codes}\n")
    assert read_table(file, labels=labels).checksum == table.checksum


def test_gct_1_3_has_labels_among_its_annotation(tmp_path, table):
    file = tmp_path / "table.gct"
    file.write_text(gct(table, "1.3"), encoding="utf-8")
    assert read_table(file, target="class").checksum == table.checksum
    assert read_table(file, target="batch").labels.tolist() == list("112233")


def test_codes_of_a_cls_file_are_named_in_the_order_of_the_file():
    """Neither numbers nor names: the first code means the first name, whatever the alphabet says."""
    assert _named(["z", "a", "z"], ["ALL", "AML"], "l.cls") == ["ALL", "AML", "ALL"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("6 3 1\n# ALL AML B-cell\n1 0 0 1 2 2\n", "not clear which label is which class"),
        ("6 3 1\n# ALL AML B-cell\nAML ALL ALL AML B-cell B-cell\n", "not clear which label is which class"),
        ("6 3 1\n# ALL AML B-cell\n0 1 1 0 2\n", "says 6 samples and 3 classes, but there are 5 labels"),
        ("6 2 1\n# ALL AML\n0 1 1 0 2 2\n", "3 different labels, line 2 names 2"),
        ("5 2 1\n# ALL AML\n0 1 1 0 0\n", "5 labels, the table 6 samples"),
        ("#numeric\n#peak\n1 2 3 4 5 6\n", "CLS file of numbers"),
        ("ALL AML\n", "a CLS file has a line"),
        ("", "empty"),
    ],
)
def test_cls_files_that_cannot_be_trusted(tmp_path, table, content, message):
    file, labels = tmp_path / "table.gct", tmp_path / "table.cls"
    file.write_text(gct(table, "1.2"), encoding="utf-8")
    labels.write_text(content)
    with pytest.raises(TableProblems, match=message):
        read_table(file, labels=labels)


def test_compcancer_text_has_genes_in_rows_and_labels_in_its_header(tmp_path):
    file = tmp_path / "set.txt"
    file.write_text('GENES\tB\tA\tA\tB\n"g_at"\t1\t2\t3\t4\n"g_at"\t3\t4\t5.5\t1e3\nh\t0\t-1\t7\t8\n')
    found = read_table(file)
    assert found.values.to_numpy().tolist() == [[1, 3, 0], [2, 4, -1], [3, 5.5, 7], [4, 1e3, 8]]
    assert found.values.columns.tolist() == ["g_at", "g_at.1", "h"]
    assert found.labels.tolist() == ["B", "A", "A", "B"]
    assert found.values.index.tolist() == ["1", "2", "3", "4"]
    assert read_table(file, features_in_rows=True).checksum == found.checksum


@pytest.mark.parametrize("matrix", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
def test_h5ad(tmp_path, table, matrix):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        anndata = pytest.importorskip("anndata")
        obs = pd.DataFrame({"class": pd.Categorical(LABELS), "other": IDS[::-1]}, index=IDS)
        data = anndata.AnnData(matrix(table.values.to_numpy()), obs=obs, var=pd.DataFrame(index=FEATURES))
        data.write_h5ad(tmp_path / "table.h5ad")
    assert read_table(tmp_path / "table.h5ad", target="class").checksum == table.checksum
    assert read_table(tmp_path / "table.h5ad", target="class", sample_id="other").values.index.tolist() == IDS[::-1]
    with pytest.raises(TableProblems, match=r"obs has no column 'klass' for target=. Did you mean 'class'"):
        read_table(tmp_path / "table.h5ad", target="klass")


@pytest.mark.parametrize(
    ("suffix", "signature", "module", "extra"),
    [
        (".parquet", b"PAR1", "pyarrow", "parquet"),
        (".xlsx", b"PK\x03\x04", "openpyxl", "excel"),
        (".h5ad", b"\x89HDF", "anndata", "anndata"),
    ],
)
def test_a_library_that_is_not_installed_is_named_with_its_extra(
    tmp_path, monkeypatch, suffix, signature, module, extra
):
    for name in [name for name in sys.modules if name.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_Absent(module), *sys.meta_path])
    file = tmp_path / f"table{suffix}"
    file.write_bytes(signature + b"rest")
    with pytest.raises(TableProblems, match=rf"needs {module}.*disjoint-centroids\[{extra}\]"):
        read_table(file, target="class")


class _Absent(importlib.abc.MetaPathFinder):
    """Says of one package that it is not there, as on a machine without it."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] == self.package:
            raise ModuleNotFoundError(name)
