"""The compared methods against R: the same labels and the same numbers of features.

``r_reference.json`` was made with R 4.2.2 on four tables, the first third of a random order held out for testing:

- pamr 1.57: ``pamr.train`` with its defaults, at 8 of its 30 thresholds, rounded to 6 digits;
- glmnet 4.1: ``family="multinomial"`` with its defaults, at 8 penalties of its path, rounded to 8 digits (the file
  holds 7 of them); features are those with a coefficient for some class at one of the two penalties of the path
  between which the rounded one lies, because glmnet interpolates between them;
- e1071 1.7: ``svm`` with its defaults.

Labels are the positions of the predicted classes, one digit per test sample.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn import datasets

from disjoint_centroids.evaluation.methods import TrainingPart, build_method
from disjoint_centroids.evaluation.peers.logistic_path import l1_logistic_path

R = json.loads(Path(__file__).with_name("r_reference.json").read_text(encoding="utf-8"))
TABLES = [name for name in R if name != "versions"]


def wide_table():
    """60 samples of 3 classes, 500 features; ten features of each class are raised by 1."""
    rng = np.random.default_rng(7)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 500))
    for j in range(3):
        X[np.ix_(y == j, np.arange(10 * j, 10 * j + 10))] += 1.0
    return X, y


@pytest.fixture(scope="module", params=TABLES)
def case(request):
    """R's answers, the training samples with their labels, and the test samples."""
    name = request.param
    X, y = wide_table() if name == "wide" else getattr(datasets, f"load_{name}")(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[len(y) // 3 :], order[: len(y) // 3]
    X = X[:, X[train].std(axis=0) > 0]
    return R[name], X[train], y[train], X[test]


def codes(labels):
    return np.array([int(digit) for digit in labels])


def test_nearest_shrunken_centroids_are_pamrs(case):
    answers, X, y, new = case
    measured = build_method("NSC", TrainingPart(y)).fit(X, y).measured_
    assert len(answers["pamr"]) == 8
    for asked in answers["pamr"]:
        shrunken = measured.shrunken(asked["parameter"])
        assert np.count_nonzero(np.ptp(shrunken, axis=0)) == asked["features"]
        np.testing.assert_array_equal(measured.nearest(new, asked["parameter"]), codes(asked["labels"]))


@pytest.fixture(scope="module")
def path(case):
    _, X, y, _ = case
    return l1_logistic_path(X, y, 1e-2 if X.shape[0] < X.shape[1] else 1e-4)


def test_the_l1_path_is_glmnets(case, path):
    answers, _, y, new = case
    largest = np.flatnonzero(np.bincount(y) == np.bincount(y).max())
    assert len(answers["glmnet"]) == 8
    for asked in answers["glmnet"]:
        near = int(np.argmin(np.abs(np.log(path.penalties / asked["parameter"]))))
        penalty = float(f"{path.penalties[near]:.7e}")  # as R was asked for it
        assert float(f"{penalty:.6e}") == asked["parameter"]
        place = np.interp(penalty, path.penalties[::-1], np.arange(len(path.penalties))[::-1])
        neighbours = path.coefs[[int(np.floor(place)), int(np.ceil(place))]]
        assert np.count_nonzero(neighbours.any(axis=(0, 1))) == asked["features"]
        predicted = path.scores_at(new, np.array([penalty]))[0].argmax(axis=1)
        if asked["features"] == 0 and len(largest) > 1:  # no coefficient, and the largest classes tie
            assert {*predicted, *codes(asked["labels"])} <= {*largest}
        else:
            np.testing.assert_array_equal(predicted, codes(asked["labels"]))


def test_the_chosen_penalty_is_one_of_the_path(case, path):
    """The classifier itself: the solution of the path at the penalty with the lowest held-out deviance."""
    _, X, y, new = case
    model = build_method("Logistic", TrainingPart(y, inner_folds=3)).fit(X, y)
    np.testing.assert_array_equal(model.penalties_, path.penalties)
    at = int(np.argmin(model.deviances_))
    assert model.penalty_ == path.penalties[at]
    assert model.n_features_used_ == np.count_nonzero(path.coefs[at].any(axis=0))
    np.testing.assert_array_equal(model.predict(new), path.scores(new)[at].argmax(axis=1))


def test_the_support_vector_machine_is_e1071s(case):
    answers, X, y, new = case
    predicted = build_method("SVM", TrainingPart(y)).fit(X, y).predict(new)
    np.testing.assert_array_equal(predicted, codes(answers["svm"]))
