"""Sizes and thresholds: how much is worked on at a time, and from when on another way pays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Sizes of what is worked on at a time, and thresholds.

    They bound memory and choose the faster of two ways; partitions do not depend on them. The exceptions are
    ``sample_bytes`` and ``smallest_sample``, which the temperature of the probabilities depends on for tables that are
    not in memory; ``kept_samples`` and ``drawn_samples``, which the choices of panel classifiers depend on; and
    ``product_bytes``, above which tables are sketched.

    Attributes
    ----------
    gram_features : int, default=256
        Number of features up to which every support is kept as a Gram matrix, however few its samples: the matrix
        stays in cache. With more features, a support is if it has at least as many samples as features.
    thread_operations : float, default=2e6
        Number of operations that are worth another thread.
    samples_at_once : int, default=4096
        Number of samples of a dense table whose moments, inner products or differences are added up at a time.
    stored_at_once : int, default=2**20
        Number of stored values of a sparse table that are worked on at a time.
    dense_at_once : int, default=2**22
        Number of values of a sparse block of rows that are written out in full at a time, zeros included.
    columns_at_once : int, default=2**19
        Number of values in the columns of a sparse table that are written out in full at a time, zeros included, when
        a partition is refined.
    distance_bytes : int, default=2**18
        Bytes of the distances that are computed at once in Lloyd's algorithm and in single moves. They and the sums
        that they are made of stay in the second-level cache.
    seed_distances : int, default=2**19
        Number of distances from seeds of k-means++ to features that are held at a time.
    judged_distances : int, default=2**18
        Number of distances from samples to centroids that are held at a time when partitions are judged: two
        megabytes, so that they are counted while in cache.
    judged_gaps : int, default=2**17
        Number of squared differences between samples and a centroid in a tile, when partitions are judged.
    neighbour_distances : int, default=2**22
        Number of distances from samples to training samples that are held at a time.
    sample_bytes : int, default=2**24
        Bytes of the rows that are kept of a table that is not in memory, to fit the temperature of the probabilities.
    smallest_sample : int, default=500
        Number of rows that are kept even if they take more than ``sample_bytes``.
    kept_samples : int, default=50_000
        Number of samples up to which a panel classifier judges candidates by all of them, calibrates with all and fits
        logistic regressions to all.
    drawn_samples : int, default=10_000
        Number of samples, about, that are drawn of a larger table for this.
    product_bytes : int, default=2**31
        Bytes of the inner products of all pairs of features, for all classes and roles in folds together, above which
        ``compression="auto"`` keeps a sketch instead and ``partial_fit`` raises an error.
    """

    gram_features: int = 256
    thread_operations: float = 2e6
    samples_at_once: int = 4096
    stored_at_once: int = 2**20
    dense_at_once: int = 2**22
    columns_at_once: int = 2**19
    distance_bytes: int = 2**18
    seed_distances: int = 2**19
    judged_distances: int = 2**18
    judged_gaps: int = 2**17
    neighbour_distances: int = 2**22
    sample_bytes: int = 2**24
    smallest_sample: int = 500
    kept_samples: int = 50_000
    drawn_samples: int = 10_000
    product_bytes: int = 2**31


_current = Sizes()  # of the process, not of a thread: the threads of a search see what its caller set


def get_sizes() -> Sizes:
    """Sizes in force."""
    return _current


@contextmanager
def sizes_context(**changes: Any) -> Iterator[Sizes]:
    """Change sizes until the end of a ``with`` block, for all threads of this process.

    Parameters
    ----------
    **changes : int or float
        Fields of :class:`Sizes`. The others stay as they are.

    Yields
    ------
    Sizes
        Sizes in force inside the block.

    Examples
    --------
    >>> from disjoint_centroids.numerics.sizes import get_sizes, sizes_context
    >>> with sizes_context(stored_at_once=100):
    ...     get_sizes().stored_at_once
    100
    >>> get_sizes().stored_at_once
    1048576
    """
    global _current
    before = _current
    _current = replace(before, **changes)
    try:
        yield _current
    finally:
        _current = before
