"""One number that turns distances into probabilities."""

from __future__ import annotations

import numpy as np
from scipy.optimize import toms748

LOWEST, HIGHEST = 1e-3, 1e4
"""Bounds of the temperature, in units of one over the mean distance."""


def fit_temperature(
    distances: np.ndarray, codes: np.ndarray, weights: np.ndarray, log_priors: np.ndarray | None
) -> float:
    """The factor t at which softmax(-t * distances + log_priors) fits the training labels best.

    The targets are smoothed as Platt did, (n_j + 1) / (n_j + n_classes) for the sample's own class: training samples
    that are all classified rightly must not make the probabilities certain.
    """
    reachable = np.isfinite(distances).all(axis=0)
    counts = reachable[codes]  # samples of a class that is never predicted say nothing about the factor
    distances, codes, weights = distances[np.ix_(counts, reachable)], codes[counts], weights[counts]
    scale = distances.mean() if distances.size else 0.0
    if scale <= 0 or distances.shape[1] < 2:
        return 1.0
    prior = 0.0 if log_priors is None else log_priors[reachable]
    targets = _smoothed((np.cumsum(reachable) - 1)[codes], weights, distances.shape[1])

    observed = weights @ np.einsum("ij,ij->i", targets, distances)

    def slope(factor: float) -> float:
        """Derivative of the negative log-likelihood, which is convex in the factor."""
        logits = prior - factor / scale * distances
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        expected = np.einsum("ij,ij->i", shares, distances) / shares.sum(axis=1)
        return float(observed - weights @ expected)

    if slope(LOWEST) >= 0:
        return LOWEST / scale
    if slope(HIGHEST) <= 0:
        return HIGHEST / scale
    return float(toms748(slope, LOWEST, HIGHEST, xtol=1e-13, rtol=1e-13) / scale)


def _smoothed(codes: np.ndarray, weights: np.ndarray, n_classes: int) -> np.ndarray:
    """Target probabilities, a row a sample."""
    totals = np.bincount(codes, weights, n_classes)[codes]
    targets = np.repeat((1.0 / (totals + n_classes))[:, None], n_classes, axis=1)
    targets[np.arange(codes.size), codes] *= totals + 1.0
    return targets
