"""Short panels on single cells with many classes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import many_classes
from disjoint_centroids import DisjointPanelClassifier


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return (X[:300], y[:300]), (X[300:400], y[300:400])


@pytest.mark.parametrize("reading", [many_classes.ALL, many_classes.OWN, many_classes.ALIKE])
def test_errors_are_those_of_the_models(digits, reading):
    train, test = digits
    found = many_classes.judged(many_classes.Job("any", 2, reading, 0), train, test)
    reads = "own" if reading == many_classes.OWN else "all"
    priors, weights = (None, "balanced") if reading == many_classes.ALIKE else ("empirical", None)
    model = DisjointPanelClassifier(rounds=2, reads=reads, priors=priors, random_state=0).fit(*train)
    assert_errors(found, "", test[1], model.predict(test[0]))
    if reading == many_classes.OWN:
        assert np.isnan([found["logistic error"], found["logistic balanced error"]]).all()
        return
    picked = np.flatnonzero(model.owner_ >= 0)
    assert picked.size == 20
    reader = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000, class_weight=weights))
    assert_errors(found, "logistic ", test[1], reader.fit(train[0][:, picked], train[1]).predict(test[0][:, picked]))


def assert_errors(found, who, truth, predicted):
    wrong = predicted != truth
    assert found[f"{who}error"] == pytest.approx(wrong.mean())
    by_class = [wrong[truth == label].mean() for label in np.unique(truth)]
    assert found[f"{who}balanced error"] == pytest.approx(np.mean(by_class))


def test_the_tables_have_one_row_per_set_and_size():
    fixed = {"logistic error": 0.3, "balanced error": 0.4, "logistic balanced error": 0.5}
    rows = pd.DataFrame(
        {"error": 0.1 * (job.fold + 1), "set": job.set, "size": job.size, "reading": job.reading, "fold": job.fold}
        | fixed
        for job in many_classes.jobs(["zeisel"])
    )
    lines = many_classes.error_table(rows).splitlines()
    assert lines[2:] == [f"| Zeisel | {size} | 0.200 | 0.200 | 0.300 | 0.200 |" for size in many_classes.SIZES]
    lines = many_classes.balanced_table(rows).splitlines()
    assert lines[2:] == [f"| Zeisel | {size} | 0.400 | 0.500 | 0.200 | 0.300 |" for size in many_classes.SIZES]
