"""Smallest number of features that every class is promised: whether it can still be reached."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray


def least_cost(needs: IntArray, may_own: BoolArray, costs: FloatArray) -> float | None:
    """Least cost of disjoint sets of features that give every class as many as it needs.

    Parameters
    ----------
    needs : array of shape (n_classes,)
        Number of features that each class needs.
    may_own : boolean array of shape (n_classes, n_features)
        Features that each class may own and that are not taken.
    costs : array of shape (n_features,)
        Cost of each feature.

    Returns
    -------
    float or None
        None if there are no such sets.
    """
    total = int(needs.sum())
    counts = may_own.sum(axis=1)
    if (counts < needs).any():
        return None
    # Whatever the others get, a class with as many features as all need together finds enough.
    short = needs > 0 if costs.any() else (needs > 0) & (counts < total)
    owners = np.repeat(np.flatnonzero(short), needs[short])
    if not owners.size:
        return 0.0
    # For the same reason no class need look further than at its cheapest features, as many as all need together.
    prices = np.where(may_own[short], costs, np.inf)
    cheapest = np.unique(np.argsort(prices, axis=1, kind="stable")[:, :total])
    table = np.where(may_own[np.ix_(owners, cheapest)], costs[cheapest], np.inf)
    try:
        rows, columns = linear_sum_assignment(table)
    except ValueError:  # every assignment has a feature that its class may not own
        return None
    return float(table[rows, columns].sum()) if rows.size == owners.size else None
