"""A table on disk, read a block at a time, is the table that the reader in memory gives."""

from __future__ import annotations

import pickle
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from disjoint_centroids.tables import TableProblems, open_parts, read_table
from disjoint_centroids.tables.blocks.stored_rows import IdReader

N_ROWS = 60
NAMES = ["g1", "β-actin", "TP53, mutant", "g.1"]


@pytest.fixture
def frame():
    values = np.random.default_rng(3).normal(size=(N_ROWS, len(NAMES)))
    labels = np.array(["ALL", "AML", "B-cell"])[np.arange(N_ROWS) % 3]
    table = pd.DataFrame(values, columns=NAMES)
    table.insert(2, "class", labels)
    table.insert(0, "id", [f"s{row}" for row in range(N_ROWS)])
    return table


@pytest.fixture
def folder(tmp_path, frame):
    """Parts of 7 rows in row groups of 3; their names sort otherwise as text than as numbers."""
    path = tmp_path / "parts"
    write_parts(path, frame)
    return path


def write_parts(path, frame, rows=7, group=3):
    path.mkdir()
    for at, start in enumerate(range(0, len(frame), rows)):
        part = frame.iloc[start : start + rows].reset_index(drop=True)
        part.to_parquet(path / f"part-{at}.parquet", row_group_size=group)


def all_blocks(parts):
    return np.vstack([parts.read(at) for at in range(len(parts.lengths))])


def all_ids(parts):
    return [name for at in range(len(parts.lengths)) for name in parts.sample_ids(at)]


def the_problem(path, **options):
    with pytest.raises(TableProblems) as caught:
        parts = open_parts(path, **options)
        for at in range(len(parts.lengths)):
            parts.read(at)
    assert str(path) in str(caught.value)
    return str(caught.value)


def assert_same_table(parts, table):
    assert list(parts.names) == list(table.values.columns)
    np.testing.assert_array_equal(parts.labels, table.labels.to_numpy())
    np.testing.assert_array_equal(all_blocks(parts), table.values.to_numpy())
    assert all_ids(parts) == list(table.values.index)


@pytest.mark.parametrize("rows", [None, 1, 2, 7, 20, N_ROWS, 1000])
@pytest.mark.parametrize("group", [1, 7, N_ROWS])
def test_blocks_of_any_size_are_the_table(tmp_path, frame, rows, group):
    file = tmp_path / "table.parquet"
    frame.to_parquet(file, row_group_size=group)
    parts = open_parts(file, target="class", rows=rows)
    assert max(parts.lengths) <= (rows or N_ROWS)
    assert_same_table(parts, read_table(file, target="class"))


@pytest.mark.parametrize("rows", [None, 2, 5, 20])
def test_a_folder_is_the_table_of_its_parts(tmp_path, frame, folder, rows):
    (folder / "_SUCCESS").touch()
    (folder / "._part-0.parquet").write_bytes(b"what another program left")
    frame.to_parquet(tmp_path / "table.parquet")
    parts = open_parts(folder, target="class", rows=rows)
    assert_same_table(parts, read_table(tmp_path / "table.parquet", target="class"))


def test_small_row_groups_are_put_together_across_files(folder):
    assert open_parts(folder, target="class", rows=20).lengths == (20, 18, 18, 4)


def test_the_bound_is_on_bytes(tmp_path):
    """Blocks of 64 MB; the file is a hole, so that it takes no space."""
    np.lib.format.open_memmap(tmp_path / "wide.npy", mode="w+", dtype=np.float64, shape=(200, 100_000))
    lengths = open_parts(tmp_path / "wide.npy", need_labels=False).lengths
    assert max(lengths) * 100_000 * 8 <= 64 * 2**20
    assert lengths == (83, 83, 34)


@pytest.mark.parametrize("kind", ["int64", "float32", "category", "bool", "string"])
def test_labels_of_any_type(tmp_path, frame, kind):
    numbers = np.arange(N_ROWS) % 2
    labels = pd.Series([f"class {n}" for n in numbers] if kind in {"category", "string"} else numbers).astype(kind)
    file = tmp_path / "table.parquet"
    frame.assign(**{"class": labels}).to_parquet(file)
    parts = open_parts(file, target="class", rows=13)
    assert parts.labels.tolist() == read_table(file, target="class").labels.tolist()


