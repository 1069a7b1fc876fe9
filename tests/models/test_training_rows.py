import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.models.model_file import load_model, save_model
from disjoint_centroids.models.training_rows import TrainingRows, row_hashes
from disjoint_centroids.pipeline import model_pipeline
from disjoint_centroids.tables import LabelledTable, read_table
from labelled import pandas_frame, table
from model_bytes import changed


def frame(seed=0):
    X, y = table((14, 11, 9), seed=seed)
    return pandas_frame(np.exp2(X)), pd.Series([f"class {c}" for c in y])


def rows_of(X, used=("gene 24",)):
    return TrainingRows.of(X, used)


def test_rows_are_recognised_in_any_order_as_a_part_and_among_others():
    (X, _), (new, _) = frame(), frame(seed=1)
    mixed = pd.concat([new, X.sample(frac=0.5, random_state=0)])[X.columns[::-1]].assign(site="Oslo")
    np.testing.assert_array_equal(rows_of(X).seen(mixed), np.arange(len(mixed)) >= len(new))
    assert rows_of(X).n_compared(mixed) is None


def test_one_cell_that_differs_makes_another_row():
    X, _ = frame()
    other = X.copy()
    other.iloc[3, 7] *= 1.001
    np.testing.assert_array_equal(rows_of(X).seen(other), np.arange(len(X)) != 3)


def test_values_that_change_columns_make_another_row():
    X, _ = frame()
    names = X.columns.to_list()
    swapped = X.set_axis([names[1], names[0], *names[2:]], axis=1)
    assert not rows_of(X).seen(swapped).any()


def test_with_fewer_columns_rows_are_compared_in_those_in_use():
    X, _ = frame()
    rows = rows_of(X, used=X.columns[:6])
    assert rows.seen(X[X.columns[5::-1]]).all()
    assert rows.n_compared(X.iloc[:, :6]) == 6
    changed_elsewhere = X.assign(**{X.columns[9]: 0.0})
    assert not rows.seen(changed_elsewhere).any()
    assert rows.seen(changed_elsewhere.iloc[:, :9]).all()
    assert rows.seen(X.iloc[:, 1:6]) is None
    assert rows.seen(X.astype({X.columns[9]: object})).all()  # a column of something else, which is not in use
    assert rows.seen(X.astype({X.columns[0]: str})) is None


def test_zeros_missing_values_and_repeated_rows():
    X = pd.DataFrame({"a": [0.0, np.nan, 1.0, 1.0], "b": [1.0, 2.0, 3.0, 3.0]})
    rows = rows_of(X, ["a"])
    assert rows.by_all.size == 3
    other_nan = np.array([0x7FF8000000000001], dtype=np.uint64).view(np.float64)[0]
    assert rows.seen(pd.DataFrame({"a": [-0.0, other_nan, 1.0], "b": [1.0, 2.0, 3.0]})).all()
    assert rows.seen(pd.DataFrame({"a": pd.array([0, None], dtype="Int64"), "b": [1, 2]})).all()
    assert not rows.seen(pd.DataFrame({"a": [np.nan], "b": [np.nan]})).any()


@pytest.mark.parametrize("scale", [1e-300, 1e-40, 1.0, 1e40, 1e300])
@given(st.integers(0, 2**32 - 1))
def test_numbers_survive_other_formats(scale, seed):
    X = pd.DataFrame(scale * np.random.default_rng(seed).normal(size=(3, 40))).rename(columns="g{}".format)
    rows = rows_of(X, ["g0"])
    written = X.map(lambda cell: float(f"{cell:.15g}"))  # as R and Excel write them
    assert rows.seen(written).sum() >= 2  # one in a hundred thousand rows falls between two numbers
    assert not rows.seen(X * 1.00001).any()
    if scale == 1.0:
        assert rows.seen(X.astype(np.float32)).all()


def test_many_rows_are_hashed_in_blocks_as_one_by_one():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(700, 2000))).rename(columns="g{}".format)
    some = [0, 1, 523, 524, 525, 699]
    np.testing.assert_array_equal(row_hashes(X, X.columns)[some], row_hashes(X.iloc[some], X.columns))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    X, y = frame()
    model = model_pipeline(DisjointPanelClassifier(rounds=2, cv=3, random_state=0), transform="log2", impute="median")
    training = LabelledTable(X, y, "t.csv")
    return save_model(model.fit(X, y), tmp_path_factory.mktemp("model") / "m.ndc", table=training)


def test_a_saved_model_knows_its_training_samples(saved):
    (X, _), (new, _) = frame(), frame(seed=1)
    found = load_model(saved)
    used = found.pipeline[-1].get_feature_names_out()
    assert found.in_training(X.sample(frac=1, random_state=0)).all()
    assert found.in_training(X[used]).all()
    assert not found.in_training(new).any()
    assert not found.in_training(new[used]).any()
    assert found.in_training(X[used[1:]]) is None


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".xlsx"])
def test_the_training_table_is_recognised_from_every_format(saved, suffix, tmp_path):
    X, y = frame()
    file, named = tmp_path / f"t{suffix}", X.assign(kind=y.to_numpy()).rename_axis("sample")
    named = named.set_axis([f"s{i}" for i in range(len(X))])
    if suffix == ".parquet":
        named.to_parquet(file)
    elif suffix == ".xlsx":
        named.to_excel(file)
    else:
        named.to_csv(file, sep="\t" if suffix == ".tsv" else ",", float_format="%.15g")
    assert load_model(saved).in_training(read_table(file, target="kind").values).all()


def test_models_without_hashes_do_not_know(saved, tmp_path):
    """From Python without the table, and files of releases that kept none."""
    X, _ = frame()
    bare = load_model(save_model(load_model(saved).pipeline, tmp_path / "bare.ndc"))
    older = tmp_path / "older.ndc"
    older.write_bytes(changed(saved.read_bytes(), "model.json", lambda metadata: metadata.pop("rows") and None))
    for model in (bare, load_model(older)):
        assert model.training_rows is None
        assert model.in_training(X) is None


def test_a_table_that_is_not_the_models_leaves_no_hashes(saved, tmp_path):
    X, y = frame()
    other = LabelledTable(X.iloc[:, 1:], y, "other.csv")
    assert load_model(save_model(load_model(saved).pipeline, tmp_path / "m.ndc", table=other)).training_rows is None
