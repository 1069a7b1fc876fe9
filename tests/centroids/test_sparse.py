"""The estimators on sparse matrices: the answers of the dense table, and nothing of its size."""

import itertools
import pickle
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

import awkward_tables as tables
import sparse_tables
from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV, disjoint_centroid_path
from disjoint_centroids.centroids.extensions import (
    DisjointKNeighborsClassifier,
    DisjointLogisticRegression,
    OverlappingCentroidClassifier,
)

pytestmark = [
    pytest.mark.filterwarnings("error"),
    pytest.mark.filterwarnings("ignore:In every restart some class lost its last feature:UserWarning"),
]

FITTED = (
    "owner_",
    "centroids_",
    "variances_",
    "risk_",
    "train_error_",
    "margin_",
    "feature_distances_",
    "temperature_",
)


def counts(seed=0, n_classes=3, n_features=80, n_samples=48):
    """Mostly zeros; features that are high, and vary little, in the class whose they are."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_samples) % n_classes)
    X = rng.poisson(0.15, size=(n_samples, n_features)).astype(float)
    for j in range(n_classes):
        own = np.arange(j, n_features // 2, n_classes)
        X[np.ix_(y == j, own)] += rng.poisson(1.5, size=(np.sum(y == j), own.size))
    X[:, ::17] = 0.0
    return X, np.array(["a", "b", "c", "d", "e", "f"])[y]


def assert_same_model(found, expected):
    for name in FITTED:
        ours, theirs = np.asarray(getattr(found, name)), np.asarray(getattr(expected, name))
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12, err_msg=name)
    assert (found.n_iter_, found.n_restarts_used_, found.n_moves_) == (
        expected.n_iter_,
        expected.n_restarts_used_,
        expected.n_moves_,
    )


def fit_quietly(model, *args, **kwargs):
    """Whatever it has to say, both forms say it: fitted, and what was said."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            return clone(model).fit(*args, **kwargs), [str(w.message) for w in said]
        except ValueError as error:
            return None, [str(error)]


OPTIONS = {
    "Algorithm 1": {},
    "Algorithm 2": {"lam": 0.9},
    "nothing dropped": {"lam": np.inf},
    "euclidean": {"lam": 1.1, "norm": "euclidean"},
    "k-means++": {"lam": 0.9, "init": "k-means++"},
    "random": {"lam": 0.9, "init": "random"},
    "variance": {"lam": 0.8, "init": "variance"},
    "by risk": {"criterion": "risk"},
    "refined": {"lam": np.inf, "refine": True},
    "priors": {"lam": 0.9, "priors": "empirical"},
    "shared features": {"lam": 0.9, "shared_features": [1, 5, 34]},
    "shared by a selector": {"shared_features": SelectKBest(chi2, k=4)},
}


@pytest.mark.parametrize(("options", "kind"), tables.in_turn(OPTIONS, sparse_tables.KINDS))
def test_the_model_is_that_of_the_dense_table(options, kind):
    X, y = counts()
    model = NearestDisjointCentroid(n_init=10, random_state=0, **OPTIONS[options])
    found, expected = clone(model).fit(kind(X), y), clone(model).fit(X, y)
    assert_same_model(found, expected)
    new, _ = counts(seed=1)
    np.testing.assert_array_equal(found.predict(kind(new)), expected.predict(new))
    for method in ("predict_proba", "decision_function", "distances"):
        np.testing.assert_allclose(getattr(found, method)(kind(new)), getattr(expected, method)(new), rtol=1e-9)
        # A model takes either form, whichever it was fitted on.
        np.testing.assert_allclose(getattr(expected, method)(kind(new)), getattr(found, method)(new), rtol=1e-9)
    assert found.risk(kind(X), y) == pytest.approx(expected.risk_)
    assert found.score(kind(new), y) == expected.score(new, y)


@pytest.mark.parametrize(("name", "lam"), tables.in_turn(sparse_tables.NEAR_ZERO, (None, 0.9, np.inf)))
def test_awkward_tables_give_the_same_model_with_any_weights(name, lam):
    table = sparse_tables.table(name, "weighted")
    model = NearestDisjointCentroid(lam=lam, n_init=6, random_state=1)
    for weights in (None, table.weights, np.where(np.arange(table.y.size) % 7 == 3, 0.0, table.weights)):
        found, said = fit_quietly(model, sparse.csr_array(table.X), table.y, sample_weight=weights)
        expected, meant = fit_quietly(model, table.X, table.y, sample_weight=weights)
        assert said == meant
        if expected is not None:
            np.testing.assert_array_equal(found.owner_, expected.owner_)
            np.testing.assert_array_equal(found.predict(sparse.csc_array(table.X)), expected.predict(table.X))
            assert found.train_error_ == pytest.approx(expected.train_error_)