@pytest.mark.parametrize("kind", ["int8", "float32", "bool", "category", "string", "Int64"])
def test_numbers_of_any_type(tmp_path, frame, kind):
    whole = pd.Series(np.arange(N_ROWS) % 2)
    column = whole.astype(str).astype(kind) if kind in {"category", "string"} else whole.astype(kind)
    file = tmp_path / "table.parquet"
    frame.assign(g1=column).to_parquet(file)
    parts = open_parts(file, target="class", rows=13)
    assert_same_table(parts, read_table(file, target="class"))


@pytest.mark.parametrize("index", ["id", None])
def test_the_index_that_pandas_keeps(tmp_path, frame, index):
    file = tmp_path / "table.parquet"
    frame.set_index("id").rename_axis(index).to_parquet(file)
    assert_same_table(open_parts(file, target="class", rows=13), read_table(file, target="class"))


def test_columns_may_come_in_another_order_and_precision(folder, frame, tmp_path):
    part = folder / "part-3.parquet"
    turned = pd.read_parquet(part)[["class", *reversed(NAMES), "id"]]
    turned.astype(dict.fromkeys(NAMES, np.float32)).to_parquet(part)
    parts = open_parts(folder, target="class", rows=7)
    expected = frame[NAMES].to_numpy(copy=True)
    expected[21:28] = expected[21:28].astype(np.float32)
    np.testing.assert_array_equal(all_blocks(parts), expected)


def test_labels_in_a_file_of_their_own(tmp_path, frame, folder):
    frame[["id", "class"]].sample(frac=1, random_state=0).to_csv(tmp_path / "labels.csv", index=False)
    (tmp_path / "labels.txt").write_text("\n".join(frame["class"]))
    for file in ("labels.csv", "labels.txt"):
        parts = open_parts(folder, labels=tmp_path / file, drop=["class"], rows=9)
        assert parts.labels.tolist() == frame["class"].tolist()
    (tmp_path / "short.txt").write_text("ALL\nAML")
    assert "holds 2 labels, the table 60 samples" in the_problem(folder, labels=tmp_path / "short.txt", drop=["class"])


def test_only_some_features_and_no_labels(folder, frame):
    parts = open_parts(folder, need_labels=False, only=["g.1", "g1", "unknown"], rows=11)
    assert (parts.names, parts.labels) == (("g1", "g.1"), None)
    np.testing.assert_array_equal(all_blocks(parts), frame[["g1", "g.1"]].to_numpy())


def test_what_travels_to_workers_is_small(tmp_path, frame):
    file = tmp_path / "table.parquet"
    pd.concat([frame] * 500, ignore_index=True).to_parquet(file)
    parts = open_parts(file, target="class", sample_id="id", rows=10_000)
    read, ids = pickle.loads(pickle.dumps((parts.read, parts.sample_ids)))
    np.testing.assert_array_equal(read(2), parts.read(2))
    assert ids(1) == parts.sample_ids(1)
    assert len(pickle.dumps(parts.read)) < 2000


def test_a_worker_in_another_folder_finds_the_parts(folder, monkeypatch, tmp_path):
    monkeypatch.chdir(folder.parent)
    parts = open_parts(Path(folder.name), target="class")
    first = parts.read(0)
    monkeypatch.chdir("/")
    np.testing.assert_array_equal(parts.read(0), first)


def test_a_row_group_larger_than_a_block_is_not_unpacked_at_once(tmp_path):
    n_rows, n_features = 50_000, 20
    numbers = np.random.default_rng(0).normal(size=(n_rows, n_features))
    file = tmp_path / "table.parquet"
    table = pd.DataFrame(numbers, columns=[f"g{f}" for f in range(n_features)]).assign(y=np.arange(n_rows) % 2)
    table.to_parquet(file, row_group_size=n_rows)
    parts = open_parts(file, target="y", rows=1000)
    np.testing.assert_array_equal(parts.read(37), numbers[37_000:38_000])
    # The peak is that of a process: one of its own, which reads nothing else.
    (tmp_path / "read.pickle").write_bytes(pickle.dumps(parts.read))
    code = (
        "import pickle, sys; import pyarrow as pa; pickle.load(open(sys.argv[1], 'rb'))(37); "
        "print(pa.default_memory_pool().max_memory())"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "read.pickle")]
    peak = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert 0 < peak < numbers.nbytes / 2
    assert "row groups of up to 50000 rows" in parts.advice


