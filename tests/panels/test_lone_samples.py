"""Samples that can be computed from sums: they are, by whoever has the file."""

import numpy as np

from disjoint_centroids.panels import TableSums
from disjoint_centroids.panels.lone_samples import lone_samples
from disjoint_centroids.panels.table_sums import deal_folds


def test_by_hand():
    X = np.array([[0.0, 1.0], [0.0, 2.0], [3.0, 3.0], [0.0, 4.0], [5.0, 1.0], [5.0, 2.0], [5.0, 3.0], [4.0, 4.0]])
    codes = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    samples, features = lone_samples(X, codes, np.zeros(8, dtype=int))
    assert np.flatnonzero(samples).tolist() == [2, 7]
    assert features.tolist() == [True, False]
    # In parts of two samples each of them is the only one with its value.
    assert lone_samples(X, codes, np.arange(8) % 2)[0][[4, 6]].all()


def test_they_can_be_computed():
    """Counts, most of them zero: where all but one are, the products with the feature are that sample."""
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    X = rng.poisson(5.0, size=(30, 20)) * (rng.random((30, 20)) < 0.2)
    sums = TableSums.of(X, y)
    computed = set()
    for at in np.ndindex(sums.counts.shape):
        first = sums.counts[at] * sums.means[at]
        products = sums.scatters[at] + np.outer(first, sums.means[at])
        for feature in np.flatnonzero((first > 0) & np.isclose(first**2, np.diagonal(products))):
            computed.add(tuple(np.round(products[feature] / first[feature]).astype(int).tolist()))
    folds = deal_folds(y, len(sums.counts))
    lone = {tuple(row.tolist()) for row in X[lone_samples(X, y, folds)[0]]}
    assert len(computed) > 20
    assert computed <= lone
