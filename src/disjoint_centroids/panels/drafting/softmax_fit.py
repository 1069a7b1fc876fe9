"""Multinomial logistic regression in which the score of each class reads its own columns only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.optimize import minimize
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import log_softmax

from disjoint_centroids.numerics.types import FloatArray, IntArray

ROUGH, EXACT = 1e-4, 1e-9
"""Largest slope left at the end of a fit: while candidates are compared, and for the model that is kept."""

_STEPS = 2000
_NEWTON_STEPS = 5


@dataclass(frozen=True, slots=True)
class Scores:
    """Coefficients of each class on its own columns, and the intercepts."""

    coefficients: tuple[FloatArray, ...]
    intercepts: FloatArray

    def on(self, matrices: Sequence[FloatArray]) -> FloatArray:
        """Scores of samples whose columns are given class by class, (n_samples, n_classes)."""
        return _scores(matrices, self.coefficients, self.intercepts)


def fit_softmax(
    matrices: Sequence[FloatArray],
    codes: IntArray,
    weights: FloatArray,
    *,
    penalty: float,
    start: Scores | None = None,
    slope: float = EXACT,
) -> Scores:
    """Minimise the weighted mean of -log softmax(scores) at the own class plus half ``penalty`` times all squares.

    ``start`` may be an answer for fewer columns: panels of a draft only grow. The intercepts are not penalised; they
    sum to zero, since adding a number to all of them changes nothing.
    """
    problem = _Problem(matrices, codes, weights / weights.sum(), penalty)
    begin = problem.parameters(start)
    options = {"maxiter": _STEPS, "maxfun": 2 * _STEPS, "gtol": slope, "ftol": 0.0, "maxcor": 20}
    found = minimize(problem.loss, begin, jac=True, method="L-BFGS-B", options=options)
    coefficients, intercepts = problem.split(_polished(problem, found.x, slope))
    return Scores(coefficients, intercepts - intercepts.mean())


class _Problem:
    """Loss as a function of one vector: the coefficients class by class, then the intercepts."""

    def __init__(self, matrices: Sequence[FloatArray], codes: IntArray, shares: FloatArray, penalty: float) -> None:
        self.matrices, self.codes, self.shares, self.penalty = matrices, codes, shares, penalty
        self.ends = np.cumsum([0, *(m.shape[1] for m in matrices)])

    def parameters(self, start: Scores | None) -> FloatArray:
        """Zeros, or an answer for the same or fewer columns."""
        begin = np.zeros(self.ends[-1] + len(self.matrices))
        if start is not None:
            for j, known in enumerate(start.coefficients):
                begin[self.ends[j] : self.ends[j] + known.size] = known
            begin[self.ends[-1] :] = start.intercepts
        return begin

    def split(self, parameters: FloatArray) -> tuple[tuple[FloatArray, ...], FloatArray]:
        parts = tuple(parameters[a:b] for a, b in pairwise(self.ends))
        return parts, parameters[self.ends[-1] :]

    def logs(self, parameters: FloatArray) -> FloatArray:
        """Log-probabilities of the classes."""
        logs: FloatArray = log_softmax(_scores(self.matrices, *self.split(parameters)), axis=1)
        return logs

    def loss(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Loss and its slopes."""
        logs = self.logs(parameters)
        rows = np.arange(self.codes.size)
        slopes = np.exp(logs)
        slopes[rows, self.codes] -= 1.0
        inner = parameters[: self.ends[-1]]
        value = -float(self.shares @ logs[rows, self.codes]) + 0.5 * self.penalty * float(inner @ inner)
        return value, self._collected(slopes, parameters)

    def curvature(self, parameters: FloatArray) -> LinearOperator:
        """Second derivatives, as an operator on steps of the parameters."""
        shares = np.exp(self.logs(parameters))

        def change_of_slopes(step: FloatArray) -> FloatArray:
            moved = shares * _scores(self.matrices, *self.split(step))
            return self._collected(moved - shares * moved.sum(axis=1, keepdims=True), step)

        return LinearOperator((parameters.size, parameters.size), matvec=change_of_slopes, dtype=np.float64)

    def _collected(self, by_sample: FloatArray, parameters: FloatArray) -> FloatArray:
        """Sum slopes over the samples for every parameter, and add the slope of the penalty."""
        by_sample = self.shares[:, None] * by_sample
        sums = np.concatenate([*(m.T @ by_sample[:, j] for j, m in enumerate(self.matrices)), by_sample.sum(axis=0)])
        sums[: self.ends[-1]] += self.penalty * parameters[: self.ends[-1]]
        return sums


def _polished(problem: _Problem, parameters: FloatArray, slope: float) -> FloatArray:
    """Take Newton's steps where the loss is too flat for a line search."""
    slopes = problem.loss(parameters)[1]
    for _ in range(_NEWTON_STEPS):
        if np.abs(slopes).max() <= slope:
            break
        step, _ = cg(problem.curvature(parameters), -slopes, rtol=1e-6, maxiter=parameters.size)
        new_slopes = problem.loss(parameters + step)[1]
        if np.abs(new_slopes).max() >= np.abs(slopes).max():
            break
        parameters, slopes = parameters + step, new_slopes
    return parameters


def _scores(matrices: Sequence[FloatArray], coefficients: Sequence[FloatArray], intercepts: FloatArray) -> FloatArray:
    scores: FloatArray = np.column_stack([m @ c for m, c in zip(matrices, coefficients, strict=True)]) + intercepts
    return scores
