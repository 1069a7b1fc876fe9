"""Distances of features to the centres of a partition, as users see them."""

import numpy as np
import pytest

import awkward_tables as tables
import oracle
from disjoint_centroids.centroids.search import feature_distances as feature_distances

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("lam", [None, 0.5, 2.0, np.inf])
@pytest.mark.parametrize(("name", "variant"), tables.in_turn(["few samples a class", "unbalanced", "zeros and ones"]))
def test_distances_and_margins_are_the_oracles(name, variant, lam, form):
    table = tables.table(name, variant)
    has_pool = lam is not None
    owner = tables.starting_owners(table, 1, has_pool=has_pool)[0].astype(int)
    squared = oracle.distances(table.X, oracle.supports_of(table.y, has_pool), owner, **table.options)
    distances = np.sqrt(squared)
    found = feature_distances(table.problem(), owner - has_pool, lam)
    np.testing.assert_allclose(found.to_classes, distances[int(has_pool) :], rtol=1e-9)
    if has_pool:
        distances[0] = np.inf if lam == np.inf else lam * distances[0]
    ranked = np.sort(distances, axis=0)
    np.testing.assert_allclose(found.margin, ranked[1] - ranked[0], rtol=1e-7, atol=1e-12)


def test_a_class_without_features_is_infinitely_far():
    table = tables.table("few samples a class")
    found = feature_distances(table.problem(), np.zeros(table.n_features, int), None)
    assert np.isinf(found.to_classes[1:]).all()
    assert np.isfinite(found.to_classes[0]).all()
