"""A rival in the manner of ClaNC (Dabney 2005): genes of each class's own, distances on the union of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.validation import check_is_fitted, validate_data

from disjoint_centroids.evaluation.peers.classifiers import inner_splitter

SIZES = (1, 2, 3, 5, 10, 20, 30, 50, 100)
"""Genes of each class that are tried."""


class SizeByCV(ClassifierMixin, BaseEstimator):
    """A classifier on genes of each class's own, their number by cross-validation. Subclasses say how they are taken.

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
            rules = self._rules(X[train], codes[train], sizes)
            errors += [np.mean(rule.scores(X[test]).argmax(axis=1) != codes[test]) for rule in rules]
        self.size_ = int(sizes[int(np.argmin(errors.round(12)))])
        (self.rule_,) = self._rules(X, codes, [self.size_])
        self.owner_ = np.full(X.shape[1], -1)
        self.owner_[self.rule_.features] = self.rule_.owners
        self.n_features_used_ = int((self.owner_ >= 0).sum())
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest score."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.classes_[self.rule_.scores(X).argmax(axis=1)]

    def _rules(self, X: np.ndarray, codes: np.ndarray, sizes: list[int]) -> list[Any]:
        """A rule for every size: its ``features``, their ``owners``, and the ``scores`` of samples."""
        raise NotImplementedError


class ClassSpecificCentroidCV(SizeByCV):
    """Nearest centroids that differ from the overall mean in each class's own genes only, their number by CV.

    The statistic of gene f for class j is ``t = (mean_jf - mean_f) / (m_j (s_f + s_0))`` with the pooled standard
    deviation s_f within classes, its median s_0 over genes and ``m_j = sqrt(1/n_j - 1/n)``. In rounds, each class takes
    the free gene with its largest |t|; no gene is taken twice. A class's centroid is its mean in its own genes and the
    overall mean in the others'; a sample goes to the nearest, in units of s_f + s_0, over the genes of all classes.
    """

    def _rules(self, X: np.ndarray, codes: np.ndarray, sizes: list[int]) -> list[OwnGeneCentroids]:
        return own_gene_centroids(X, codes, sizes)


def own_gene_centroids(X: np.ndarray, codes: np.ndarray, sizes: Sequence[int]) -> list[OwnGeneCentroids]:
    """A rule for every number of genes per class; those of a smaller one are among those of a larger one."""
    n = np.bincount(codes)
    means = np.stack([X[codes == j].mean(axis=0) for j in range(len(n))])
    overall = X.mean(axis=0)
    within = ((X - means[codes]) ** 2).sum(axis=0) / (len(X) - len(n))
    units = np.sqrt(within) + np.median(np.sqrt(within))
    units = np.where(units > 0, units, 1.0)  # a gene without spread, beside a median of 0
    m = np.sqrt(1.0 / n - 1.0 / len(X))
    taken = take_turns(np.abs((means - overall) / (m[:, None] * units)), max(sizes))
    return [OwnGeneCentroids.on(taken[:, :size], means, overall, units) for size in sizes]


@dataclass(frozen=True, slots=True)
class OwnGeneCentroids:
    """Centroids on the union of all classes' genes, in units of the genes."""

    features: np.ndarray
    owners: np.ndarray
    units: np.ndarray
    centroids: np.ndarray

    @classmethod
    def on(cls, taken: np.ndarray, means: np.ndarray, overall: np.ndarray, units: np.ndarray) -> Self:
        """Rule on the genes that each class has taken, (n_classes, size)."""
        features, owners = taken.ravel(), np.repeat(np.arange(len(taken)), taken.shape[1])
        own = owners == np.arange(len(taken))[:, None]
        return cls(features, owners, units[features], np.where(own, means[:, features], overall[features]))

    def scores(self, X: np.ndarray) -> np.ndarray:
        """Minus the squared distances of samples to the centroids, (n_samples, n_classes)."""
        return -euclidean_distances(X[:, self.features] / self.units, self.centroids / self.units, squared=True)


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
