"""Intercepts from held-out scores: a rare class is predicted, and priors mean what they say."""

import numpy as np
import pytest

from disjoint_centroids import DisjointPanelClassifier

pytestmark = pytest.mark.filterwarnings("error")


def draw(n_samples, share, rng, n_features=600):
    y = (np.arange(n_samples) < share * n_samples).astype(int)
    X = rng.normal(size=(n_samples, n_features))
    X[:, :20] += 0.8 * y[:, None]
    return X, y


@pytest.fixture(scope="module")
def answers():
    """Means over three tables of 100 samples, 15 of them in the rare class."""
    found = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        (X, y), (new, truth) = draw(100, 0.15, rng), draw(2000, 0.15, rng)
        row = {}
        for name, priors in (("none", None), ("equal", [0.5, 0.5]), ("empirical", "empirical")):
            model = DisjointPanelClassifier(rounds=20, terms="linear", priors=priors, random_state=0).fit(X, y)
            wrong = model.predict(new) != truth
            row[name] = [wrong.mean(), *(wrong[truth == j].mean() for j in range(2))]
            row[f"{name} rare"] = [model.predict_proba(new)[:, 1].mean(), 0.0, 0.0]
        scores = model._model().scores(new) - model.intercept_  # linear terms have no other intercept
        row["raw"] = [0.0, *((scores.argmax(axis=1) != truth)[truth == j].mean() for j in range(2))]
        found.append([row[name] for name in sorted(row)])
    means = np.mean(found, axis=0)
    return dict(zip(sorted(row), means, strict=True))


def balanced(row):
    return np.mean(row[1:])


def test_a_rare_class_is_predicted(answers):
    """Without intercepts it hardly is."""
    assert answers["raw"][2] > 0.4
    assert answers["none"][2] < answers["raw"][2] / 1.5
    assert balanced(answers["none"]) < balanced(answers["raw"]) - 0.05
    assert balanced(answers["none"]) < balanced(answers["equal"]) + 0.03


def test_empirical_priors_make_the_fewest_errors(answers):
    assert answers["empirical"][0] <= answers["none"][0] + 0.01
    assert abs(answers["empirical rare"][0] - 0.15) < 0.03
    assert abs(answers["equal rare"][0] - 0.15) > 0.03


def test_classes_of_one_size_need_no_intercepts():
    rng = np.random.default_rng(0)
    X, y = draw(60, 0.5, rng)
    model = DisjointPanelClassifier(rounds=5, terms="linear", random_state=0).fit(X, y)
    assert np.abs(model.intercept_).max() < 0.01


def test_a_class_that_is_never_held_out_has_no_offset():
    """One sample of a class: in the fold that holds it out nobody knows the class."""
    rng = np.random.default_rng(0)
    X, y = draw(41, 0.5, rng)
    y[-1] = 2
    model = DisjointPanelClassifier(rounds=2, terms="linear", random_state=0, cv=4).fit(X, y)
    assert model.intercept_[2] == 0.0
    assert np.isfinite(model.predict_proba(X)).all()
