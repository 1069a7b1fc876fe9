import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disjoint_centroids import NearestDisjointCentroid
from disjoint_centroids.plots import DistanceDisplay

pytestmark = pytest.mark.filterwarnings("error")

DISTANCES = np.array([[1.0, 9.0], [3.0, 7.0], [1.0, 4.0]])


def test_ratios_by_hand():
    display = DistanceDisplay(DISTANCES, ["a", "a", "b"], ["a", "b"])
    assert display.mean_distances.tolist() == [[2.0, 8.0], [1.0, 4.0]]
    assert display.relative.tolist() == [[1.0, 2.0], [0.5, 1.0]]
    assert display.row_counts.tolist() == [2, 1]


def test_cells_match_the_data():
    ax = DistanceDisplay(DISTANCES, ["a", "a", "b"], ["a", "b"]).plot().ax_
    np.testing.assert_allclose(ax.images[0].get_array(), [[1.0, 2.0], [0.5, 1.0]])
    assert [text.get_text() for text in ax.texts] == ["1.00", "2.00", "0.50", "1.00"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a (2)", "b (1)"]
    assert ax.images[0].norm(1.0) == pytest.approx(0.5)  # one is the middle of the colours


def test_what_was_not_measured_is_marked_and_does_not_spoil_the_rest():
    distances = np.array([[1.0, np.nan, np.inf, 2.0], [2.0, 6.0, np.inf, 2.0], [2.0, 3.0, np.inf, 2.0]])
    display = DistanceDisplay(distances, ["a", "a", "b"], ["a", "b", "c", "d"]).plot()
    np.testing.assert_array_equal(display.mean_distances[0], [1.5, 6.0, np.inf, 2.0])
    assert display.relative[0, 1] == 2.0
    assert np.isnan(display.relative[:, 2:]).all()
    assert [text.get_text() for text in display.ax_.texts].count("–") == 4 + 4 + 2 * 2  # noqa: RUF001 - a dash
    display.figure_.draw_without_rendering()


def test_new_data_is_measured_by_the_model(fitted):
    model, X, y = fitted
    display = DistanceDisplay.from_estimator(model, X, y)
    measured = model.distances(X)
    np.testing.assert_array_equal(display.distances, measured)
    mean = np.array([[measured[y == i][:, j].mean() for j in range(3)] for i in "abc"])
    np.testing.assert_allclose(display.relative, mean / np.diag(mean))


@pytest.mark.parametrize("as_frame", [False, True])
def test_held_out_distances_are_those_of_models_that_did_not_see_the_samples(blocks, named, as_frame):
    X, y = named[1:] if as_frame else blocks
    pipe = make_pipeline(StandardScaler(), NearestDisjointCentroid(n_init=3, random_state=0))
    display = DistanceDisplay.from_estimator(pipe, X, y, cv=2)  # need not be fitted
    values = np.asarray(X)
    expected, labels = [], []
    for train, test in StratifiedKFold(2).split(values, y):
        scaler = StandardScaler().fit(values[train])
        model = NearestDisjointCentroid(n_init=3, random_state=0).fit(scaler.transform(values[train]), y[train])
        expected.append(model.distances(scaler.transform(values[test])))
        labels.append(y[test])
    np.testing.assert_allclose(display.distances, np.concatenate(expected))
    assert display.y.tolist() == np.concatenate(labels).tolist()
    assert not hasattr(pipe, "classes_")


def test_a_fold_trained_without_a_class_leaves_a_gap(blocks):
    X, y = blocks
    others, own = np.flatnonzero(y != "b"), np.flatnonzero(y == "b")
    folds = [(others, own), (np.arange(len(y)), others)]
    display = DistanceDisplay.from_estimator(NearestDisjointCentroid(n_init=2, random_state=0), X, y, cv=folds)
    assert display.classes.tolist() == ["a", "b", "c"]
    assert np.isnan(display.mean_distances[1]).tolist() == [False, True, False]
    assert np.isnan(display.relative[:, 1]).all()


def test_groups_reach_the_splitter(blocks):
    X, y = blocks
    model = NearestDisjointCentroid(n_init=2, random_state=0)
    groups = np.arange(len(y)) % 3
    display = DistanceDisplay.from_estimator(model, X, y, cv=GroupKFold(3), groups=groups)
    assert len(display.distances) == len(y)


def test_it_draws_where_it_is_told(fitted):
    figure, (left, _) = plt.subplots(1, 2)
    display = DistanceDisplay.from_estimator(*fitted, ax=left)
    assert display.ax_ is left
    assert display.figure_ is figure
    assert plt.get_fignums() == [figure.number]


def test_cells_hold_no_numbers_where_there_are_very_many():
    classes = np.arange(16)
    assert len(DistanceDisplay(np.ones((16, 16)), classes, classes).plot().ax_.texts) == 0


def test_errors_name_the_cure(fitted):
    model, X, y = fitted
    with pytest.raises(NotFittedError, match="Call 'fit'"):
        DistanceDisplay.from_estimator(NearestDisjointCentroid(), X, y)
    with pytest.raises(ValueError, match=r"not trained on: 'd'\. Drop these samples"):
        DistanceDisplay.from_estimator(model, X, np.where(y == "a", "d", y))
