"""The rival: the published algorithm as one would write it in an afternoon, scikit-learn's KMeans as its start."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans


def plain_ndc(X: np.ndarray, y: np.ndarray, lam: float | None, n_init: int, max_iter: int = 300) -> np.ndarray:
    """Owners of the restart with the least training error, -1 for I_0."""
    classes = [np.flatnonzero(y == j) for j in range(y.max() + 1)]
    supports = classes if lam is None else [np.arange(len(y)), *classes]
    means = np.stack([X[samples].mean(axis=0) for samples in classes])
    best, best_error = None, np.inf
    for seed in range(n_init):
        start = KMeans(len(supports), init="random", n_init=1, random_state=seed).fit_predict(X.T)
        owner = _one_restart(X.T, supports, lam, start, max_iter)
        if owner is None:
            continue
        owner = owner if lam is None else owner - 1
        error = np.mean(_classify(X, means, owner) != y)
        if error < best_error:
            best, best_error = owner, error
    return best


def _one_restart(T: np.ndarray, supports: list, lam: float | None, owner: np.ndarray, max_iter: int):
    for _ in range(max_iter):
        distances = np.full((len(supports), len(T)), np.inf)
        for c, samples in enumerate(supports):
            if not (owner == c).any():
                if lam is not None and c == 0:
                    continue
                return None
            centre = T[np.ix_(owner == c, samples)].mean(axis=0)
            distances[c] = np.sqrt(((T[:, samples] - centre) ** 2).mean(axis=1))
        if lam is not None:
            distances[0] *= lam
        new = distances.argmin(axis=0)
        if (new == owner).all():
            return owner
        owner = new
    return owner


def _classify(X: np.ndarray, means: np.ndarray, owner: np.ndarray) -> np.ndarray:
    distances = [((X[:, owner == j] - mean[owner == j]) ** 2).mean(axis=1) for j, mean in enumerate(means)]
    return np.argmin(distances, axis=0)
