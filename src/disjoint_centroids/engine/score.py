"""How well partitions classify: distances of samples to disjoint centroids, for many partitions in one pass."""

from __future__ import annotations

import numpy as np

from disjoint_centroids.engine.threads import WORTH_A_THREAD, run_all
from disjoint_centroids.engine.types import FloatArray, IntArray, OwnerArray

_TILE = 2**17  # numbers in a tile of squared gaps: a megabyte
_HELD = 2**22  # distances held at once


def own_distances(
    values: FloatArray, centroids: FloatArray, owner: IntArray, *, shared: int, divided: bool
) -> FloatArray:
    """Squared distance of each sample to each class's centroid on its own and the shared features.

    A class without any feature is infinitely far.
    """
    distances = np.full((values.shape[0], centroids.shape[0]), np.inf)
    for j, centroid in enumerate(centroids):
        features = np.flatnonzero((owner == j) | (owner == shared))
        if features.size:
            gaps = values[:, features] - centroid[features]
            distances[:, j] = np.einsum("if,if->i", gaps, gaps) / (features.size if divided else 1)
    return distances


def errors(
    values: FloatArray,
    codes: IntArray,
    weights: FloatArray,
    centroids: FloatArray,
    owners: OwnerArray,
    shared: FloatArray,
    n_shared: int,
    *,
    divided: bool,
    n_threads: int,
) -> FloatArray:
    """Weighted share of samples that each partition of ``owners`` (n_partitions, n_features) sends to another class.

    ``shared`` (n_samples, n_classes) is what features that every class has add to the squared distances.
    """
    from disjoint_centroids.engine import kernels

    n_samples, n_classes, n_partitions = values.shape[0], centroids.shape[0], owners.shape[0]
    wrong = np.zeros(n_partitions)
    counts = np.stack([(owners == j).sum(axis=1) for j in range(n_classes)]) + n_shared
    at_once = max(64, _HELD // (n_classes * n_partitions))
    for begin in range(0, n_samples, at_once):
        rows = slice(begin, min(begin + at_once, n_samples))
        distances = np.empty((n_classes, rows.stop - rows.start, n_partitions))

        def fill(j: int, rows: slice = rows, distances: FloatArray = distances) -> None:
            _squared_sums(values[rows], centroids[j], owners, j, distances[j])
            distances[j] += shared[rows, j, None]
            if divided:
                distances[j] /= np.maximum(counts[j], 1)
            distances[j][:, counts[j] == 0] = np.inf

        work = distances.size * values.shape[1]
        run_all(fill, range(n_classes), n_threads if work > 10 * WORTH_A_THREAD else 1)
        kernels.count_wrong(distances, codes[rows], weights[rows], wrong)
    return wrong / weights.sum()


def _squared_sums(values: FloatArray, centroid: FloatArray, owners: OwnerArray, label: int, out: FloatArray) -> None:
    """Sum the squared gaps over the features that ``label`` owns, for every partition: a product, tile by tile."""
    n_features = values.shape[1]
    length = max(64, _TILE // max(values.shape[0], owners.shape[0], 1))
    out.fill(0.0)
    for start in range(0, n_features, length):
        tile = slice(start, start + length)
        gaps = values[:, tile] - centroid[tile]
        out += np.square(gaps, out=gaps) @ (owners[:, tile] == label).astype(np.float64).T
