"""Sparse tables for tests: the awkward dense ones without their zeros, and some that sparse data is known for."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

import awkward_tables as tables
from disjoint_centroids.centroids.search import prepare

KINDS = (sparse.csr_array, sparse.csc_array, sparse.csr_matrix, sparse.csc_matrix)


@dataclass(frozen=True)
class Sparse(tables.Labelled):
    """A table whose problem is made from its non-zeros; the oracle reads it in full."""

    kind: type = sparse.csr_array

    def problem(self):
        return prepare(self.kind(self.X), self.y, self.weights, self.n_classes, divided=self.divided)


def as_sparse(table, kind=sparse.csr_array):
    """The same table, sparse for the engine."""
    return Sparse(table.X, table.y, table.weights, table.divided, kind)


def _counts(seed, sizes=(9, 7, 8), n_features=60, mean=0.15):
    """Counts, nearly all zero; some columns are zero in a class or altogether, and every class has its own."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    rates = mean * rng.gamma(0.5, 2.0, size=(len(sizes), n_features))
    rates[:, ::9] = 0.0
    rates[0, ::5] = 0.0
    return tables.labelled(rng.poisson(rates[y]), y)


def _logs():
    counts = _counts(31, mean=0.4)
    return tables.labelled(np.log1p(counts.X), counts.y)


def _marks():
    counts = _counts(32)
    return tables.labelled(counts.X > 0, counts.y)


def _repeated_columns():
    counts = _counts(33, n_features=20)
    return tables.labelled(np.hstack([counts.X, counts.X[:, ::-1], np.zeros((counts.y.size, 3))]), counts.y)


def _signed():
    counts = _counts(34)
    signs = np.random.default_rng(34).choice([-1.0, 1.0], size=counts.X.shape)
    return tables.labelled(signs * counts.X, counts.y)


def _one_value_a_column():
    rng = np.random.default_rng(35)
    X = np.zeros((18, 50))
    X[rng.integers(18, size=50), np.arange(50)] = 1.0
    return tables.labelled(X, np.arange(18) % 3)


SPARSE_TABLES = {
    "counts": lambda: _counts(30),
    "counts of two classes": lambda: _counts(36, sizes=(11, 8)),
    "counts of six classes": lambda: _counts(37, sizes=(6, 5, 4, 6, 3, 1), n_features=90, mean=0.5),
    "logarithms of counts": _logs,
    "marks": _marks,
    "repeated columns": _repeated_columns,
    "signed": _signed,
    "one value a column": _one_value_a_column,
}

NAMES = (*SPARSE_TABLES, *tables.TABLES)

NEAR_ZERO = tuple(name for name in NAMES if name not in ("offset", "half the columns offset"))
"""Where k-means starts must agree: far from zero throughout, what single moves gain can be lost in the squares."""


def table(name, variant="plain", kind=sparse.csr_array):
    """A table by name, sparse; variants as for dense ones."""
    tables_of = {**tables.TABLES, **SPARSE_TABLES}
    found = tables_of[name]()
    if variant == "weighted":
        rng = np.random.default_rng(found.y.size)
        return Sparse(found.X, found.y, rng.choice([0.25, 0.5, 1.0, 1.7, 3.0], size=found.y.size), True, kind)
    return Sparse(found.X, found.y, found.weights, variant != "euclidean", kind)