def test_the_advice_on_large_row_groups_works(tmp_path, frame, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame.to_parquet("large.parquet")
    advice = open_parts("large.parquet", target="class", rows=5).advice
    run(advice)
    parts = open_parts("large-parts", target="class")
    assert parts.advice is None
    assert_same_table(parts, read_table("large.parquet", target="class"))


@pytest.mark.parametrize(("name", "separator"), [("it's large.csv", ","), ("large.tsv", "\t")])
def test_text_is_refused_with_a_command_that_works(tmp_path, frame, monkeypatch, name, separator):
    monkeypatch.chdir(tmp_path)
    frame.to_csv(name, sep=separator, index=False)
    problem = the_problem(name, target="class")
    assert "cannot be read a block at a time" in problem
    run(problem)
    assert_same_table(open_parts(f"{name.split('.')[0]}-parts", target="class"), read_table(name, target="class"))


def test_folders_in_folders_are_refused_with_a_command_that_works(tmp_path, frame, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for label, part in frame.groupby("class"):
        below = Path("hive", f"class={label}")
        below.mkdir(parents=True)
        part.drop(columns="class").reset_index(drop=True).to_parquet(below / "0.parquet")
    problem = the_problem("hive", target="class")
    assert "'class=ALL', 'class=AML', 'class=B-cell'" in problem
    run(problem)
    parts = open_parts("hive-parts", target="class", sample_id="id")
    found = pd.Series(parts.labels, index=all_ids(parts))
    assert found.sort_index().tolist() == frame.set_index("id")["class"].sort_index().tolist()


def run(message):
    """Run the command at the end of a message, with this Python."""
    command = shlex.split(message[message.index("python -c") :])
    subprocess.run([sys.executable, *command[1:]], check=True)


def test_other_files_are_refused(tmp_path):
    (tmp_path / "table.xlsx").touch()
    assert "give it to read_table" in the_problem(tmp_path / "table.xlsx", target="class")
    assert "there is no such file" in the_problem(tmp_path / "nothing.parquet", target="class")
    (tmp_path / "empty").mkdir()
    assert "a folder without Parquet files" in the_problem(tmp_path / "empty", target="class")


def test_a_damaged_part_is_named(folder):
    part = folder / "part-5.parquet"
    whole = part.read_bytes()
    part.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TableProblems, match=r"part-5\.parquet cannot be used: it cannot be read as Parquet"):
        open_parts(folder, target="class")


def test_a_part_that_is_damaged_after_it_was_opened_is_named(folder):
    parts = open_parts(folder, target="class", rows=7)
    (folder / "part-5.parquet").write_bytes(b"PAR1")
    assert len(parts.read(4)) > 0
    with pytest.raises(TableProblems, match=r"part-5\.parquet"):
        all_blocks(parts)


def change(folder, at, turn):
    part = folder / f"part-{at}.parquet"
    turn(pd.read_parquet(part)).to_parquet(part)


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        (lambda part: part.drop(columns="class"), "part-4.parquet lacks columns that part-0.parquet has: 'class'"),
        (lambda part: part.drop(columns=NAMES[:2]), "lacks columns that part-0.parquet has: 'g1', 'β-actin'"),
        (lambda part: part.assign(site=1.0), "part-4.parquet has columns that part-0.parquet lacks: 'site'"),
        (lambda part: part.assign(g1="high"), "another type than part-0.parquet: 'g1'"),
    ],
)
def test_a_part_with_other_columns_is_named(folder, turn, words):
    change(folder, 4, turn)
    assert words in the_problem(folder, target="class")


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("g1", np.nan, "1 cell of 28 is missing, in 1 column: 'g1' (1). Fill them in (columns"),
        ("g1", np.inf, "1 cell is infinite, or too large for a number, in 1 column: 'g1' (1). Correct them; or"),
    ],
)
def test_cells_that_are_no_numbers_are_named_with_their_block(folder, column, value, words):
    change(folder, 4, lambda part: part.assign(**{column: [value] + [1.0] * 6}))
    problem = the_problem(folder, target="class", rows=7)
    assert words.split(" (columns")[0] in problem
    assert "block 5 of 9 (rows 1 to 7 of part-4.parquet)" in problem
    assert "impute" not in problem


