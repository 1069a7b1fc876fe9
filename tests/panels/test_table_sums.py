"""Panels from sums of sites: those of the pooled table, and no sample in the file."""

import io
import json
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.panels import TableSums
from disjoint_centroids.panels.pooling import pooled
from disjoint_centroids.panels.table_sums import deal_folds
from disjoint_centroids.progress import heard_by

OPTIONS = {"rounds": 3, "terms": "linear", "penalty": 0.5, "regression": "ridge", "overdraft": 1, "random_state": 0}


def table(n=120, p=12, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    X = rng.normal(size=(n, p)) + 5.0
    for j in range(k):
        X[y == j, 3 * j : 3 * j + 3] += 1.5
    return X, np.array(["a", "b", "c", "d"])[y]


def assert_same_panels(found, expected):
    assert [panel.tolist() for panel in found.feature_sets_] == [panel.tolist() for panel in expected.feature_sets_]
    np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-10)
    np.testing.assert_allclose(found.centroids_, expected.centroids_, atol=1e-10)
    np.testing.assert_allclose(found.variances_, expected.variances_, atol=1e-9)


@pytest.mark.parametrize("reads", ["all", "own"])
def test_the_model_of_two_sites_is_that_of_the_pooled_table(reads):
    X, y = table()
    here, there = TableSums.of(X[:70], y[:70]), TableSums.of(X[70:], y[70:])
    found = DisjointPanelClassifier(reads=reads, **OPTIONS).fit_sums([here, there])
    expected = DisjointPanelClassifier(reads=reads, **OPTIONS).fit(X, y)
    assert_same_panels(found, expected)
    assert found.score(X, y) > 0.85
    assert found.temperature_ == pytest.approx(expected.temperature_, rel=0.5)  # from stand-ins


