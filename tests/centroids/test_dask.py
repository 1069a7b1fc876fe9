"""Dask tables: the same answers as in memory, in two passes, on threads and on a cluster that loses a worker."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold, ShuffleSplit

import awkward_tables as tables
from disjoint_centroids import (
    DisjointPanelClassifier,
    NearestDisjointCentroid,
    NearestDisjointCentroidCV,
    disjoint_centroid_path,
)
from disjoint_centroids.centroids.extensions import OverlappingCentroidClassifier
from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.numerics.sizes import sizes_context

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

from lazy_rows import CountedBlocks, killing_a_worker, noted_rows, noted_table  # noqa: E402 - needs dask

QUICK = {"n_init": 10, "random_state": 0}
LEARNT = ("centroids_", "variances_", "risk_", "train_error_", "margin_", "feature_distances_", "temperature_")


@pytest.fixture
def data():
    return make_blocks(k=4, n=60, d=5, irrelevant=10, random_state=0)


def assert_same_model(found, expected, rtol=1e-7):
    np.testing.assert_array_equal(found.owner_, expected.owner_)
    np.testing.assert_array_equal(found.classes_, expected.classes_)
    for name in LEARNT:
        scale = np.nanmax(np.abs(getattr(expected, name)))
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), rtol=rtol, atol=1e-9 * scale, err_msg=name
        )
    assert (found.n_iter_, found.n_restarts_used_) == (expected.n_iter_, expected.n_restarts_used_)


# ---------------------------------------------------------------------------------------------- the same answers

PARAMETERS = {
    "Algorithm 1": {},
    "Algorithm 2": {"lam": 0.9},
    "nothing dropped": {"lam": np.inf},
    "by risk": {"criterion": "risk", "lam": 1.0},
    "euclidean": {"norm": "euclidean"},
    "k-means++": {"init": "k-means++"},
    "variance": {"init": "variance", "lam": 0.9},
    "the best kind of start": {"init": "auto"},
    "shared features": {"lam": 0.9, "shared_features": [0, 7]},
    "empirical priors": {"priors": "empirical"},
}


@pytest.mark.parametrize(
    ("name", "chunks"),
    [*((name, (37, -1)) for name in PARAMETERS), ("Algorithm 2", (240, -1)), ("Algorithm 2", (50, 9))],
)
def test_the_model_is_that_of_the_table_in_memory(data, name, chunks):
    X, y = data
    expected = NearestDisjointCentroid(**PARAMETERS[name], **QUICK).fit(X, y)
    found = NearestDisjointCentroid(**PARAMETERS[name], **QUICK).fit(da.from_array(X, chunks=chunks), y)
    assert_same_model(found, expected)
    assert found.init_ == expected.init_


@pytest.mark.parametrize("name", [name for name in tables.TABLES if name != "half the columns offset"])
def test_awkward_tables(name):
    table = tables.table(name)
    parameters = {"lam": 1.0, "n_init": 10, "random_state": 3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some of these tables cannot be shared out well: both say so
        expected = NearestDisjointCentroid(**parameters).fit(table.X, table.y)
        found = NearestDisjointCentroid(**parameters).fit(da.from_array(table.X, chunks=(5, -1)), table.y)
    np.testing.assert_array_equal(found.owner_, expected.owner_)
    assert found.train_error_ == pytest.approx(expected.train_error_)


@pytest.mark.parametrize(
    "cv",
    [
        3,
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        ShuffleSplit(3, test_size=0.3, random_state=0),
    ],
    ids=["folds", "repeated folds", "random splits"],
)
@pytest.mark.parametrize("init", ["k-means", "auto"])
def test_cross_validation_is_that_of_the_table_in_memory(data, cv, init):
    X, y = data
    parameters = {"n_lams": 6, "cv": cv, "init": init, **QUICK}
    expected = NearestDisjointCentroidCV(**parameters).fit(X, y)
    found = NearestDisjointCentroidCV(**parameters).fit(da.from_array(X, chunks=(41, -1)), y)
    np.testing.assert_allclose(found.lams_, expected.lams_)
    np.testing.assert_allclose(found.cv_errors_, expected.cv_errors_, atol=1e-12)
    assert (found.lam_, found.init_) == (pytest.approx(expected.lam_), expected.init_)
    np.testing.assert_array_equal(found.path_.owners, expected.path_.owners)
    assert_same_model(found, expected)


@pytest.mark.parametrize("lams", ["auto", [0.5, 0.9, 2.0]], ids=str)
def test_the_path_is_that_of_the_table_in_memory(data, lams):
    X, y = data
    expected = disjoint_centroid_path(X, y, lams=lams, n_lams=5, **QUICK)
    blocks = CountedBlocks(X, 60)
    found = disjoint_centroid_path(blocks.array, y, lams=lams, n_lams=5, **QUICK)
    for name in ("lams", "train_error", "risk"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-9)
    np.testing.assert_array_equal(found.owners, expected.owners)
    np.testing.assert_array_equal(blocks.reads, 2)


def test_groups_and_weights(data):
    X, y = data
    rng = np.random.default_rng(0)
    groups, weights = rng.integers(6, size=y.size), rng.integers(0, 3, size=y.size).astype(float)
    model = NearestDisjointCentroidCV(n_lams=4, cv=GroupKFold(3), **QUICK)
    expected = model.fit(X, y, sample_weight=weights, groups=groups).cv_errors_.copy()
    lazy = {"sample_weight": da.from_array(weights, chunks=80), "groups": da.from_array(groups, chunks=80)}
    found = model.fit(da.from_array(X, chunks=(80, -1)), da.from_array(y, chunks=80), **lazy)
    np.testing.assert_allclose(found.cv_errors_, expected, atol=1e-12)


def test_a_class_that_a_fold_does_not_train_on(data):
    X, y = data
    rare = np.flatnonzero(y == 3)[4:]
    X, y = np.delete(X, rare, axis=0), np.delete(y, rare)
    held = np.flatnonzero(y == 3)
    folds = [(np.setdiff1d(np.arange(y.size), held), held), (np.arange(0, y.size, 2), np.arange(1, y.size, 2))]
    model = NearestDisjointCentroidCV(n_lams=4, cv=folds, **QUICK)
    expected = model.fit(X, y).cv_errors_.copy()
    assert (expected[:, 0] == 1).all()
    np.testing.assert_allclose(model.fit(da.from_array(X, chunks=(50, -1)), y).cv_errors_, expected, atol=1e-12)


def test_a_fold_that_trains_on_one_class_only(data):
    X, y = data
    folds = [(np.flatnonzero(y == 2), np.flatnonzero(y != 2)), (np.arange(0, y.size, 2), np.arange(1, y.size, 2))]
    model = NearestDisjointCentroidCV(n_lams=4, cv=folds, **QUICK)
    expected = model.fit(X, y).cv_errors_.copy()
    np.testing.assert_allclose(model.fit(da.from_array(X, chunks=(50, -1)), y).cv_errors_, expected, atol=1e-12)


def test_frames_keep_names_and_labels(data):
    X, y = data
    frame = pd.DataFrame(X, columns=[f"gene {i}" for i in range(X.shape[1])])
    labels = pd.Series(np.array(["ALL", "AML", "CLL", "CML"])[y])
    expected = NearestDisjointCentroid(lam=1.0, shared_features=["gene 3"], **QUICK).fit(frame, labels)
    table = dd.from_pandas(frame.assign(label=labels), npartitions=5)
    values = table.drop(columns="label")
    found = NearestDisjointCentroid(lam=1.0, shared_features=["gene 3"], **QUICK).fit(values, table["label"])
    assert_same_model(found, expected)
    np.testing.assert_array_equal(found.feature_names_in_, frame.columns)
    pd.testing.assert_frame_equal(found.feature_table(), expected.feature_table())
    np.testing.assert_array_equal(found.predict(values).compute(), expected.predict(frame))
    assert list(found.transform(values).columns) == list(expected.get_feature_names_out())


def test_sparse_blocks(data):
    X, y = data
    X = np.where(np.abs(X) > 1.0, X, 0.0)
    blocks = da.from_array(X, chunks=(50, -1)).map_blocks(sparse.csr_matrix)
    model = NearestDisjointCentroid(lam=1.0, **QUICK)
    expected = model.fit(X, y).owner_.copy()
    np.testing.assert_array_equal(model.fit(blocks, y).owner_, expected)
    np.testing.assert_array_equal(model.predict(blocks).compute(), model.predict(X))


def test_small_numbers_take_little_room_on_the_way(data):
    """Single precision blocks are widened where they are read."""
    X, y = data
    model = NearestDisjointCentroid(lam=1.0, **QUICK)
    expected = model.fit(X.astype(np.float32), y).owner_.copy()
    np.testing.assert_array_equal(model.fit(da.from_array(X.astype(np.float32), chunks=(50, -1)), y).owner_, expected)


# ---------------------------------------------------------------------------------------------- passes

TWO_PASSES = {
    "one restart": NearestDisjointCentroid(n_init=1, random_state=0),
    "many restarts": NearestDisjointCentroid(lam=1.0, n_init=200, random_state=0),
    "all kinds of start": NearestDisjointCentroid(init="auto", **QUICK),
    "five folds, thirty lambdas": NearestDisjointCentroidCV(**QUICK),
    "repeated folds": NearestDisjointCentroidCV(cv=RepeatedStratifiedKFold(n_splits=3, random_state=0), **QUICK),
    "by risk": NearestDisjointCentroid(criterion="risk", **QUICK),
}


@pytest.mark.parametrize("model", TWO_PASSES.values(), ids=TWO_PASSES)
def test_two_passes_whatever_is_searched(data, model):
    X, y = data
    blocks = CountedBlocks(X, 37)
    with sizes_context(sample_bytes=0, smallest_sample=50):  # no more than a sample of the rows is kept
        model.fit(blocks.array, y)
    np.testing.assert_array_equal(blocks.reads, 2)


def test_nothing_is_computed_before_it_is_asked_for(data):
    X, y = data
    model = NearestDisjointCentroid(lam=1.0, **QUICK).fit(X, y)
    blocks = CountedBlocks(X, 37)
    for method in ("predict", "predict_proba", "predict_log_proba", "decision_function", "distances", "transform"):
        before = blocks.reads.copy()
        lazy = getattr(model, method)(blocks.array)
        np.testing.assert_array_equal(blocks.reads, before)
        expected = getattr(model, method)(X)
        assert (lazy.shape, lazy.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_array_equal(lazy.compute(), expected)
        np.testing.assert_array_equal(blocks.reads, before + 1)


def test_a_part_of_the_answers_reads_a_part_of_the_rows(data):
    X, y = data
    model = NearestDisjointCentroid(lam=1.0, **QUICK).fit(X, y)
    blocks = CountedBlocks(X, 40)
    model.predict(blocks.array)[:40].compute()
    np.testing.assert_array_equal(blocks.reads, [1, 0, 0, 0, 0, 0])


def test_two_classes_have_one_column(data):
    X, y = data
    model = NearestDisjointCentroid(**QUICK).fit(X, y > 1)
    lazy = model.decision_function(da.from_array(X, chunks=(50, -1)))
    assert lazy.ndim == 1
    np.testing.assert_array_equal(lazy.compute(), model.decision_function(X))


def test_panels_classify_dask_tables(data):
    X, y = data
    model = DisjointPanelClassifier(rounds=3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(da.from_array(X, chunks=(50, -1))).compute(), model.predict(X))


def test_the_temperature_of_a_sample_is_near_that_of_all():
    X, y = make_blocks(k=3, n=2000, d=4, random_state=1)
    model = NearestDisjointCentroid(**QUICK)
    expected = model.fit(X, y).temperature_
    with sizes_context(sample_bytes=0, smallest_sample=1500):
        found = model.fit(da.from_array(X, chunks=(700, -1)), y)
    assert found.temperature_ == pytest.approx(expected, rel=0.2)
    assert found.temperature_ != expected
    assert found.train_error_ == pytest.approx(1 - model.score(X, y), abs=1e-12)


# ---------------------------------------------------------------------------------------------- sketches


def test_a_sketch_does_not_depend_on_the_blocks(data):
    X, y = data
    model = NearestDisjointCentroid(lam=1.0, compression=0.3, **QUICK)
    first, second = (model.fit(da.from_array(X, chunks=(n, -1)), y).owner_.copy() for n in (17, 100))
    np.testing.assert_array_equal(first, second)


def test_a_sketch_of_all_rows_is_exact(data):
    """A class no larger than its sketch is kept row by row."""
    X, y = data
    expected = NearestDisjointCentroid(lam=1.0, **QUICK).fit(X, y)
    found = NearestDisjointCentroid(lam=1.0, compression=0.1, **QUICK).fit(da.from_array(X, chunks=(50, -1)), y)
    assert_same_model(found, expected)


def test_larger_sketches_agree_more():
    X, y = make_blocks(k=4, n=1500, d=10, irrelevant=60, random_state=0)
    expected = NearestDisjointCentroid(lam=1.0, **QUICK).fit(X, y)
    lazy = da.from_array(X, chunks=(1000, -1))
    agree = []
    for error in (0.7, 0.05):
        found = NearestDisjointCentroid(lam=1.0, compression=error, **QUICK).fit(lazy, y)
        agree.append((found.owner_ == expected.owner_).mean())
    assert agree[1] > agree[0]
    assert agree[1] > 0.9


def test_after_a_sketch_owners_are_exactly_nearest(data):
    """After the exact passes no feature of the fitted model is nearer to another class's centre."""
    X, y = data
    found = NearestDisjointCentroid(compression=0.4, **QUICK).fit(da.from_array(X, chunks=(50, -1)), y)
    centres = [X[y == j][:, found.owner_ == j].mean(axis=1) for j in range(4)]
    exact = np.stack([np.sqrt(np.mean((X[y == j] - centres[j][:, None]) ** 2, axis=0)) for j in range(4)])
    np.testing.assert_array_equal(found.owner_, exact.argmin(axis=0))
    np.testing.assert_allclose(found.feature_distances_, exact)
    assert found.train_error_ == pytest.approx(1 - found.score(X, y))


