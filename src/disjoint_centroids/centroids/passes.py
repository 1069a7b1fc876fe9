"""Work on one block of rows in a pass over them; results of blocks add up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from disjoint_centroids.centroids import search
from disjoint_centroids.numerics.stored import dense
from disjoint_centroids.rows.sums import GroupSums, RowBlock, sums_of_block


@dataclass(frozen=True, slots=True)
class FirstPass:
    """Result of the first pass: the sums, and some of the rows with their positions."""

    sums: GroupSums
    positions: list[np.ndarray]
    rows: list[np.ndarray]

    def __add__(self, other: FirstPass) -> FirstPass:
        return FirstPass(self.sums + other.sums, [*self.positions, *other.positions], [*self.rows, *other.rows])


def first_pass(
    values: Any,
    groups: np.ndarray,
    weights: np.ndarray | None,
    lots: np.ndarray | None,
    sampled: np.ndarray,
    first: int,
    shared: np.ndarray,
    n_groups: int,
    n_sketched: int,
) -> FirstPass:
    """The first pass, on one block that begins at row ``first``; its rows ``sampled`` are brought back."""
    block = row_block(values, groups, weights, lots)
    sums = sums_of_block(block, shared, n_groups, n_sketched)
    return FirstPass(sums, [sampled + first], [dense_rows(values, sampled)])


def row_block(values: Any, groups: np.ndarray, weights: np.ndarray | None, lots: np.ndarray | None = None) -> RowBlock:
    """A block with what is known of its rows, from integers that were made small to travel."""
    whole = np.ones(groups.size) if weights is None else weights
    return RowBlock(values, groups.astype(np.intp), whole, None if lots is None else lots.astype(np.intp))


def dense_rows(values: Any, at: np.ndarray) -> np.ndarray:
    """Some rows of a table, dense or sparse, as an array of their own."""
    return dense(values[at]).astype(np.float64, copy=False)


@dataclass(frozen=True, slots=True)
class Wrong:
    """Result of judging: for each set of candidates the weight (n_partitions, n_roles) that each gets wrong."""

    weights: list[np.ndarray]

    def __add__(self, other: Wrong) -> Wrong:
        return Wrong([a + b for a, b in zip(self.weights, other.weights, strict=True)])


def judge_block(
    values: Any,
    codes: np.ndarray,
    roles: np.ndarray,
    weights: np.ndarray | None,
    candidates: list[search.Candidates],
    shared: np.ndarray,
    n_roles: int,
) -> Wrong:
    """Let candidates classify the rows of one block."""
    block = row_block(values, roles, weights)
    return Wrong(search.wrong_weights(candidates, block, codes, shared, n_roles))


@dataclass(frozen=True, slots=True)
class Gaps:
    """Sums of squared gaps between features and centres, (1 + n_classes, n_features); the pool's first."""

    squares: np.ndarray
    wrong: Wrong

    def __add__(self, other: Gaps) -> Gaps:
        return Gaps(self.squares + other.squares, self.wrong + other.wrong)


def gaps_of_block(
    values: Any,
    codes: np.ndarray,
    weights: np.ndarray | None,
    owner: np.ndarray,
    candidates: list[search.Candidates],
    shared: np.ndarray,
) -> Gaps:
    """Exact distances of the features to the centres of one partition, over the rows of one block; its errors too."""
    n_classes = len(candidates[0].means)
    block = row_block(values, np.minimum(codes, 0), weights)
    squares = search.squared_gaps_of_block(block, codes.astype(np.intp), owner, n_classes, shared)
    return Gaps(squares, Wrong(search.wrong_weights(candidates, block, codes, shared, 1)))
