"""The error of many partitions on labelled rows, in one pass over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from disjoint_centroids.centroids.search.distinct import distinct_rows
from disjoint_centroids.centroids.search.score import NO_CLASS, mean_or_infinite, shared_sums, squared_sums
from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.numerics.stored import SparseMatrix, Values
from disjoint_centroids.numerics.threads import run_all
from disjoint_centroids.numerics.types import ZERO, BoolArray, FloatArray, IntArray, OwnerArray
from disjoint_centroids.rows.sums import RowBlock

_FEWEST = 64  # rows or features of a tile


@dataclass(frozen=True, slots=True)
class Candidates:
    """Partitions with the centroids that they classify by.

    Attributes
    ----------
    owners : array of shape (n_partitions, n_features)
        Class of each feature, in numbers of the problem; negative for features of no class.
    means : array of shape (n_classes, n_features)
        Centroids on the features that the classes divide among them.
    shared_means : array of shape (n_classes, n_shared)
        Centroids on the features that every class uses.
    codes : array of shape (n_labels,)
        The problem's number of each label of the rows; -1 for labels that it does not know.
    """

    owners: OwnerArray
    means: FloatArray
    shared_means: FloatArray
    codes: IntArray
    divided: bool


class Judge:
    """Classify rows by every candidate, and add up the weight of those that each gets wrong.

    Parameters
    ----------
    candidates : Candidates
        The partitions.
    n_roles : int, default=1
        Number of roles that the rows have in folds; the weights are added up per role.
    n_threads : int or None, default=None
        Threads for the classes. None: the calling thread, and the linear algebra library as it is set.

    Attributes
    ----------
    wrong : array of shape (n_partitions, n_roles)
        Weight of the wrongly classified rows so far.
    """

    def __init__(self, candidates: Candidates, n_roles: int = 1, n_threads: int | None = None) -> None:
        self._candidates, self._n_threads = candidates, n_threads
        self._sets = _sets_of_classes(candidates.owners, len(candidates.means), candidates.shared_means.shape[1])
        # A squared distance up to this is rounding.
        self._zero = ZERO * float(np.max(candidates.means**2, initial=0.0))
        self.wrong = np.zeros((len(candidates.owners), n_roles))

    @property
    def n_sets(self) -> int:
        """Number of different feature sets of all classes in all candidates."""
        return self._sets.n_sets

    def count(self, values: Values, shared: Values, labels: IntArray, roles: IntArray, weights: FloatArray) -> None:
        """Classify some rows.

        Parameters
        ----------
        values : array or sparse matrix of shape (n_rows, n_features)
            The features that the classes divide among them.
        shared : array or sparse matrix of shape (n_rows, n_shared)
            The features that every class uses.
        labels : array of shape (n_rows,)
            Labels, as positions in ``codes`` of the candidates.
        roles : array of shape (n_rows,)
            Role of each row in the folds (see ``rows.roles``); rows of a negative one do not count.
        weights : array of shape (n_rows,)
            Weights of the rows.
        """
        codes = self._candidates.codes[labels]
        added = shared_sums(shared, self._candidates.shared_means) if shared.shape[1] else None
        if sparse.issparse(values):
            self._count_sparse(values, added, codes, roles, weights)
        else:
            self._count_dense(values, added, codes, roles, weights)

    def _count_dense(
        self, values: FloatArray, added: FloatArray | None, codes: IntArray, roles: IntArray, weights: FloatArray
    ) -> None:
        from disjoint_centroids.centroids.kernels import lloyd as kernels

        candidates, sets = self._candidates, self._sets
        at_once = max(_FEWEST, get_sizes().judged_distances // sets.n_sets)
        for begin in range(0, len(values), at_once):
            rows = slice(begin, min(begin + at_once, len(values)))
            distances = np.empty((sets.n_sets, rows.stop - rows.start))

            def fill(j: int, rows: slice = rows, distances: FloatArray = distances) -> None:
                out = sets.rows_of(j, distances)
                _product_sums(values[rows], candidates.means[j], sets.held[j], out)
                if added is not None:
                    out += added[rows, j]
                sets.finish(j, out, divided=candidates.divided)

            self._run(fill, distances.size * values.shape[1] / 10)
            kernels.count_wrong(distances, sets.at, codes[rows], roles[rows], weights[rows], self._zero, self.wrong)

    def _run(self, fill: Callable[[int], None], work: float) -> None:
        classes = range(len(self._candidates.means))
        if self._n_threads is None:
            for j in classes:
                fill(j)
        else:
            run_all(fill, classes, self._n_threads if work > get_sizes().thread_operations else 1)

    def _count_sparse(
        self, values: SparseMatrix, added: FloatArray | None, codes: IntArray, roles: IntArray, weights: FloatArray
    ) -> None:
        """Partition by partition: a stored value counts for one class only."""
        from disjoint_centroids.centroids.kernels import lloyd as kernels

        candidates = self._candidates
        n_shared, at = candidates.shared_means.shape[1], np.arange(len(candidates.means))[:, None]

        def classify(partition: int) -> None:
            owner = candidates.owners[partition].astype(np.intp)
            sums = squared_sums(values, candidates.means, owner, shared=NO_CLASS)
            if added is not None:
                sums += added.T
            distances = mean_or_infinite(sums, owner, n_shared, candidates.divided)
            out = self.wrong[partition : partition + 1]
            kernels.count_wrong(distances, at, codes, roles, weights, self._zero, out)

        work = (values.nnz + candidates.means.size) * len(self.wrong)
        n_threads = (self._n_threads or 1) if work > get_sizes().thread_operations else 1
        run_all(classify, range(len(self.wrong)), n_threads)


def wrong_weights(
    candidates: list[Candidates], block: RowBlock, labels: IntArray, shared: BoolArray, n_roles: int
) -> list[FloatArray]:
    """For each set of candidates (n_partitions, n_roles): the weight of the rows that a partition gets wrong.

    The block's groups are the roles.
    """
    judges = [Judge(part, n_roles) for part in candidates]
    begin = 0
    for dense in block.tiles():
        values = np.asarray(dense.values, dtype=np.float64)
        own, common = (values[:, ~shared], values[:, shared]) if shared.any() else (values, values[:, :0])
        of_tile = labels[begin : begin + len(values)]
        for judge in judges:
            judge.count(own, common, of_tile, dense.groups, dense.weights)
        begin += len(values)
    return [judge.wrong for judge in judges]


@dataclass(frozen=True, slots=True)
class _SetsOfClasses:
    """The different feature sets that each class has in some partition: many agree, and distances are needed once.

    Attributes
    ----------
    held : list of n_classes arrays of shape (n_sets of the class, n_features)
        True for the features of each set.
    counts : list of n_classes arrays of shape (n_sets of the class, 1)
        Number of features of each set, those that every class uses included.
    first : array of shape (n_classes + 1,)
        Position of the first set of each class among all sets.
    at : array of shape (n_classes, n_partitions)
        Position of the set that a class has in a partition, among all sets.
    """

    held: list[BoolArray]
    counts: list[IntArray]
    first: IntArray
    at: IntArray

    @property
    def n_sets(self) -> int:
        return int(self.first[-1])

    def rows_of(self, label: int, distances: FloatArray) -> FloatArray:
        """The distances (n_sets, n_samples) to one class's centroid, of those to all."""
        return distances[self.first[label] : self.first[label + 1]]

    def finish(self, label: int, sums: FloatArray, *, divided: bool) -> None:
        """Turn sums of squared gaps into squared distances, in place; a class without any feature is infinitely far."""
        counts = self.counts[label]
        if divided:
            sums /= np.maximum(counts, 1)
        sums[counts[:, 0] == 0] = np.inf


