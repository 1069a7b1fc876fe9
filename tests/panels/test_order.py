"""What a model says depends neither on the names of the classes nor on the order of samples or columns."""

import numpy as np
import pytest

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.datasets import fetch_compcancer

pytestmark = pytest.mark.filterwarnings("error")

SETTINGS = {
    "ten linear features": {"rounds": 10, "terms": "linear"},
    "ten of their own": {"rounds": 10, "terms": "linear", "reads": "own"},
    "both terms": {"rounds": 4, "terms": "both"},
    "default": {},
    "at most five": {"max_features_per_class": 5},
}


def owners(model, rename=str):
    """The label of every feature's owner, or an empty text."""
    labels = np.array(["", *(rename(label) for label in model.classes_)])
    return labels[model.owner_ + 1]


def assert_no_order_decides(X, y, settings):
    expected = DisjointPanelClassifier(random_state=0, **settings).fit(X, y)
    probability = expected.predict_proba(X)
    rng = np.random.default_rng(0)
    columns, rows = rng.permutation(X.shape[1]), rng.permutation(len(y))

    reversed_names = {label: f"{9 - at} {label}" for at, label in enumerate(expected.classes_)}
    renamed = DisjointPanelClassifier(random_state=0, **settings).fit(X, [reversed_names[label] for label in y])
    np.testing.assert_array_equal(owners(renamed, lambda label: str(label)[2:]), owners(expected))
    np.testing.assert_allclose(renamed.predict_proba(X)[:, ::-1], probability, atol=1e-6)

    shuffled = DisjointPanelClassifier(random_state=0, **settings).fit(X[:, columns], y)
    np.testing.assert_array_equal(owners(shuffled), owners(expected)[columns])
    np.testing.assert_allclose(shuffled.predict_proba(X[:, columns]), probability, atol=1e-6)

    moved = DisjointPanelClassifier(random_state=0, **settings).fit(X[rows], y[rows])
    np.testing.assert_array_equal(owners(moved), owners(expected))
    np.testing.assert_allclose(moved.predict_proba(X), probability, atol=1e-6)
    for model in (renamed, shuffled, moved):
        for name in ("rounds_", "terms_", "regression_", "penalty_"):
            assert getattr(model, name) == getattr(expected, name)
        np.testing.assert_allclose(
            np.sort(model.typicality(X[:3, columns] if model is shuffled else X[:3])),
            np.sort(expected.typicality(X[:3])),
        )


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("gordon-2002", "ten linear features"),
        ("gordon-2002", "ten of their own"),
        ("khan-2001", "at most five"),
        ("nutt-2003-v1", "default"),
    ],
)
def test_real_sets(name, settings):
    """181, 83 and 50 samples, two and four classes."""
    bunch = fetch_compcancer(name)
    X = np.log2(bunch.data) if bunch.data.min() > 0 else bunch.data
    assert_no_order_decides(X, bunch.target, SETTINGS[settings])


@pytest.mark.parametrize("settings", ["ten linear features", "ten of their own", "both terms", "at most five"])
@pytest.mark.parametrize("labels", ["abc", "ab"])
def test_features_that_gain_the_same(labels, settings):
    """Columns of zeros and ones: many have the same counts in every class, and are not the same columns."""
    rng = np.random.default_rng(3)
    y = np.repeat(list(labels), 12)
    X = (rng.uniform(size=(y.size, 200)) < 0.4 + 0.15 * (y[:, None] == "b")).astype(float)
    X = np.unique(X, axis=1)
    assert_no_order_decides(X, y, SETTINGS[settings])


def test_mirrored_columns_and_other_units():
    """Equal gains, and still other columns: in sign, in unit, in level."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 20)
    base = rng.normal(size=(40, 20)) + (y == "b")[:, None] * np.linspace(0, 1.5, 20)
    X = np.hstack([base, -base, base + 7.0, base[:, ::-1] - 3.0])
    for reads in ("all", "own"):
        assert_no_order_decides(X, y, {"rounds": 4, "terms": "linear", "reads": reads})


@pytest.mark.parametrize("terms", ["linear", "squared", "both"])
def test_columns_that_all_have_a_mirror_image(terms):
    """Both categories of every mutation: the sum over the columns, by which equal gains are ordered, is rounding."""
    rng = np.random.default_rng(2)
    y = np.repeat(["a", "b", "c"], 20)
    share = rng.choice([0.3, 0.7], size=(3, 12))[np.repeat(range(3), 20)]
    mutated = (rng.uniform(size=share.shape) < share) - 0.5
    mutated[:, 0] = rng.normal(size=60)  # or samples might be equal in all that orders them
    assert_no_order_decides(np.hstack([mutated, -mutated]) + 0.1, y, {"rounds": 3, "terms": terms, "cv": 3})
