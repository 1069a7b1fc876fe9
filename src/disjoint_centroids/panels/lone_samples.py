"""Samples whose values can be computed from sums, because they are the only one of their part with another value."""

from __future__ import annotations

import numpy as np


def lone_samples(values: np.ndarray, codes: np.ndarray, folds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find samples that alone have another value of some feature than all others of their class and fold.

    Such a feature deviates from its mean by as much in the one sample as in all others together: the covariances with
    it are the values of that sample less the means, times a number that follows from the variance of the feature.

    Parameters
    ----------
    values : array of shape (n_samples, n_features)
        The table.
    codes, folds : arrays of shape (n_samples,)
        Class and fold of each sample.

    Returns
    -------
    boolean arrays of shape (n_samples,) and (n_features,)
        The samples, and the features in which they are alone.
    """
    samples, features = np.zeros(codes.size, dtype=bool), np.zeros(values.shape[1], dtype=bool)
    for fold, label in np.unique(np.column_stack([folds, codes]), axis=0).tolist():
        own = np.flatnonzero((folds == fold) & (codes == label))
        part = values[own]
        order = np.sort(part, axis=0)
        is_low = (order[0] < order[1]) & (order[1] == order[-1])
        is_high = (order[-1] > order[-2]) & (order[-2] == order[0])
        samples[own[part[:, is_low].argmin(axis=0)]] = True
        samples[own[part[:, is_high].argmax(axis=0)]] = True
        features |= is_low | is_high
    return samples, features
