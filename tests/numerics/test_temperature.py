"""The factor that turns squared distances into probabilities."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from disjoint_centroids.numerics.temperature import HIGHEST, LOWEST, fit_temperature

pytestmark = pytest.mark.filterwarnings("error")


def table_of_distances(n_samples=60, n_classes=3, seed=0, gain=1.0):
    """Squared distances in which the own class tends to be nearer, by ``gain``."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n_samples) % n_classes
    distances = rng.gamma(3.0, size=(n_samples, n_classes))
    distances[np.arange(n_samples), codes] *= np.exp(-gain)
    return distances, codes, np.ones(n_samples)


def loss(factor, distances, codes, weights, log_priors=0.0):
    """Cross-entropy against Platt's targets, written out: (n_j + 1) / (n_j + k) for the own class."""
    n_classes = distances.shape[1]
    totals = np.array([weights[codes == j].sum() for j in range(n_classes)])[codes]
    targets = np.full(distances.shape, 1.0) / (totals + n_classes)[:, None]
    targets[np.arange(codes.size), codes] = (totals + 1) / (totals + n_classes)
    return -np.sum(weights[:, None] * targets * log_softmax(-factor * distances + log_priors, axis=1))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("gain", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("kind", ["plain", "weighted", "priors"])
def test_best_factor(n_classes, gain, seed, kind):
    distances, codes, weights = table_of_distances(n_classes=n_classes, gain=gain, seed=seed)
    weights = np.random.default_rng(seed).uniform(0.1, 3, size=codes.size) if kind == "weighted" else weights
    priors = np.log(np.arange(1, n_classes + 1) / np.arange(1, n_classes + 1).sum()) if kind == "priors" else None
    found = fit_temperature(distances, codes, weights, priors)
    best = minimize_scalar(
        lambda log_factor: loss(np.exp(log_factor), distances, codes, weights, 0.0 if priors is None else priors),
        bounds=(-8, 8),
        method="bounded",
        options={"xatol": 1e-10},
    )
    assert found == pytest.approx(np.exp(best.x), rel=1e-4)


@pytest.mark.parametrize("unit", [1e-6, 1e-2, 1e3, 1e8])
def test_unit_of_measurement_cancels(unit):
    distances, codes, weights = table_of_distances()
    plain = fit_temperature(distances, codes, weights, None)
    assert fit_temperature(unit * distances, codes, weights, None) * unit == pytest.approx(plain)


def test_equal_priors_are_none():
    distances, codes, weights = table_of_distances()
    equal = fit_temperature(distances, codes, weights, np.log(np.full(3, 1 / 3)))
    assert equal == pytest.approx(fit_temperature(distances, codes, weights, None))


def test_whole_weights_are_repetition():
    distances, codes, weights = table_of_distances()
    weights = np.arange(codes.size) % 3 + 1.0
    again = np.repeat(np.arange(codes.size), weights.astype(int))
    repeated = fit_temperature(distances[again], codes[again], np.ones(again.size), None)
    assert fit_temperature(distances, codes, weights, None) == pytest.approx(repeated)


def test_all_right_is_not_certain():
    """Twenty samples that are all classified rightly are no proof: probabilities stay near Platt's targets."""
    codes = np.arange(20) % 2
    distances = np.where(codes[:, None] == np.arange(2), 0.0, 1.0)
    factor = fit_temperature(distances, codes, np.ones(20), None)
    own = 1 / (1 + np.exp(-factor))
    assert own == pytest.approx(11 / 12, rel=1e-9)


def test_worse_than_guessing_is_the_lowest_factor():
    distances, codes, weights = table_of_distances(gain=-2.0)
    assert fit_temperature(distances, codes, weights, None) == pytest.approx(LOWEST / distances.mean())


def test_tiny_but_sure_differences_are_the_highest_factor():
    """A common distance that dwarfs all differences: the factor stops at its bound."""
    codes = np.arange(20) % 2
    distances = 1.0 + np.where(codes[:, None] == np.arange(2), 0.0, 1e-9)
    assert fit_temperature(distances, codes, np.ones(20), None) == pytest.approx(HIGHEST / distances.mean())


def test_no_distances_at_all():
    """A constant table: every sample is at every centroid."""
    assert fit_temperature(np.zeros((6, 2)), np.arange(6) % 2, np.ones(6), None) == 1.0


@pytest.mark.parametrize("unreachable", [0, 1, 2])
@pytest.mark.parametrize("priors", [None, np.log([0.2, 0.3, 0.5])], ids=["no priors", "priors"])
def test_classes_that_are_never_predicted_do_not_count(unreachable, priors):
    distances, codes, weights = table_of_distances()
    distances[:, unreachable] = np.inf
    found = fit_temperature(distances, codes, weights, priors)
    kept = np.delete(np.arange(3), unreachable)
    counted = codes != unreachable
    expected = fit_temperature(
        distances[np.ix_(counted, kept)],
        np.searchsorted(kept, codes[counted]),
        weights[counted],
        None if priors is None else priors[kept],
    )
    assert found == pytest.approx(expected)


def test_one_class_that_can_be_predicted():
    distances, codes, weights = table_of_distances()
    distances[:, 1:] = np.inf
    assert fit_temperature(distances, codes, weights, None) == 1.0


def test_every_sample_in_classes_that_are_never_predicted():
    distances, _, weights = table_of_distances()
    distances[:, 2] = np.inf
    assert fit_temperature(distances, np.full(60, 2), weights, None) == 1.0


def test_inputs_are_not_written_to():
    distances, codes, weights = table_of_distances()
    before = distances.copy(), codes.copy(), weights.copy()
    fit_temperature(distances, codes, weights, None)
    for found, expected in zip((distances, codes, weights), before, strict=True):
        np.testing.assert_array_equal(found, expected)
