"""Kernels of squared gaps, against plain sums."""

import numpy as np
from scipy import sparse

from disjoint_centroids.centroids.kernels.gaps import gaps_to_centres
from disjoint_centroids.centroids.kernels.sparse import gaps_to_centre


def test_gaps_to_the_centres_of_a_partition():
    rng = np.random.default_rng(0)
    values, weights = rng.normal(size=(12, 7)), rng.uniform(0.5, 3.0, 12)
    codes = np.arange(12) % 2
    owner = np.array([0, 1, -1, 0, 1, -1])
    columns = np.array([0, 1, 2, 3, 4, 6])
    found = np.zeros((3, 6))
    gaps_to_centres(values, codes, weights, owner, 2, columns, found)
    x = values[:, columns]
    np.testing.assert_allclose(found[0], weights @ (x - x[:, owner == -1].mean(axis=1, keepdims=True)) ** 2)
    for j in range(2):
        own, w = x[codes == j], weights[codes == j]
        np.testing.assert_allclose(found[1 + j], w @ (own - own[:, owner == j].mean(axis=1, keepdims=True)) ** 2)


def test_gaps_of_sparse_columns_keep_the_digits_of_their_zeros():
    """A centre with one huge value, where the column has an entry: the small values of the others must not be lost."""
    column = sparse.csc_array(np.array([[1e9], [0.0], [0.0], [0.0]]))
    centre, weights = np.array([1e9, 1e-3, 2e-3, 3e-3]), np.ones(4)
    edges = np.array([[0, 1]])
    gaps = np.empty(1)
    gaps_to_centre(column.data, column.indices, edges, 0, 1, 0, weights, centre, np.array([0]), gaps)
    np.testing.assert_allclose(gaps, [1e-6 + 4e-6 + 9e-6], rtol=1e-6)
