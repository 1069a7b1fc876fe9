"""Stand-ins: means and covariances exactly as wanted, whatever basis the eigenvectors come in."""

import numpy as np
import pytest

from disjoint_centroids.panels.stand_ins import stand_ins


def groups(n_groups=6, n=12, p=5, seed=0):
    """Counts, means and scatters of groups of samples."""
    rng = np.random.default_rng(seed)
    samples = rng.normal(size=(n_groups, n, p)) * 10.0 ** np.arange(p) + rng.normal(size=p)
    samples[:, :, 1] += samples[:, :, 0]
    means = samples.mean(axis=1)
    gaps = samples - means[:, None]
    return np.full(n_groups, float(n)), means, np.einsum("gna,gnb->gab", gaps, gaps)


@pytest.mark.parametrize("p", [3, 5, 20])
def test_means_and_covariances_are_exact(p):
    """Also where there are more features than samples, and in the presence of a column that is constant."""
    counts, means, scatters = groups(p=p)
    means[:, 0], scatters[:, 0], scatters[:, :, 0] = 7.0, 0.0, 0.0
    features = np.arange(means.shape[1])
    rows = stand_ins(counts, means, scatters, np.full(6, 12), features).reshape(6, 12, -1)
    units = 10.0**features
    np.testing.assert_allclose(rows.mean(axis=1) / units, means / units, atol=1e-12)
    gaps = (rows - rows.mean(axis=1, keepdims=True)) / units
    found = np.einsum("gna,gnb->gab", gaps, gaps)
    np.testing.assert_allclose(found, scatters / units / units[:, None], atol=1e-9)


def test_columns_in_another_order_give_the_same_rows():
    counts, means, scatters = groups()
    order = np.array([3, 0, 4, 2, 1])
    expected = stand_ins(counts, means, scatters, np.full(6, 9), np.arange(5))
    found = stand_ins(counts, means[:, order], scatters[:, order][:, :, order], np.full(6, 9), np.arange(5))
    np.testing.assert_allclose(found / 10.0**order, expected[:, order] / 10.0**order, atol=1e-8)
    some = stand_ins(counts, means, scatters, np.full(6, 9), order[:2])
    assert some.shape == (54, 2)


def test_features_that_sums_cannot_tell_apart_have_noise_of_their_own():
    """Means that are all the same mark no feature; the covariance is right nevertheless."""
    counts, means = np.full(4, 30.0), np.zeros((4, 3))
    scatters = np.tile(30.0 * np.eye(3), (4, 1, 1))
    rows = stand_ins(counts, means, scatters, np.full(4, 30), np.arange(3)).reshape(4, 30, 3)
    for own in rows:
        np.testing.assert_allclose(own.T @ own / 30, np.eye(3), atol=1e-9)


def test_stand_ins_are_about_normal():
    counts, means, scatters = groups(n_groups=10, n=100, p=4)
    rows = stand_ins(counts, means, scatters, np.full(10, 100), np.arange(4)).reshape(10, 100, 4)
    gaps = rows - rows.mean(axis=1, keepdims=True)
    kurtosis = (gaps**4).mean(axis=(0, 1)) / (gaps**2).mean(axis=(0, 1)) ** 2
    np.testing.assert_allclose(kurtosis, 3.0, atol=0.5)
    assert not stand_ins(counts, means, scatters, np.zeros(10, dtype=int), np.arange(4)).size


def test_one_row_is_the_mean():
    counts, means, scatters = groups()
    rows = stand_ins(counts, means, scatters, np.ones(6, dtype=int), np.arange(5))
    np.testing.assert_array_equal(rows, means)
