from __future__ import annotations

import gzip
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoint_centroids.tables import TableProblems, read_table

GOOD = "id,class,g1,g2\na,T,1.5,2\nb,T,2.5,2\nc,N,0.5,1\nd,N,0.25,1\n"


@pytest.fixture
def write(tmp_path):
    def writer(content: str | bytes, name: str = "table.csv"):
        file = tmp_path / name
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    return writer


def problems(file, **options) -> list[str]:
    with pytest.raises(TableProblems) as raised:
        read_table(file, **options)
    assert str(file) in str(raised.value)
    return raised.value.problems


def the_problem(file, **options) -> str:
    found = problems(file, **options)
    assert len(found) == 1, found
    return found[0]


def test_a_plain_table(write):
    table = read_table(write(GOOD), target="class")
    assert table.values.index.tolist() == ["a", "b", "c", "d"]
    assert table.values.columns.tolist() == ["g1", "g2"]
    assert table.values.to_numpy().tolist() == [[1.5, 2], [2.5, 2], [0.5, 1], [0.25, 1]]
    assert table.labels.to_dict() == {"a": "T", "b": "T", "c": "N", "d": "N"}


def test_without_an_id_column_samples_are_numbered(write):
    table = read_table(write("class,g1\nT,1\nT,2\nN,3\nN,4\n"), target="class")
    assert table.values.index.tolist() == ["1", "2", "3", "4"]


def test_a_first_column_without_a_name_holds_ids(write):
    unnamed = read_table(write(",class,g\n1,T,5\n2,T,6\n3,N,7\n4,N,8\n"), target="class")
    assert unnamed.values.columns.tolist() == ["g"]
    assert unnamed.values.index.tolist() == ["1", "2", "3", "4"]


def test_ids_and_labels_stay_as_they_are_written(write):
    file = write("g,no,class\n1,007,01\n2,08,01\n3,9,02\n4,10,02\n")
    table = read_table(file, target="class", sample_id="no")
    assert table.values.index.tolist() == ["007", "08", "9", "10"]
    assert table.labels.tolist() == ["01", "01", "02", "02"]


def test_a_first_column_in_which_few_words_come_again_holds_ids_that_are_not_unique(write):
    body = "".join(f"{name},{label},1\n" for name, label in zip("abcc", "TTNN", strict=True))
    assert "'c' (2 times)" in the_problem(write("who,class,g\n" + body), target="class")
    assert read_table(write("who,class,g\n" + body), target="class", drop=["who"]).values.columns.tolist() == ["g"]


def test_class_numbers_stored_as_1_0_are_called_1(write):
    table = read_table(write("g,class\n1,1.0\n2,1.0\n3,2.0\n4,2\n"), target="class")
    assert table.labels.tolist() == ["1", "1", "2", "2"]
    parted = read_table(write("g,class\n1,1.0\n2,1.0\n3,1.5\n4,1.5\n"), target="class")
    assert parted.labels.tolist() == ["1.0", "1.0", "1.5", "1.5"]


def test_true_and_false_are_numbers(write):
    table = read_table(write("class,f\nT,True\nT,false\nN,TRUE\nN,False\n"), target="class")
    assert table.values["f"].tolist() == [1, 0, 1, 0]


def test_empty_columns_without_a_name_and_empty_rows_do_not_count(write):
    table = read_table(write("id,class,g,\na,T,1,\nb,T,2,\n,,,\nc,N,3,\n\nd,N,4,\n"), target="class")
    assert table.values["g"].tolist() == [1, 2, 3, 4]
    assert table.values.columns.tolist() == ["g"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("labels.csv", "sample,label\nd,N\nb,T\nother,X\nc,N\na,T\n"),
        ("labels.tsv", "d\tN\nb\tT\nc\tN\na\tT\n"),
        ("labels.txt", "sample\tlabel\nd\tN\nc\tN\nb\tT\na\tT\n"),
        ("labels.txt", "T\nT\nN\nN\n"),
        ("labels.cls", "4 2 1\n# T N\n0 0 1 1\n"),
    ],
    ids=["csv", "tsv without header", "txt with ids", "txt in order", "cls"],
)
def test_labels_in_a_file_of_their_own(write, name, content):
    file = write("id,g1,g2\na,1.5,2\nb,2.5,2\nc,0.5,1\nd,0.25,1\n")
    assert (
        read_table(file, labels=write(content, name)).checksum
        == read_table(write(GOOD, "other.csv"), target="class").checksum
    )


