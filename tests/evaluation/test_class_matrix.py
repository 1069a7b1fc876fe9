import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disjoint_centroids import DisjointPanelClassifier, NearestDisjointCentroid
from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.evaluation.class_matrix import ClassMatrix, class_matrix

pytestmark = pytest.mark.filterwarnings("error")

DISTANCES = np.array([[1.0, 9.0], [3.0, 7.0], [1.0, 4.0]])
SCORES = np.array([[4.0, -1.0], [2.0, -3.0], [-3.0, 5.0], [-5.0, 3.0]])


@pytest.fixture(scope="module")
def blocks():
    X, y = make_blocks(k=3, n=15, d=4, mu=(2.0, 0.0), irrelevant=8, random_state=0)
    return X, np.array(list("abc"))[y]


@pytest.fixture(scope="module")
def centroids(blocks):
    return NearestDisjointCentroid(n_init=3, random_state=0).fit(*blocks)


def panel():
    return DisjointPanelClassifier(rounds=2, terms="linear", cv=2, random_state=0)


def test_ratios_by_hand():
    found = ClassMatrix.of(DISTANCES, ["a", "a", "b"], ["a", "b"], measure="distance")
    assert found.means.tolist() == [[2.0, 8.0], [1.0, 4.0]]
    assert found.contrasts.tolist() == [[1.0, 2.0], [0.5, 1.0]]
    assert found.counts.tolist() == [2, 1]


def test_separation_by_hand():
    """Both scores lie 1 from the mean of their class: the standard deviation within classes is 1."""
    labels, classes = ["a", "a", "b", "b"], ["a", "b"]
    found = ClassMatrix.of(SCORES, labels, classes, measure="score")
    assert found.means.tolist() == [[3.0, -2.0], [-4.0, 4.0]]
    assert found.contrasts.tolist() == [[0.0, -6.0], [-7.0, 0.0]]
    again = ClassMatrix.of(3 * SCORES, labels, classes, measure="score")
    assert again.contrasts.tolist() == [[0.0, -6.0], [-7.0, 0.0]]


def test_distances_that_are_missing_do_not_spoil_the_rest():
    distances = np.array([[1.0, np.nan, np.inf, 2.0], [2.0, 6.0, np.inf, 2.0], [2.0, 3.0, np.inf, 2.0]])
    found = ClassMatrix.of(distances, ["a", "a", "b"], ["a", "b", "c", "d"], measure="distance")
    np.testing.assert_array_equal(found.means[0], [1.5, 6.0, np.inf, 2.0])
    assert found.contrasts[0, 1] == 2.0
    assert np.isnan(found.contrasts[:, 2:]).all()


def test_scores_that_are_missing_are_left_out():
    scores = np.array([[1.0, -np.inf, np.nan], [3.0, 2.0, np.nan], [0.0, 4.0, np.nan]])
    found = ClassMatrix.of(scores, ["a", "a", "b"], ["a", "b", "c"], measure="score")
    np.testing.assert_array_equal(found.means, [[2.0, 2.0, np.nan], [0.0, 4.0, np.nan], [np.nan] * 3])


def test_a_score_that_never_varies_separates_nothing():
    found = ClassMatrix.of(np.ones((4, 2)), ["a", "a", "b", "b"], ["a", "b"], measure="score")
    assert (found.contrasts == 0).all()


def test_new_data_is_measured_by_the_model(blocks, centroids):
    X, y = blocks
    found = class_matrix(centroids, X, y)
    measured = centroids.distances(X)
    np.testing.assert_array_equal(found.measured, measured)
    mean = np.array([[measured[y == i][:, j].mean() for j in range(3)] for i in "abc"])
    np.testing.assert_allclose(found.contrasts, mean / np.diag(mean))


def test_two_classes_have_two_scores(blocks):
    X, y = blocks[0][blocks[1] != "c"], blocks[1][blocks[1] != "c"]
    model = panel().fit(X, y)
    scores = class_matrix(model, X, y).measured
    assert scores.shape == (len(y), 2)
    np.testing.assert_allclose(scores[:, 1] - scores[:, 0], model.decision_function(X))
    parts = model.explain(X)
    own = parts[parts["class"] == "b"].groupby("sample")["contribution"].sum()
    np.testing.assert_allclose(scores[:, 1], own + model.intercept_[1])


@pytest.mark.parametrize("as_frame", [False, True])
def test_held_out_distances_are_those_of_models_that_did_not_see_the_samples(blocks, as_frame):
    values, y = blocks
    X = pd.DataFrame(values, [f"s{i}" for i in range(len(y))]).rename(columns=str) if as_frame else values
    pipe = make_pipeline(StandardScaler(), NearestDisjointCentroid(n_init=3, random_state=0))
    found = class_matrix(pipe, X, y, cv=2)  # need not be fitted
    expected, labels = [], []
    for train, test in StratifiedKFold(2).split(values, y):
        scaler = StandardScaler().fit(values[train])
        model = NearestDisjointCentroid(n_init=3, random_state=0).fit(scaler.transform(values[train]), y[train])
        expected.append(model.distances(scaler.transform(values[test])))
        labels.append(y[test])
    np.testing.assert_allclose(found.measured, np.concatenate(expected))
    assert found.y.tolist() == np.concatenate(labels).tolist()
    assert not hasattr(pipe, "classes_")


def test_held_out_scores_are_those_of_models_that_did_not_see_the_samples(blocks):
    X, y = blocks
    pipe = make_pipeline(StandardScaler(), panel())
    found = class_matrix(pipe, X, y, cv=2)
    expected = []
    for train, test in StratifiedKFold(2).split(X, y):
        scaler = StandardScaler().fit(X[train])
        model = panel().fit(scaler.transform(X[train]), y[train])
        expected.append(model.decision_function(scaler.transform(X[test])))
    np.testing.assert_allclose(found.measured, np.concatenate(expected))
    assert not hasattr(pipe, "classes_")


def test_a_fold_trained_without_a_class_leaves_a_gap(blocks):
    X, y = blocks
    others, own = np.flatnonzero(y != "b"), np.flatnonzero(y == "b")
    folds = [(others, own), (np.arange(len(y)), others)]
    found = class_matrix(NearestDisjointCentroid(n_init=2, random_state=0), X, y, cv=folds)
    assert found.classes.tolist() == ["a", "b", "c"]
    assert np.isnan(found.means[1]).tolist() == [False, True, False]
    assert np.isnan(found.contrasts[:, 1]).all()


def test_groups_reach_the_splitter(blocks):
    X, y = blocks
    model = NearestDisjointCentroid(n_init=2, random_state=0)
    assert len(class_matrix(model, X, y, cv=GroupKFold(3), groups=np.arange(len(y)) % 3).measured) == len(y)


def test_a_panel_has_no_distances(blocks):
    X, y = blocks
    for cv in (None, 2):
        model = panel().fit(X, y) if cv is None else panel()
        with pytest.raises(ValueError, match=r"has scores and no distances\. Give measure='score'"):
            class_matrix(model, X, y, measure="distance", cv=cv)
