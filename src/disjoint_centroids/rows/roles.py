"""Roles of rows in the folds of a cross-validation: rows of the same role are added up together, for every fold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoint_centroids.rows.blocks import Labels
from disjoint_centroids.rows.folds import Fold


@dataclass(frozen=True, slots=True)
class Roles:
    """Roles of rows: two rows have the same one if every fold that trains on (holds out) one does so with the other.

    Attributes
    ----------
    of_row : array of shape (n_rows,)
        Role of each row; -1 for rows that do not count.
    train, test : boolean arrays of shape (n_folds, n_roles)
        Roles that a fold trains on, and those that it holds out.
    """

    of_row: np.ndarray
    train: np.ndarray
    test: np.ndarray

    @property
    def n_roles(self) -> int:
        """Number of roles."""
        return int(self.train.shape[1])


def roles_of(folds: list[Fold], labels: Labels) -> Roles:
    """Group the rows by the folds that train on them and hold them out.

    Folds are positions among the rows that count.
    """
    rows = labels.rows
    of_row = np.full(labels.of_rows.size, -1, dtype=np.intp)
    of_counted = np.zeros(rows.size, dtype=np.intp)
    patterns: list[tuple[tuple[bool, bool], ...]] = [()]
    for train, test in folds:
        _check_no_repetition(train, test)
        in_fold = np.zeros(rows.size, dtype=np.intp)
        in_fold[train] += 1
        in_fold[test] += 2
        kinds, of_counted = np.unique(4 * of_counted + in_fold, return_inverse=True)
        patterns = [(*patterns[kind // 4], (bool(kind & 1), bool(kind & 2))) for kind in kinds.tolist()]
    of_row[rows] = of_counted
    in_folds = np.array(patterns, dtype=bool).reshape(len(patterns), len(folds), 2)
    return Roles(of_row, in_folds[:, :, 0].T, in_folds[:, :, 1].T)


def _check_no_repetition(train: np.ndarray, test: np.ndarray) -> None:
    for part in (train, test):
        if part.size and np.bincount(part).max() > 1:
            raise ValueError(
                "A fold names the same sample more than once, which needs the table in memory. Give cv a splitter "
                "without repetition, or load the table."
            )