def test_the_target_names_the_column_of_a_label_file_with_several(write):
    file, labels = write("id,g1\na,1\nb,2\nc,3\nd,4\n"), write("no,sex,site\nd,f,x\nc,m,x\nb,f,y\na,m,y\n", "l.csv")
    assert read_table(file, labels=labels, target="site").labels.tolist() == ["y", "y", "x", "x"]
    assert "3 columns (no, sex, site)" in the_problem(file, labels=labels)
    assert "no column 'sit'" in the_problem(file, labels=labels, target="sit")


def test_labels_that_do_not_match(write):
    file = write("id,g1\na,1\nb,2\nc,3\nd,4\n")
    problem = the_problem(file, labels=write("id,label\nA,T\nb,T\nC,N\nd,N\n", "l.csv"))
    assert "no label for 2 of 4 samples: 'a', 'c'" in problem
    assert "Its ids are 'A', 'b', 'C', 'd'" in problem
    assert "sample_id=" in problem
    assert "two labels, 'T' and 'N'" in the_problem(file, labels=write("id,label\na,T\na,N\n", "l.csv"))
    assert "3 labels, the table 4 samples" in the_problem(file, labels=write("T\nT\nN\n", "l.txt"))
    assert "no such file" in the_problem(file, labels=file.parent / "nothing.csv")
    numbered = write("g1\tg2\n1\t1\n2\t2\n", "numbered.tsv")
    assert "its rows were numbered" in the_problem(numbered, labels=write("id,label\na,T\nb,N\n", "l.csv"))


def test_everything_wrong_is_said_at_once(write):
    file = write("id,class,g1,g1,site,g3,g4\na,T,1,2,Bern,,inf\nb,T,1,2,Rom,3,1\nb,N,1,2,Rom,,1\nd,,x,2,Rom,3,1\n")
    found = problems(file, target="class", sample_id="id", drop=["g9"])
    expected = [
        "sample id in the column 'id' comes more than once: 'b' (2 times)",
        "drop= names what is not there: 'g9'. Check the spelling.",
        "1 sample without a label: 'd'",
        "1 label with one sample only: 'N'",
        "1 feature name comes more than once: 'g1' (2 times)",
        "2 columns hold text where numbers are needed: 'g1' ('x' in 1 cell of 4), 'site' (such as 'Bern')",
        "2 cells of 12 are missing, in 1 column: 'g3' (2)",
        "1 cell is infinite",
    ]
    assert len(found) == len(expected)
    for problem, words in zip(found, expected, strict=True):
        assert words in problem
    assert "drop=['g1', 'site']" in found[5]
    assert "impute='median' or impute='knn'" in found[6]


def test_the_cures_work(write):
    file = write("id,class,g1,site,g3\na,T,1,Bern,\nb,T,1,Rom,3\nc,N,1,Rom,NA\nd,N,2,Rom,3\n")
    table = read_table(file, target="class", drop=["site"], impute="median")
    np.testing.assert_array_equal(table.values["g3"], [np.nan, 3, np.nan, 3])
    assert read_table(file, target="class", drop=["site", "g3"]).values.columns.tolist() == ["g1"]


def test_only_some_features_are_looked_at(write):
    file = write("id,class,g1,site,g3\na,T,1,Bern,\nb,T,1,Rom,3\n")
    table = read_table(file, need_labels=False, only=["g1", "g7"])
    assert table.values.columns.tolist() == ["g1"]
    assert table.labels is None


