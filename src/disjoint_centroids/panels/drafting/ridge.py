"""Ridge regression of the class indicators on the columns of a draft, which grows with the draft."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray


class GrowingRidge:
    """Coefficients of all classes on the columns picked so far.

    The loss is the weighted sum of squared residuals, centred over the classes because only differences between scores
    count, plus ``penalty`` times all squared coefficients. If every class reads every column, all classes have the
    same system of equations, with the Gram matrix G of the columns. If a class reads its own columns only, there is
    one system for all classes together, whose entry for columns of classes a and b is :math:`([a = b] - 1/k) G`. The
    inverse of the Cholesky factor grows with the columns, and the leading part of it is that of the first columns.

    Parameters
    ----------
    known : boolean array of shape (n_classes,)
        Classes of which there are samples.
    penalty : float
        Ridge penalty, in units of the weight of the samples.
    total : float
        Weight of the samples.
    capacity : int
        Number of columns that it can take.
    own : bool
        True if a class reads its own columns only.
    """

    def __init__(self, known: BoolArray, penalty: float, total: float, capacity: int, *, own: bool) -> None:
        self.known, self._own = known, own
        self._penalty, self._total = penalty, total
        self._owners = np.empty(capacity, dtype=np.intp)
        self._inverse = np.zeros((capacity, capacity), order="F")  # of the Cholesky factor, lower triangular
        self._solved: FloatArray | None = None  # that inverse times the right-hand sides
        self._capacity = capacity
        self.n_columns = 0

    def add(self, gram: FloatArray, right: FloatArray, owners: IntArray) -> None:
        """Append columns.

        Parameters
        ----------
        gram : array of shape (n_columns + n_new, n_new)
            Products of all columns with the new ones, which come last.
        right : array of shape (n_new, n_classes)
            Products with the class indicators.
        owners : array of shape (n_new,)
            Class that owns each new column.
        """
        begin, end = self.n_columns, self.n_columns + owners.size
        self._owners[begin:end] = owners
        system, right = system_of(gram, right, self._owners[:end], owners, self.known, own=self._own)
        if self._solved is None:
            self._solved = np.empty((self._capacity, right.shape[1]))
        system[np.arange(begin, end), np.arange(owners.size)] += self._penalty * self._total
        older = self._inverse[:begin, :begin]
        below = (older @ system[:begin]).T
        corner = self._inverted_corner(system[begin:] - below @ below.T)
        self._inverse[begin:end, :begin] = -corner @ (below @ older)
        self._inverse[begin:end, begin:end] = corner
        self._solved[begin:end] = corner @ (right - below @ self._solved[:begin])
        self.n_columns = end

    def _inverted_corner(self, system: FloatArray) -> FloatArray:
        """Inverse of the Cholesky factor of the new columns' system after the older columns are eliminated."""
        try:
            factor = np.linalg.cholesky(system)
        except np.linalg.LinAlgError:
            raise ValueError(too_small(self._penalty)) from None
        inverse: FloatArray = np.linalg.inv(factor)
        return inverse

    def coefficients(self, n_columns: int | None = None) -> FloatArray:
        """Coefficients on all columns, or on the first ``n_columns`` alone: (n_columns, n_classes)."""
        size = self.n_columns if n_columns is None else n_columns
        if self._solved is None:
            return np.zeros((0, self.known.size))
        found: FloatArray = self._inverse[:size, :size].T @ self._solved[:size]
        return spread_out(found, self._owners[:size], self.known.size) if self._own else found

    def centred_coefficients(self) -> FloatArray:
        """Coefficients of the scores less their mean over the classes, (n_columns, n_classes)."""
        found = self.coefficients()
        if self._own:
            found[:, self.known] -= found.sum(axis=1, keepdims=True) / self.known.sum()
        return found


class RidgeSolver:
    """Ridge regressions at one penalty on columns that are all there, and on the first of them alone.

    Parameters
    ----------
    gram : array of shape (n_columns, n_columns)
        Products of the columns.
    right : array of shape (n_columns, n_classes)
        Products with the class indicators.
    owners : array of shape (n_columns,)
        Class that owns each column.
    known : boolean array of shape (n_classes,)
        Classes of which there are samples.
    penalty : float
        Ridge penalty, in units of the weight of the samples.
    total : float
        Weight of the samples.
    own : bool
        True if a class reads its own columns only.
    """

    def __init__(
        self,
        gram: FloatArray,
        right: FloatArray,
        owners: IntArray,
        known: BoolArray,
        penalty: float,
        total: float,
        *,
        own: bool,
    ) -> None:
        system, right = system_of(gram, right, owners, owners, known, own=own)
        system[np.diag_indices(len(system))] += penalty * total
        self._owners, self._n_classes, self._own = owners, known.size, own
        try:
            self._factor = np.linalg.cholesky(system)
        except np.linalg.LinAlgError:
            raise ValueError(too_small(penalty)) from None
        self._solved = solve_triangular(self._factor, right, lower=True, check_finite=False)

    def coefficients(self, n_columns: int | None = None) -> FloatArray:
        """Coefficients on all columns, or on the first ``n_columns`` alone: (n_columns, n_classes)."""
        size = len(self._factor) if n_columns is None else n_columns
        factor = self._factor[:size, :size]
        found = solve_triangular(factor, self._solved[:size], lower=True, trans="T", check_finite=False)
        return spread_out(found, self._owners[:size], self._n_classes) if self._own else found


def system_of(
    gram: FloatArray, right: FloatArray, owners: IntArray, new_owners: IntArray, known: BoolArray, *, own: bool
) -> tuple[FloatArray, FloatArray]:
    """Equations for new columns: products of all columns with the new ones, and the right-hand sides.

    If a class reads its own columns only, those of different classes meet in the mean over the classes alone.
    """
    if not own:
        return gram.copy(), right
    system = gram * ((owners[:, None] == new_owners) - 1.0 / known.sum())
    return system, right[np.arange(new_owners.size), new_owners, None]


def spread_out(coefficients: FloatArray, owners: IntArray, n_classes: int) -> FloatArray:
    """Coefficients (n_columns, 1) of the owners as a matrix (n_columns, n_classes)."""
    spread = np.zeros((owners.size, n_classes))
    spread[np.arange(owners.size), owners] = coefficients[:, 0]
    return spread


def own_coefficients(coefficients: FloatArray, owners: IntArray, known: BoolArray) -> FloatArray:
    """Coefficient of each column (n_columns, n_classes) for its owner less the mean over the known classes."""
    own: FloatArray = coefficients[np.arange(owners.size), owners] - coefficients[:, known].mean(axis=1)
    return own


def too_small(penalty: float) -> str:
    """Message for a penalty that leaves the equations singular."""
    return (
        f"a penalty of {penalty:g} is too small: some features are copies of each other but for rounding, and nothing "
        "else tells their coefficients apart. Raise it, or give 'auto'."
    )
