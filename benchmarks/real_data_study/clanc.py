"""A rival in the manner of ClaNC (Dabney 2005): genes of each class's own, distances on the union of all."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.validation import check_is_fitted, validate_data

from disjoint_centroids.peers import inner_splitter

SIZES = (1, 2, 3, 5, 10, 20, 30, 50, 100)
"""Genes of each class that are tried."""


class ClassSpecificCentroidCV(ClassifierMixin, BaseEstimator):
    """Nearest centroids that differ from the overall mean in each class's own genes only, their number by CV.

    The statistic of gene f for class j is ``t = (mean_jf - mean_f) / (m_j (s_f + s_0))`` with the pooled standard
    deviation s_f within classes, its median s_0 over genes and ``m_j = sqrt(1/n_j - 1/n)``. In rounds, each class takes
    the free gene with its largest |t|; no gene is taken twice. A class's centroid is its mean in its own genes and the
    overall mean in the others'; a sample goes to the nearest, in units of s_f + s_0, over the genes of all classes.

    Parameters
    ----------
    sizes : sequence of int, default=SIZES
        Genes of each class to choose from; as far as there are genes enough.
    cv : int, default=5
        Inner folds.
    random_state : int, RandomState instance or None, default=None
        For the folds.

    Attributes
    ----------
    size_ : int
        The chosen number: the lowest error in the inner folds, ties to the fewest genes.
    owner_ : array of shape (n_features,)
        Index of the class that took a gene; -1 where none did.
    n_features_used_ : int
        Genes with an owner.
    """

    def __init__(self, *, sizes: tuple[int, ...] = SIZES, cv: int = 5, random_state: Any = None) -> None:
        self.sizes = sizes
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the number of genes, then fit with it on all samples."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_, codes = np.unique(y, return_inverse=True)
        most = X.shape[1] // len(self.classes_)
        sizes = sorted({min(size, most) for size in self.sizes})
        errors = np.zeros(len(sizes))
        for train, test in inner_splitter(y, self.cv, self.random_state).split(X, y):
            part = _Statistics(X[train], codes[train], sizes[-1])
            errors += [np.mean(part.predict(X[test], size) != codes[test]) for size in sizes]
        self.size_ = int(sizes[int(np.argmin(errors.round(12)))])
        self.statistics_ = _Statistics(X, codes, self.size_)
        self.owner_ = self.statistics_.owner(self.size_)
        self.n_features_used_ = int((self.owner_ >= 0).sum())
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Class of the nearest centroid."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.classes_[self.statistics_.predict(X, self.size_)]


class _Statistics:
    """Means, units and the order in which the classes take genes, of one training part."""

    def __init__(self, X: np.ndarray, codes: np.ndarray, most: int) -> None:
        sizes = np.bincount(codes)
        self.means = np.stack([X[codes == j].mean(axis=0) for j in range(len(sizes))])
        self.overall = X.mean(axis=0)
        within = ((X - self.means[codes]) ** 2).sum(axis=0) / (len(X) - len(sizes))
        units = np.sqrt(within) + np.median(np.sqrt(within))
        self.units = np.where(units > 0, units, 1.0)  # a gene without spread, beside a median of 0
        m = np.sqrt(1.0 / sizes - 1.0 / len(X))
        self.taken = take_turns(np.abs((self.means - self.overall) / (m[:, None] * self.units)), most)

    def owner(self, size: int) -> np.ndarray:
        owner = np.full(len(self.overall), -1)
        for j, genes in enumerate(self.taken[:, :size]):
            owner[genes] = j
        return owner

    def predict(self, X: np.ndarray, size: int) -> np.ndarray:
        owner = self.owner(size)
        used = np.flatnonzero(owner >= 0)
        own = owner[used] == np.arange(len(self.means))[:, None]
        centroids = np.where(own, self.means[:, used], self.overall[used])
        units = self.units[used]
        return np.argmin(euclidean_distances(X[:, used] / units, centroids / units, squared=True), axis=1)


def take_turns(strength: np.ndarray, rounds: int) -> np.ndarray:
    """Genes in the order in which each class takes them, (n_classes, rounds); no gene twice.

    In every round each class takes the free gene that is strongest for it. With two classes a gene is as strong for one
    as for the other, so that turns are what shares them out.
    """
    orders = np.argsort(-strength, axis=1, kind="stable")
    at = np.zeros(len(strength), dtype=int)
    free = np.ones(strength.shape[1], dtype=bool)
    taken = np.empty((len(strength), rounds), dtype=int)
    for turn in range(rounds):
        for j, order in enumerate(orders):
            while not free[order[at[j]]]:
                at[j] += 1
            taken[j, turn] = order[at[j]]
            free[order[at[j]]] = False
    return taken
