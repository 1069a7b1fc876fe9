"""One number that turns distances into probabilities."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray

LOWEST, HIGHEST = 1e-3, 1e4
"""Bounds of the temperature, in units of one over the mean distance."""

_STEPS = 200
_CLOSE = 1e-13


def fit_temperature(
    distances: FloatArray, codes: IntArray, weights: FloatArray, log_priors: FloatArray | None
) -> float:
    """The factor t at which softmax(-t * distances + log_priors) fits the training labels best.

    The targets are smoothed as Platt did, (n_j + 1) / (n_j + n_classes) for the sample's own class: training samples
    that are all classified rightly must not make the probabilities certain.
    """
    reachable: BoolArray = np.asarray(np.isfinite(distances).all(axis=0))
    counts = reachable[codes]  # samples of a class that is never predicted say nothing about the factor
    distances, codes, weights = distances[np.ix_(counts, reachable)], codes[counts], weights[counts]
    scale = distances.mean() if distances.size else 0.0
    if scale <= 0 or distances.shape[1] < 2:
        return 1.0
    distances = distances / scale  # their squares must stay numbers
    prior = 0.0 if log_priors is None else log_priors[reachable]
    codes = (np.cumsum(reachable) - 1)[codes]
    own, other = smoothed_targets(codes, weights, distances.shape[1])
    targets = np.repeat(other[codes, None], distances.shape[1], axis=1)
    targets[np.arange(codes.size), codes] = own[codes]

    observed = weights @ np.einsum("ij,ij->i", targets, distances)

    def derivatives(factor: float) -> tuple[float, float]:
        """First and second derivative of the negative log-likelihood, which is convex in the factor."""
        logits = prior - factor * distances
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        total = shares.sum(axis=1)
        mean = np.einsum("ij,ij->i", shares, distances) / total
        square = np.einsum("ij,ij,ij->i", shares, distances, distances) / total
        return float(observed - weights @ mean), float(weights @ (square - mean**2))

    return _root(derivatives) / scale


def _root(derivatives: Callable[[float], tuple[float, float]]) -> float:
    """The zero of an increasing function, by Newton's steps inside a shrinking bracket; or the nearer bound."""
    low, high = LOWEST, HIGHEST
    if derivatives(low)[0] >= 0:
        return low
    if derivatives(high)[0] <= 0:
        return high
    factor = 1.0
    for _ in range(_STEPS):
        slope, curvature = derivatives(factor)
        low, high = (factor, high) if slope < 0 else (low, factor)
        step = factor - slope / curvature if curvature > 0 else np.nan
        new = step if low < step < high else np.sqrt(low * high)
        if abs(new - factor) <= _CLOSE * factor:
            return float(new)
        factor = new
    return float(factor)


def smoothed_targets(codes: IntArray, weights: FloatArray, n_classes: int) -> tuple[FloatArray, FloatArray]:
    """For the samples of each class, the target probability of their own class, and that of each other class."""
    totals = np.bincount(codes, weights, n_classes)
    other: FloatArray = 1.0 / (totals + n_classes)
    return (totals + 1.0) * other, other
