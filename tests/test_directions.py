"""Directions of features, by hand and against class means."""

from types import SimpleNamespace

import numpy as np
import pytest

from disjoint_centroids import DisjointPanelClassifier, NearestDisjointCentroid
from disjoint_centroids.directions import directions_by_class, higher_elsewhere, owner_directions
from disjoint_centroids.rows.training import SHARED, UNUSED
from labelled import table


def test_by_hand():
    means = np.array([[5.0, 0.0, 1.0, 2.0], [1.0, 0.0, 2.0, 2.0], [3.0, 6.0, 6.0, 2.0]])
    model = SimpleNamespace(centroids_=means, owner_=np.array([0, 0, 2, SHARED]))
    assert directions_by_class(model).tolist() == [[1, -1, -1, 0], [-1, -1, -1, 0], [0, 1, 1, 0]]
    assert owner_directions(model).tolist() == ["up", "down", "up", ""]
    # Feature 2 of class 1 would be higher in class 2, but is lower than elsewhere: it is told by its direction.
    assert higher_elsewhere(model) == []
    assert higher_elsewhere(SimpleNamespace(centroids_=means, owner_=np.array([2, 2, 1, 1]))) == []
    below = np.array([[5.0, 4.0, 0.0], [9.0, 1.0, 0.0], [0.0, 5.0, 0.0]])
    owned = SimpleNamespace(centroids_=below, owner_=np.array([0, 0, 0]))
    assert higher_elsewhere(owned) == [(0, 1), (1, 2)]
    model.owner_[0] = UNUSED
    assert owner_directions(model).tolist() == ["", "down", "up", ""]


def test_a_class_counts_once_however_many_samples_it_has():
    """The average of the other classes' means, not of their samples."""
    model = SimpleNamespace(centroids_=np.array([[2.0], [0.0], [3.0]]), owner_=np.array([0]))
    assert owner_directions(model).tolist() == ["up"]


def test_constant_columns_have_no_direction_despite_rounding():
    model = SimpleNamespace(centroids_=np.full((7, 3), 0.1) * [1.0, 3.0, 1e12], owner_=np.array([0, 3, 6]))
    assert owner_directions(model).tolist() == ["", "", ""]


@pytest.mark.parametrize("kind", [DisjointPanelClassifier, NearestDisjointCentroid])
def test_real_models_compare_the_means_of_their_training_samples(kind):
    X, y = table()
    model = kind(random_state=0).fit(X, y)
    means = np.stack([X[y == label].mean(axis=0) for label in model.classes_])
    found = owner_directions(model)
    assert (found != "").any()
    for f, owner in enumerate(model.owner_):
        others = np.delete(means[:, f], owner).mean()
        assert found[f] == ("" if owner < 0 else "up" if means[owner, f] > others else "down")
    assert model.feature_table()["direction"].tolist() == found.tolist()
