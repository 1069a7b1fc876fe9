"""Tables to try things on."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def make_blocks(
    k: int = 4,
    n: int = 250,
    d: int = 5,
    mu: tuple[float, float] = (0.6, 0.0),
    sigma: tuple[float, float] = (1.0, 1.6),
    irrelevant: int = 0,
    random_state: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw the paper's block table: k classes, k groups of features, and each class stands out on its own group.

    Parameters
    ----------
    k : int, default=4
        Number of classes, and of groups of features.
    n : int, default=250
        Samples of each class.
    d : int, default=5
        Features of each group.
    mu, sigma : pairs of float, default=(0.6, 0.0) and (1.0, 1.6)
        Mean and standard deviation of the entries in the diagonal blocks (class j, group j), and in all others.
    irrelevant : int, default=0
        Standard normal features that say nothing, after the k * d others.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same table every time.

    Returns
    -------
    X : array of shape (k * n, k * d + irrelevant)
        The table.
    y : array of shape (k * n,)
        Classes 0 … k - 1.

    Examples
    --------
    >>> from disjoint_centroids.datasets import make_blocks
    >>> X, y = make_blocks(k=3, n=10, d=2, irrelevant=4, random_state=0)
    >>> X.shape, y.shape
    ((30, 10), (30,))
    """
    rng = check_random_state(random_state)
    y = np.repeat(np.arange(k), n)
    group = np.repeat(np.arange(k), d)
    diagonal = y[:, None] == group
    relevant = np.where(diagonal, mu[0], mu[1]) + np.where(diagonal, sigma[0], sigma[1]) * rng.normal(
        size=diagonal.shape
    )
    return np.hstack([relevant, rng.normal(size=(k * n, irrelevant))]), y
