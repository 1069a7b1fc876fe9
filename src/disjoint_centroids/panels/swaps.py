"""Scores of a panel without one of its features, or with another one in its place, by changes of rank one."""

from __future__ import annotations

import numpy as np


class Swaps:
    r"""Ridge regression on the columns of a panel, from which those with one column less or another one follow.

    With G the system of the panel's columns, H its inverse and W the solution, the solution without column a is
    :math:`W - H_{\cdot a} W_a / H_{aa}`, and one step of elimination adds the column that takes its place.

    Parameters
    ----------
    system : array of shape (n_columns + n_others, n_columns + n_others)
        Equations of the columns of the panel, then of those that may take a place; with the penalty.
    right : array of shape (n_columns + n_others, n_rights)
        Right-hand sides: one per class, or a single one if a class reads its own columns only.
    owners : array of shape (n_columns + n_others,)
        Class that owns each column.
    n_columns, n_classes : int
        Number of columns of the panel, and of classes.
    own : bool
        True if a class reads its own columns only.
    """

    def __init__(
        self, system: np.ndarray, right: np.ndarray, owners: np.ndarray, n_columns: int, n_classes: int, *, own: bool
    ) -> None:
        m = n_columns
        self._m, self._n_classes, self._own, self._owners = m, n_classes, own, owners
        self._inverse = np.linalg.inv(system[:m, :m])
        self._solution = self._inverse @ right[:m]
        across = system[:m, m:]
        self._beside = self._inverse @ across
        # What the columns of the panel leave of the equation of another column, and of its right-hand side.
        self._corner = np.diagonal(system)[m:] - np.einsum("mq,mq->q", across, self._beside)
        self._right = right[m:] - across.T @ self._solution

    def _gone(self, at: int) -> np.ndarray:
        """Coefficients of column ``at`` over the diagonal of the inverse, (n_rights,)."""
        gone: np.ndarray = self._solution[at] / self._inverse[at, at]
        return gone

    def without(self, at: int) -> np.ndarray:
        """Solution without column ``at`` of the panel, with zeros for this column: (n_columns, n_rights)."""
        found: np.ndarray = self._solution - np.outer(self._inverse[:, at], self._gone(at))
        found[at] = 0.0
        return found

    def scores(self, z: np.ndarray) -> Scores:
        """Scores of samples z, (n_samples, n_columns + n_others), from which those with swaps follow."""
        return Scores(self, z)

    def read(self, z: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """Products of the panel's columns with vectors of coefficients, (n_samples, n_readers, n_vectors).

        There is one reader if all classes read all columns; else each class reads its own.
        """
        if not self._own:
            return np.asarray((z @ coefficients)[:, None])
        owners = self._owners[: self._m]
        members = [np.flatnonzero(owners == label) for label in range(self._n_classes)]
        return np.stack([z[:, some] @ coefficients[some] for some in members], axis=1)


class Scores:
    """Scores of samples by a panel as it is, without single columns, and with other columns in their place.

    Parameters
    ----------
    swaps : Swaps
        The regression.
    z : array of shape (n_samples, n_columns + n_others)
        Samples: columns of the panel, then those that may take a place.
    """

    def __init__(self, swaps: Swaps, z: np.ndarray) -> None:
        self._swaps = swaps
        panel, self._others = z[:, : swaps._m], z[:, swaps._m :]
        whole = swaps.read(panel, swaps._solution)
        self.whole: np.ndarray = whole[:, :, 0] if swaps._own else whole[:, 0]
        self._inverse, self._beside = (swaps.read(panel, block) for block in (swaps._inverse, swaps._beside))

    def without(self, at: int) -> np.ndarray:
        """Scores (n_samples, n_classes) without column ``at`` of the panel."""
        found: np.ndarray = self.whole - self._inverse[:, :, at] * self._swaps._gone(at)
        return found

    def swapped(self, at: int, other: int, without: np.ndarray) -> np.ndarray:
        """Scores with another column in place of ``at``, from those ``without`` it."""
        swaps = self._swaps
        beside = swaps._beside[at, other]
        share = beside / swaps._inverse[at, at]
        coefficient = (swaps._right[other] + beside * swaps._gone(at)) / (swaps._corner[other] + beside * share)
        explained = self._beside[:, :, other] - self._inverse[:, :, at] * share
        found: np.ndarray = without - explained * coefficient
        if swaps._own:
            found[:, swaps._owners[swaps._m + other]] += self._others[:, other] * coefficient[0]
            return found
        return np.asarray(found + np.outer(self._others[:, other], coefficient))