def test_many_columns_of_text_are_not_all_listed(write):
    names = [f"c{at}" for at in range(30)]
    file = write(",".join(["class", *names]) + "\n" + "".join(",".join([c, *["x"] * 30]) + "\n" for c in "TTNN"))
    problem = next(problem for problem in problems(file, target="class") if "text" in problem)
    assert "30 columns" in problem
    assert "'c9'" in problem
    assert "'c10'" not in problem
    assert "and 20 more" in problem


def test_missing_values_are_listed_worst_first(write):
    file = write("class,a,b,c\nT,1,,1\nT,1,,\nN,,,3\nN,1,2,3\n")
    assert "5 cells of 12 are missing, in 3 columns: 'b' (3), 'a' (1), 'c' (1)" in the_problem(file, target="class")


def test_a_column_without_any_value_cannot_be_imputed(write):
    file = write("class,a,b\nT,1,\nT,1,\nN,2,\nN,1,\n")
    problem = the_problem(file, target="class", impute="median")
    assert "without any value: 'b'" in problem
    assert "drop=['b']" in problem


@pytest.mark.parametrize(
    ("content", "cure"),
    [
        ('class,a\nT,"1,5"\nT,"2,5"\nN,"1,0"\nN,"2,25"\n', "decimal commas"),
        ("class;a\nT;1,234\nT;2,345\nN;12,345\nN;123\n", "separate thousands"),
        ("class;a;b\nT;1,5;1.5\nT;2,5;2.5\nN;1,0;1\nN;2,25;2\n", "decimal commas"),
    ],
    ids=["comma is the delimiter", "thousands", "points as well"],
)
def test_commas_that_may_mean_two_things_are_asked_about(write, content, cure):
    problem = the_problem(write(content), target="class")
    assert "hold" in problem
    assert cure in problem


def test_decimal_commas_after_rows_of_whole_numbers(write):
    rows = "T;1;2\nN;3;4\n" * 10
    table = read_table(write(f"class;a;b\n{rows}T;1;0,125\nN;-2,5e-1;1\n"), target="class")
    assert table.values.iloc[-2:].to_numpy().tolist() == [[1, 0.125], [-0.25, 1]]


def test_digits_with_underscores_are_not_numbers(write):
    assert "'1_000'" in the_problem(write("class,a\nT,1_000\nT,2\nN,3\nN,4\n"), target="class")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"target": "Class"}, "nothing called 'Class', which target= names. Did you mean 'class'?"),
        ({"target": "clas"}, "Did you mean 'class'?"),
        ({"target": "zzzz"}, "Check the spelling"),
        ({"target": "a"}, "features_in_rows=True"),
        ({"target": "class", "sample_id": "ID"}, "which sample_id= names. Did you mean 'id'?"),
        ({}, "target=NAME (it may be 'class'); or give a file: labels=FILE"),
    ],
)
def test_what_the_user_may_have_meant(write, options, words):
    assert any(words in problem for problem in problems(write(GOOD), **options))


def test_a_table_that_stands_on_its_side(write):
    file = write("name,a,b,c,d\ng1,1.5,2.5,0.5,0.25\nclass,T,T,N,N\ng2,2,2,1,1\n")
    assert any("It is in the first column" in problem for problem in problems(file, target="class"))
    turned = read_table(file, target="class", features_in_rows=True)
    assert turned.checksum == read_table(write(GOOD, "other.csv"), target="class").checksum
    found = problems(write(GOOD, "other.csv"), target="class", features_in_rows=True)
    assert any("leave out features_in_rows=True" in problem for problem in found)