def test_missing_values_may_stay(folder):
    change(folder, 4, lambda part: part.assign(g1=np.nan))
    numbers = all_blocks(open_parts(folder, target="class", rows=7, missing=True))
    assert np.flatnonzero(np.isnan(numbers[:, 0])).tolist() == list(range(28, 35))


def test_words_are_named_with_the_option_that_leaves_them_out(folder, frame):
    for at in range(9):
        change(folder, at, lambda part: part.assign(site="Oslo"))
    problem = the_problem(folder, target="class")
    assert "1 column holds text where numbers are needed: 'site' ('Oslo')" in problem
    assert problem.endswith("leave out: drop=['site']")
    np.testing.assert_array_equal(
        all_blocks(open_parts(folder, target="class", drop=["site"])), frame[NAMES].to_numpy()
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"target": "clas"}, "nothing called 'clas', which target= names. Did you mean 'class'?"),
        ({}, "nothing says which column holds the labels. Name it: target=NAME (it may be 'class')"),
        ({"target": "class", "sample_id": "ids"}, "nothing called 'ids', which sample_id= names. Did you mean 'id'?"),
        ({"target": "class", "drop": ["g2"]}, "drop= names what is not there: 'g2'. Check the spelling."),
        ({"target": "id"}, "every label belongs to one sample only"),
        ({"target": "class", "drop": NAMES}, "no feature is left beside ids and labels"),
    ],
)
def test_wrong_names_are_said_as_in_memory(folder, frame, tmp_path, options, words):
    frame.to_parquet(tmp_path / "table.parquet")
    problem = the_problem(folder, **options)
    assert words in problem
    with pytest.raises(TableProblems) as caught:
        read_table(tmp_path / "table.parquet", **options)
    assert set(problem.splitlines()[1:]) <= set(str(caught.value).splitlines()[1:])
    assert words in str(caught.value)


def test_missing_labels_are_named_by_sample(folder):
    change(folder, 4, lambda part: part.assign(**{"class": [None, "ALL", "ALL", "NA", "AML", "AML", "AML"]}))
    assert "2 samples without a label: 's28', 's31'" in the_problem(folder, target="class")


def test_names_that_come_twice(tmp_path):
    table = pa.Table.from_arrays([pa.array([1.0, 2.0]), pa.array([3.0, 4.0]), pa.array(["a", "b"])], ["g", "g", "y"])
    pq.write_table(table, tmp_path / "twice.parquet")
    assert "'g' (2 times)" in the_problem(tmp_path / "twice.parquet", target="y")


def test_no_samples(tmp_path, frame):
    frame.iloc[:0].to_parquet(tmp_path / "none.parquet")
    assert "it has no samples" in the_problem(tmp_path / "none.parquet", target="class")


def test_numpy_arrays(tmp_path, frame):
    np.save(tmp_path / "X.npy", frame[NAMES].to_numpy(np.float32))
    (tmp_path / "y.txt").write_text("\n".join(frame["class"]))
    parts = open_parts(tmp_path / "X.npy", labels=tmp_path / "y.txt", rows=13)
    assert parts.names == ("x0", "x1", "x2", "x3")
    assert max(parts.lengths) <= 13
    assert all_blocks(parts).dtype == np.float64
    np.testing.assert_array_equal(all_blocks(parts), frame[NAMES].to_numpy(np.float32))
    assert all_ids(parts)[-1] == "60"
    np.save(tmp_path / "words.npy", frame[["class"]].to_numpy(str))
    assert "not numbers" in the_problem(tmp_path / "words.npy", labels=tmp_path / "y.txt")
    np.save(tmp_path / "flat.npy", np.ones(60))
    assert "the shape (60,)" in the_problem(tmp_path / "flat.npy", labels=tmp_path / "y.txt")
    (tmp_path / "cut.npy").write_bytes((tmp_path / "X.npy").read_bytes()[:200])
    assert "cannot be read as a NumPy array" in the_problem(tmp_path / "cut.npy", labels=tmp_path / "y.txt")


@pytest.fixture
def group(tmp_path):
    """An empty zarr group to write into."""
    zarr = pytest.importorskip("zarr")
    return zarr.open_group(tmp_path / "table.zarr", mode="w")


def write_texts(group, name, texts):
    """As AnnData does: text of any length."""
    array = group.create_array(name, shape=(len(texts),), dtype=str)
    array[:] = np.array(texts, dtype=object)