@pytest.mark.parametrize(("seed", "n_classes"), tables.in_turn(range(6), range(2, 7)))
def test_many_tables_give_the_same_partition(seed, n_classes):
    X, y = counts(seed, n_classes, n_features=300, n_samples=12 * n_classes)
    if seed % 2:
        X = (X > 0).astype(float)
    model = NearestDisjointCentroid(lam=None if seed % 3 else 1.0, n_init=5, random_state=seed)
    found, expected = clone(model).fit(sparse.csc_array(X), y), clone(model).fit(X, y)
    np.testing.assert_array_equal(found.owner_, expected.owner_)
    np.testing.assert_array_equal(found.predict(sparse.csr_array(X)), expected.predict(X))


NUMBERS = itertools.product((np.int32, np.int64), (np.float32, np.int64, np.int32, np.uint8, bool))


@pytest.mark.parametrize(("numbers", "kind"), tables.in_turn(NUMBERS, sparse_tables.KINDS))
def test_any_numbers_and_any_indices(numbers, kind):
    index, dtype = numbers
    X, y = counts()
    matrix = kind(X.astype(dtype))
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    found = NearestDisjointCentroid(lam=0.9, n_init=4, random_state=0).fit(matrix, y)
    expected = NearestDisjointCentroid(lam=0.9, n_init=4, random_state=0).fit(X.astype(dtype).astype(float), y)
    assert_same_model(found, expected)
    np.testing.assert_array_equal(found.predict(matrix), expected.predict(X.astype(dtype)))


def untidy(X, kind):
    """Every cell listed twice, in any order, and zeros among them."""
    rng = np.random.default_rng(0)
    rows, columns = np.nonzero(X)
    values = X[rows, columns]
    zeros = rng.integers(X.shape[0], size=30), rng.integers(X.shape[1], size=30)
    rows, columns = np.r_[rows, rows, zeros[0]], np.r_[columns, columns, zeros[1]]
    values = np.r_[values - 0.5, np.full(values.size, 0.5), np.zeros(30)]
    major, minor = (rows, columns) if "csr" in kind.__name__ else (columns, rows)
    order = rng.permutation(major.size)
    order = order[np.argsort(major[order], kind="stable")]
    n_major = X.shape[0] if "csr" in kind.__name__ else X.shape[1]
    ends = np.r_[0, np.cumsum(np.bincount(major, minlength=n_major))]
    return kind((values[order], minor[order], ends), shape=X.shape)


@pytest.mark.parametrize("kind", sparse_tables.KINDS)
def test_an_untidy_matrix_is_read_right_and_left_as_it_was(kind):
    X, y = counts()
    matrix = untidy(X, kind)
    before = [array.copy() for array in (matrix.data, matrix.indices, matrix.indptr)]
    np.testing.assert_allclose(matrix.toarray(), X)
    assert not matrix.has_canonical_format
    model = NearestDisjointCentroid(lam=0.9, n_init=6, random_state=0)
    found, expected = clone(model).fit(matrix, y), clone(model).fit(X, y)
    assert_same_model(found, expected)
    np.testing.assert_allclose(found.distances(matrix), expected.distances(X), rtol=1e-9)
    for array, as_it_was in zip((matrix.data, matrix.indices, matrix.indptr), before, strict=True):
        np.testing.assert_array_equal(array, as_it_was)


CHOICES = ({}, {"refine": True}, {"shared_features": [3, 4]}, {"scoring": "neg_log_loss"}, {"init": "auto"})


@pytest.mark.parametrize(("more", "kind"), tables.in_turn(CHOICES, sparse_tables.KINDS))
def test_path_and_cross_validation(kind, more):
    X, y = counts()
    weights = np.random.default_rng(3).choice([0.0, 0.5, 1.0, 2.0], size=y.size)
    options = {"n_lams": 6, "n_init": 5, "random_state": 0}
    found = disjoint_centroid_path(kind(X), y, sample_weight=weights, **options)
    expected = disjoint_centroid_path(X, y, sample_weight=weights, **options)
    np.testing.assert_array_equal(found.owners, expected.owners)
    np.testing.assert_allclose(found.train_error, expected.train_error)
    np.testing.assert_allclose(found.lams, expected.lams)
    folds = StratifiedKFold(3, shuffle=True, random_state=1)
    model = NearestDisjointCentroidCV(cv=folds, **options, **more)
    ours, theirs = clone(model).fit(kind(X), y, weights), clone(model).fit(X, y, weights)
    np.testing.assert_allclose(ours.cv_errors_, theirs.cv_errors_, rtol=1e-9)
    assert ours.lam_ == pytest.approx(theirs.lam_)
    assert_same_model(ours, theirs)


def test_the_kind_of_start_is_chosen_alike():
    X, y = counts()
    model = NearestDisjointCentroid(init="auto", n_init=4, random_state=0)
    found, expected = clone(model).fit(sparse.csr_array(X), y), clone(model).fit(X, y)
    assert found.init_ == expected.init_
    assert_same_model(found, expected)


