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


@pytest.mark.parametrize("reading", [many_classes.ALL, many_classes.OWN])
def test_errors_are_those_of_the_models(digits, reading):
    train, test = digits
    found = many_classes.judged(many_classes.Job("any", 2, reading, 0), train, test)
    reads = "all" if reading == many_classes.ALL else "own"
    model = DisjointPanelClassifier(rounds=2, reads=reads, priors="empirical", random_state=0).fit(*train)
    assert found["error"] == pytest.approx(np.mean(model.predict(test[0]) != test[1]))
    if reading == many_classes.OWN:
        assert np.isnan(found["logistic"])
        return
    picked = np.flatnonzero(model.owner_ >= 0)
    assert picked.size == 20
    reader = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    reader.fit(train[0][:, picked], train[1])
    assert found["logistic"] == pytest.approx(1.0 - reader.score(test[0][:, picked], test[1]))


def test_the_table_has_one_row_per_set_and_size():
    rows = pd.DataFrame(
        {"error": 0.1 * (job.fold + 1), "logistic": 0.3, "seconds": 2.0, "set": job.set, "size": job.size}
        | {"reading": job.reading}
        for job in many_classes.jobs(["zeisel"])
    )
    lines = many_classes.error_table(rows).splitlines()
    assert lines[2:] == [f"| Zeisel | {size} | 0.200 | 0.200 | 0.300 | 0.200 | 2.0 |" for size in many_classes.SIZES]
