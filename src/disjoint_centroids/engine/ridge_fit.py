"""The scores of all classes together: ridge regression of the class indicators, a class seeing only its own columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from disjoint_centroids.engine.softmax_fit import EXACT, Scores
from disjoint_centroids.engine.types import FloatArray, IntArray

_SWEEPS = 1000


def indicator_residuals(codes: IntArray, n_classes: int) -> FloatArray:
    """What is left of the class indicators, doubled to be 2 apart, if every score is zero: centred over the classes."""
    residual = np.full((codes.size, n_classes), -2.0 / n_classes)
    residual[np.arange(codes.size), codes] += 2.0
    return residual


def fit_ridge(
    matrices: Sequence[FloatArray],
    codes: IntArray,
    weights: FloatArray,
    *,
    penalty: float,
    start: Scores | None = None,
    slope: float = EXACT,
) -> Scores:
    """Minimise the weighted mean of the squared residuals plus ``penalty`` times all squared coefficients.

    The residuals of a sample are centred over the classes, since only differences between scores count. The columns
    have mean zero under ``weights``, and every class the same weight: there is nothing for intercepts to do. Classes
    are solved in turn until no score moves by more than ``slope``; ``start`` may be an answer for fewer columns.
    """
    n_classes, total = len(matrices), float(weights.sum())
    share = (n_classes - 1) / n_classes
    residual = indicator_residuals(codes, n_classes)
    weighted = [m * weights[:, None] for m in matrices]
    factors = [
        cho_factor(share * (w.T @ m) + penalty * total * np.eye(m.shape[1]), check_finite=False)
        for w, m in zip(weighted, matrices, strict=True)
    ]
    coefficients = [np.zeros(m.shape[1]) for m in matrices]
    fitted = [np.zeros(codes.size) for _ in matrices]

    def move(label: int, new: FloatArray) -> float:
        coefficients[label] = new
        change = matrices[label] @ new - fitted[label]
        fitted[label] += change
        residual[:] += change[:, None] / n_classes
        residual[:, label] -= change
        return float(np.abs(change).max(initial=0.0))

    if start is not None:
        for j, known in enumerate(start.coefficients):
            move(j, np.concatenate([known, np.zeros(matrices[j].shape[1] - known.size)]))
    for _ in range(_SWEEPS):
        moved = 0.0
        for j in range(n_classes):
            if matrices[j].shape[1]:
                target = residual[:, j] + share * fitted[j]
                moved = max(moved, move(j, cho_solve(factors[j], weighted[j].T @ target, check_finite=False)))
        if moved <= slope:
            break
    return Scores(tuple(coefficients), np.zeros(n_classes))
