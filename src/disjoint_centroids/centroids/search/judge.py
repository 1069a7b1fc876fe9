"""Many partitions judged on one block of rows: how much of each cell of the rows they send to a wrong class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoint_centroids.centroids.search.problem import Problem
from disjoint_centroids.centroids.search.score import nothing, sets_of_classes
from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray, OwnerArray
from disjoint_centroids.rows.sums import RowBlock

_TILE = 2**17  # numbers in a tile of squared gaps: a megabyte
_FEWEST_ROWS = 64


@dataclass(frozen=True, slots=True)
class Candidates:
    """Partitions with the centroids that they are judged by.

    Attributes
    ----------
    owners : array of shape (n_partitions, n_features)
        In class numbers of the problem, negative for nobody's.
    means : array of shape (n_classes, n_features)
        Centroids on the features that are shared out.
    shared_means : array of shape (n_classes, n_shared)
        Those on the features that every class uses.
    codes : array of shape (n_labels,)
        The problem's number of each label of the rows; -1 for labels that it does not know.
    """

    owners: OwnerArray
    means: FloatArray
    shared_means: FloatArray
    codes: IntArray
    divided: bool

    @classmethod
    def of(cls, problem: Problem, owners: OwnerArray, codes: IntArray) -> Candidates:
        """Partitions to be judged by the centroids of a problem."""
        return cls(owners, problem.moments.means, problem.shared.means, codes, problem.table.divided)


def wrong_weights(
    candidates: list[Candidates], block: RowBlock, labels: IntArray, shared: BoolArray, n_cells: int
) -> list[FloatArray]:
    """For each set of candidates (n_partitions, n_cells): the weight of the rows that a partition gets wrong.

    The block's groups are the cells.
    """
    judges = [_Judge(part, n_cells) for part in candidates]
    begin = 0
    for dense in block.tiles():
        values = np.asarray(dense.values, dtype=np.float64)
        own, common = (values[:, ~shared], values[:, shared]) if shared.any() else (values, values[:, :0])
        step = max(_FEWEST_ROWS, _TILE // max(values.shape[1], 1))
        for a in range(0, len(values), step):
            tile = slice(a, min(a + step, len(values)))
            of_tile = labels[begin + tile.start : begin + tile.stop]
            for judge in judges:
                judge.count(own[tile], common[tile], of_tile, dense.groups[tile], dense.weights[tile])
        begin += len(values)
    return [judge.wrong for judge in judges]


class _Judge:
    """Candidates made ready to be judged, and what they got wrong so far."""

    def __init__(self, candidates: Candidates, n_cells: int) -> None:
        self._candidates = candidates
        self._sets = sets_of_classes(candidates.owners, len(candidates.means), candidates.shared_means.shape[1])
        self._held = [held.astype(np.float64) for held in self._sets.held]
        self._zero = nothing(candidates.means)
        self.wrong = np.zeros((len(candidates.owners), n_cells))

    def count(
        self, own: FloatArray, common: FloatArray, labels: IntArray, cells: IntArray, weights: FloatArray
    ) -> None:
        """Take in some rows: their features, those that every class uses, and what is known of them."""
        from disjoint_centroids.centroids.kernels import lloyd as kernels

        candidates, sets = self._candidates, self._sets
        distances = np.empty((sets.n_sets, own.shape[0]))
        for j, centroid in enumerate(candidates.means):
            out = sets.rows_of(j, distances)
            gaps = own - centroid
            np.matmul(self._held[j], np.square(gaps, out=gaps).T, out=out)
            if common.shape[1]:
                out += ((common - candidates.shared_means[j]) ** 2).sum(axis=1)
            sets.finish(j, out, divided=candidates.divided)
        codes = candidates.codes[labels]
        kernels.count_wrong(distances, sets.at, codes, cells, weights, self._zero, self.wrong)
