"""The cautious temperature, by its definition."""

import numpy as np
import pytest
from scipy.special import log_softmax

from disjoint_centroids.numerics.cautious import cautious_temperature


def lost(factor, distances, codes):
    return -log_softmax(-factor * distances, axis=1)[np.arange(codes.size), codes].sum()


@pytest.mark.parametrize("standard_errors", [0.5, 1.0, 2.0])
def test_the_likelihood_is_lower_by_half_the_square_of_the_standard_errors(standard_errors):
    rng = np.random.default_rng(0)
    codes = np.arange(120) % 3
    distances = rng.gamma(4.0, size=(120, 3))
    distances[np.arange(120), codes] -= 1.5 * rng.random(120)
    factor = cautious_temperature(distances, codes, np.ones(120), None, standard_errors)
    grid = np.geomspace(1e-3, 10, 4001)
    losses = np.array([lost(t, distances, codes) for t in grid])
    assert factor < grid[losses.argmin()]
    assert lost(factor, distances, codes) - losses.min() == pytest.approx(0.5 * standard_errors**2, abs=0.05)