def test_cross_validation_with_a_sketch(data):
    X, y = data
    model = NearestDisjointCentroidCV(n_lams=5, cv=3, compression=0.2, **QUICK)
    found = model.fit(da.from_array(X, chunks=(50, -1)), y)
    assert found.cv_errors_.shape == (5, 3)
    assert found.cv_errors_.min() < 0.6


def test_too_many_features_are_sketched(data):
    X, y = data
    blocks, few = CountedBlocks(X, 50), CountedBlocks(X[:, :29], 50)
    with sizes_context(product_bytes=8 * 4 * 29**2):
        NearestDisjointCentroid(**QUICK).fit(blocks.array, y)
        NearestDisjointCentroid(**QUICK).fit(few.array, y)
    assert blocks.reads.min() > 2  # a sketch, the candidates, and at least one exact pass
    np.testing.assert_array_equal(few.reads, 2)


# ---------------------------------------------------------------------------------------------- what cannot be used


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"refine": True}, "refine=True .* needs the table in memory"),
        ({"shared_features": "selector"}, "selector needs the table in memory"),
        ({"shared_features": list(range(30))}, "names all 30 features"),
        ({"lam": 1e-9}, "Try lam >="),
        ({"compression": 2.0}, "compression"),
    ],
)
def test_what_a_dask_table_cannot_do(data, change, message):
    from sklearn.feature_selection import SelectKBest

    X, y = data
    if change.get("shared_features") == "selector":
        change = {"shared_features": SelectKBest(k=2)}
    with pytest.raises(ValueError, match=message):
        NearestDisjointCentroid(**QUICK).set_params(**change).fit(da.from_array(X, chunks=(50, -1)), y)


