"""The last resort: a partition in which every class has a feature, when no restart ended in one."""

from __future__ import annotations

import numpy as np

from disjoint_centroids.centroids.search.problem import Problem
from disjoint_centroids.numerics.types import FloatArray, OwnerArray


def repair(problem: Problem, owner: OwnerArray) -> OwnerArray:
    """Give every class without a feature the one that costs least: that raises the risk least.

    ``owner`` is in class numbers, negative for nobody's. A class is never made to give up its only feature; there
    must be at least as many features as classes.
    """
    owner = owner.copy()
    for label in range(problem.n_classes):
        if not (owner == label).any():
            owner[int(np.argmin(_added_risk(problem, owner, label)))] = label
    return owner


def _added_risk(problem: Problem, owner: OwnerArray, label: int) -> FloatArray:
    """Growth of the risk if ``label``, which has no feature of its own, gets each feature in turn."""
    shares, variances = problem.moments.shares, problem.moments.variances
    n_shared, divided = problem.shared.n_features, problem.table.divided
    cost: FloatArray = shares[label] * variances[label] / ((n_shared + 1) if divided else 1)
    for giver in range(problem.n_classes):
        held = np.flatnonzero(owner == giver)
        if held.size == 1:
            cost[held] = np.inf
        elif held.size > 1:
            total = variances[giver, held].sum() + problem.shared.variances[giver]
            left = total - variances[giver, held]
            count = held.size + n_shared
            change = left / (count - 1) - total / count if divided else left - total
            cost[held] += shares[giver] * change
    return cost
