r"""Single-feature moves that lower the training loss, from the partition that the restarts ended in.

The loss is the cross-entropy that the temperature of ``predict_proba`` is fitted by, with every sample taken out of its
own class's mean: :math:`-\sum_i w_i \sum_j q_{ij} \log \mathrm{softmax}(-t D_{ij})_j`. Moving feature f from class a to
class b changes only the distances to these two, by f's own squared gaps.

What keeps it from learning the noise where features outnumber samples: a class is given a feature only if the loss
falls by more than two standard errors of that fall over the samples; samples are not judged by means that they are
part of; and Platt's targets q reward no certainty.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoint_centroids.engine.problem import Problem
from disjoint_centroids.engine.temperature import fit_temperature, smoothed_targets
from disjoint_centroids.engine.types import FloatArray, IntArray, OwnerArray


@dataclass(frozen=True, slots=True)
class Refined:
    """Where the moves ended, in class numbers, -1 for I_0.

    Attributes
    ----------
    n_moves : int
        Moves made; a feature may have moved more than once.
    converged : bool
        Whether the last sweep found no move that helps.
    """

    owner: IntArray
    n_moves: int
    converged: bool


class Refinement:
    """The moves of one table, made ready once for all partitions that start from it.

    Parameters
    ----------
    problem : Problem
        The training samples.
    has_pool : bool
        Whether features may move into I_0 and out of it.
    max_iter : int
        Bound on the sweeps.
    seed : int
        Sweeps visit the features in a random order, each in its own: it follows from the seed.
    """

    def __init__(self, problem: Problem, *, has_pool: bool, max_iter: int, seed: int) -> None:
        rows = problem.rows
        n_classes = problem.n_classes
        self._rows, self._n_classes, self._divided = rows, n_classes, problem.table.divided
        self._means = problem.moments.means
        self._columns = np.ascontiguousarray(rows.values.T)
        self._has_pool, self._max_iter, self._seed = has_pool, max_iter, seed
        totals: FloatArray = np.bincount(rows.codes, rows.weights, n_classes).astype(np.float64)
        self._factors = _without_themselves(totals)
        targets = smoothed_targets(rows.codes, rows.weights, n_classes)
        self._samples = (rows.codes, rows.weights, *targets)
        self._n_shared = problem.shared.n_features
        self._shared = np.ascontiguousarray(problem.shared.distances(rows.shared).T)
        for j, factor in enumerate(self._factors):
            self._shared[j, rows.codes == j] *= factor

    def from_owner(self, owner: OwnerArray) -> Refined:
        """Sweep until a sweep finds no move that lowers the loss; the temperature is fitted anew before each."""
        from disjoint_centroids.engine import refine_kernels

        rows, n_classes = self._rows, self._n_classes
        owner = owner.astype(np.intp)
        if np.unique(owner[owner >= 0]).size < n_classes:  # fewer features than classes: none to give away
            return Refined(owner, 0, True)
        rng = np.random.default_rng(self._seed)
        n_moves = 0
        counts = np.bincount(owner[owner >= 0], minlength=n_classes) + self._n_shared
        for _ in range(self._max_iter):
            sums = self._sums(owner)
            distances = sums / counts[:, None] if self._divided else sums
            moved = refine_kernels.sweep(
                self._columns,
                self._means,
                self._samples,
                self._factors,
                rng.permutation(owner.size),
                fit_temperature(distances.T, rows.codes, rows.weights, None),
                self._n_shared,
                self._divided,
                self._has_pool,
                owner,
                counts,
                sums,
            )
            n_moves += moved
            if moved == 0:
                return Refined(owner, n_moves, True)
        return Refined(owner, n_moves, False)

    def _sums(self, owner: IntArray) -> FloatArray:
        """Squared distances (n_classes, n_samples) before division: anew for every sweep, so that no rounding stays."""
        sums = self._shared.copy()
        for j, factor in enumerate(self._factors):
            features = np.flatnonzero(owner == j)
            gaps = self._rows.values[:, features] - self._means[j, features]
            sums[j] += np.einsum("if,if->i", gaps, gaps) * np.where(self._rows.codes == j, factor, 1.0)
        return sums


def _without_themselves(totals: FloatArray) -> FloatArray:
    """The factor on the squared gap of a class's own samples that takes each of them out of the mean.

    One of n equal weights: (n / (n - 1))². A class of less than two is treated as one of two; the gap of a sample that
    is alone is zero in any case.
    """
    totals = np.maximum(totals, 2.0)
    factors: FloatArray = (totals / (totals - 1.0)) ** 2
    return factors
