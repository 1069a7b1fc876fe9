import warnings

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import NearestCentroid
from sklearn.preprocessing import StandardScaler

from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.evaluation.peers.classifiers import L1LogisticCV, ShrunkenCentroidCV, inner_splitter
from disjoint_centroids.evaluation.peers.logistic_path import l1_logistic_path


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


def test_shrunken_centroids_classify_in_the_units_they_were_shrunken_in(noisy):
    """By hand, as Tibshirani et al. write it: (x - centroid)² / (s + s0)², minus twice the log of the prior."""
    X, y = noisy
    X, y = X[:90], y[:90]  # unequal classes: 60 and 30
    model = ShrunkenCentroidCV(random_state=0).fit(X, y)
    within = X - np.array([X[y == c].mean(axis=0) for c in (0, 1)])[y]
    s = np.sqrt((within**2).sum(axis=0) / (len(y) - 2))
    units = s + np.median(s)
    prior = np.array([60, 30]) / 90
    distance = (((X[:, None] - model.centroids_) / units) ** 2).sum(axis=2) - 2 * np.log(prior)
    np.testing.assert_array_equal(model.predict(X), distance.argmin(axis=1))


def test_ties_between_thresholds_go_where_they_are_sent():
    X, y = make_blocks(k=2, n=60, d=4, mu=(4.0, 0.0), sigma=(1.0, 1.0), irrelevant=40, random_state=0)
    most = ShrunkenCentroidCV(ties="most", random_state=0).fit(X, y)
    fewest = ShrunkenCentroidCV(ties="fewest", random_state=0).fit(X, y)
    assert fewest.threshold_ > most.threshold_
    assert fewest.n_features_used_ < most.n_features_used_
    with pytest.raises(ValueError, match="'most' or the 'fewest'"):
        ShrunkenCentroidCV(ties="few").fit(X, y)


def spoilt(X):
    """The same table with a constant column and one column twice."""
    return np.column_stack([X, np.full(len(X), 7.0), X[:, 0]])


def wide(n, p, k, seed=0):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), np.arange(k), rng.integers(k, size=n - 2 * k)])
    X = rng.normal(loc=10.0, size=(n, p))
    X[:, :20] += y[:, None] == np.arange(20) % k
    return X, y


TABLES = {
    "four classes": make_blocks(k=4, n=60, d=5, mu=(0.6, 0.0), sigma=(1.0, 1.6), irrelevant=20, random_state=0),
    "two classes": make_blocks(k=2, n=60, d=4, mu=(0.5, 0.0), sigma=(1.0, 1.0), irrelevant=10, random_state=1),
    "unequal classes": make_blocks(k=3, n=[80, 20, 6], d=4, mu=(0.8, 0.0), sigma=(1.0, 1.0), random_state=2),
    "more features than samples": wide(60, 400, 3),
    "more classes than folds": wide(150, 300, 12),
    "spoilt": (spoilt(load_iris().data), load_iris().target),
    "names": (load_wine().data, load_wine().target_names[load_wine().target]),
}


def plain_shrunken(X, y, test, random_state, ties="most"):
    """Scikit-learn's NearestCentroid fitted anew at every threshold, classified in pamr's units."""

    def fit(rows, threshold):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of constant columns
            return NearestCentroid(shrink_threshold=threshold or None, priors="empirical").fit(X[rows], y[rows])

    def predict(model, samples):
        units = model.within_class_std_dev_ + np.median(model.within_class_std_dev_)
        squared = (((samples[:, None] - model.centroids_) / units) ** 2).sum(axis=2)
        return model.classes_[np.argmin(squared - 2 * np.log(model.class_prior_), axis=1)]

    everyone = np.arange(len(y))
    thresholds = np.linspace(0, np.abs(fit(everyone, 0).deviations_).max(), 30)
    folds = list(inner_splitter(y, 5, random_state).split(X, y))
    errors = [
        sum(np.mean(predict(fit(train, threshold), X[held_out]) != y[held_out]) for train, held_out in folds)
        for threshold in thresholds
    ]
    best = thresholds[np.flatnonzero(errors <= min(errors) + 1e-12)[0 if ties == "most" else -1]]
    model = fit(everyone, best)
    return best, model.centroids_, predict(model, test)


@pytest.mark.parametrize("table", ["unequal classes", "more features than samples", "spoilt", "names"])
@pytest.mark.parametrize("ties", ["most", "fewest"])
def test_the_threshold_is_chosen_as_by_one_estimator_per_threshold(table, ties):
    X, y = TABLES[table]
    train, test = np.arange(len(y)) % 3 > 0, np.arange(len(y)) % 3 == 0
    model = ShrunkenCentroidCV(ties=ties, random_state=3).fit(X[train], y[train])
    threshold, centroids, predicted = plain_shrunken(X[train], y[train], X[test], 3, ties)
    assert model.threshold_ == pytest.approx(threshold, rel=1e-12)
    np.testing.assert_allclose(model.centroids_, centroids, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X[test]), predicted)


