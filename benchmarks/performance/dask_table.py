"""A table on disk, read in blocks of rows by dask, and the bare passes that a fit is measured against."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np

from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.numerics import one_thread_a_product
from performance.counting import distinct_sets

CLASSES = 4
_TOGETHER = 8
_TILE = 2**17  # numbers of a block looked at together: what stays in cache, as in the fit


@dataclass(frozen=True, slots=True)
class OnDisk:
    """Rows on disk in blocks: where they are, their labels, and the sizes."""

    path: Path
    labels: np.ndarray
    n_features: int
    rows_of_block: int

    @property
    def edges(self) -> list[tuple[int, int]]:
        """First row and length of every block."""
        n, step = len(self.labels), self.rows_of_block
        return [(first, min(step, n - first)) for first in range(0, n, step)]

    def of_blocks(self, values: np.ndarray) -> list[np.ndarray]:
        """Split an array with one entry per row into the blocks of the table."""
        return [values[first : first + length] for first, length in self.edges]


class DiskTable(OnDisk):
    """A file of float64, row after row, and its labels."""

    __slots__ = ()

    def array(self) -> da.Array:
        """The table as a dask array; a block is read from the file when it is needed, and not kept."""
        read = dask.delayed(_read, pure=False)
        blocks = [
            da.from_delayed(read(self.path, first, length, self.n_features), (length, self.n_features), np.float64)
            for first, length in self.edges
        ]
        return da.concatenate(blocks)


def _read(path: Path, first: int, length: int, width: int) -> np.ndarray:
    return np.fromfile(path, count=length * width, offset=8 * first * width).reshape(length, width)


def write_table(path: Path, n: int, p: int, block_bytes: float) -> DiskTable:
    """A block table of four classes, four fifths of its features relevant, written block by block."""
    rows = int(min(n, max(CLASSES, block_bytes // (8 * p))))
    rng = np.random.default_rng(0)
    each = p // 5
    labels = []
    with path.open("wb") as file:
        for seed, first in enumerate(range(0, n, rows)):
            X, y = make_blocks(CLASSES, -(-rows // CLASSES), each, irrelevant=p - CLASSES * each, random_state=seed)
            kept = rng.permutation(len(y))[: min(rows, n - first)]
            X[kept].tofile(file)
            labels.append(y[kept])
    return DiskTable(path, np.concatenate(labels), p, rows)


def bare_gram_pass(table: DiskTable, groups: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """The inner products of all pairs of features in every group of rows, weighted or not, and nothing else."""
    n_groups = int(groups.max()) + 1

    def of_block(values: np.ndarray, of_rows: np.ndarray, roots: np.ndarray | None) -> np.ndarray:
        parts = (
            values[own] if roots is None else values[own] * roots[own, None]
            for own in (np.flatnonzero(of_rows == group) for group in range(n_groups))
        )
        return np.stack([part.T @ part for part in parts])

    roots = [None] * len(table.edges) if weights is None else table.of_blocks(np.sqrt(weights))
    return summed(table.array(), of_block, [table.of_blocks(groups), roots])


def bare_columns_pass(table: DiskTable, kept: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The sums of some columns over some of the rows, and nothing else."""

    def of_block(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return values[rows][:, columns].sum(axis=0)

    return summed(table.array(), of_block, [table.of_blocks(kept)])


@dataclass(frozen=True, slots=True)
class Sets:
    """Feature sets of every class and which of them each candidate has, with the means to measure from."""

    held: list[np.ndarray]
    at: list[np.ndarray]
    means: np.ndarray


def candidate_sets(owners: np.ndarray, means: np.ndarray) -> Sets:
    """Candidate partitions as the different sets of every class: what has to be summed, and no more."""
    held, at = [], []
    for label, sets in enumerate(distinct_sets(owners, len(means))):
        index = {row.tobytes(): place for place, row in enumerate(sets)}
        held.append(sets.astype(np.float64))
        at.append(np.array([index[row.tobytes()] for row in owners == label]))
    return Sets(held, at, means)


def bare_scoring_pass(table: DiskTable, parts: Sequence[Sets]) -> list[np.ndarray]:
    """Count the rows that every candidate gets wrong: one matrix product per class, the nearest class, a count."""

    def of_block(values: np.ndarray, labels: np.ndarray) -> np.ndarray:
        step = max(1, _TILE // values.shape[1])
        tiles = [slice(a, a + step) for a in range(0, len(values), step)]
        return np.concatenate([sum(_wrong(values[t], labels[t], sets) for t in tiles) for sets in parts])

    counts = summed(table.array(), of_block, [table.of_blocks(table.labels)])
    return np.split(counts, np.cumsum([len(sets.at[0]) for sets in parts])[:-1])


def _wrong(values: np.ndarray, labels: np.ndarray, sets: Sets) -> np.ndarray:
    distances = []
    for held, mean in zip(sets.held, sets.means, strict=True):
        gaps = values - mean
        gaps *= gaps
        distances.append(held @ gaps.T / np.maximum(held.sum(axis=1), 1)[:, None])
    wrong = np.zeros(len(sets.at[0]))
    for candidate in range(len(wrong)):
        own = np.stack([of_class[at[candidate]] for of_class, at in zip(distances, sets.at, strict=True)])
        wrong[candidate] = np.count_nonzero(own.argmin(axis=0) != labels)
    return wrong


def summed(array: da.Array, of_block: Callable[..., Any], arguments: Sequence[Sequence[Any]]) -> Any:
    """The sum over all blocks, some at a time."""
    work, add = dask.delayed(of_block, pure=False), dask.delayed(_add, pure=False)
    blocks = array.to_delayed().ravel()
    parts = [work(block, *rest) for block, *rest in zip(blocks, *arguments, strict=True)]
    while len(parts) > 1:
        parts = [add(parts[a : a + _TOGETHER]) for a in range(0, len(parts), _TOGETHER)]
    with one_thread_a_product():  # as the fit does: dask's threads are many already
        return parts[0].compute()


def _add(parts: list[Any]) -> Any:
    return sum(parts[1:], start=parts[0])
