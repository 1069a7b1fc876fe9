import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.neighbors import NearestCentroid
from sklearn.preprocessing import StandardScaler

from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.peers import L1LogisticCV, ShrunkenCentroidCV, _minus_deviance, inner_splitter

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


def test_shrunken_centroids_classify_in_the_units_they_were_shrunken_in(noisy):
    """By hand, as Tibshirani et al. write it: (x - centroid)² / (s + s0)², minus twice the log of the prior."""
    X, y = noisy
    X, y = X[:90], y[:90]  # unequal classes: 60 and 30
    model = ShrunkenCentroidCV(random_state=0).fit(X, y)
    within = X - np.array([X[y == c].mean(axis=0) for c in (0, 1)])[y]
    s = np.sqrt((within**2).sum(axis=0) / (len(y) - 2))
    units = s + np.median(s)
    prior = np.array([60, 30]) / 90
    distance = (((X[:, None] - model.model_.centroids_) / units) ** 2).sum(axis=2) - 2 * np.log(prior)
    np.testing.assert_array_equal(model.predict(X), distance.argmin(axis=1))


def test_ties_between_thresholds_go_where_they_are_sent():
    X, y = make_blocks(k=2, n=60, d=4, mu=(4.0, 0.0), sigma=(1.0, 1.0), irrelevant=40, random_state=0)
    most = ShrunkenCentroidCV(ties="most", random_state=0).fit(X, y)
    fewest = ShrunkenCentroidCV(ties="fewest", random_state=0).fit(X, y)
    assert fewest.threshold_ > most.threshold_
    assert fewest.n_features_used_ < most.n_features_used_
    with pytest.raises(ValueError, match="'most' or the 'fewest'"):
        ShrunkenCentroidCV(ties="few").fit(X, y)


@pytest.mark.parametrize("k", [2, 3])
def test_the_penalty_has_the_lowest_deviance(k):
    """The deviance that chooses is that of the softmax of the scores, by hand."""
    X, y = make_blocks(k=k, n=200, d=3, mu=(0.5, 0.0), sigma=(1.0, 1.0), irrelevant=10, random_state=0)
    model = L1LogisticCV(random_state=0).fit(X, y).model_
    lamb = model.lambda_path_[[5, 20]]
    found = _minus_deviance(model, X, y, lamb)
    for at, value in zip((5, 20), found, strict=True):
        scores = X @ np.atleast_2d(model.coef_path_[..., at]).T + np.atleast_1d(model.intercept_path_[..., at])
        scores = np.hstack([np.zeros((len(X), 1)), scores]) if k == 2 else scores
        probability = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        assert value == pytest.approx(np.log(probability[np.arange(len(y)), y]).mean())
    assert model.lambda_best_inx_[0] == np.argmax(model.cv_mean_score_)
