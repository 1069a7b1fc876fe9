"""Tables on which fits of panels are timed: two simulated ones, and two of single cells."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Table = tuple[np.ndarray, np.ndarray]
INFORMATIVE, SHIFT = 50, 0.7


def simulated(n: int, p: int, k: int) -> Table:
    """Noise in which every class is higher on 50 features of its own."""
    y = np.arange(n) % k
    X = np.random.default_rng(0).normal(size=(n, p))
    for j in range(k):
        X[np.ix_(y == j, np.arange(INFORMATIVE * j, INFORMATIVE * (j + 1)))] += SHIFT
    return X, y


def single_cells(name: str) -> Table:
    """A fetched set, on a logarithmic scale."""
    from disjoint_centroids.datasets import fetch_single_cell

    bunch = fetch_single_cell(name)
    values = np.asarray(bunch.data, dtype=np.float64)
    return (np.log1p(values) if values.max() > 100 else values), np.asarray(bunch.target)


SIMULATED: dict[str, Callable[[], Table]] = {
    "100 x 20 000, 4 classes": lambda: simulated(100, 20_000, 4),
    "300 x 5 000, 8 classes": lambda: simulated(300, 5_000, 8),
}
TABLES: dict[str, Callable[[], Table]] = SIMULATED | {
    "Zeisel, 3005 x 4000, 7 classes": lambda: single_cells("zeisel"),
    "CITE-seq, 8617 x 500, 13 classes": lambda: single_cells("cite-seq"),
}
