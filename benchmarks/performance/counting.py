"""Counts taken while a fit works: the partitions that it finds, and the operations of its products."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import Any
from unittest.mock import patch

import numpy as np

from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.search import choice as choice
from disjoint_centroids.centroids.search import hartigan, lloyd


def distinct_sets(owners: np.ndarray, n_classes: int) -> list[np.ndarray]:
    """For every class the different feature sets that it has in some partition, as masks."""
    return [np.unique(owners == label, axis=0) for label in range(n_classes)]


@contextmanager
def candidates_found() -> Iterator[list[np.ndarray]]:
    """Record the partitions that the searches in this block find, as arrays of shape (n_partitions, n_features)."""
    found, lock, begin = [], Lock(), choice.Search.__init__

    def note(search: choice.Search, *others: Any, **named: Any) -> None:
        begin(search, *others, **named)
        with lock:
            found.append(np.asarray(search.owners))

    with patch.object(choice.Search, "__init__", note):
        yield found


@contextmanager
def counted_operations() -> Iterator[list[float]]:
    """Count the multiplications and additions of a fit without pruning: those of distances, and as many for centres."""
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