@pytest.mark.parametrize("rows", [None, 3, 8, 13, 1000])
def test_zarr_groups(tmp_path, group, frame, rows):
    group.create_array("X", data=frame[NAMES].to_numpy(), chunks=(8, 3))
    write_texts(group, "feature_names", NAMES)
    write_texts(group, "class", frame["class"].tolist())
    parts = open_parts(tmp_path / "table.zarr", target="class", rows=rows)
    assert (list(parts.names), parts.labels.tolist()) == (NAMES, frame["class"].tolist())
    np.testing.assert_array_equal(all_blocks(parts), frame[NAMES].to_numpy())
    if rows is not None and rows >= 8:
        assert all(length % 8 == 0 for length in parts.lengths[:-1])  # no chunk is read twice
    assert max(parts.lengths) <= (rows or N_ROWS)
    problem = the_problem(tmp_path / "table.zarr", target="clas")
    assert "Did you mean 'class'" in problem


def test_zarr_labels_that_are_numbers_or_in_a_file(tmp_path, group, frame):
    group.create_array("X", data=frame[NAMES].to_numpy())
    group.create_array("y", data=np.arange(N_ROWS) % 2)
    assert open_parts(tmp_path / "table.zarr", target="y").labels.tolist() == ["0", "1"] * 30
    assert "it may be 'y'" in the_problem(tmp_path / "table.zarr")
    (tmp_path / "y.txt").write_text("\n".join(frame["class"]))
    parts = open_parts(tmp_path / "table.zarr" / "X", labels=tmp_path / "y.txt")
    assert parts.labels.tolist() == frame["class"].tolist()
    np.testing.assert_array_equal(all_blocks(parts), frame[NAMES].to_numpy())


def write_anndata(group, frame, matrix):
    """The layout that AnnData writes."""
    obs, var = group.create_group("obs"), group.create_group("var")
    obs.attrs.update({"_index": "cell", "column-order": ["class", "batch"]})
    var.attrs.update({"_index": "gene", "column-order": []})
    write_texts(obs, "cell", frame["id"].tolist())
    write_texts(var, "gene", NAMES)
    codes, categories = pd.factorize(frame["class"])
    coded = obs.create_group("class")
    coded.create_array("codes", data=codes.astype(np.int8))
    write_texts(coded, "categories", list(categories))
    obs.create_array("batch", data=np.arange(N_ROWS) % 2)
    if not sparse.issparse(matrix):
        group.create_array("X", data=matrix, chunks=(16, 4))
        return
    stored = group.create_group("X")
    stored.attrs.update({"encoding-type": f"{matrix.format}_matrix", "shape": list(matrix.shape)})
    for name in ("data", "indices", "indptr"):
        stored.create_array(name, data=getattr(matrix, name))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_zarr_as_anndata_writes_it(tmp_path, group, frame, kind):
    numbers = frame[NAMES].to_numpy().clip(min=0)
    write_anndata(group, frame, kind(numbers))
    parts = open_parts(tmp_path / "table.zarr", target="class", rows=16)
    assert parts.lengths == (16, 16, 16, 12)
    assert (list(parts.names), parts.labels.tolist()) == (NAMES, frame["class"].tolist())
    np.testing.assert_array_equal(all_blocks(parts), numbers)
    assert all_ids(parts) == frame["id"].tolist()
    assert open_parts(tmp_path / "table.zarr", target="batch").labels.tolist() == ["0", "1"] * 30


def test_zarr_that_cannot_be_read_by_rows(tmp_path, group, frame):
    write_anndata(group, frame, sparse.csc_array(frame[NAMES].to_numpy()))
    assert "tocsr()" in the_problem(tmp_path / "table.zarr", target="class")
    del group["X"]
    assert "no array 'X'" in the_problem(tmp_path / "table.zarr", target="class")


def test_a_missing_category_is_a_missing_label(tmp_path, group, frame):
    write_anndata(group, frame, frame[NAMES].to_numpy())
    group["obs"]["class"]["codes"][5] = -1
    assert "1 sample without a label: 's5'" in the_problem(tmp_path / "table.zarr", target="class")


def test_numbers_for_samples_without_ids_go_on(folder):
    parts = open_parts(folder, target="class", sample_id=None, drop=["id"], rows=7)
    assert isinstance(parts.sample_ids, IdReader)
    assert all_ids(parts) == [str(row + 1) for row in range(N_ROWS)]
