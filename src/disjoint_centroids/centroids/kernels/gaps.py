"""Distances of features to the centres of a partition on a block of rows, compiled by numba."""

from __future__ import annotations

import numpy as np

from disjoint_centroids.numerics.compiled import compiled


@compiled
def gaps_to_centres(values, codes, weights, owner, n_classes, columns, found):
    """Add to ``found`` (1 + n_classes, n_columns) the squared gaps between each feature and the centres.

    ``owner`` is in class numbers, -1 for the pool. A sample speaks for the pool (row 0) and for its own class.
    """
    sums, counts = np.zeros(n_classes + 1), np.zeros(n_classes + 1)
    for at in range(columns.size):
        counts[owner[at] + 1] += 1.0
    for i in range(values.shape[0]):
        j = codes[i]
        if j < 0:
            continue
        sums[:] = 0.0
        for at in range(columns.size):
            sums[owner[at] + 1] += values[i, columns[at]]
        w = weights[i]
        pool = sums[0] / counts[0] if counts[0] > 0 else np.inf
        own = sums[j + 1] / counts[j + 1] if counts[j + 1] > 0 else np.inf
        for at in range(columns.size):
            value = values[i, columns[at]]
            found[0, at] += w * (value - pool) ** 2
            found[j + 1, at] += w * (value - own) ** 2
