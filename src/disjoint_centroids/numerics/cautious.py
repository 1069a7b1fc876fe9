"""The factor that turns held-out distances into probabilities, bounded where there are few samples."""

from __future__ import annotations

import numpy as np

from disjoint_centroids.numerics.temperature import LOWEST, fit_temperature
from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray

_STEPS = 60


def cautious_temperature(
    distances: FloatArray,
    codes: IntArray,
    weights: FloatArray,
    log_priors: FloatArray | None,
    standard_errors: float = 2.0,
) -> float:
    """Smallest factor t at which softmax(-t * distances + log_priors) fits held-out labels as well as the best one.

    As well means within two standard errors of it: the log-likelihood is lower by no more than half the square of two.
    On distances that say nothing about the classes the factor is then next to zero, and the probabilities are those of
    guessing.

    Parameters
    ----------
    distances : array of shape (n_samples, n_classes)
        Squared distances of samples to centroids that were found without them; a column that is not finite belongs to a
        class that is never predicted.
    codes : array of shape (n_samples,)
        Positions of the true classes.
    weights : array of shape (n_samples,)
        Weights of the samples, as counts.
    log_priors : array of shape (n_classes,) or None
        Logarithms of the priors.
    standard_errors : float
        Distance from the best factor.
    """
    reachable: BoolArray = np.asarray(np.isfinite(distances).all(axis=0))
    counts = reachable[codes]
    known = distances[np.ix_(counts, reachable)]
    if not known.size or known.mean() <= 0 or known.shape[1] < 2:
        return 1.0
    own, heavy = (np.cumsum(reachable) - 1)[codes[counts]], weights[counts]
    priors = None if log_priors is None else log_priors[reachable]
    # The smoothing of the targets weighs as much as this many wrong samples; of held-out ones, one is enough.
    best = fit_temperature(known, own, reachable.sum() * (reachable.sum() - 1) * heavy, priors)

    def lost(factor: float) -> float:
        logits = -factor * known + (0.0 if priors is None else priors)
        top = logits.max(axis=1)
        logs = np.log(np.exp(logits - top[:, None]).sum(axis=1)) + top
        return float(heavy @ (logs - logits[np.arange(own.size), own]))

    bar = lost(best) + 0.5 * standard_errors**2
    low, high = LOWEST / float(np.average(known.mean(axis=1), weights=heavy)), best
    if lost(low) <= bar:
        return low
    for _ in range(_STEPS):
        middle = float(np.sqrt(low) * np.sqrt(high))
        low, high = (low, middle) if lost(middle) <= bar else (middle, high)
    return high
