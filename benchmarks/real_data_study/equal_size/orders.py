"""Orders of features, best first: the first m of an order are the m features that the method would choose.

Every function takes standardised columns, class codes, the largest number of features that will be asked for (further
down, an order need not be one), and a seed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import f_classif

from real_data_study.methods import TREES

Order = Callable[[np.ndarray, np.ndarray, int, int], np.ndarray]

LEAST_REDUNDANCY = 1e-3
"""Mean absolute correlation below which two features count as equally new: no division by nothing."""


def anova(Z: np.ndarray, codes: np.ndarray, most: int, seed: int) -> np.ndarray:
    """Order by the F statistic of each feature alone."""
    return np.argsort(-_relevance(Z, codes), kind="stable")


def mrmr(Z: np.ndarray, codes: np.ndarray, most: int, seed: int) -> np.ndarray:
    """Order of greedy picks: largest F statistic over the mean absolute correlation with what was picked before."""
    relevance = _relevance(Z, codes)
    free = np.ones(Z.shape[1], dtype=bool)
    redundancy = np.zeros(Z.shape[1])
    picked = np.empty(min(most, Z.shape[1]), dtype=int)
    for at in range(picked.size):
        redundant = np.maximum(redundancy / at, LEAST_REDUNDANCY) if at else 1.0
        picked[at] = np.argmax(np.where(free, relevance / redundant, -np.inf))
        free[picked[at]] = False
        # Columns have mean 0 and standard deviation 1.
        redundancy += np.abs(Z[:, picked[at]] @ Z) / len(Z)
    return picked


def _relevance(Z: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """F statistics, 0 for a constant column."""
    return np.nan_to_num(f_classif(Z, codes)[0])


def elimination(model: BaseEstimator) -> Order:
    """Recursive elimination by the weights of a linear model (Guyon et al. 2002).

    The model is fitted to what is left, and the features with the smallest sums of squared weights over the classes
    are dropped: half of them as long as this leaves at least the largest number asked for, then one at a time.
    """

    def order(Z: np.ndarray, codes: np.ndarray, most: int, seed: int) -> np.ndarray:
        left, dropped = np.arange(Z.shape[1]), []
        while left.size > 1:
            weights = (np.atleast_2d(clone(model).fit(Z[:, left], codes).coef_) ** 2).sum(axis=0)
            left = left[np.argsort(-weights, kind="stable")]
            stay = left.size // 2 if left.size // 2 >= most else left.size - 1
            dropped.append(left[stay:])
            left = left[:stay]
        return np.concatenate([left, *dropped[::-1]])

    return order


def forest(Z: np.ndarray, codes: np.ndarray, most: int, seed: int) -> np.ndarray:
    """Order by the importance of each feature in a random forest (mean decrease of impurity)."""
    trees = RandomForestClassifier(TREES, n_jobs=1, random_state=seed).fit(Z, codes)
    return np.argsort(-trees.feature_importances_, kind="stable")
