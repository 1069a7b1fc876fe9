"""Nearest shrunken centroids along a path of thresholds: class means once, then one product per threshold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class ClassDeviations:
    """Deviations of the class means from the overall mean, in the units in which they are shrunken.

    Attributes
    ----------
    overall : array of shape (n_features,)
        Mean of all samples.
    units : array of shape (n_features,)
        Pooled standard deviation within classes plus its median over features.
    reach : array of shape (n_classes, 1)
        Tibshirani's m: factor of the standard error of each class mean, smaller for classes with many samples.
    deviations : array of shape (n_classes, n_features)
        Tibshirani's d: class mean minus overall mean, over ``reach * units``.
    penalty : array of shape (n_classes,)
        Minus twice the log of the share of each class.
    """

    overall: np.ndarray
    units: np.ndarray
    reach: np.ndarray
    deviations: np.ndarray
    penalty: np.ndarray

    def shrunken(self, threshold: float) -> np.ndarray:
        """Class centroids with every deviation shrunken towards 0 by ``threshold``."""
        return self.overall + self.units * self._steps(threshold)

    def nearest(self, X: np.ndarray, threshold: float) -> np.ndarray:
        """Index of the class whose shrunken centroid is nearest, for every sample."""
        return self.nearest_along(X, np.array([threshold]))[0]

    def nearest_along(self, X: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
        """Index of the nearest class at every threshold, (n_thresholds, n_samples)."""
        peaks = np.abs(self.deviations).max(axis=0)
        # Sorted by largest deviation, so that the features left at a threshold are a view and never a copy.
        order = np.argsort(-peaks, kind="stable")
        lasting = -peaks[order]
        standing = ((X - self.overall) / self.units)[:, order]
        nearest = np.empty((len(thresholds), len(X)), np.intp)
        for at, threshold in enumerate(thresholds):
            left = int(np.searchsorted(lasting, -threshold))
            steps = self._steps(threshold, order[:left])
            # |x|² is the same for all classes. A feature shrunken to 0 adds nothing, so ties stay exact.
            scores = (steps**2).sum(axis=1) + self.penalty - 2.0 * (standing[:, :left] @ steps.T)
            nearest[at] = np.argmin(scores, axis=1)
        return nearest

    def _steps(self, threshold: float, features: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Differences of the shrunken centroids from the overall mean, in units: (n_classes, len(features))."""
        deviations = self.deviations[:, features]
        steps: np.ndarray = self.reach * np.sign(deviations) * np.maximum(np.abs(deviations) - threshold, 0.0)
        return steps


def class_deviations(X: np.ndarray, codes: np.ndarray) -> ClassDeviations:
    """Measure the classes 0 … k - 1 of a table; every class has a sample, and some class has two."""
    sizes = np.bincount(codes)
    n_samples, n_classes = len(codes), len(sizes)
    means = np.stack([X[codes == code].mean(axis=0) for code in range(n_classes)])
    spread = np.sqrt(((X - means[codes]) ** 2).sum(axis=0) / (n_samples - n_classes))
    units = spread + np.median(spread)
    units = np.where(units > 0, units, 1.0)  # a column without spread, beside a median of 0
    overall = X.mean(axis=0)
    reach = np.sqrt(1.0 / sizes - 1.0 / n_samples)[:, None]
    return ClassDeviations(overall, units, reach, (means - overall) / (reach * units), -2.0 * np.log(sizes / n_samples))