def test_columns_without_any_spread_within_classes_have_an_answer():
    """Most columns constant within classes: the median spread is 0, and some column tells the classes apart alone."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = np.column_stack([np.ones((40, 3)), y, rng.normal(size=40)])
    model = ShrunkenCentroidCV(random_state=0).fit(X, y)
    assert np.isfinite(model.centroids_).all()
    assert model.score(X, y) == 1.0


@pytest.mark.filterwarnings("ignore:The least populated class")
@pytest.mark.parametrize("peer", [ShrunkenCentroidCV, L1LogisticCV])
def test_a_class_with_one_sample_is_no_obstacle(peer):
    X, y = make_blocks(k=3, n=[30, 30, 1], d=4, mu=(2.0, 0.0), sigma=(1.0, 1.0), random_state=0)
    assert peer(random_state=0).fit(X, y).score(X, y) > 0.85
    X, y = X[[*range(30), 60]], y[[*range(30), 60]]  # in one fold nothing is left of it
    assert peer(random_state=0).fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("peer", [ShrunkenCentroidCV, L1LogisticCV])
def test_tables_without_an_answer_are_refused(peer):
    X = np.random.default_rng(0).normal(size=(12, 3))
    with pytest.raises(ValueError, match=r"two classes or more; y has 1 class: .*'a'"):
        peer().fit(X, np.repeat("a", 12))
    with pytest.raises(ValueError, match="every column of X is constant"):
        peer().fit(np.ones((12, 3)), np.repeat([0, 1], 6))


def test_shrunken_centroids_need_a_class_with_two_samples():
    with pytest.raises(ValueError, match="3 samples of as many classes have none"):
        ShrunkenCentroidCV().fit(np.eye(3), [0, 1, 2])


def test_the_penalty_is_chosen_by_the_mean_deviance_over_stratified_folds():
    X, y = TABLES["more classes than folds"]
    model = L1LogisticCV(cv=4, random_state=3).fit(X, y)
    path = l1_logistic_path(X, y, 1e-2)
    of_folds = [
        l1_logistic_path(X[train], y[train], 1e-2).deviances(X[held_out], y[held_out], path.penalties)
        for train, held_out in StratifiedKFold(4, shuffle=True, random_state=3).split(X, y)
    ]
    np.testing.assert_allclose(model.deviances_, np.mean(of_folds, axis=0), rtol=1e-12)
    best = int(np.argmin(model.deviances_))
    assert 0 < best < len(path.penalties) - 1
    assert model.penalty_ == path.penalties[best]
    assert model.n_features_used_ == np.count_nonzero(path.coefs[best].any(axis=0)) == model.coef_.any(axis=0).sum()
    np.testing.assert_array_equal(model.predict(X), path.scores(X)[best].argmax(axis=1))


@pytest.mark.parametrize("table", ["four classes", "two classes", "more features than samples"])
def test_no_feature_would_gain_from_a_coefficient(table):
    """The conditions of the optimum, by hand: the slope is the penalty where a coefficient is, and less elsewhere."""
    X, y = TABLES[table]
    path = l1_logistic_path(X, y, 1e-2)
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    scores = path.scores(X)
    for at, penalty in enumerate(path.penalties):
        residuals = (y[:, None] == np.arange(y.max() + 1)) - softmax(scores[at], axis=1)
        slopes = standard.T @ residuals / len(y)
        assert np.abs(slopes).max() <= penalty * 1.05
        coefs = np.zeros_like(slopes)
        coefs[path.features] = path.coefs[at].T
        largest = np.abs(coefs).argmax(axis=0)
        for c in np.flatnonzero(coefs.any(axis=0)):
            assert slopes[largest[c], c] == pytest.approx(penalty * np.sign(coefs[largest[c], c]), rel=0.05)


def test_held_out_deviance_is_that_of_the_softmax_of_interpolated_coefficients():
    X, y = TABLES["four classes"]
    path = l1_logistic_path(X[::2], y[::2], 1e-4)
    between = 0.3 * path.penalties[7] + 0.7 * path.penalties[8]
    coefs = 0.3 * path.coefs[7] + 0.7 * path.coefs[8]
    scores = X[:, path.features] @ coefs.T + 0.3 * path.intercepts[7] + 0.7 * path.intercepts[8]
    logs = np.log(softmax(scores, axis=1))[np.arange(len(y)), y]
    beyond = [10.0, between, 0.0]  # penalties beyond the ends count as the ends
    first, found, last = path.deviances(X, y, np.array(beyond))
    assert found == pytest.approx(-logs.mean())
    np.testing.assert_allclose([first, last], path.deviances(X, y, path.penalties[[0, -1]]))
    unknown = path.deviances(X, np.full(len(y), -1), path.penalties)
    np.testing.assert_allclose(unknown, -np.log(1e-5))


def test_classes_that_are_separated_end_the_path():
    y = np.repeat([0, 1, 2], 20)
    X = np.random.default_rng(0).normal(size=(60, 6)) + 20 * (np.arange(6) % 3 == y[:, None])
    model = L1LogisticCV(random_state=0).fit(X, y)
    assert len(model.penalties_) < 100
    assert np.isfinite(model.coef_).all()
    assert model.score(X, y) == 1.0


def test_a_path_that_takes_too_long_is_given_up_with_a_warning():
    X, y = TABLES["four classes"]
    whole = l1_logistic_path(X, y, 1e-4)
    with pytest.warns(ConvergenceWarning, match="given up after 200 passes"):
        cut = l1_logistic_path(X, y, 1e-4, most_passes=200)
    assert 2 < len(cut.penalties) < len(whole.penalties)
    np.testing.assert_array_equal(cut.penalties, whole.penalties[: len(cut.penalties)])
