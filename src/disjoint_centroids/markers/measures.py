"""Measures of marker lists that need no classifier: on-target fraction, redundancy, dots of classes and markers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True, slots=True)
class MarkerValues:
    """Values of the markers of a list in labelled samples.

    Attributes
    ----------
    values : array of shape (n_samples, n_markers)
        Values, in the units of the table.
    codes : array of shape (n_samples,)
        Class of each sample, as a position.
    owners : array of shape (n_markers,)
        Class that each marker is meant for, as a position.
    n_classes : int
        Number of classes.
    """

    values: np.ndarray
    codes: np.ndarray
    owners: np.ndarray
    n_classes: int

    def levels(self, *, median: bool = False) -> np.ndarray:
        """Means (or medians) of the markers in every class, (n_classes, n_markers); NaN for classes without samples."""
        found = np.full((self.n_classes, self.values.shape[1]), np.nan)
        for label in np.unique(self.codes):
            own = self.values[self.codes == label]
            found[label] = np.median(own, axis=0) if median else own.mean(axis=0)
        return found

    def on_target(self, *, median: bool = False) -> np.ndarray:
        """On-target fraction of every marker, (n_markers,): its mean in its class over the sum of its class means.

        With ``median``, medians take the place of means. A share has no meaning, and is NaN, if some value of the
        marker is negative, or if it is 0 in all samples. A marker with medians of 0 only has 0, as in NS-Forest.
        """
        levels = self.levels(median=median)
        levels = np.where(np.isnan(levels), 0.0, levels)
        totals = levels.sum(axis=0)
        own = levels[self.owners, np.arange(self.owners.size)]
        found = np.divide(own, totals, out=np.zeros(totals.size), where=totals > 0)
        undefined = (self.values < 0).any(axis=0) | (self.values == 0).all(axis=0)
        return np.where(undefined, np.nan, found)

    def correlations(self) -> np.ndarray:
        """Correlations of the markers within classes, (n_markers, n_markers); NaN for markers that do not vary."""
        means = self.levels()
        centred = self.values - means[self.codes]
        norms = np.sqrt((centred**2).sum(axis=0))
        norms[norms <= 1e-12 * np.abs(self.values).max(initial=0.0)] = np.nan
        scaled = centred / norms
        found: np.ndarray = scaled.T @ scaled
        return found

    def redundancy(self) -> float:
        """Mean absolute correlation of pairs of markers within classes; NaN for fewer than two markers."""
        pairs = np.abs(self.correlations()[np.triu_indices(self.owners.size, 1)])
        pairs = pairs[~np.isnan(pairs)]
        return float(pairs.mean()) if pairs.size else np.nan

    def shares_on(self, on: np.ndarray) -> np.ndarray:
        """Share of the samples of every class in which a marker is above its threshold, (n_classes, n_markers)."""
        return MarkerValues((self.values > on).astype(np.float64), self.codes, self.owners, self.n_classes).levels()


def mean_by_class(values: np.ndarray, owners: np.ndarray, n_classes: int) -> float:
    """Mean over the classes of the means of their markers; classes without markers do not count."""
    means = [
        np.nanmean(values[owners == label])
        for label in range(n_classes)
        if (owners == label).any() and not np.isnan(values[owners == label]).all()
    ]
    return float(np.mean(means)) if means else np.nan


def thresholds(values: np.ndarray, codes: np.ndarray, on: float | None) -> np.ndarray:
    """Value above which each marker is on: the one given; None: 0 if no value is negative and some are 0.

    Otherwise it is the mean of the class means of the marker.
    """
    n_markers = values.shape[1]
    if on is not None:
        return np.full(n_markers, float(on))
    if values.size and values.min() == 0.0:
        return np.zeros(n_markers)
    return np.mean([values[codes == label].mean(axis=0) for label in np.unique(codes)], axis=0)


def highest_class(values: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Class in which the mean of each marker is highest, (n_markers,)."""
    levels = MarkerValues(values, codes, np.zeros(values.shape[1], dtype=np.intp), n_classes).levels()
    found: np.ndarray = np.nanargmax(levels, axis=0)
    return found


def marker_table(found: MarkerValues, names: list[str], classes: list[str], on: np.ndarray) -> pd.DataFrame:
    """One row per marker: its class, levels, shares of samples in which it is on, and the marker most like it."""
    at = np.arange(found.owners.size)
    means, shares = found.levels(), found.shares_on(on)
    others = means.copy()
    others[found.owners, at] = -np.inf
    alike = np.abs(found.correlations())
    np.fill_diagonal(alike, np.nan)
    alike = np.where(np.isnan(alike), -1.0, alike)
    nearest = alike.argmax(axis=1) if at.size else at
    elsewhere = np.array([np.delete(shares[:, m], found.owners[m]).mean() for m in at])
    return pd.DataFrame(
        {
            "feature": names,
            "class": [classes[owner] for owner in found.owners],
            "mean": means[found.owners, at],
            "next_class": [classes[label] for label in np.nanargmax(others, axis=0)],
            "next_mean": np.nanmax(others, axis=0),
            "on_above": on,
            "share_on": shares[found.owners, at],
            "share_on_elsewhere": elsewhere,
            "on_target": found.on_target(),
            "on_target_median": found.on_target(median=True),
            "most_alike": [
                names[other] if alike[m, other] >= 0 else None for m, other in zip(at, nearest, strict=True)
            ],
            "correlation": [
                alike[m, other] if alike[m, other] >= 0 else np.nan for m, other in zip(at, nearest, strict=True)
            ],
        }
    )


def dot_table(found: MarkerValues, names: list[str], classes: list[str], on: np.ndarray) -> pd.DataFrame:
    """One row per class and marker: share of the samples in which it is on, and its mean; markers class by class."""
    order = np.argsort(found.owners, kind="stable")
    means, shares = found.levels(), found.shares_on(on)
    return pd.DataFrame(
        [
            {
                "class": label,
                "feature": names[marker],
                "owner": classes[found.owners[marker]],
                "share_on": shares[at, marker],
                "mean": means[at, marker],
            }
            for at, label in enumerate(classes)
            for marker in order
        ]
    )
