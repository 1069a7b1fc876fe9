"""Stand-ins for samples of which only sums are known: normally distributed rows with given means and covariances."""

from __future__ import annotations

import numpy as np
from scipy.linalg import helmert

_N_WAVES = 8
_FREQUENCY = 3.0  # a wave turns by about half a circle within one standard error of a mean
_BY_PLACE = 1e-12  # share of the noise that is dealt by the place of a feature, for features whose means are the same
_NO_SPREAD = 1e-9  # standard deviation over mean that is rounding
_NO_VARIANCE = 1e-10  # share of the largest eigenvalue that is rounding


def stand_ins(
    counts: np.ndarray, means: np.ndarray, scatters: np.ndarray, sizes: np.ndarray, features: np.ndarray
) -> np.ndarray:
    """Make rows for groups of samples, which have the mean and covariance of each group.

    Columns in another order give the same rows with their columns in that order, and sums that differ by rounding give
    rows that differ by rounding: nothing depends on the sign or the order of eigenvectors.

    Parameters
    ----------
    counts : array of shape (n_groups,)
        Number of samples of each group.
    means : array of shape (n_groups, n_features)
        Their means.
    scatters : array of shape (n_groups, n_features, n_features)
        Sums of products of their differences from the means.
    sizes : array of int of shape (n_groups,)
        Number of rows for each group. A covariance of a higher rank than this number less one is cut to that rank.
    features : array of shape (n_chosen,)
        Features that the rows have.

    Returns
    -------
    array of shape (sum of sizes, n_chosen)
        Rows, group by group.
    """
    rng = np.random.default_rng(0)
    means, variances = means[:, features], scatters[:, features, features]
    spreads = _spreads(counts, means, variances)
    marks = _marks(counts, means, spreads)
    rows = [np.empty((0, means.shape[1]))]
    for count, mean, scatter, size in zip(counts, means, scatters, sizes.tolist(), strict=True):
        if size > 0:
            noise = _noise(marks, size - 1, rng)
            covariance = scatter[np.ix_(features, features)] / count
            rows.append(mean + _centred_rows(covariance, spreads > 0, noise))
    return np.concatenate(rows)


def _spreads(counts: np.ndarray, means: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """Standard deviation of every feature within groups, from sums of squares by group; zero where it is rounding."""
    spreads = np.sqrt(squares.sum(axis=0) / counts.sum())
    return np.where(spreads > _NO_SPREAD * np.abs(means).max(axis=0), spreads, 0.0)


def _marks(counts: np.ndarray, means: np.ndarray, spreads: np.ndarray) -> np.ndarray:
    """Numbers (n_groups, n_features) that belong to a feature, wherever it stands and in whatever unit.

    They are the differences of the means of the groups from that of all samples, in standard errors.
    """
    centre = counts @ means / counts.sum()
    gaps = np.where(counts[:, None] > 0, means - centre, 0.0) / np.where(spreads > 0, spreads, 1.0)
    marks: np.ndarray = np.sqrt(counts)[:, None] * np.where(spreads > 0, gaps, 0.0)
    return marks


def _noise(marks: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Noise (size, n_features), nearly normal, that is a smooth function of the marks of a feature.

    Every value is a sum of waves over the marks with random frequencies and phases. Features with different marks get
    values that are as good as independent.
    """
    n_groups, n_features = marks.shape
    frequencies = rng.normal(scale=_FREQUENCY, size=(_N_WAVES * size, n_groups))
    phases = rng.uniform(0.0, 2.0 * np.pi, size=(_N_WAVES * size, 1))
    waves = np.cos(frequencies @ marks + phases).reshape(_N_WAVES, size, n_features)
    noise: np.ndarray = np.sqrt(2.0 / _N_WAVES) * waves.sum(axis=0)
    return noise + _BY_PLACE * rng.normal(size=noise.shape)


def _centred_rows(covariance: np.ndarray, varies: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Rows with mean zero and a given covariance (divided by their number), one more than there are rows of noise.

    They are the symmetric square root of the covariance times the matrix of orthonormal columns that is nearest to the
    noise within the range of the covariance. Both are the same for all bases of eigenvectors.
    """
    size = len(noise) + 1
    scales = np.sqrt(np.where(varies, np.maximum(np.diagonal(covariance), 0.0), 0.0))
    inverse = np.divide(1.0, scales, out=np.zeros_like(scales), where=scales > 0)
    # Correlations, so that features in small units keep their digits.
    values, vectors = np.linalg.eigh(inverse[:, None] * covariance * inverse)
    n_kept = min(int((values > _NO_VARIANCE * values.max(initial=0.0)).sum()), len(noise))
    values, vectors = values[values.size - n_kept :], vectors[:, values.size - n_kept :]
    left, _, right = np.linalg.svd(noise @ vectors, full_matrices=False)
    # The rows of helmert(size) are an orthonormal basis of the columns that sum to zero.
    basis = helmert(size).T @ (left @ right)
    rows: np.ndarray = np.sqrt(size) * (basis * np.sqrt(values)) @ vectors.T * scales
    return rows