def test_for_prediction_labels_may_be_absent_or_few(write):
    file = write("id,g1\na,1\n")
    assert read_table(file, need_labels=False).labels is None
    assert read_table(write("id,class,g1\na,T,1\n"), target="class", need_labels=False).labels.tolist() == ["T"]


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ("TTTT", "all samples have the label 'T'"),
        ("TTTN", "1 label with one sample only: 'N'"),
        ("ABCD", "every label belongs to one sample only"),
    ],
)
def test_labels_that_are_no_classes(write, labels, words):
    body = "".join(f"{label},{at}\n" for at, label in enumerate(labels))
    assert words in the_problem(write("class,g\n" + body), target="class")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv", b"", "it is empty"),
        ("t.csv", b"\n \n", "it is empty"),
        ("t.csv", b"id,class,g1\n", "header row and no rows"),
        ("t.csv", b"id\na\nb\n", "header is one cell"),
        ("t.csv", "id,class,g\na,Ä,1\n".encode("latin-1"), "byte 14 (line 2) is 0xc4"),
        ("t.csv", "id,class\na,b\n".encode("utf-16"), "iconv -f UTF-16"),
        ("t.csv", b"id,class\na,\0\n", "zero byte"),
        ("t.csv", b"id,class,g\na,T\nb,T,1,2\nc,N,1\n", "cells in the header is 3, but line 2 has 2, line 3 has 4"),
        (
            "t.csv",
            b"# by hand\nid,class,g\na,T,1\n",
            "a row above the header ('# by hand' …). Pass over it: skip_rows=1",
        ),
        ("t.txt", b"GENES\tA\tA\tB\tB\ng\t1\t2\t3\t4\n", "Leave out target="),
        ("t.csv", b'id,class,g\na,"T,1\nb,T,1\n', "quotation mark"),
        ("t.csv", gzip.compress(GOOD.encode(), mtime=0), "compressed with gzip"),
        ("t.csv", b"PAR1....", "a Parquet file"),
        ("t.csv.gz", GOOD.encode(), "cannot be unpacked as gzip"),
        ("t.csv.gz", gzip.compress(GOOD.encode(), mtime=0)[:-9], "cannot be unpacked as gzip"),
        ("t.parquet", GOOD.encode(), "not of the format its name says"),
        ("t.parquet", b"PAR1....", "cannot be read as Parquet"),
        ("t.xlsx", b"PK\x03\x04....", "cannot be read as Excel"),
        ("t.h5ad", b"\x89HDF\r\n\x1a\n....", "cannot be read as AnnData" if find_spec("anndata") else "[anndata]"),
        ("t.gct", b"#1.4\n", "'#1.2' or '#1.3'"),
        ("t.gct", b"#1.2\n2\n", "has 2 counts"),
        ("t.gct", b"#1.2\n2\t2\nName\tDescription\ta\tb\ng\tx\t1\t2\n", "says 2 features, but there are 1"),
        ("t.gct", b"#1.2\n1\t3\nName\tDescription\ta\tb\ng\tx\t1\t2\n", "says 3 samples"),
        ("t.xls", b"x", "Save it as .xlsx"),
        ("t.cls", b"x", "labels="),
        ("t.dat", b"x", "the extension '.dat' is not known"),
        ("t", b"x", "no extension"),
    ],
)
def test_files_that_are_no_tables(write, name, content, words):
    assert words in the_problem(write(content, name), target="class")


def test_a_file_that_is_not_there_and_a_folder(tmp_path):
    (tmp_path / "table.csv").write_text(GOOD)
    assert "no such file. Did you mean 'table.csv'?" in the_problem(tmp_path / "tabel.csv", target="class")
    assert "no folder" in the_problem(tmp_path / "none" / "table.csv", target="class")
    (tmp_path / "folder.csv").mkdir()
    assert "it is a folder" in the_problem(tmp_path / "folder.csv", target="class")


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=4, max_size=4),
    st.sampled_from([",", ";", "\t"]),
)
def test_every_number_comes_back_to_the_last_digit(tmp_path_factory, numbers, delimiter):
    file = tmp_path_factory.mktemp("numbers") / "table.csv"
    rows = [["class", "g"], *([label, repr(number)] for label, number in zip("TTNN", numbers, strict=True))]
    file.write_text("\n".join(delimiter.join(row) for row in rows))
    assert read_table(file, target="class").values["g"].tolist() == numbers
