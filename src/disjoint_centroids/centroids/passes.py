"""What is done to one block of rows in a pass over them; results of blocks add up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from disjoint_centroids.centroids import search
from disjoint_centroids.rows.sums import GroupSums, RowBlock, sums_of_block


@dataclass(frozen=True, slots=True)
class FirstLook:
    """What the first pass brings back: the sums, and some of the rows with their positions."""

    sums: GroupSums
    positions: list[np.ndarray]
    rows: list[np.ndarray]

    def __add__(self, other: FirstLook) -> FirstLook:
        return FirstLook(self.sums + other.sums, [*self.positions, *other.positions], [*self.rows, *other.rows])


def look_first(
    values: Any,
    groups: np.ndarray,
    weights: np.ndarray | None,
    lots: np.ndarray | None,
    sampled: np.ndarray,
    first: int,
    shared: np.ndarray,
    n_groups: int,
    n_sketched: int,
) -> FirstLook:
    """The first pass, on one block that begins at row ``first``; its rows ``sampled`` are brought back."""
    block = row_block(values, groups, weights, lots)
    sums = sums_of_block(block, shared, n_groups, n_sketched)
    return FirstLook(sums, [sampled + first], [dense_rows(values, sampled)])


def row_block(values: Any, groups: np.ndarray, weights: np.ndarray | None, lots: np.ndarray | None = None) -> RowBlock:
    """A block as the engine takes it, from what was made small to travel."""
    whole = np.ones(groups.size) if weights is None else weights
    return RowBlock(values, groups.astype(np.intp), whole, None if lots is None else lots.astype(np.intp))


def dense_rows(values: Any, at: np.ndarray) -> np.ndarray:
    """Some rows of a table, dense or sparse, as an array of their own."""
    rows = values[at]
    return np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Wrong:
    """What the second pass brings back: for each set of candidates the weight that each gets wrong, cell by cell."""

    weights: list[np.ndarray]

    def __add__(self, other: Wrong) -> Wrong:
        return Wrong([a + b for a, b in zip(self.weights, other.weights, strict=True)])


def look_again(
    values: Any,
    codes: np.ndarray,
    cells: np.ndarray,
    weights: np.ndarray | None,
    candidates: list[search.Candidates],
    shared: np.ndarray,
    n_cells: int,
) -> Wrong:
    """The second pass, on one block."""
    block = row_block(values, cells, weights)
    return Wrong(search.wrong_weights(candidates, block, codes, shared, n_cells))


@dataclass(frozen=True, slots=True)
class Gaps:
    """Sums of squared gaps between features and centres, (1 + n_classes, n_features); the pool's first."""

    squares: np.ndarray
    wrong: Wrong

    def __add__(self, other: Gaps) -> Gaps:
        return Gaps(self.squares + other.squares, self.wrong + other.wrong)


def look_closely(
    values: Any,
    codes: np.ndarray,
    weights: np.ndarray | None,
    owner: np.ndarray,
    candidates: list[search.Candidates],
    shared: np.ndarray,
) -> Gaps:
    """A further pass after a sketch, on one block: exact distances of the features to the centres of one partition."""
    n_classes = len(candidates[0].means)
    block = row_block(values, np.minimum(codes, 0), weights)
    squares = search.squared_gaps_of_block(block, codes.astype(np.intp), owner, n_classes, shared)
    return Gaps(squares, Wrong(search.wrong_weights(candidates, block, codes, shared, 1)))
