"""Tables as people have them: sample numbers, spellings of labels, limits of detection, titles, sheets, sides."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disjoint_centroids.tables import TableProblems, open_parts, read_table

N = 12


@pytest.fixture
def frame():
    """Six samples of each of two classes, four features with decimals."""
    values = np.random.default_rng(0).normal(size=(N, 4)).round(2) + 0.005
    values = values.round(3)
    found = pd.DataFrame(values, columns=list("abcd"))
    found.insert(0, "class", ["AML"] * 6 + ["ALL"] * 6)
    return found


@pytest.fixture
def saved(tmp_path):
    def save(frame, name="t.csv", **options):
        file = tmp_path / name
        if name.endswith(".parquet"):
            frame.to_parquet(file)
        else:
            frame.to_csv(file, index=False, **options)
        return file

    return save


def with_first(frame, name, values):
    found = frame.copy()
    found.insert(0, name, values)
    return found


def problems(file, **options) -> str:
    with pytest.raises(TableProblems) as raised:
        read_table(file, **({"target": "class"} | options))
    return "\n".join(raised.value.problems)


IN_ORDER = [17, 23, 54, 61, 88, 90, 133, 134, 201, 305, 306, 999]


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("patient", IN_ORDER),
        ("Sample ID", IN_ORDER[::-1]),
        ("PatientID", IN_ORDER),
        ("lfd", range(N)),
        ("x", range(101, 101 + N)),
        ("x", [f"{number:04d}" for number in IN_ORDER[::-1]]),
    ],
)
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_sample_numbers_in_the_first_column_are_ids_and_a_warning_says_so(saved, frame, name, numbers, ending):
    file = saved(with_first(frame, name, list(numbers)), f"t{ending}")
    with pytest.warns(UserWarning, match=rf"'{name}' .* taken for the sample names. .* keep=\['{name}"):
        found = read_table(file, target="class")
    assert found.values.columns.tolist() == list("abcd")
    assert found.values.index.tolist() == [str(number) for number in numbers]
    if not isinstance(numbers[0], str):
        assert read_table(file, target="class", keep=[name]).values.columns.tolist() == [name, *"abcd"]


@pytest.mark.parametrize("numbers", [IN_ORDER, [5, 3, 900, 17, 2, 44, 81, 6, 1, 77, 30, 12]])
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_whole_numbers_that_may_be_anything_are_asked_about(saved, frame, numbers, ending):
    file = saved(with_first(frame, "x1", numbers), f"t{ending}")
    said = problems(file)
    assert "'x1' holds a different whole number for each sample" in said
    assert "sample_id='x1' or drop=['x1'] for sample numbers, keep=['x1'] for a feature" in said
    assert read_table(file, target="class", sample_id="x1").values.index[0] == str(numbers[0])
    assert read_table(file, target="class", keep=["x1"]).values["x1"].tolist() == numbers
    assert read_table(file, target="class", drop=["x1"]).values.columns.tolist() == list("abcd")
    if ending == ".parquet":
        with pytest.raises(TableProblems, match=r"keep=\['x1'\] for a feature"):
            open_parts(file, target="class")
        assert open_parts(file, target="class", keep=["x1"]).names == ("x1", *"abcd")


def test_a_first_column_with_decimals_or_repeats_is_a_feature_as_ever(saved, frame, recwarn):
    for numbers in (np.arange(N) + 0.5, [1, 1, *range(2, N)]):
        found = read_table(saved(with_first(frame, "x1", numbers)), target="class")
        assert found.values.columns.tolist() == ["x1", *"abcd"]
    assert not recwarn.list


def test_in_a_table_of_counts_a_first_column_of_counts_stays_a_feature_and_that_is_said(saved):
    counts = pd.DataFrame(np.random.default_rng(1).permutation(10_000)[: 6 * N].reshape(N, 6), columns=list("uvwxyz"))
    file = saved(counts.assign(**{"class": ["A", "B"] * (N // 2)}))
    with pytest.warns(UserWarning, match=r"'u' .* taken for a feature. .* sample_id='u'"):
        assert read_table(file, target="class").values.shape == (N, 6)


def test_sample_numbers_elsewhere_are_asked_about_by_their_name(saved, frame):
    frame["Patient_ID"] = IN_ORDER[::-1]
    file = saved(frame, "t.parquet")
    assert "sample_id='Patient_ID' or drop=['Patient_ID']" in problems(file)
    with pytest.raises(TableProblems, match=r"keep=\['Patient_ID'\]"):
        open_parts(file, target="class")
    with pytest.warns(UserWarning, match="taken for the sample names"):  # after labels that come first
        read_table(saved(frame[["class", "Patient_ID", *"abcd"]]), target="class")


def test_for_a_model_the_columns_it_uses_are_features_and_others_are_not_asked_about(saved, frame, recwarn):
    file = saved(with_first(frame, "patient", IN_ORDER))
    used = read_table(file, need_labels=False, only=["patient", "a"])
    assert used.values.columns.tolist() == ["patient", "a"]
    assert used.values.index[0] == "1"
    unused = read_table(file, need_labels=False, only=["a"])
    assert unused.values.index[0] == "17"
    assert read_table(saved(with_first(frame, "x1", IN_ORDER)), need_labels=False, only=["a"]).values.shape == (N, 1)
    assert not recwarn.list


def test_a_column_of_different_texts_is_told_of_id(saved, frame):
    frame["who"] = [f"p{at}" for at in range(N)]
    file = saved(frame)
    assert "'who': different for each sample. If it names the samples, give sample_id='who'" in problems(file)
    assert read_table(file, target="class", sample_id="who").values.index[1] == "p1"


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_labels_that_differ_in_case_or_spaces_only_are_asked_about(saved, frame, ending):
    frame["class"] = ["AML"] * 4 + ["aml "] * 2 + ["B cell"] * 2 + ["B  Cell", "Bcell"] * 2
    file = saved(frame, f"t{ending}")
    said = problems(file)
    assert "'AML' (4 samples) and 'aml' (2 samples)" in said
    assert "'B cell' (2 samples) and 'B  Cell' (2 samples) and 'Bcell' (2 samples)" in said
    assert "merge_labels=True" in said
    assert "merge_labels=False" in said
    with pytest.warns(UserWarning, match="labels were merged"):
        merged = read_table(file, target="class", merge_labels=True)
    assert merged.labels.value_counts().to_dict() == {"AML": 4 + 2, "B cell": 6}
    apart = read_table(file, target="class", merge_labels=False)
    assert apart.labels.nunique() == 5
    if ending == ".parquet":
        with pytest.raises(TableProblems, match="merge_labels=True"):
            open_parts(file, target="class")
        with pytest.warns(UserWarning, match="labels were merged"):
            parts = open_parts(file, target="class", merge_labels=True)
        assert parts.labels.tolist() == merged.labels.tolist()


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_samples_without_a_label_are_left_out_if_that_is_asked_for(saved, frame, ending):
    frame.loc[[2, 7], "class"] = [None, "unknown"]
    file = saved(frame, f"t{ending}")
    assert (
        "1 sample without a label: '3'. Fill the labels in, or leave these samples out: unlabelled='drop'"
        in problems(file)
    )
    options = {"target": "class", "unlabelled": "drop", "na_values": ["unknown"]}
    with pytest.warns(UserWarning, match="2 of 12 samples have no label and are left out: '3', '8'"):
        found = read_table(file, **options)
    assert found.values.index.tolist() == [str(at) for at in range(1, N + 1) if at not in (3, 8)]
    np.testing.assert_array_equal(found.values, frame[list("abcd")].drop([2, 7]))
    if ending == ".parquet":
        with pytest.warns(UserWarning, match="2 of 12"):
            parts = open_parts(file, rows=4, **options)
        assert parts.lengths == (3, 3, 4)
        assert [name for at in range(3) for name in parts.sample_ids(at)] == found.values.index.tolist()
        np.testing.assert_array_equal(np.vstack([parts.read(at) for at in range(3)]), found.values)
        assert parts.labels.tolist() == found.labels.tolist()


def test_a_label_file_that_names_some_samples(tmp_path, saved, frame):
    file = saved(with_first(frame.drop(columns="class"), "id", [f"s{at}" for at in range(N)]))
    labels = tmp_path / "l.csv"
    labels.write_text("id,label\n" + "".join(f"s{at},{'AB'[at % 2]}\n" for at in range(8)))
    assert "no label for 4 of 12 samples" in problems(file, target=None, labels=labels)
    assert "unlabelled='drop'" in problems(file, target=None, labels=labels)
    with pytest.warns(UserWarning, match="4 of 12 samples"):
        assert read_table(file, labels=labels, unlabelled="drop").values.shape == (8, 4)


def test_stated_limits_are_numbers_by_one_option(saved, frame):
    frame = frame.astype(object)
    frame.loc[[1, 4], "b"] = ["<0.5", "< 0.25"]
    frame.loc[7, "c"] = ">100"
    file = saved(frame)
    said = problems(file)
    assert "limits='half'; '<0.5' is then 0.25, and '>100' is 100" in said
    half = read_table(file, target="class", limits="half").values
    assert [half.loc["2", "b"], half.loc["5", "b"], half.loc["8", "c"]] == [0.25, 0.125, 100]
    limit = read_table(file, target="class", limits="limit").values
    assert [limit.loc["2", "b"], limit.loc["5", "b"], limit.loc["8", "c"]] == [0.5, 0.25, 100]
    missing = read_table(file, target="class", limits="missing", impute="median").values
    assert missing.isna().sum().to_dict() == {"a": 0, "b": 2, "c": 1, "d": 0}
    comma = saved(frame.map(lambda cell: str(cell).replace(".", ",")), sep=";")
    assert read_table(comma, target="class", limits="half").values.loc["2", "b"] == 0.25
    with pytest.raises(ValueError, match=r"limits is one of half, limit, missing; got 'lod'"):
        read_table(file, target="class", limits="lod")


def test_nothing_detected_is_a_missing_value(saved, frame):
    frame = frame.astype(object)
    frame.loc[[1, 4, 5], "b"] = ["ND", "n.d.", "<LOD"]
    frame.loc[7, "c"] = "<0.5"
    file = saved(frame)
    assert "limits='half' impute='median' ('ND', 'n.d.', '<LOD': missing values)" in problems(file)
    assert "3 cells of 48 are missing" in problems(file, limits="half")
    found = read_table(file, target="class", limits="half", impute="median").values
    assert found.isna().sum().sum() == 3
    assert found.loc["8", "c"] == 0.25


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_words_and_codes_for_missing_values_by_one_option(saved, frame, ending):
    frame.loc[3, "d"] = -999
    words = frame.astype({"b": object})
    words.loc[[1, 4], "b"] = ["failed", "QNS"]
    words["b"] = words["b"].astype(str)
    file = saved(words, f"t{ending}")
    assert "na_values=['failed', 'QNS'] impute='median'" in problems(file)
    options = {"target": "class", "na_values": ["failed", "QNS", "-999"]}
    found = read_table(file, impute="median", **options).values
    assert found.isna().sum().to_dict() == {"a": 0, "b": 2, "c": 0, "d": 1}
    if ending == ".parquet":
        np.testing.assert_array_equal(open_parts(file, missing=True, **options).read(0), found)
    with pytest.raises(ValueError, match="list of texts"):
        read_table(file, target="class", na_values="failed")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize(
    "title", ["Table S1, by hand\n", "Table S1\n\nmade in 2020\n", '"Table\nS1"\n', "Table S1{d}{d}{d}{d}\n"]
)
def test_rows_above_the_header_are_counted(tmp_path, frame, delimiter, title):
    file = tmp_path / "t.csv"
    above = title.replace("{d}", delimiter)
    file.write_text(above + frame.to_csv(index=False, sep=delimiter))
    n_above = above.count("\n")
    assert f"skip_rows={n_above}" in problems(file)
    found = read_table(file, target="class", skip_rows=n_above)
    np.testing.assert_array_equal(found.values, frame[list("abcd")])
    assert "passes over all of it" in problems(file, skip_rows=100)


def test_excel_with_a_title_and_a_second_sheet(tmp_path, frame):
    pytest.importorskip("openpyxl")
    file = tmp_path / "t.xlsx"
    with pd.ExcelWriter(file) as book:
        pd.DataFrame({"notes": ["made in 2020", "by hand"]}).to_excel(book, sheet_name="read me", index=False)
        frame.to_excel(book, sheet_name="the data", index=False, startrow=2)
        book.sheets["the data"]["A1"] = "Table S1"
    assert "1 other sheet: 'the data'. To read it: sheet='the data'" in problems(file)
    assert "'the data' begins with a row above the header ('Table S1' …). Pass over it: skip_rows=1" in problems(
        file, sheet="the data"
    )
    found = read_table(file, target="class", sheet="the data", skip_rows=1)
    np.testing.assert_array_equal(found.values, frame[list("abcd")])
    assert "no sheet 'data', which sheet= names. Did you mean 'the data'?" in problems(file, sheet="data")
    with pd.ExcelWriter(file) as book:
        frame.to_excel(book, sheet_name="one", index=False)
        frame.to_excel(book, sheet_name="two", index=False)
    with pytest.warns(UserWarning, match="1 other sheet: 'two'. To read it: sheet='two'"):
        read_table(file, target="class")


def test_options_that_mean_nothing_in_a_format_are_refused(saved, frame):
    assert "Leave out sheet=" in problems(saved(frame), sheet="one")
    assert "Leave out skip_rows=" in problems(saved(frame, "t.parquet"), skip_rows=1)
    assert "keep= names what is not there: 'e'" in problems(saved(frame), keep=["e"])


def test_a_table_on_its_side_is_told_of_features_in_rows(tmp_path, frame):
    names = [f"s{at}" for at in range(N)]
    file, labels = tmp_path / "t.csv", tmp_path / "l.csv"
    frame.set_index(pd.Index(names)).T.to_csv(file)
    for options in ({}, {"target": None}, {"target": "kind"}):
        assert "the row 'class' holds text in every column" in problems(file, **options)
        assert "give features_in_rows=True target='class'" in problems(file, **options)
    assert read_table(file, target="class", features_in_rows=True).values.shape == (N, 4)
    frame.drop(columns="class").set_index(pd.Index(names)).T.to_csv(file)
    pd.DataFrame({"id": names, "label": frame["class"]}).to_csv(labels, index=False)
    assert "its samples are columns of the table" in problems(file, target=None, labels=labels)
    assert "features_in_rows=True" in problems(file, target=None, labels=labels)
    assert "2 of the model's features are in its first column" in problems(
        file, target=None, need_labels=False, only=["a", "b", "z"]
    )
    tall = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 6)), index=[f"g{at}" for at in range(200)])
    tall.to_csv(file)
    assert "200 rows and 7 columns: if the rows are features" in problems(file, target=None)
