"""Panels of dask tables: those of the table in memory, in few passes, on threads and on a cluster."""

import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.model_selection import StratifiedKFold

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.numerics.sizes import sizes_context

pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

from lazy_rows import CountedBlocks, noted_rows, noted_table  # noqa: E402 - needs dask

LEARNT = (
    "coef_",
    "curvature_",
    "intercept_",
    "center_",
    "scale_",
    "centroids_",
    "variances_",
    "margin_",
    "temperature_",
    "train_error_",
    "held_out_scores_",
)
NO_ROOM = 1000  # bytes for products: they are then added up round by round


def table(n=240, p=30, k=3, seed=0):
    """Counts, half of them zero, in which every class is high on features of its own."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    X = rng.gamma(1.0, size=(n, p)) * (rng.random((n, p)) < 0.5)
    for j in range(k):
        X[y == j, 5 * j : 5 * j + 5] += 0.7
    return X, y


def folds_of(y):
    return list(StratifiedKFold(3, shuffle=True, random_state=0).split(y, y))


def sparse_blocks(X, n_rows):
    return da.from_array(X, chunks=(n_rows, -1)).map_blocks(sparse.csr_array, meta=sparse.csr_array((0, 0)))


FORMS = {
    "cut by rows": lambda X: da.from_array(X, chunks=(50, -1)),
    "cut by rows and columns": lambda X: da.from_array(X, chunks=(70, 11)),
    "sparse": lambda X: sparse_blocks(X, 64),
}


def assert_same(found, expected):
    assert [panel.tolist() for panel in found.feature_sets_] == [panel.tolist() for panel in expected.feature_sets_]
    for name in LEARNT:
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-6, atol=1e-8, err_msg=name)
    assert (found.rounds_, found.terms_, found.regression_) == (expected.rounds_, expected.terms_, expected.regression_)


@pytest.fixture(
    scope="module",
    params=[
        {"terms": "linear"},
        {"terms": "linear", "reads": "own", "rounds": 4},
        {"terms": "squared", "rounds": 3},
        {"terms": "both", "rounds": 3},
        {"terms": "linear", "forced": [7], "excluded": [0], "max_features": 8},
    ],
    ids=str,
)
def in_memory(request):
    """Options, weights, and the model of the table in memory."""
    X, y = table()
    weights = np.random.default_rng(1).integers(0, 3, y.size).astype(float)
    model = DisjointPanelClassifier(cv=folds_of(y), random_state=0, **request.param)
    return request.param, weights, model.fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("product_bytes", [2**31, NO_ROOM])
@pytest.mark.parametrize("form", ["cut by rows", "sparse"])
def test_the_model_is_that_of_the_table_in_memory(in_memory, form, product_bytes):
    X, y = table()
    options, weights, expected = in_memory
    with sizes_context(product_bytes=product_bytes):
        found = DisjointPanelClassifier(cv=folds_of(y), random_state=0, **options)
        found.fit(FORMS[form](X), y, sample_weight=weights)
    assert_same(found, expected)


def test_frames_keep_names_and_labels():
    X, y = table()
    frame = pd.DataFrame(X, columns=[f"gene {i}" for i in range(X.shape[1])]).assign(kind=np.array(["a", "b", "c"])[y])
    lazy = dd.from_pandas(frame, npartitions=4)
    model = DisjointPanelClassifier(rounds=2, terms="linear", cv=folds_of(y))
    found = model.fit(lazy.drop(columns="kind"), lazy["kind"])
    assert found.feature_names_in_[3] == "gene 3"
    assert found.classes_.tolist() == ["a", "b", "c"]
    assert (found.predict(lazy.drop(columns="kind")).compute() == frame["kind"]).mean() > 0.6


SOME_ROOM = 20_000  # bytes for products: of the features of the next test, not of their squares


@pytest.fixture(scope="module")
def default_fit():
    """A table, weights of which some are zero, and the default model in memory."""
    X, y = table(n=120, p=12)
    X[:, 3:5] = 7.0 + X[:, 3:5] ** 2  # columns without zeros
    X[:20] = X[40:60]  # equal samples are dealt out as they stand
    weights = (np.arange(120) % 7 != 3).astype(float)
    return X, y, weights, DisjointPanelClassifier(cv=3, random_state=0).fit(X, y, sample_weight=weights)


@pytest.mark.parametrize(
    ("form", "product_bytes"),
    [
        ("in memory", 2**31),
        ("cut by rows", 2**31),
        ("cut by rows", NO_ROOM),
        ("cut by rows and columns", SOME_ROOM),
        ("sparse", 2**31),
        ("sparse", NO_ROOM),
    ],
)
def test_default_parameters_give_the_same_model_wherever_the_table_lives(form, product_bytes, default_fit):
    X, y, weights, expected = default_fit
    assert set(expected.cv_results_["terms"]) == {"linear", "squared", "both"}
    lazy = sparse.csc_array(X) if form == "in memory" else FORMS[form](X)
    with sizes_context(product_bytes=product_bytes):
        found = DisjointPanelClassifier(cv=3, random_state=0).fit(lazy, y, sample_weight=weights)
    assert_same(found, expected)
    assert (found.reads_, found.penalty_) == (expected.reads_, expected.penalty_)
    np.testing.assert_array_equal(found.cv_results_["terms"], expected.cv_results_["terms"])
    np.testing.assert_allclose(found.cv_results_["loss"], expected.cv_results_["loss"], rtol=1e-5)


def test_above_a_number_of_samples_folds_follow_position_and_terms_are_linear():
    X, y = table(n=150, p=12)
    with sizes_context(kept_samples=120, drawn_samples=120):
        models = [
            DisjointPanelClassifier(rounds=3, cv=3, random_state=0).fit(form(X), y)
            for form in (np.asarray, FORMS["cut by rows"])
        ]
    assert_same(*models)
    assert set(models[0].cv_results_["terms"]) == {"linear"}


@pytest.mark.parametrize("method", ["explain", "predict_set", "typicality"])
def test_what_needs_rows_in_memory_says_how_to_take_some(method):
    X, y = table(n=60, p=9)
    frame = pd.DataFrame(X).add_prefix("g")
    model = DisjointPanelClassifier(rounds=1, terms="linear", random_state=0).fit(frame, y)
    lazy = dd.from_pandas(frame, npartitions=2)
    with pytest.raises(TypeError, match=r"dask DataFrame. Take .*: X.partitions\[0\].compute\(\)\."):
        getattr(model, method)(lazy)
    assert len(getattr(model, method)(lazy.partitions[0].compute())) in (30, 30 * 9)
    with pytest.raises(TypeError, match=r"dask Array. Take .*: X\[:100\].compute\(\)\."):
        getattr(model, method)(da.from_array(X, chunks=(30, -1)))


@pytest.mark.parametrize("unit", [2.0**-300, 2.0**300])
def test_units_do_not_matter(unit):
    """Fourth powers of such values overflow, or are zero."""
    X, y = table(n=150, p=12)
    plain, found = (
        DisjointPanelClassifier(rounds=2, cv=3, random_state=0).fit(FORMS["cut by rows"](values), y)
        for values in (X, X * unit)
    )
    assert set(found.cv_results_["terms"]) == {"linear", "squared", "both"}
    np.testing.assert_array_equal(found.owner_, plain.owner_)
    np.testing.assert_allclose(found.coef_, plain.coef_, rtol=1e-9)
    np.testing.assert_allclose(found.scale_, plain.scale_ * unit)


def test_values_whose_fourth_powers_overflow_in_a_later_block_are_refused():
    X, y = table(n=150, p=12)
    X[140, 2] = 1e90
    with pytest.raises(ValueError, match=r"1e\+89|e\+\d\d.*Divide X by a constant"):
        DisjointPanelClassifier(cv=3).fit(FORMS["cut by rows"](X), y)


def test_four_passes_whatever_is_tried():
    """Two to deal out samples by content, one for the sums, one for the picked columns.

    The first block is read twice more, to know where values lie and in which units.
    """
    X, y = table(n=120, p=12)
    blocks = CountedBlocks(X, 40)
    model = DisjointPanelClassifier(rounds=3, cv=3, random_state=0).fit(blocks.array, y)
    assert set(model.cv_results_["terms"]) == {"linear", "squared", "both"}
    assert blocks.reads.tolist() == [6, 4, 4]


def test_two_passes_where_folds_are_given():
    X, y = table(n=120, p=12)
    blocks = CountedBlocks(X, 40)
    DisjointPanelClassifier(rounds=3, cv=folds_of(y)).fit(blocks.array, y)
    assert blocks.reads[1:].tolist() == [2, 2]


def test_one_pass_per_round_where_products_do_not_fit():
    """Two for the folds, class sums, one pass per part for ties, four rounds, and the picked columns."""
    X, y = table()
    blocks = CountedBlocks(X, 120)
    with sizes_context(product_bytes=NO_ROOM):
        model = DisjointPanelClassifier(rounds=4, overdraft=1, terms="linear", reads="all", cv=3, random_state=0)
        model.fit(blocks.array, y)
    assert blocks.reads[1] == 2 + 1 + 4 + 4 + 1


def test_a_large_table_is_judged_by_some_of_its_rows():
    """The same rows are kept of a table in memory, so that the model is the same."""
    X, y = table(n=600)
    with sizes_context(kept_samples=200, drawn_samples=200):
        models = [
            DisjointPanelClassifier(rounds=3, terms="linear", cv=folds_of(y), random_state=0).fit(form(X), y)
            for form in (np.asarray, FORMS["cut by rows"])
        ]
    assert_same(*models)
    seen = np.isfinite(models[0].held_out_scores_).all(axis=1).sum()
    assert 150 < seen < 250
    whole = DisjointPanelClassifier(rounds=3, terms="linear", cv=folds_of(y), random_state=0).fit(X, y)
    np.testing.assert_array_equal(whole.owner_, models[0].owner_)  # panels come from all rows


def test_a_class_that_a_fold_does_not_train_on():
    X, y = table()
    y[:4] = 3
    folds = [(np.arange(4, 240), np.arange(4)), *folds_of(y)]
    model = DisjointPanelClassifier(rounds=2, terms="linear", cv=folds)
    expected = model.fit(X, y)
    found = DisjointPanelClassifier(rounds=2, terms="linear", cv=folds).fit(FORMS["cut by rows"](X), y)
    np.testing.assert_array_equal(found.owner_, expected.owner_)
    assert found.fold_models_[0].known.tolist() == [0, 1, 2]


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_unusable_cells_are_named(value):
    X, y = table()
    X[17, 4] = value
    with pytest.raises(ValueError, match=r"NaN, infinity or values too large .*feature.* 4\b.*map_blocks"):
        DisjointPanelClassifier().fit(FORMS["cut by rows"](X), y)


@pytest.mark.parametrize("product_bytes", [2**31, NO_ROOM])
@pytest.mark.parametrize("form", ["cut by rows", "sparse"])
def test_values_far_from_zero_keep_their_digits(form, product_bytes):
    X, y = table()
    near = np.round(X, 6)
    far = near.copy()
    far[:, 2:20] += 1e8  # the others have zeros
    options = {"rounds": 3, "terms": "linear", "cv": folds_of(y)}
    expected = DisjointPanelClassifier(**options).fit(near, y)
    with sizes_context(product_bytes=product_bytes):
        found = DisjointPanelClassifier(**options).fit(FORMS[form](far), y)
    assert [p.tolist() for p in found.feature_sets_] == [p.tolist() for p in expected.feature_sets_]
    np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-5)


def test_killing_a_worker_in_the_middle_of_a_fit_changes_nothing(cluster, tmp_path):
    X, y = noted_table(tmp_path, 60, 100, 21)
    model = DisjointPanelClassifier(rounds=2, cv=3, random_state=0, terms="linear")
    expected = DisjointPanelClassifier(rounds=2, cv=folds_of(y), terms="linear")
    expected.fit(noted_rows(tmp_path, 60, 100, 21), y)
    for note in tmp_path.iterdir():
        note.unlink()
    killed = []

    def kill_one():
        """Once a third of the first pass is done."""
        while len(list(tmp_path.iterdir())) < 20:
            time.sleep(0.005)
        pid = min(int(note.name.split()[-1]) for note in tmp_path.iterdir())
        os.kill(pid, signal.SIGKILL)
        killed.append(pid)

    killer = threading.Thread(target=kill_one)
    killer.start()
    found = model.set_params(cv=folds_of(y)).fit(X, y)
    killer.join()
    assert killed[0] != os.getpid()
    assert_same(found, expected)