def test_stand_ins_choose_about_what_samples_choose():
    """Held-out errors from sums are near those of the samples where features are normally distributed."""
    X, y = table(n=600, p=30)
    sums = DisjointPanelClassifier(terms="linear", regression="ridge").fit_sums(TableSums.of(X, y))
    rows = DisjointPanelClassifier(terms="linear", regression="ridge", random_state=0).fit(X, y)
    errors = [dict(zip(m.cv_results_["rounds"], m.cv_results_["error"], strict=True)) for m in (sums, rows)]
    for rounds in errors[0]:
        assert errors[0][rounds] == pytest.approx(errors[1][rounds], abs=0.03)


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_columns_decides_nothing(seed):
    """In weak tables the candidates are nearly as good as each other: other stand-ins would choose others."""
    rng = np.random.default_rng(seed)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 30)) @ (np.eye(30) + 0.05 * rng.normal(size=(30, 30))) + 5.0
    X[:, :12] += 0.5 * (y[:, None] == np.arange(12) // 4)
    X *= 10.0 ** rng.integers(-3, 4, 30)
    order = rng.permutation(30)
    found, expected = (
        DisjointPanelClassifier().fit_sums(TableSums.of(np.ascontiguousarray(values), y)) for values in (X[:, order], X)
    )
    np.testing.assert_array_equal(found.owner_, expected.owner_[order])
    for name in ("rounds_", "penalty_", "reads_"):
        assert getattr(found, name) == getattr(expected, name)
    np.testing.assert_allclose(found.intercept_, expected.intercept_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(found.temperature_, expected.temperature_, rtol=1e-8)
    np.testing.assert_allclose(found.cv_results_["loss"], expected.cv_results_["loss"], rtol=1e-8)


def test_classes_and_orders_of_features_may_differ():
    X, y = table(k=4, n=160)
    names = [f"g{i}" for i in range(12)]
    frame = pd.DataFrame(X, columns=names)
    here, there = y != "d", np.ones(160, dtype=bool)
    there[:60] = False
    here[60:] = False
    sums = [
        TableSums.of(frame[here], y[here]),
        TableSums.of(frame.loc[there, names[::-1]], y[there]),
    ]
    both = here | there
    with pytest.warns(UserWarning, match=r"1 of 4 classes is of one site only: d \(site 2\)"):
        found = DisjointPanelClassifier(reads="all", **OPTIONS).fit_sums(sums)
    expected = DisjointPanelClassifier(reads="all", **OPTIONS).fit(frame[both], y[both])
    assert_same_panels(found, expected)
    assert found.feature_names_in_.tolist() == names


def test_pooled_sums_are_those_of_the_pooled_rows():
    X, y = table()
    whole = pooled([TableSums.of(X[:70], y[:70], n_folds=1), TableSums.of(X[70:], y[70:], n_folds=1)])
    for j, label in enumerate("abc"):
        own = X[y == label]
        assert whole.counts[0, j] == len(own)
        np.testing.assert_allclose(whole.means[0, j], own.mean(axis=0))
        gaps = own - own.mean(axis=0)
        np.testing.assert_allclose(whole.scatters[0, j], gaps.T @ gaps, atol=1e-9)


def test_sparse_tables_add_up_to_the_same():
    X, y = table()
    X[X < 5] = 0.0
    found, expected = TableSums.of(sparse.csr_array(X), y), TableSums.of(X, y)
    np.testing.assert_allclose(found.scatters, expected.scatters)


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_sparse_sums_have_the_digits_of_dense_ones(offset):
    """Columns of one group may have no zeros there and values far from zero, and some zeros in another."""
    rng = np.random.default_rng(0)
    X, y = table(n=240, p=20)
    X[rng.random(X.shape) < 0.7] = 0.0
    X[:, 15:] = offset + rng.normal(size=(240, 5))
    X[y == "a", 16] = 0.0
    X[::7, 17] = 0.0
    found, expected = TableSums.of(sparse.csc_matrix(X), y), TableSums.of(X, y)
    np.testing.assert_allclose(found.means, expected.means, rtol=1e-12)
    spreads = np.sqrt(np.diagonal(expected.scatters, axis1=2, axis2=3))
    scale = spreads[:, :, :, None] * spreads[:, :, None]
    assert (np.abs(found.scatters - expected.scatters) <= 1e-9 * scale + 1e-30).all()


def test_sparse_tables_are_not_made_dense():
    X = sparse.random_array((60_000, 100), density=0.01, format="csr", rng=np.random.default_rng(0))
    y = np.arange(60_000) % 2
    TableSums.of(X[:1000], y[:1000])  # compiled by now
    tracemalloc.start()
    TableSums.of(X, y, n_folds=1)
    assert tracemalloc.get_traced_memory()[1] < 8 * X.shape[0] * X.shape[1] / 4  # of one class it would be half
    tracemalloc.stop()


def test_cells_that_a_sparse_table_lists_twice_are_added_up():
    X, y = table(p=3)
    twice = sparse.csr_array(
        (np.repeat(X.ravel() / 2, 2), np.tile(np.repeat(np.arange(3), 2), 120), np.arange(121) * 6)
    )
    np.testing.assert_allclose(TableSums.of(twice, y).scatters, TableSums.of(X, y).scatters)


def test_a_file_and_back(tmp_path):
    X, y = table()
    sums = TableSums.of(pd.DataFrame(X, columns=[f"g{i}" for i in range(12)]), y, transform="log2")
    sums.save(tmp_path / "site.sums")
    read = TableSums.load(tmp_path / "site.sums")
    for name in ("classes", "counts", "means", "scatters"):
        np.testing.assert_array_equal(getattr(read, name), getattr(sums, name))
    assert (read.feature_names, read.transform) == (sums.feature_names, "log2")


def test_every_sum_is_over_enough_samples():
    y = np.repeat([0, 1], [23, 60])
    sums = TableSums.of(np.random.default_rng(0).normal(size=(83, 3)), y, smallest=5)
    assert sums.counts.min() >= 5
    assert len(sums.counts) == 4
    assert deal_folds(y, 4).max() == 3


@pytest.mark.parametrize("smallest", [5, 8])
def test_small_classes_are_refused(smallest):
    X, y = table()
    y[:9] = "d"
    with pytest.raises(ValueError, match=r"d \(9\).*smallest=N"):
        TableSums.of(X, y, smallest=smallest)
    assert TableSums.of(X, y, smallest=4).classes.tolist() == ["a", "b", "c", "d"]


def test_what_needs_samples_is_refused():
    X, y = table()
    sums = TableSums.of(X, y)
    for options in ({"terms": "both"}, {"regression": "logistic"}):
        with pytest.raises(ValueError, match=r"needs the samples.*terms='linear' and regression='ridge'"):
            DisjointPanelClassifier(**options).fit_sums(sums)
    model = DisjointPanelClassifier(**OPTIONS).fit_sums(sums)
    with pytest.raises(ValueError, match="or from sums"):
        model.predict_set(X)


def test_other_features_are_refused():
    X, y = table()
    frame = pd.DataFrame(X, columns=[f"g{i}" for i in range(12)])
    with pytest.raises(ValueError, match=r"site 2 lacks 1 feature of site 1: g3"):
        pooled([TableSums.of(frame, y), TableSums.of(frame.rename(columns={"g3": "h"}), y)])
    with pytest.raises(ValueError, match=r"site 2 lacks 1 feature of site 1: g0"):
        pooled([TableSums.of(frame, y), TableSums.of(frame.iloc[:, 1:], y)])
    with pytest.raises(ValueError, match=r"a.sums lacks 1 feature of b.sums: g0"):
        pooled([TableSums.of(frame.iloc[:, 1:], y), TableSums.of(frame, y)], ["a.sums", "b.sums"])
    with pytest.raises(ValueError, match="do not have the same features"):
        pooled([TableSums.of(X, y), TableSums.of(X[:, 1:], y)])
    with pytest.raises(ValueError, match=r"'none' before they were added up, those of site 2 'log2'"):
        pooled([TableSums.of(X, y), TableSums.of(X, y, transform="log2")])


def test_damaged_files_are_refused(tmp_path):
    X, y = table()
    good = tmp_path / "good.sums"
    TableSums.of(X, y).save(good)
    bad = tmp_path / "bad.sums"
    for content in (b"", b"not a file of sums", good.read_bytes()[:500]):
        bad.write_bytes(content)
        with pytest.raises(ValueError, match="is not a file of sums"):
            TableSums.load(bad)
    with np.load(good) as arrays:
        parts = dict(arrays)
    head = json.loads(parts["head"].tobytes())

    def changed(**values):
        return np.frombuffer(json.dumps(head | values).encode(), dtype=np.uint8)

    for change in (
        {"means": parts["means"][:, :1]},
        {"counts": -parts["counts"]},
        {"scatters": np.full_like(parts["scatters"], np.nan)},
        {"head": changed(version=99)},
        {"head": np.frombuffer(b"[]", dtype=np.uint8)},
        {"means": np.array([object()], dtype=object)},
        {"head": changed(classes=["a", "a", "b"])},
        {"head": changed(classes=["c", "b", "a"])},
        {"head": changed(feature_names=[["nested"]] * 12)},
        {"head": np.frombuffer(b"[" * 100_000, dtype=np.uint8)},
        {"scatters": -parts["scatters"]},
        {"counts": np.zeros_like(parts["counts"])},
        {"means": np.zeros((0, 0, 10**9)), "scatters": np.zeros((0, 0, 1))},
    ):
        with bad.open("wb") as file:
            np.savez(file, **(parts | change))
        with pytest.raises(ValueError, match="is not a file of sums"):
            TableSums.load(bad)
    with zipfile.ZipFile(bad, "w") as archive:
        archive.writestr("nothing.npy", b"")
    with pytest.raises(ValueError, match="is not a file of sums"):
        TableSums.load(bad)


def test_a_file_that_states_a_large_size_is_refused_before_it_is_read(tmp_path):
    """Zeros take no room in a compressed file: 100 000 features would be 10 TB in memory."""
    X, y = table()
    TableSums.of(X, y).save(tmp_path / "good.sums")
    bad = tmp_path / "bad.sums"
    with zipfile.ZipFile(tmp_path / "good.sums") as good, zipfile.ZipFile(bad, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("head.npy", "counts.npy"):
            archive.writestr(name, good.read(name))
        for name, shape in (("means", (5, 3, 100_000)), ("scatters", (5, 3, 100_000 * 100_001 // 2))):
            header = io.BytesIO()
            np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": shape})
            archive.writestr(f"{name}.npy", header.getvalue() + bytes(1000))
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"is not a file of sums: .*1117.6 GiB"):
        TableSums.load(bad)
    assert tracemalloc.get_traced_memory()[1] < 2**22
    tracemalloc.stop()


def test_every_damage_is_an_error_of_the_file(tmp_path):
    """Bytes are changed within the members of the archive, whose checksums are right."""
    X, y = table()
    TableSums.of(X, y).save(tmp_path / "good.sums")
    with zipfile.ZipFile(tmp_path / "good.sums") as good:
        members = {name: good.read(name) for name in good.namelist()}
    rng, refused = np.random.default_rng(0), 0
    for name in rng.choice(list(members), 200):
        content = bytearray(members[name])
        for at in rng.integers(0, min(len(content), 128), 3):  # magic and header, or the beginning of the text
            content[at] ^= int(rng.integers(1, 256))
        with zipfile.ZipFile(tmp_path / "bad.sums", "w") as bad:
            for other, value in (members | {name: bytes(content)}).items():
                bad.writestr(other, value)
        try:
            TableSums.load(tmp_path / "bad.sums")
        except ValueError as error:
            refused += "is not a file of sums" in str(error)
    assert refused > 150


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"smallest": 0}, "smallest must be a whole number, 2 or more; got 0"),
        ({"smallest": 1}, "smallest must be a whole number, 2 or more; got 1"),
        ({"n_folds": 0}, "n_folds must be a whole number, 1 or more; got 0"),
        ({"n_folds": 2.5}, "n_folds must be a whole number"),
        ({"random_state": -1}, "random_state must be a whole number, 0 or more; got -1"),
    ],
    ids=str,
)
def test_numbers_that_make_no_sense_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        TableSums.of(*table(), **options)


@pytest.mark.parametrize(
    "make", [np.asarray, sparse.csr_array, lambda X: pd.DataFrame(X).add_prefix("g")], ids=["dense", "sparse", "frame"]
)
def test_missing_values_are_refused_with_their_features(make):
    X, y = table()
    X[3, 4], X[5, 6] = np.nan, np.inf
    with pytest.raises(
        ValueError, match=r"2 cells are missing or infinite, in 2 of 12 features: (column |g)4, .*6. Fill"
    ):
        TableSums.of(make(X), y)


def test_labels_may_be_objects(tmp_path):
    """Text of a data frame is of type object, text from a file is not."""
    X, y = table()
    TableSums.of(X[:60], y[:60]).save(tmp_path / "a.sums")
    here, there = TableSums.load(tmp_path / "a.sums"), TableSums.of(X[60:], pd.Series(y[60:], dtype=object))
    assert there.classes.dtype.kind == "U"
    model = DisjointPanelClassifier(**OPTIONS).fit_sums([here, there])
    assert model.classes_.tolist() == ["a", "b", "c"]
    codes = np.unique(y, return_inverse=True)[1]
    assert TableSums.of(X, pd.Series(codes, dtype=object)).classes.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match=r"text in site 1 and numbers in the other.*a, b, c; 0, 1, 2.*same labels"):
        DisjointPanelClassifier(**OPTIONS).fit_sums([here, TableSums.of(X[60:], codes[60:])])
    mixed = np.array([label if at % 2 else code for at, (label, code) in enumerate(zip(y, codes, strict=True))], object)
    with pytest.raises(ValueError, match=r"60 labels that are text and 60 that are not.*str\(label\)"):
        TableSums.of(X, mixed)
    mixed[:7] = None
    with pytest.raises(ValueError, match=r"no label for 7 of 120 samples"):
        TableSums.of(X, mixed)


def test_what_is_no_sum_is_refused():
    model = DisjointPanelClassifier(**OPTIONS)
    with pytest.raises(ValueError, match=r"no sums to fit to. Give at least one"):
        model.fit_sums([])
    for given in ("a.sums", ["a.sums"], 3, None):
        with pytest.raises(TypeError, match=r"got (str: 'a.sums'|int: 3|NoneType: None). .*TableSums.load"):
            model.fit_sums(given)


def test_progress_covers_adding_up_and_writing(tmp_path):
    X, y = table()
    heard = []
    with heard_by(heard.append):
        TableSums.of(X, y, verbose=1).save(tmp_path / "a.sums", verbose=1)
    assert [one.done for one in heard] == [*range(16), *range(16)]
    assert {one.label for one in heard} == {"sums of folds and classes", "file of sums"}


def test_the_bar_of_a_fit_does_not_jump():
    """Drafts end early where features run out; with both ways of reading, that was most of the bar."""
    heard = []
    with heard_by(heard.append):
        DisjointPanelClassifier(verbose=1).fit_sums(TableSums.of(*table(p=40)))
    assert np.diff([one.done for one in heard]).max() <= 2
