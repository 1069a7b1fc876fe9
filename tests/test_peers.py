import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.neighbors import NearestCentroid
from sklearn.preprocessing import StandardScaler

from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.peers import L1LogisticCV, ShrunkenCentroidCV, inner_splitter

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def noisy():
    """Two groups of four features that matter, and forty that do not."""
    return make_blocks(k=2, n=60, d=4, mu=(1.5, 0.0), sigma=(1.0, 1.0), irrelevant=40, random_state=0)


@pytest.mark.parametrize("peer", [ShrunkenCentroidCV, L1LogisticCV])
def test_features_that_say_nothing_are_left_out(peer, noisy):
    model = peer(random_state=0).fit(*noisy)
    assert 4 <= model.n_features_used_ <= 24
    X, y = make_blocks(k=2, n=60, d=4, mu=(1.5, 0.0), sigma=(1.0, 1.0), irrelevant=40, random_state=1)
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("peer", [ShrunkenCentroidCV, L1LogisticCV])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_three_classes(peer, load):
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    assert peer(random_state=0).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.85


def test_the_largest_threshold_removes_everything(noisy):
    X, y = noisy
    largest = np.abs(NearestCentroid().fit(X, y).deviations_).max()
    shrunk = NearestCentroid(shrink_threshold=largest).fit(X, y)
    np.testing.assert_allclose(np.ptp(shrunk.centroids_, axis=0), 0, atol=1e-12)
    almost = NearestCentroid(shrink_threshold=0.99 * largest).fit(X, y)
    assert (np.ptp(almost.centroids_, axis=0) > 1e-12).sum() == 1


def test_inner_folds_fit_the_smallest_class():
    assert inner_splitter(np.repeat([0, 1], [9, 3]), 5, 0).n_splits == 3
    assert inner_splitter(np.repeat([0, 1], [9, 1]), 5, 0).n_splits == 2
    assert inner_splitter(np.repeat([0, 1], [9, 9]), 5, 0).n_splits == 5


def test_without_glmnet_the_extra_is_named(monkeypatch, noisy):
    monkeypatch.setitem(sys.modules, "glmnet", None)  # what an absent package looks like to import
    with pytest.raises(ImportError, match=r"disjoint-centroids\[compare\]"):
        L1LogisticCV().fit(*noisy)
