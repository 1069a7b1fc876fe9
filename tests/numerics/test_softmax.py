import numpy as np
from scipy import special

from disjoint_centroids.numerics.softmax import log_softmax


def test_it_is_that_of_scipy_on_transposed_scores():
    scores = np.random.default_rng(0).normal(size=(3, 7)) * [1.0, 10.0, 100.0, 1.0, 1e3, 0.0, 1e-9] + 1e5
    np.testing.assert_allclose(log_softmax(scores), special.log_softmax(scores.T, axis=1).T, rtol=1e-12)


def test_the_scores_stay_as_they_are():
    scores = np.arange(6.0).reshape(2, 3)
    log_softmax(scores)
    np.testing.assert_array_equal(scores, np.arange(6.0).reshape(2, 3))