@pytest.mark.parametrize("kind", sparse_tables.KINDS)
def test_selected_columns_stay_sparse(kind):
    X, y = counts()
    model = NearestDisjointCentroid(lam=0.8, n_init=6, random_state=0).fit(kind(X), y)
    selected = model.transform(kind(X))
    assert sparse.issparse(selected)
    np.testing.assert_array_equal(selected.toarray(), X[:, model.owner_ >= 0])
    assert 0 < selected.shape[1] < X.shape[1]


def test_tables_of_features_and_explanations_are_those_of_the_dense_table():
    X, y = counts()
    for shared in (None, [2, 40]):
        model = NearestDisjointCentroid(lam=0.9, n_init=6, shared_features=shared, random_state=0)
        found, expected = clone(model).fit(sparse.csc_array(X), y), clone(model).fit(X, y)
        pd.testing.assert_frame_equal(found.feature_table(), expected.feature_table())
        pd.testing.assert_frame_equal(found.explain(sparse.csr_array(X[:5])), expected.explain(X[:5]))


def test_pipelines_grids_and_pickles():
    X, y = counts()
    model = make_pipeline(MaxAbsScaler(), NearestDisjointCentroid(lam=1.0, n_init=4, random_state=0))
    found, expected = (cross_val_score(model, values, y, cv=3) for values in (sparse.csr_array(X), X))
    np.testing.assert_allclose(found, expected)
    fitted = pickle.loads(pickle.dumps(model.fit(sparse.csr_array(X), y)))
    np.testing.assert_array_equal(fitted.predict(X), model.predict(sparse.csc_matrix(X)))


@pytest.mark.parametrize("convert", (sparse.coo_array, sparse.lil_array, sparse.bsr_matrix))
def test_other_formats_are_converted(convert):
    X, y = counts()
    found = NearestDisjointCentroid(n_init=4, random_state=0).fit(convert(X), y)
    np.testing.assert_array_equal(found.owner_, NearestDisjointCentroid(n_init=4, random_state=0).fit(X, y).owner_)


@pytest.mark.parametrize(("bad", "what"), ((np.nan, "NaN"), (np.inf, "infinity"), (1e200, "values as large as")))
def test_what_is_no_number_is_refused(bad, what):
    X, y = counts()
    model = NearestDisjointCentroid(n_init=4, random_state=0).fit(X, y)
    X[3, 12] = bad
    for kind in sparse_tables.KINDS:
        with pytest.raises(ValueError, match=what):
            NearestDisjointCentroid(n_init=4).fit(kind(X), y)
        with pytest.raises(ValueError, match=what):
            model.predict(kind(X))


@pytest.mark.parametrize(
    "model", (OverlappingCentroidClassifier(), DisjointLogisticRegression(), DisjointKNeighborsClassifier())
)
def test_those_that_need_dense_samples_say_so(model):
    X, y = counts()
    assert not model.__sklearn_tags__().input_tags.sparse
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        model.fit(sparse.csr_array(X), y)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        clone(model).fit(X, y).predict(sparse.csr_array(X))


def test_the_tag_says_that_sparse_is_welcome():
    for model in (NearestDisjointCentroid(), NearestDisjointCentroidCV()):
        assert model.__sklearn_tags__().input_tags.sparse


LIMITED = """
    import resource, sys
    import numpy as np
    from scipy import sparse
    from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV

    def table(n_samples, n_features, n_stored):
        rng = np.random.default_rng(0)
        rows, columns = rng.integers(n_samples, size=n_stored), rng.integers(n_features, size=n_stored)
        X = sparse.coo_array((1.0 + rng.poisson(1.0, n_stored), (rows, columns)), shape=(n_samples, n_features))
        return X.asformat(sys.argv[1]), np.arange(n_samples) % 2

    model = NearestDisjointCentroid(lam=1.0, n_init=2, max_iter=3, random_state=0, n_jobs=1)
    X, y = table(50, 300, 2000)
    model.fit(X, y).predict(X)  # what must be compiled is compiled
    X, y = table(40_000, 200_000, 200_000)  # 64 gigabytes, if it were dense
    with open("/proc/self/statm") as statm:
        in_use = int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (in_use + 2**28, in_use + 2**28))
    import warnings
    warnings.simplefilter("ignore")
    model.fit(X, y)
    assert model.predict(X).shape == (40_000,)
    assert sparse.issparse(model.transform(X))
    assert np.isfinite(model.risk(X, y))
    assert len(model.feature_table()) == 200_000
    model.set_params(init="variance", refine=False).fit(X, y)
    try:
        X.toarray()
    except MemoryError:
        print("done")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on memory is Linux's")
@pytest.mark.parametrize("form", ("csr", "csc"))
def test_a_table_that_would_never_fit_dense_is_fitted_in_a_quarter_of_a_gigabyte(form):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(LIMITED), form], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "done", done.stderr
