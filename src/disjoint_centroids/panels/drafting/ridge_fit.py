"""Ridge regression of the class indicators in which the score of each class reads its own columns only.

All coefficients solve one system of equations, so that the order of the classes does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from disjoint_centroids.numerics.types import FloatArray, IntArray
from disjoint_centroids.panels.drafting.softmax_fit import Scores


def indicator_residuals(codes: IntArray, n_classes: int) -> FloatArray:
    """Class indicators, two apart, centred over the classes: the residuals if every score is zero."""
    residual = np.full((codes.size, n_classes), -2.0 / n_classes)
    residual[np.arange(codes.size), codes] += 2.0
    return residual


class JointRidge:
    r"""Ridge regression of the centred class indicators on columns that are each read by one class; it can grow.

    It minimises the weighted sum of squared residuals, centred over the classes because only differences between
    scores count, plus ``penalty`` times the total weight times all squared coefficients. With :math:`M_a` the columns
    of class a, block (a, b) of the system is :math:`([a = b] - 1/k) M_a' W M_b`. The inverse of its Cholesky factor
    grows with the columns, and the leading part of it is that of the first columns alone. Everything is a product:
    solvers of SciPy have threads of their own, which would wait for those of NumPy's products.

    Parameters
    ----------
    codes : array of shape (n_samples,)
        Class of each sample.
    weights : array of shape (n_samples,)
        Weights that sum to the same in every class; columns have mean zero under them, so no intercept is needed.
    n_classes : int
        Number of classes.
    penalty : float
        Ridge penalty in units of the total weight.
    capacity : int
        Number of columns that it can take.
    """

    def __init__(self, codes: IntArray, weights: FloatArray, n_classes: int, penalty: float, capacity: int) -> None:
        self._weights = weights
        self._targets = indicator_residuals(codes, n_classes)
        self._penalty = penalty * float(weights.sum())
        self._columns = np.empty((codes.size, capacity), order="F")
        self._owners = np.empty(capacity, dtype=np.intp)
        self._inverse = np.zeros((capacity, capacity), order="F")  # of the Cholesky factor, lower triangular
        self._solved = np.empty(capacity)  # that inverse times the right-hand side
        self.n_columns = 0

    def add(self, new: FloatArray, owners: IntArray) -> None:
        """Append columns (n_samples, m) and the class that reads each of them."""
        begin, end = self.n_columns, self.n_columns + new.shape[1]
        self._columns[:, begin:end] = new
        self._owners[begin:end] = owners
        weighted = self._weights[:, None] * new
        products = self._columns[:, :end].T @ weighted
        products *= (self._owners[:end, None] == owners) - 1.0 / self._targets.shape[1]
        products[np.arange(begin, end), np.arange(new.shape[1])] += self._penalty
        older = self._inverse[:begin, :begin]
        below = (older @ products[:begin]).T
        corner = self._inverted_corner(products[begin:] - below @ below.T)
        self._inverse[begin:end, :begin] = -corner @ (below @ older)
        self._inverse[begin:end, begin:end] = corner
        right = np.einsum("ij,ij->j", weighted, self._targets[:, owners])
        self._solved[begin:end] = corner @ (right - below @ self._solved[:begin])
        self.n_columns = end

    def _inverted_corner(self, system: FloatArray) -> FloatArray:
        """Inverse of the Cholesky factor of the new columns' system after the older columns are eliminated."""
        try:
            factor = np.linalg.cholesky(system)
        except np.linalg.LinAlgError:
            penalty = self._penalty / float(self._weights.sum())
            raise ValueError(
                f"a penalty of {penalty:g} is too small: some features are copies of each other but for rounding, and "
                "nothing else tells their coefficients apart. Raise it, or give 'auto'."
            ) from None
        inverse: FloatArray = np.linalg.inv(factor)
        return inverse

    def coefficients(self, n_columns: int | None = None) -> FloatArray:
        """Coefficients of the regression on all columns, or on the first ``n_columns`` of them alone."""
        size = self.n_columns if n_columns is None else n_columns
        found: FloatArray = self._inverse[:size, :size].T @ self._solved[:size]
        return found

    def owners(self, n_columns: int | None = None) -> IntArray:
        """Class that reads each column."""
        return self._owners[: self.n_columns if n_columns is None else n_columns]

    def residuals(self) -> FloatArray:
        """Centred residuals of the regression on all columns, (n_samples, n_classes)."""
        n_classes = self._targets.shape[1]
        by_class = np.zeros((self.n_columns, n_classes))
        by_class[np.arange(self.n_columns), self.owners()] = self.coefficients()
        fitted = self._columns[:, : self.n_columns] @ by_class
        left: FloatArray = self._targets - fitted + fitted.mean(axis=1, keepdims=True)
        return left


def fit_ridge(matrices: Sequence[FloatArray], codes: IntArray, weights: FloatArray, *, penalty: float) -> Scores:
    """Fit the scores of all classes, each on its own matrix of columns (n_samples, n_columns of the class)."""
    widths = [matrix.shape[1] for matrix in matrices]
    ridge = JointRidge(codes, weights, len(matrices), penalty, sum(widths))
    if sum(widths):
        ridge.add(np.concatenate(list(matrices), axis=1), np.repeat(np.arange(len(matrices)), widths))
    return Scores(tuple(np.split(ridge.coefficients(), np.cumsum(widths)[:-1])), np.zeros(len(matrices)))
