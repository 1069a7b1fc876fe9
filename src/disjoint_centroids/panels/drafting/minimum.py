"""Smallest number of features that every class is promised: whether it can still be reached."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import maximum_bipartite_matching

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


def crowded_classes(needs: IntArray, may_own: BoolArray) -> IntArray | None:
    """Classes that together may own fewer features than they need, by Hall's theorem; None if there are none.

    needs : (n_classes,) number of features that each class needs
    may_own : (n_classes, n_features) features that each class may own and that are not taken
    """
    is_short = may_own.sum(axis=1) < needs.sum()  # other classes find enough, whatever these get
    owners = np.repeat(np.flatnonzero(is_short), needs[is_short])
    matched = maximum_bipartite_matching(sparse.csr_array(may_own[owners]), perm_type="column")
    unmatched = np.flatnonzero(matched < 0)
    if not unmatched.size:
        return None
    # What the class could own is all matched with others, which could own only what is matched, and so on.
    crowd = np.array([owners[unmatched[0]]])
    while True:
        wanted = may_own[crowd].any(axis=0)
        has_wanted = (matched >= 0) & wanted[matched]
        found = np.union1d(crowd, owners[has_wanted])
        if found.size == crowd.size:
            return found
        crowd = found
