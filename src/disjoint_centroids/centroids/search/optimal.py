"""The partition of least risk for two classes, found exactly."""

from __future__ import annotations

import numpy as np

from disjoint_centroids.numerics.types import FloatArray, IntArray


def least_risk_owners(variances: FloatArray, shares: FloatArray) -> IntArray:
    """Owner (0 or 1) of each feature in the partition with the smallest risk; both classes own something.

    Once the first class is to own l features, the risk is a constant plus a sum over its features of
    ``shares[0] * variances[0] / l - shares[1] * variances[1] / (p - l)``: the l smallest are best. All l are tried.
    """
    n_features = variances.shape[1]
    first, second = shares[:, None] * variances
    rest = second.sum()

    def price(size: int) -> FloatArray:
        paid: FloatArray = first / size - second / (n_features - size)
        return paid

    risks = np.empty(n_features - 1)
    for at, size in enumerate(range(1, n_features)):
        cheapest = np.partition(price(size), size - 1)[:size]
        risks[at] = cheapest.sum() + rest / (n_features - size)
    best = int(np.argmin(risks)) + 1
    owners = np.ones(n_features, dtype=np.intp)
    owners[np.argsort(price(best), kind="stable")[:best]] = 0
    return owners
