"""Labelled tables for tests: each is one way in which real data can be awkward."""

import itertools
from dataclasses import dataclass, replace

import numpy as np

from disjoint_centroids.centroids.search import Problem, Settings, prepare
from disjoint_centroids.numerics.types import owner_dtype


@dataclass(frozen=True)
class Labelled:
    """A table, its classes, its sample weights, and the norm to use on it."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    divided: bool = True

    @property
    def n_features(self):
        return self.X.shape[1]

    @property
    def n_classes(self):
        return int(self.y.max()) + 1

    @property
    def options(self):
        """What the oracle wants to know besides table and classes."""
        return {"weights": self.weights, "divided": self.divided}

    def problem(self) -> Problem:
        return prepare(self.X, self.y, self.weights, self.n_classes, divided=self.divided)

    def rows(self, samples):
        """Some of the samples, in the order given."""
        return replace(self, X=self.X[samples], y=self.y[samples], weights=self.weights[samples])


def labelled(X, y, weights=None, divided=True):
    """A table from its parts; every sample weighs one if nothing is said."""
    X = np.ascontiguousarray(X, dtype=np.float64)
    y = np.asarray(y, dtype=np.intp)
    return Labelled(X, y, np.ones(y.size) if weights is None else np.asarray(weights, float), divided)


def blocks(sizes, n_features, seed, noise=1.0):
    """Classes of the given sizes, in mixed order; each has a block of features with a level of its own."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    levels = rng.normal(size=(len(sizes), n_features))
    spread = rng.uniform(0.5, 1.5, size=(len(sizes), n_features))
    return labelled(levels[y] + noise * spread[y] * rng.normal(size=(y.size, n_features)), y)


def _with_values(table, X):
    return labelled(X, table.y)


def _offset(columns):
    table = blocks((7, 5, 6), 36, seed=7)
    return _with_values(table, table.X + 1e6 * np.isin(np.arange(36) % 2, columns))


def _single_precision():
    table = blocks((7, 5, 6), 36, seed=8)
    return _with_values(table, (1000.0 + table.X).astype(np.float32))


def _constant_columns():
    table = blocks((7, 5, 6), 36, seed=9)
    X = table.X.copy()
    X[:, ::6] = [0.1, -0.7, 0.0, 1e3, 0.1, 1 / 3]
    return _with_values(table, X)


def _duplicated_columns():
    table = blocks((7, 5, 6), 18, seed=10)
    return _with_values(table, np.hstack([table.X, table.X[:, ::-1]]))


def _equal_columns():
    table = blocks((7, 5, 6), 1, seed=11)
    return _with_values(table, np.repeat(table.X, 20, axis=1))


def _integers(highest, seed):
    rng = np.random.default_rng(seed)
    table = blocks((8, 6, 4), 30, seed=seed)
    return _with_values(table, rng.integers(0, highest + 1, size=table.X.shape))


def _scales():
    table = blocks((7, 5, 6), 36, seed=14)
    return _with_values(table, table.X * np.geomspace(1e-4, 1e4, 36)[np.random.default_rng(14).permutation(36)])


TABLES = {
    "few samples a class": lambda: blocks((6, 5, 7), 36, seed=1),
    "more samples than features": lambda: blocks((40, 30, 35), 14, seed=2),
    "some classes with more samples than features": lambda: blocks((30, 8, 5), 20, seed=3),
    "unbalanced": lambda: blocks((24, 6, 2, 1), 32, seed=4),
    "two classes": lambda: blocks((9, 8), 30, seed=5),
    "twelve classes": lambda: blocks((4,) * 12, 60, seed=6, noise=0.5),
    "one sample a class": lambda: blocks((1,) * 5, 30, seed=15),
    "offset": lambda: _offset([0, 1]),
    "half the columns offset": lambda: _offset([1]),
    "single precision": _single_precision,
    "constant columns": _constant_columns,
    "duplicated columns": _duplicated_columns,
    "equal columns": _equal_columns,
    "small integers": lambda: _integers(3, seed=12),
    "zeros and ones": lambda: _integers(1, seed=13),
    "wild scales": _scales,
}

TIED = ("duplicated columns", "equal columns", "small integers", "zeros and ones")
"""Tables in which exact ties are the rule: rounding must not decide them."""

UNTIED = tuple(name for name in TABLES if name not in TIED and name != "constant columns")


def table(name, variant="plain"):
    """A table by name: plain, with sample weights, or under the Euclidean norm."""
    found = TABLES[name]()
    if variant == "weighted":
        rng = np.random.default_rng(found.y.size)
        return replace(found, weights=rng.choice([0.25, 0.5, 1.0, 1.7, 3.0], size=found.y.size))
    return replace(found, divided=variant != "euclidean")


VARIANTS = ("plain", "weighted", "euclidean")


def in_turn(names, options=VARIANTS):
    """Pairs of a name and an option, every name once and the options in turn: where no code looks at both at once."""
    return list(zip(names, itertools.cycle(options), strict=False))


def even_owners(n_starts, n_features, n_clusters, seed):
    """Starting owners by lot, the clusters as equal in size as can be."""
    rng = np.random.default_rng(seed)
    dealt = np.arange(n_features) % n_clusters
    return np.array([rng.permutation(dealt) for _ in range(n_starts)], dtype=owner_dtype(n_clusters))


def starting_owners(table, n_starts, *, has_pool, seed=0):
    """Even starts in cluster numbers; with a pool, every other one leaves I_0 empty or nearly everything in it."""
    owners = even_owners(n_starts, table.n_features, table.n_classes + has_pool, seed)
    if has_pool:
        owners[1::4][owners[1::4] == 0] = 1
        for owner in owners[3::4]:
            owner[:] = 0
            owner[: table.n_classes] = np.arange(1, table.n_classes + 1)
    return owners


def seed_features(n_starts, n_features, n_clusters, seed):
    """k-means seeds: one feature a cluster, the rest unassigned."""
    rng = np.random.default_rng(seed)
    seeds = np.full((n_starts, n_features), -1, owner_dtype(n_clusters))
    for row in seeds:
        row[rng.choice(n_features, n_clusters, replace=False)] = np.arange(n_clusters)
    return seeds


def settings(init="k-means", *, n_init=8, by_error=True, n_threads=1, seed=0, max_iter=300):
    """How to search, with what most tests want."""
    return Settings(n_init, init, by_error, max_iter, n_threads, seed)
