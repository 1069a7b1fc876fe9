"""Marker lists judged: measures by hand, errors by plain loops."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.markers import evaluate_markers
from disjoint_centroids.markers.measures import MarkerValues, dot_table, marker_table, thresholds
from disjoint_centroids.markers.readings import READINGS, read_markers

MINE = {"A": ["g0", "g1"], "B": ["g4"], "C": ["g8", "g9"]}


def cells(seed=0, n=90):
    """Three classes, twelve features that begin at 0: four are on in each class."""
    rng = np.random.default_rng(seed)
    y = np.repeat(["A", "B", "C"], n // 3)
    rates = np.full((n, 12), 0.4)
    for at in range(3):
        rates[n // 3 * at : n // 3 * (at + 1), 4 * at : 4 * at + 4] = 2.0
    return pd.DataFrame(rng.poisson(rates).astype(float), columns=[f"g{f}" for f in range(12)]), y


@pytest.fixture(scope="module")
def found():
    return evaluate_markers(*cells(), MINE, random_state=3)


def test_measures_by_hand():
    values = np.array([[4.0, 0.0], [2.0, 0.0], [1.0, 3.0], [1.0, 1.0]])
    made = MarkerValues(values, np.array([0, 0, 1, 1]), np.array([0, 1]), 2)
    np.testing.assert_allclose(made.levels(), [[3.0, 0.0], [1.0, 2.0]])
    np.testing.assert_allclose(made.on_target(), [0.75, 1.0])
    on = thresholds(values, made.codes, None)
    assert on.tolist() == [0.0, 0.0]
    np.testing.assert_allclose(made.shares_on(on), [[1.0, 0.0], [1.0, 1.0]])
    np.testing.assert_allclose(made.shares_on(thresholds(values, made.codes, 1.5)), [[1.0, 0.0], [0.0, 0.5]])
    # Within classes the markers never vary together: class 0 moves the first only, class 1 the second only.
    assert made.redundancy() == 0.0
    assert MarkerValues(values[:, [0, 0]], made.codes, made.owners, 2).redundancy() == pytest.approx(1.0)
    table = marker_table(made, ["CD3", "CD19"], ["T", "B"], on)
    assert table[["class", "next_class", "mean", "next_mean", "share_on_elsewhere"]].to_numpy().tolist() == [
        ["T", "B", 3.0, 1.0, 1.0],
        ["B", "T", 2.0, 0.0, 0.0],
    ]
    dots = dot_table(made, ["CD3", "CD19"], ["T", "B"], on)
    assert dots.to_numpy().tolist()[1] == ["T", "CD19", "B", 0.0, 0.0]


def test_medians_zeros_and_negative_means():
    values = np.array([[9.0, 0.0, -1.0], [1.0, 0.0, 1.0], [2.0, 0.0, -3.0], [1.0, 0.0, 2.0], [3.0, 0.0, 1.0]])
    made = MarkerValues(values, np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1]), 2)
    # A marker that is off in all samples has no share in any class; nor has one with a negative value.
    np.testing.assert_allclose(made.on_target(), [4.0 / 6.0, np.nan, np.nan])
    np.testing.assert_allclose(made.on_target(median=True), [2.0 / 4.0, np.nan, np.nan])
    rarely = MarkerValues(np.array([[0.0], [0.0], [3.0], [0.0]]), np.array([0, 0, 0, 1]), np.array([0]), 2)
    assert (rarely.on_target(), rarely.on_target(median=True)) == (1.0, 0.0)
    one_below = MarkerValues(values[:, 2:] + [[0.0]], np.array([0, 1, 0, 1, 1]), np.array([1]), 2)
    assert np.isnan(one_below.on_target()).all()
    assert np.isnan(made.correlations()[1]).all()  # a marker that does not vary is like no other
    shifted = thresholds(values - 7.0, made.codes, None)
    np.testing.assert_allclose(shifted, (values - 7.0)[:3].mean(axis=0) / 2 + (values - 7.0)[3:].mean(axis=0) / 2)


def test_nearest_centroid_by_plain_loops(found):
    X, y = cells()
    values, truth = X[[name for own in MINE.values() for name in own]].to_numpy(), []
    told, aucs = [], []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=3).split(X, y):
        centres = np.array([values[train][y[train] == label].mean(axis=0) for label in "ABC"])
        gaps = np.array([[np.sum((row - centre) ** 2) for centre in centres] for row in values[test]])
        truth += y[test].tolist()
        told += np.array(list("ABC"))[gaps.argmin(axis=1)].tolist()
        aucs.append(roc_auc_score(y[test] == "B", np.minimum(gaps[:, 0], gaps[:, 2]) - gaps[:, 1]))
    truth, told = np.array(truth), np.array(told)
    row = found.errors.query("list == 'given' and reading == 'centroid'").iloc[0]
    assert row["error"] == pytest.approx(np.mean(truth != told))
    of_b = found.classes.query("list == 'given' and reading == 'centroid'").set_index("class").loc["B"]
    hits = np.sum((truth == "B") & (told == "B"))
    recall, precision = hits / np.sum(truth == "B"), hits / np.sum(told == "B")
    assert of_b["recall"] == pytest.approx(recall)
    assert of_b["f_beta"] == pytest.approx(1.25 * precision * recall / (0.25 * precision + recall))
    assert of_b["auc"] == pytest.approx(np.mean(aucs))
    assert row["balanced_error"] == pytest.approx(np.mean([np.mean(told[truth == label] != label) for label in "ABC"]))


def test_our_scores_are_those_of_a_panel_of_exactly_these_features(found):
    X, y = cells()
    names = [name for own in MINE.values() for name in own]
    wrong = 0
    for fold, (train, test) in enumerate(StratifiedKFold(3, shuffle=True, random_state=3).split(X, y)):
        model = DisjointPanelClassifier(forced=MINE, max_features=5, rounds=1, terms="linear", random_state=3 + fold)
        wrong += np.sum(model.fit(X[names].iloc[train], y[train]).predict(X[names].iloc[test]) != y[test])
    row = found.errors.query("list == 'given' and reading == 'scores'").iloc[0]
    assert row["error"] == pytest.approx(wrong / len(y))


def test_what_stands_beside_the_list(found):
    errors = found.errors.set_index(["list", "reading"])["error"]
    assert len(errors) == 9
    assert errors["given", "logistic"] < errors["random", "logistic"]
    lists = found.lists.set_index("list")
    assert lists["features"].tolist() == [5.0, 5.0, 5.0]
    assert lists.loc["given", "on_target"] > lists.loc["random", "on_target"]
    assert found.markers["class"].tolist() == ["A", "A", "B", "C", "C"]
    assert found.dots["feature"].tolist()[:5] == ["g0", "g1", "g4", "g8", "g9"]
    assert found.markers["on_above"].tolist() == [0.0] * 5
    assert found.setup == {
        "samples": 90, "features": 12, "classes": 3, "folds": 3, "repeats": 1, "batches": None,
        "new_batch_share": None, "random_state": 3, "negative": False,
    }  # fmt: skip


def test_an_array_gives_the_same(found):
    X, y = cells()
    other = evaluate_markers(X.to_numpy(), y, MINE, feature_names=X.columns, random_state=3)
    pd.testing.assert_frame_equal(other.errors, found.errors)


def test_an_anndata_gives_the_same(found):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a library says while it is imported is not about us
        anndata = pytest.importorskip("anndata")
    X, y = cells()
    adata = anndata.AnnData(sparse.csr_matrix(X.to_numpy()))
    adata.var_names, adata.obs["type"] = X.columns, y
    adata.layers["counts"], adata.X = adata.X.copy(), None
    other = evaluate_markers(adata, "type", MINE, layer="counts", random_state=3)
    pd.testing.assert_frame_equal(other.errors, found.errors)
    pd.testing.assert_frame_equal(other.markers, found.markers)


def test_lists_without_classes_and_batches():
    X, y = cells()
    batch = np.arange(len(y)) % 3
    found = evaluate_markers(X, y, ["g9", "g0"], batch=batch, parameters={"direction": "up"})
    assert found.markers["class"].tolist() == ["C", "A"]
    assert found.lists["features"].tolist() == [2.0, 2.0, 2.0]
    assert found.errors["error"].between(0, 1).all()
    assert [found.setup[name] for name in ("batches", "folds", "new_batch_share")] == [3, 3, 1.0]


def test_values_are_filled_in_and_scaled_by_the_training_part_alone():
    """A feature that is measured in few samples has another median in each part, and another standard deviation."""
    X, y = cells()
    rng = np.random.default_rng(1)
    X = X.mask(rng.random(X.shape) < 0.5)
    X["g0"] = X["g0"].where(rng.random(90) < 0.3) * 50
    found = evaluate_markers(X, y, ["g0", "g1", "g4", "g8"], transform="standardize", impute="median")
    values, aucs = X[["g0", "g1", "g4", "g8"]].to_numpy(), []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        filled = np.where(np.isnan(values), np.nanmedian(values[train], axis=0), values)
        z = (filled - filled[train].mean(axis=0)) / filled[train].std(axis=0)
        centres = np.array([z[train][y[train] == label].mean(axis=0) for label in "ABC"])
        gaps = ((z[test][:, None] - centres) ** 2).sum(axis=2)
        lead = np.delete(gaps, 0, axis=1).min(axis=1) - gaps[:, 0]
        aucs.append(roc_auc_score(y[test] == "A", lead))
    rows = found.classes.query("list == 'given' and reading == 'centroid'").set_index("class")
    assert rows.loc["A", "auc"] == pytest.approx(np.mean(aucs), abs=1e-12)


def test_features_without_a_value_in_a_training_part():
    X, y = cells()
    train, _ = next(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    X.loc[train, "g4"] = np.nan
    found = evaluate_markers(X, y, ["g0", "g4", "g8"], transform="log1p", impute="median")
    assert found.errors["error"].notna().all()


def test_shares_of_negative_values_are_missing():
    X, y = cells()
    found = evaluate_markers(X - X.mean(), y, MINE)
    assert found.setup["negative"]
    assert found.lists[["on_target", "on_target_median"]].isna().all(axis=None)


@pytest.mark.parametrize("kind", ["frame", "AnnData"])
def test_rules_name_features_and_classes_as_the_table_does(kind):
    X, y = cells()
    given = X, y
    if kind == "AnnData":
        anndata = pytest.importorskip("anndata")
        given = anndata.AnnData(X.rename(index=str), obs=pd.DataFrame({"type": y}, index=X.index.map(str))), "type"
    rules = {"excluded": ["g4", "g8"], "forced": {"C": ["g3"]}}
    by_name = evaluate_markers(*given, MINE, parameters=rules)
    by_position = evaluate_markers(*given, MINE, parameters={"excluded": [4, 8], "forced": {"C": [3]}})
    free = evaluate_markers(*given, MINE)
    pd.testing.assert_frame_equal(by_name.errors, by_position.errors)
    assert by_name.errors.query("list == 'ours'")["auc"].tolist() != free.errors.query("list == 'ours'")["auc"].tolist()
    with pytest.raises(
        ValueError, match=r"excluded names genes that are not in the table \(1 of 1\): G4\. Did you mean 'g4'"
    ):
        evaluate_markers(*given, MINE, parameters={"excluded": ["G4"]})


@pytest.mark.parametrize(
    ("markers", "message"),
    [
        (["g0", "G1"], r"names features that the table does not have \(1 of 2\): G1\. Did you mean 'g1'"),
        (["g0", "g1", "g0"], r"the list names features more than once \(1\): g0"),
        ({"A": ["g0"], "B": ["g0"]}, "g0. Name each once; a feature belongs to one class only"),
        ({"D": ["g0"]}, "the list names classes that the table does not have: D. The classes are A, B, C"),
        ([], "the list names no feature"),
    ],
)
def test_lists_that_cannot_be_judged(markers, message):
    X, y = cells()
    with pytest.raises(ValueError, match=message):
        evaluate_markers(X, y, markers)


def test_tables_that_cannot_be_judged():
    X, y = cells()
    with pytest.raises(ValueError, match="names of all 12 features; got 0"):
        evaluate_markers(X.to_numpy(), y, ["g0"])
    with pytest.raises(ValueError, match="class 'D' has 1"):
        evaluate_markers(X, np.append(y[:-1], "D"), ["g0"])


def test_random_features_are_drawn_among_those_that_vary():
    X, y = cells()
    constant = pd.DataFrame(np.tile(np.arange(200.0), (90, 1)), columns=[f"same{at}" for at in range(200)])
    same = pd.concat([X, constant], axis=1)
    for markers in (["g0"], {"A": ["g0"]}):
        found = evaluate_markers(same, y, markers, random_state=1)
        assert found.lists["features"].tolist() == [1.0, 1.0, 1.0]
        random = found.errors.query("list == 'random'")
        assert (random["auc"] != 0.5).all()
    pd.testing.assert_frame_equal(
        evaluate_markers(sparse.csr_matrix(same), y, ["g0"], feature_names=same.columns, random_state=1).errors,
        evaluate_markers(same, y, ["g0"], random_state=1).errors,
    )


def test_markers_that_vary_in_no_training_sample():
    """The most frequent class for every sample, and no order of them."""
    train = np.zeros((5, 2)), np.array([0, 2, 2, 1, 2])
    for reading in READINGS:
        told, scores = read_markers(reading, train, np.eye(2), owners=np.array([0, 2]), n_classes=4, seed=0)
        assert told.tolist() == [2, 2]
        np.testing.assert_allclose(np.exp(scores), [[0.2, 0.2, 0.6, 0.0]] * 2)


def test_lists_of_constant_features():
    X, y = cells()
    X = X.assign(one=1.0, none=0.0)
    with pytest.raises(
        ValueError, match="the list tell nothing apart: each has the same value in all 90 samples: one, n"
    ):
        evaluate_markers(X, y, ["one", "none"])
    with pytest.warns(UserWarning, match="1 of 2 features of the list have the same value in all 90 samples: none"):
        found = evaluate_markers(X, y, ["g0", "none"])
    assert found.markers["on_target"].isna().tolist() == [False, True]


def test_remarks_on_batches_name_classes():
    X, y = cells()
    batch = np.where(y == "A", "d0", np.where(np.arange(90) % 2, "d1", "d2"))
    with pytest.warns(UserWarning) as said:
        evaluate_markers(X, y, ["g0"], batch=batch)
    texts = " ".join(str(one.message) for one in said)
    assert "d0 (A)" in texts
    assert "no batch connects the classes A with B, C" in texts


def test_samples_of_batches_that_were_seen_are_counted():
    X, y = cells()
    batch = np.where(y == "A", "d0", np.where(np.arange(90) % 2, "d1", "d2"))
    with pytest.warns(UserWarning):
        assert evaluate_markers(X, y, ["g0"], batch=batch).setup["new_batch_share"] == pytest.approx(2 / 3)


def twice_the_same():
    X, y = cells()
    return X.rename(columns={"g5": "g4"}), y


MISSING = cells()[0].mask(lambda X: (X.columns == "g3") & (X.index == 0).reshape(-1, 1))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            {"batch": "donor"},
            TypeError,
            r"batch is the text 'donor', which names a column of an AnnData only. Give one",
        ),
        ({"y": "type"}, TypeError, r"y is the text 'type'.* such as table\['type'\], and leave that column out of X"),
        (
            {"y": [*cells()[1][:-2], None, np.nan]},
            ValueError,
            "y has no label for 2 of 90 samples. Label them, or leave",
        ),
        ({"y": cells()[1][:80]}, ValueError, r"y needs one value for each of the 90 samples of X; got shape \(80,\)"),
        (
            {"batch": ["a"] * 91},
            ValueError,
            r"batch needs one value for each of the 90 samples of X; got shape \(91,\)",
        ),
        ({"markers": "g0"}, TypeError, r"the list is the text 'g0', not a list of names. Give \['g0'\]"),
        ({"markers": {"A": "g0"}}, TypeError, "the text 'g0' for 'A', not a list of names"),
        ({"markers": pd.DataFrame({"a": ["g0"]})}, ValueError, "data frame without a column feature or gene"),
        (
            {"X": MISSING},
            ValueError,
            r"1 values are missing or infinite, in 1 feature\(s\): g3\. Leave .* by impute=\.",
        ),
        ({"X": sparse.csr_matrix(MISSING), "feature_names": MISSING.columns}, ValueError, r"1 feature\(s\): g3"),
        (
            {"X": MISSING + np.inf, "impute": "median"},
            ValueError,
            r"are infinite, in 12 feature\(s\): g0, .* Leave out .* samples\.",
        ),
        (
            {"X": sparse.csr_matrix(cells()[0]), "feature_names": MISSING.columns, "transform": "log1p"},
            ValueError,
            "transform= and impute= need a dense table, and X is sparse. Change its values before",
        ),
        ({"repeats": 0}, ValueError, "repeats must be 1 or more; got 0"),
        ({"on": np.nan}, ValueError, "on must be a number, above which a marker counts as on; got nan"),
        ({"parameters": {"rounds": 3}}, TypeError, "parameters= names 'rounds': our list is as long as the given one"),
        ({"parameters": {"directon": "up"}}, TypeError, "which DisjointPanelClassifier does not have.*'direction'"),
        ({"X": twice_the_same()[0]}, ValueError, r"several features of the same name \(g4\).*var_names_make_unique"),
        ({"y": ["A"] * 90}, ValueError, "two classes or more with two samples or more each; class 'A' has 90"),
    ],
)
def test_input_that_does_not_fit(change, error, message):
    X, y = cells()
    with pytest.raises(error, match=message):
        evaluate_markers(**{"X": X, "y": y, "markers": MINE} | change)


def test_a_list_may_be_a_data_frame(found):
    X, y = cells()
    frame = pd.DataFrame({"names": [f for own in MINE.values() for f in own], "group": list("AABCC"), "scores": 1.0})
    pd.testing.assert_frame_equal(evaluate_markers(X, y, frame, random_state=3).errors, found.errors)


def test_columns_of_an_anndata_that_are_not_there():
    anndata = pytest.importorskip("anndata")
    X, y = cells()
    adata = anndata.AnnData(X.rename(index=str), obs=pd.DataFrame({"type": y, "donor": y}, index=X.index.map(str)))
    with pytest.raises(KeyError, match=r"adata.obs has no column 'dono'\. Did you mean 'donor'"):
        evaluate_markers(adata, "type", MINE, batch="dono")
    with pytest.raises(TypeError, match=r"y names the column of \.obs with the labels; got ndarray"):
        evaluate_markers(adata, y, MINE)
    with pytest.raises(ValueError, match="batch needs one value for each of the 90 samples"):
        evaluate_markers(adata, "type", MINE, batch=["a"])
