"""Look on while a fit works: how many steps its restarts take, and which partitions it judges."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any
from unittest.mock import patch

import numpy as np

from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.search import choice as choice
from disjoint_centroids.centroids.search import hartigan, judge, lloyd, restarts, starts


@dataclass(slots=True)
class Steps:
    """What a fit did, in the cost model's terms.

    Attributes
    ----------
    n_starts, start_steps : int
        Runs of k-means, and the assignment steps they took together.
    n_runs, run_steps : int
        Runs of Algorithm 1 or 2 from different starts, and their steps.
    products, pair_products : int
        Multiplications and additions of features with centres in wide form: in blocks, and of single features where
        pruning has left few.
    compared : int
        Features compared with a centre, in wide form.
    scored : int
        Samples times feature sets whose squared distances were summed.
    candidates : list of arrays of shape (n_candidates, n_features)
        The partitions that each search found.
    """

    n_starts: int = 0
    start_steps: int = 0
    n_runs: int = 0
    run_steps: int = 0
    products: int = 0
    pair_products: int = 0
    compared: int = 0
    scored: int = 0
    candidates: list[np.ndarray] = field(default_factory=list)


def distinct_sets(owners: np.ndarray, n_classes: int) -> list[np.ndarray]:
    """For every class the different feature sets that it has in some partition, as masks."""
    return [np.unique(owners == label, axis=0) for label in range(n_classes)]


@contextmanager
def counted() -> Iterator[Steps]:
    """Count what the fits in this block do; they are as fast as without, but for the counting of feature sets."""
    steps, lock = Steps(), Lock()
    run, classify, begin = starts.lloyd, judge.Judge.count, choice.Search.__init__
    block, single = lloyd.cross_products, lloyd.products_at

    def count_starts(table: Any, clusters: Any, owner: np.ndarray, *others: Any) -> Any:
        runs = run(table, clusters, owner, *others)
        with lock:
            steps.n_starts += len(owner)
            steps.start_steps += int(runs.n_iter.sum())
        return runs

    def count_runs(table: Any, clusters: Any, owner: np.ndarray, *others: Any) -> Any:
        runs = run(table, clusters, owner, *others)
        with lock:
            steps.n_runs += len(owner)
            steps.run_steps += int(runs.n_iter.sum())
        return runs

    def count_scored(self: judge.Judge, values: Any, *others: Any) -> None:
        with lock:
            steps.scored += values.shape[0] * self.n_sets
        classify(self, values, *others)

    def count_block(support: Any, sums: np.ndarray, start: int, stop: int, room: np.ndarray) -> np.ndarray:
        if not support.is_gram:
            with lock:
                steps.products += 2 * sums.size * (stop - start)
                steps.compared += sums.shape[0] * sums.shape[1] * (stop - start)
        return block(support, sums, start, stop, room)

    def count_pairs(support: Any, sums: np.ndarray, pairs: Any) -> np.ndarray:
        if not support.is_gram:
            with lock:
                steps.pair_products += 2 * sums.shape[0] * sums.shape[2] * len(pairs.runs)
                steps.compared += sums.shape[0] * len(pairs.runs)
        return single(support, sums, pairs)

    def note_candidates(search: choice.Search, *others: Any, **named: Any) -> None:
        begin(search, *others, **named)
        with lock:
            steps.candidates.append(np.asarray(search.owners))

    with (
        patch.object(starts, "lloyd", count_starts),
        patch.object(restarts, "lloyd", count_runs),
        patch.object(judge.Judge, "count", count_scored),
        patch.object(lloyd, "cross_products", count_block),
        patch.object(lloyd, "products_at", count_pairs),
        patch.object(hartigan, "cross_products", count_block),
        patch.object(choice.Search, "__init__", note_candidates),
    ):
        yield steps


@contextmanager
def counted_operations() -> Iterator[list[float]]:
    """Count what the algorithm without pruning multiplies and adds: distances, and as much again for the centres."""
    total, lock, original = [0.0], Lock(), lloyd.cross_products

    def counting(passes: int) -> Any:
        def count(support: Any, sums: np.ndarray, start: int, stop: int, room: np.ndarray) -> np.ndarray:
            with lock:
                total[0] += passes * 2.0 * sums.size * (stop - start)
            return original(support, sums, start, stop, room)

        return count

    with (
        patch.object(lloyd, "cross_products", counting(2)),
        patch.object(hartigan, "cross_products", counting(1)),
        patch.object(search, "Settings", partial(search.Settings, pruning=None)),
    ):
        yield total
