"""Rows that no fold tells apart: what is added up cell by cell serves every fold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoint_centroids.rows.blocks import Labels
from disjoint_centroids.rows.folds import Fold


@dataclass(frozen=True, slots=True)
class Cells:
    """Rows that no fold tells apart.

    Attributes
    ----------
    of_row : array of shape (n_rows,)
        The cell of each row; -1 for rows that do not count.
    train, test : boolean arrays of shape (n_folds, n_cells)
        Which cells a fold trains on, and which it holds out.
    """

    of_row: np.ndarray
    train: np.ndarray
    test: np.ndarray

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return int(self.train.shape[1])


def cells_of(folds: list[Fold], labels: Labels) -> Cells:
    """Group the rows by the folds that train on them and hold them out.

    Folds are positions among the rows that count.
    """
    rows = labels.rows
    of_row = np.full(labels.of_rows.size, -1, dtype=np.intp)
    of_counted = np.zeros(rows.size, dtype=np.intp)
    patterns: list[tuple[tuple[bool, bool], ...]] = [()]
    for train, test in folds:
        _refuse_repetition(train, test)
        role = np.zeros(rows.size, dtype=np.intp)
        role[train] += 1
        role[test] += 2
        kinds, of_counted = np.unique(4 * of_counted + role, return_inverse=True)
        patterns = [(*patterns[kind // 4], (bool(kind & 1), bool(kind & 2))) for kind in kinds.tolist()]
    of_row[rows] = of_counted
    roles = np.array(patterns, dtype=bool).reshape(len(patterns), len(folds), 2)
    return Cells(of_row, roles[:, :, 0].T, roles[:, :, 1].T)


def _refuse_repetition(train: np.ndarray, test: np.ndarray) -> None:
    for part in (train, test):
        if part.size and np.bincount(part).max() > 1:
            raise ValueError(
                "A fold names the same sample more than once, which needs the table in memory. Give cv a splitter "
                "without repetition, or load the table."
            )
