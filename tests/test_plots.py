import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from disjoint_centroids import NearestDisjointCentroid
from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.plots import PartitionDisplay

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def fitted():
    X, y = make_blocks(k=3, n=15, d=4, mu=(2.0, 0.0), sigma=(1.0, 2.0), irrelevant=60, random_state=0)
    y = np.array(["a", "b", "c"])[y]
    return NearestDisjointCentroid(lam=1.0, n_init=20, shared_features=[0], random_state=0).fit(X, y), X, y


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


def test_it_draws_where_it_is_told(fitted):
    figure, (left, _) = plt.subplots(1, 2)
    display = PartitionDisplay.from_estimator(*fitted, ax=left)
    assert display.ax_ is left
    assert display.figure_ is figure
    assert len(left.patches) == 3  # a frame for each class's own block


def test_it_can_be_drawn_again(fitted):
    display = PartitionDisplay.from_estimator(*fitted)
    first = display.ax_
    assert display.plot().ax_ is not first