@pytest.mark.parametrize("change", [{"scoring": "f1_macro"}, {"priors": "empirical"}])
def test_what_cross_validation_of_a_dask_table_cannot_do(data, change):
    X, y = data
    with pytest.raises(ValueError, match="need the table in memory"):
        NearestDisjointCentroidCV(**QUICK, **change).fit(da.from_array(X, chunks=(50, -1)), y)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_unusable_cells_are_named(data, value):
    X, y = data
    frame = pd.DataFrame(X, columns=[f"gene {i}" for i in range(X.shape[1])])
    frame.iloc[17, 3] = value
    with pytest.raises(ValueError, match=r"1 feature\(s\) \(gene 3\).*needs a finite number in every cell"):
        table = dd.from_pandas(frame.assign(label=y), npartitions=3)
        NearestDisjointCentroid(**QUICK).fit(table.drop(columns="label"), table["label"])


def test_labels_of_another_length(data):
    X, y = data
    with pytest.raises(ValueError, match="X has 240 rows; y has shape"):
        NearestDisjointCentroid(**QUICK).fit(da.from_array(X, chunks=(50, -1)), y[:100])
    with pytest.raises(ValueError, match="at least 2 classes"):
        NearestDisjointCentroid(**QUICK).fit(da.from_array(X, chunks=(50, -1)), np.zeros(240))


