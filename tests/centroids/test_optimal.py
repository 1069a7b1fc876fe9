from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disjoint_centroids import NearestDisjointCentroid, optimal_partition
from disjoint_centroids.datasets import make_blocks


def plain_risk(X, y, owner):
    """Objective (1) over n, from its definition."""
    total = 0.0
    for x, label in zip(X, y, strict=True):
        own = owner == label
        centroid = X[y == label][:, own].mean(axis=0)
        total += ((x[own] - centroid) ** 2).sum() / own.sum()
    return total / len(y)


def brute_force(X, y):
    """The least risk over all partitions in which both classes own something."""
    owners = (np.array(owner) for owner in product((0, 1), repeat=X.shape[1]))
    return min(plain_risk(X, y, owner) for owner in owners if 0 < owner.sum() < len(owner))


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 6), st.integers(1, 7), st.integers(1, 7), st.integers(0, 10**6), st.booleans())
def test_no_partition_is_better(p, n1, n2, seed, whole_numbers):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n1 + n2, p)) * rng.uniform(0.1, 5, size=p)
    X = np.round(X) if whole_numbers else X  # exact ties
    y = np.repeat([0, 1], [n1, n2])
    found = optimal_partition(X, y)
    assert found.risk == pytest.approx(brute_force(X, y), abs=1e-12)
    assert found.risk == pytest.approx(plain_risk(X, y, found.owner), abs=1e-12)


def test_it_is_the_risk_the_estimator_reports_and_never_above_it():
    X, y = make_blocks(k=2, n=30, d=4, mu=(0.5, 0.0), sigma=(1.0, 1.2), irrelevant=3, random_state=3)
    found = optimal_partition(X, y)
    fitted = NearestDisjointCentroid(random_state=0).fit(X, y)
    assert fitted.risk_ == pytest.approx(plain_risk(X, y, fitted.owner_))
    assert found.risk <= fitted.risk_ + 1e-12


def test_labels_and_sets():
    X, y = make_blocks(k=2, n=400, d=3, sigma=(1.0, 2.0), random_state=0)
    found = optimal_partition(X, np.array(["b", "a"])[y])
    assert found.classes.tolist() == ["a", "b"]
    assert [s.tolist() for s in found.feature_sets] == [[3, 4, 5], [0, 1, 2]]


def test_other_numbers_of_classes_are_refused_with_a_way_out():
    X, y = make_blocks(k=3, n=5, d=2, random_state=0)
    with pytest.raises(ValueError, match=r"needs two classes, y has 3.*criterion='risk'"):
        optimal_partition(X, y)
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        optimal_partition(X[:10, :1], y[:10])