def _sets_of_classes(owners: OwnerArray, n_classes: int, n_shared: int) -> _SetsOfClasses:
    """Find the different feature sets of every class, over the partitions in ``owners``."""
    masks = [owners == j for j in range(n_classes)]
    different = [distinct_rows(np.packbits(mask, axis=1)) for mask in masks]
    held = [mask[rows.first] for mask, rows in zip(masks, different, strict=True)]
    first = np.cumsum([0, *(len(sets) for sets in held)])
    at = np.stack([rows.index + first[j] for j, rows in enumerate(different)])
    return _SetsOfClasses(held, [sets.sum(axis=1)[:, None] + n_shared for sets in held], first, at)


def _product_sums(values: FloatArray, centroid: FloatArray, held: BoolArray, out: FloatArray) -> None:
    """Sum the squared gaps over the features of every set: a product (n_sets, n_samples), tile by tile."""
    (n_samples, n_features), tile = values.shape, get_sizes().judged_gaps
    height = max(_FEWEST, tile // max(n_features, 1))
    width = max(_FEWEST, tile // min(height, max(n_samples, 1)))
    for first in range(0, n_features, width):
        features = slice(first, first + width)
        factors = held[:, features].astype(np.float64)
        for begin in range(0, n_samples, height):
            rows = slice(begin, begin + height)
            gaps = values[rows, features] - centroid[features]
            sums = factors @ np.square(gaps, out=gaps).T
            if first:
                out[:, rows] += sums
            else:
                out[:, rows] = sums