def test_blocks_of_unknown_length(data):
    X, y = data
    unknown = da.from_array(X, chunks=(50, -1))[da.from_array(np.ones(240, bool), chunks=50)]
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        NearestDisjointCentroid(**QUICK).fit(unknown, y)
    model = NearestDisjointCentroid(lam=1.0, **QUICK)
    expected = model.fit(X, y).owner_.copy()
    np.testing.assert_array_equal(model.fit(unknown, da.from_array(y, chunks=50)).owner_, expected)
    with pytest.raises(ValueError, match=r"Cut X and y into the same blocks|blocks of rows"):
        NearestDisjointCentroid(**QUICK).fit(unknown, da.from_array(y, chunks=60))


def test_other_features_are_refused(data):
    X, y = data
    model = NearestDisjointCentroid(**QUICK).fit(da.from_array(X, chunks=(50, -1)), y)
    with pytest.raises(ValueError, match="expecting 30 features"):
        model.predict(da.from_array(X[:, 1:], chunks=(50, -1)))


@pytest.mark.parametrize("method", ["explain", "risk"])
def test_what_wants_rows_in_memory_says_so(data, method):
    X, y = data
    lazy = da.from_array(X, chunks=(50, -1))
    model = NearestDisjointCentroid(**QUICK).fit(lazy, y)
    with pytest.raises(TypeError, match=r"X\[:100\].compute\(\)"):
        getattr(model, method)(*([lazy] if method == "explain" else [lazy, y]))


