"""The comparison at equal size: sizes are exact, orders are what they say, and the test part stays out of it."""

import warnings
from functools import cache

import numpy as np
import pytest
from sklearn.feature_selection import RFE, f_classif
from sklearn.linear_model import RidgeClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.evaluation.peers.shrunken_centroids import class_deviations
from real_data_study.equal_size import jobs, orders
from real_data_study.equal_size.methods import METHODS, OURS, Task

AT_MOST = ("L1 logistic",)
"""Methods whose path may have no model of exactly the size."""


def make_table(n_classes, n_features=160, seed=0):
    """Samples and labels: the first genes differ between classes, one gene is constant."""
    rng = np.random.default_rng(seed)
    labels = np.array(list("abcd"))[np.arange(15 * n_classes) % n_classes]
    values = rng.normal(size=(labels.size, n_features))
    for j, label in enumerate(np.unique(labels)):
        values[labels == label, 5 * j : 5 * j + 5] += 1.0
    values[:, -1] = 2.0
    return values, labels


def fitted(method, train, new, seed=0):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the constant gene
        return list(jobs.answers(method, train, new, seed))


@cache
def rules(method, n_classes):
    X, y = make_table(n_classes)
    return [rule for rule, _ in fitted(method, (X, y), X[:1])]


@pytest.mark.parametrize(
    ("method", "n_classes"), [*((name, 3) for name in METHODS), *((name, 2) for name in list(METHODS)[::3])]
)
def test_every_method_uses_as_many_features_as_it_is_given(method, n_classes):
    sizes = [len(set(rule.features)) for rule in rules(method, n_classes)]
    allowed = [size * n_classes for size in jobs.SIZES]
    if method in AT_MOST:
        assert all(0 < size <= most for size, most in zip(sizes, allowed, strict=True))
        assert sizes == sorted(sizes)
    else:
        assert sizes == allowed
    assert sizes == [rule.features.size for rule in rules(method, n_classes)]


@pytest.mark.parametrize("method", METHODS)
def test_a_table_with_few_genes_gives_what_it_has(method):
    X, y = make_table(3, n_features=31)  # ten for each class
    sizes = [rule.features.size for rule, _ in fitted(method, (X, y), X)]
    assert max(sizes) <= 30
    assert method in AT_MOST or sizes == [6, 15, 30, 30, 30]


@pytest.mark.parametrize("method", METHODS)
def test_a_rule_reads_its_features_only(method):
    new = np.random.default_rng(1).normal(size=(40, 160))
    for rule in rules(method, 3):
        changed = new.copy()
        changed[:, np.setdiff1d(np.arange(160), rule.features)] += 5.0
        np.testing.assert_array_equal(rule.predict(changed), rule.predict(new))


@pytest.mark.parametrize("method", METHODS)
def test_the_test_part_has_no_say(method, small_table):
    """Other samples of the test part change neither what is selected nor the label of a sample."""
    X, y = small_table
    train, test = np.arange(0, 36, 2), np.arange(1, 36, 2)
    known, seed = (X[train], y[train]), jobs.Job("some", "log2", method, 0, 0).fit_seed()
    before = fitted(method, known, X[test], seed)
    strange = X[test].copy()
    strange[5:] = 100.0
    after = fitted(method, known, strange, seed)
    for (rule, labels), (rule_after, labels_after) in zip(before, after, strict=True):
        np.testing.assert_array_equal(rule.features, rule_after.features)
        np.testing.assert_array_equal(labels[:5], labels_after[:5])


def test_labels_of_the_test_part_are_for_errors_only(small_table):
    """All methods are judged by the same lines."""
    X, y = small_table
    train, test = np.arange(0, 36, 2), np.arange(1, 36, 2)
    known, job = (X[train], y[train]), jobs.Job("some", "log2", "ANOVA + SVM", 0, 0)
    before = fitted(job.method, known, X[test], job.fit_seed())
    permuted = np.random.default_rng(0).permutation(y[test])
    row = jobs._judged(job, known, (X[test], permuted))
    for size, (rule, labels) in zip(jobs.SIZES, before, strict=True):
        assert row[f"features_{size}"] == rule.features.size
        assert row[f"error_{size}"] == np.mean(labels != permuted)


def standardised(n_classes, seed=0):
    X, y = make_table(n_classes, n_features=40, seed=seed)
    return StandardScaler().fit_transform(X[:, :-1]), np.unique(y, return_inverse=True)[1]


@pytest.mark.parametrize("model", [SVC(kernel="linear", C=0.1), RidgeClassifier()])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_elimination_one_at_a_time_is_scikit_learns(model, n_classes):
    Z, codes = standardised(n_classes)
    order = orders.elimination(model)(Z, codes, Z.shape[1], 0)
    theirs = RFE(model, n_features_to_select=1, step=1).fit(Z, codes).ranking_
    np.testing.assert_array_equal(np.argsort(theirs), order)


def test_elimination_halves_first():
    """39 features, at most 9 asked for: 39, 19, 9, then one by one."""
    Z, codes = standardised(3)
    model = RidgeClassifier()
    order = orders.elimination(model)(Z, codes, 9, 0)
    left = np.arange(Z.shape[1])
    for stay in (19, 9, 8, 7):
        weights = (model.fit(Z[:, left], codes).coef_ ** 2).sum(axis=0)
        left = left[np.argsort(-weights)[:stay]]
        assert set(left) == set(order[:stay])


@pytest.mark.parametrize("seed", range(3))
def test_mrmr_is_the_plain_rule(seed):
    Z, codes = standardised(3, seed)
    F = f_classif(Z, codes)[0]
    picked = [int(np.argmax(F))]
    while len(picked) < 12:
        scores = {
            f: F[f] / np.mean([abs(np.corrcoef(Z[:, f], Z[:, p])[0, 1]) for p in picked])
            for f in range(Z.shape[1])
            if f not in picked
        }
        picked.append(max(scores, key=scores.__getitem__))
    np.testing.assert_array_equal(orders.mrmr(Z, codes, 12, 0), picked)


def test_anova_takes_the_largest_statistics():
    Z, codes = standardised(3)
    F = f_classif(Z, codes)[0]
    assert np.all(np.diff(F[orders.anova(Z, codes, 5, 0)]) <= 0)


def test_nsc_keeps_the_features_of_its_centroids():
    X, y = make_table(3)
    codes = np.unique(y, return_inverse=True)[1]
    (rule,) = METHODS["NSC"].fit(Task(X, codes, (4,), 0))
    peaks = np.sort(np.abs(class_deviations(X, codes).deviations).max(axis=0))
    shrunken = class_deviations(X, codes).shrunken(float(peaks[-13]))
    np.testing.assert_array_equal(np.flatnonzero(np.ptp(shrunken, axis=0) > 0), rule.features)


def test_ours_are_the_panels_of_the_classifier():
    X, y = make_table(3)
    codes = np.unique(y, return_inverse=True)[1]
    for name, reads in zip(OURS, ("all", "own"), strict=True):
        (rule,) = METHODS[name].fit(Task(X, codes, (3,), 7))
        model = DisjointPanelClassifier(rounds=3, reads=reads, random_state=7).fit(X, codes)
        np.testing.assert_array_equal(rule.features, np.flatnonzero(model.owner_ >= 0))
        np.testing.assert_array_equal(rule.predict(X), model.predict(X))
