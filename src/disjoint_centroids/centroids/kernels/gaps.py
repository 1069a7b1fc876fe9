"""Distances of features to the centres of a partition on a block of rows, compiled by numba."""

from __future__ import annotations

import numpy as np

from disjoint_centroids.numerics.compiled import compiled


@compiled
def gaps_to_centres(values, codes, weights, owner, n_classes, columns, found):
    """Add up the squared gaps between features and the centres of a partition.

    values : (n_samples, n_columns) samples
    codes : (n_samples,) their classes; those of a negative one do not count
    weights : (n_samples,) their weights
    owner : (n_features,) class of each feature, -1 for I_0
    n_classes : int, number of classes
    columns : (n_features,) column of each feature in ``values``
    found : (1 + n_classes, n_features) read and written: row 0 is that of I_0, summed over all samples; the others are
        summed over the samples of the class
    """
    sums, counts = np.zeros(n_classes + 1), np.zeros(n_classes + 1)
    for at in range(columns.size):
        counts[owner[at] + 1] += 1.0
    for i in range(values.shape[0]):
        j = codes[i]
        if j < 0:
            continue
        # The centres of this sample: the mean of the features of I_0, and of those of its own class.
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