def test_other_classifiers_do_not_load_a_dask_table_in_silence(data):
    X, y = data
    with pytest.raises(TypeError, match=r"DisjointPanelClassifier .* X.compute\(\)"):
        OverlappingCentroidClassifier().fit(da.from_array(X, chunks=(50, -1)), y)


# ---------------------------------------------------------------------------------------------- a cluster


def test_a_cluster_gives_the_same_answer(cluster, tmp_path):
    X, y = noted_table(tmp_path, 12, 100, 21)
    whole = noted_rows(tmp_path, 12, 100, 21)
    model = NearestDisjointCentroidCV(n_lams=5, cv=3, **QUICK)
    expected = model.fit(whole, y)
    owner, errors = expected.owner_.copy(), expected.cv_errors_.copy()
    found = model.fit(X, y)
    np.testing.assert_array_equal(found.owner_, owner)
    np.testing.assert_allclose(found.cv_errors_, errors, atol=1e-12)
    np.testing.assert_array_equal(found.predict(X).compute(), found.predict(whole))


def test_killing_a_worker_in_the_middle_of_a_fit_changes_nothing(cluster, tmp_path):
    X, y = noted_table(tmp_path, 60, 100, 21)
    model = NearestDisjointCentroid(lam=1.0, **QUICK)
    expected = model.fit(noted_rows(tmp_path, 60, 100, 21), y)
    owner, margin = expected.owner_.copy(), expected.margin_.copy()
    with killing_a_worker(tmp_path, 20) as killed:
        found = model.fit(X, y)
    assert killed.n_made < 60  # in the first pass
    notes = [note.name.split() for note in tmp_path.iterdir()]
    assert len(notes) > 2 * 60  # what the lost worker had done was done again
    assert all(int(maker) != killed.pid or int(when) < killed.when for _, when, maker in notes)
    np.testing.assert_array_equal(found.owner_, owner)
    np.testing.assert_allclose(found.margin_, margin, rtol=1e-9)


def test_a_table_larger_than_the_memory_of_all_workers(cluster, tmp_path):
    n_blocks, n_rows, n_columns = 104, 20_000, 100
    X, y = noted_table(tmp_path, n_blocks, n_rows, n_columns)
    assert X.nbytes > 2 * 800e6
    found = NearestDisjointCentroid(lam=1.0, **QUICK).fit(X, y)
    assert len(list(tmp_path.iterdir())) == 2 * n_blocks
    own = [np.unique(np.flatnonzero(found.owner_ == j) // 7 % 3) for j in range(3)]
    assert all(blocks.size <= 1 for blocks in own)  # a class's features are from its own blocks
