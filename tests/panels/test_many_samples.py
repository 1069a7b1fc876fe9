"""With many samples a panel does what logistic regression on its features does."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.panels.candidates import MANY_SAMPLES

pytestmark = pytest.mark.filterwarnings("error")


def simulated():
    """Five classes of very different size, twelve correlated features that differ and 48 that do not."""
    rng = np.random.default_rng(0)
    y = rng.choice(5, size=4000, p=[0.5, 0.25, 0.15, 0.07, 0.03])
    X = rng.normal(size=(4000, 60))
    X[:, :12] += 0.9 * rng.normal(size=(5, 12))[y]
    return X @ (np.eye(60) + 0.1 * rng.normal(size=(60, 60))), y


def digits():
    X, y = load_digits(return_X_y=True)
    return X[:, X.std(axis=0) > 0], y


@pytest.mark.parametrize("table", [simulated, digits])
def test_it_is_no_worse_than_logistic_regression_on_the_same_features(table):
    """1200 training samples, priors as frequent as the classes are: loss and error on the others."""
    X, y = table()
    order = np.random.default_rng(1).permutation(len(y))
    train, test = order[:1200], order[1200:]
    model = DisjointPanelClassifier(priors="empirical", terms="linear", cv=3, random_state=0).fit(X[train], y[train])
    owned = model.get_support(indices=True)
    peer = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=5000))
    peer.fit(X[np.ix_(train, owned)], y[train])
    loss = log_loss(y[test], model.predict_proba(X[test]))
    of_peer = log_loss(y[test], peer.predict_proba(X[np.ix_(test, owned)]))
    assert model.regression_ == "logistic"
    assert loss <= of_peer + 0.02
    assert model.score(X[test], y[test]) >= peer.score(X[np.ix_(test, owned)], y[test]) - 0.01


def test_all_panels_tell_more_than_own_ones_where_classes_are_many():
    """Every class reads what tells the others apart."""
    X, y = digits()
    errors = {}
    for reads in ("all", "own"):
        model = DisjointPanelClassifier(rounds=3, terms="linear", reads=reads, cv=3, random_state=0)
        errors[reads] = 1.0 - model.fit(X[:900], y[:900]).score(X[900:], y[900:])
    assert errors["all"] < errors["own"] - 0.02


@pytest.mark.parametrize("n_samples", [MANY_SAMPLES - 1, MANY_SAMPLES])
def test_from_500_samples_on_logistic_regression_is_tried(n_samples):
    X, y = simulated()
    model = DisjointPanelClassifier(rounds=2, terms="linear", cv=2, random_state=0).fit(X[:n_samples], y[:n_samples])
    tried = {"ridge", "logistic"} if n_samples == MANY_SAMPLES else {"ridge"}
    assert set(model.cv_results_["regression"]) == tried
