from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disjoint_centroids import NearestDisjointCentroid
from disjoint_centroids.plots import PartitionDisplay

pytestmark = pytest.mark.filterwarnings("error")


def test_rows_are_by_class_and_columns_by_owner(fitted):
    model, X, y = fitted
    order = np.random.default_rng(0).permutation(len(y))
    display = PartitionDisplay.from_estimator(model, X[order], y[order])
    assert display.row_counts.tolist() == [15, 15, 15]
    own = [len(features) for features in model.feature_sets_]
    assert display.column_counts[:4].tolist() == [*own, 1]
    assert display.n_unused == (model.owner_ == -1).sum()
    first = X[:, model.feature_sets_[0][0]]
    standardised = (first - first.mean()) / first.std()
    np.testing.assert_allclose(np.sort(display.values[:15, 0]), np.sort(standardised[y == "a"]))


def test_many_unused_features_are_thinned_and_counted(fitted):
    model, X, y = fitted
    display = PartitionDisplay.from_estimator(model, X, y)
    assert 0 < display.column_counts[-1] <= (model.owner_ != -1).sum()
    labels = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert labels == ["a", "b", "c", "shared", f"unused\n({display.n_unused})"]
    drawn, total = display.column_counts.sum(), X.shape[1]
    assert f"{drawn} of {total} drawn" in display.ax_.get_xlabel()


def test_it_draws_where_it_is_told(fitted):
    figure, (left, _) = plt.subplots(1, 2)
    display = PartitionDisplay.from_estimator(*fitted, ax=left)
    assert display.ax_ is left
    assert display.figure_ is figure
    assert len(left.patches) == 3  # a frame for each class's own block
    assert plt.get_fignums() == [figure.number]


def test_it_can_be_drawn_again(fitted):
    display = PartitionDisplay.from_estimator(*fitted)
    first = display.ax_
    assert display.plot().ax_ is not first


def test_a_drawn_cell_is_a_value_of_the_table_and_frames_hold_their_blocks():
    values = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
    display = PartitionDisplay(values, np.array([2, 1]), np.array([1, 2, 0, 0]), 0, np.array(["a", "b"])).plot()
    np.testing.assert_array_equal(display.ax_.images[0].get_array(), values)
    corners = [(*patch.get_xy(), patch.get_width(), patch.get_height()) for patch in display.ax_.patches]
    assert corners == [(-0.5, -0.5, 1, 2), (0.5, 1.5, 2, 1)]
    assert display.ax_.get_xticks().tolist() == [0.0, 1.5]
    assert display.ax_.get_yticks().tolist() == [0.5, 2.0]
    assert display.ax_.get_xlabel() == "features, by owner"


def test_groups_too_small_to_be_labelled_are_drawn_wider():
    values = np.arange(22.0)[None, :].repeat(2, axis=0)
    display = PartitionDisplay(values, np.array([1, 1]), np.array([20, 2, 0, 0]), 0, np.array(["a", "b"])).plot()
    drawn = display.ax_.images[0].get_array()
    assert drawn[0].tolist() == [*range(20), *[20.0] * 3, *[21.0] * 3]  # at least a quarter of 22
    assert display.ax_.get_xticks().tolist() == [9.5, 22.5]


@pytest.mark.parametrize(("most", "expected"), [(60, [4, 28, 28]), (9, [3, 3, 3]), (4, [1, 1, 1]), (500, [4, 36, 50])])
def test_long_lists_are_thinned_and_short_ones_kept_whole(most, expected):
    owner = np.repeat([0, 1, 2], [4, 36, 50])
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 5)
    X = (
        rng.normal(size=(15, 90)) * 0.01
        + 10.0 * (y[:, None] == owner)
        + 3.0 * (y[:, None] != owner) * rng.normal(size=(15, 90))
    )
    model = NearestDisjointCentroid(init=owner[None], random_state=0).fit(X, y)
    assert [len(own) for own in model.feature_sets_] == [4, 36, 50]  # the table is as clear as that
    display = PartitionDisplay.from_estimator(model, X, y, max_features=most)
    assert display.column_counts[:3].tolist() == expected
    assert display.feature_counts.tolist() == [4, 36, 50, 0, 0]
    labels = [text.get_text().replace("\n", " ") for text in display.ax_.get_xticklabels()]
    assert labels == (["0", "1", "2"] if most == 500 else ["0 (4)", "1 (36)", "2 (50)"])
    spaced = np.flatnonzero(owner == 2)[np.linspace(0, 49, expected[2]).round().astype(int)]
    whole = (X - X.mean(axis=0)) / X.std(axis=0)
    np.testing.assert_allclose(display.values[:, -expected[2] :], whole[:, spaced])


def _assert_labels_apart(display):
    display.figure_.draw_without_rendering()
    for labels in (display.ax_.get_xticklabels(), display.ax_.get_yticklabels()):
        boxes = [text.get_window_extent() for text in labels]
        assert not any(one.overlaps(other) for one, other in pairwise(boxes))


def test_labels_do_not_overlap_with_fourteen_classes(named):
    _assert_labels_apart(PartitionDisplay.from_estimator(*named))


def test_labels_do_not_overlap_with_many_classes_of_very_different_size():
    sizes = np.where(np.arange(47) % 3 == 0, 100, 5)
    values = np.zeros((sizes.sum(), 47 * 2 + 47))
    classes = np.array([f"Class{j}" for j in range(47)])
    _assert_labels_apart(PartitionDisplay(values, sizes, np.array([2] * 47 + [0, 47]), 3906, classes).plot())


def test_a_pipeline_shows_the_table_as_its_classifier_sees_it(blocks):
    X, y = blocks
    pipe = make_pipeline(StandardScaler(), NearestDisjointCentroid(n_init=5, random_state=0)).fit(X, y)
    display = PartitionDisplay.from_estimator(pipe, X, y)
    bare = PartitionDisplay.from_estimator(pipe[-1], StandardScaler().fit_transform(X), y)
    np.testing.assert_allclose(display.values, bare.values)


def test_a_class_without_samples_has_no_row_label(fitted):
    model, X, y = fitted
    display = PartitionDisplay.from_estimator(model, X[y != "b"], y[y != "b"])
    assert display.row_counts.tolist() == [15, 0, 15]
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["a", "c"]


def test_errors_name_the_cure(fitted):
    model, X, y = fitted
    with pytest.raises(NotFittedError, match="Call 'fit'"):
        PartitionDisplay.from_estimator(NearestDisjointCentroid(), X, y)
    with pytest.raises(ValueError, match=r"nothing to draw for StandardScaler\. Give a fitted DisjointPanelClassifier"):
        PartitionDisplay.from_estimator(StandardScaler().fit(X), X, y)
    with pytest.raises(ValueError, match=r"not trained on: 'd'\. Drop these samples, .*'a', 'b', 'c'"):
        PartitionDisplay.from_estimator(model, X, np.where(y == "a", "d", y))
    with pytest.raises(ValueError, match=r"max_features=3 .* at least 4"):
        PartitionDisplay.from_estimator(model, X, y, max_features=3)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        PartitionDisplay.from_estimator(model, X, y[1:])
    assert plt.get_fignums() == []
