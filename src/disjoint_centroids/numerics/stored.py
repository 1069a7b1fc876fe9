"""The stored values of a sparse matrix, slab by slab: in either order, of any type, never a copy of the whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.numerics.types import FloatArray, IntArray

SparseMatrix = Any
"""CSR or CSC, array or matrix, in which every cell is listed at most once, in order; scipy has no types for it."""

Values = Any
"""A table as an array, or as a ``SparseMatrix``."""


def dense(values: Values) -> FloatArray:
    """Return a table as an array."""
    return np.asarray(values.toarray() if sparse.issparse(values) else values)


@dataclass(frozen=True, slots=True)
class Slab:
    """Consecutive rows of a CSR matrix, or consecutive columns of a CSC matrix.

    Attributes
    ----------
    first : int
        Number of the first row (column).
    by_rows : bool
        True if these are rows, and ``minor`` holds columns.
    ends : array of shape (n + 1,)
        Row (column) ``first + at`` has the entries ``ends[at] … ends[at + 1] - 1``.
    minor : array of int
        Column (row) of each entry.
    data : array of float
        The entries.
    """

    first: int
    by_rows: bool
    ends: IntArray
    minor: IntArray
    data: FloatArray

    @property
    def parts(self) -> tuple[int, bool, IntArray, IntArray, FloatArray]:
        """All of it, in the order in which the kernels take it."""
        return self.first, self.by_rows, self.ends, self.minor, self.data


def slabs(matrix: SparseMatrix) -> Iterator[Slab]:
    """Cut a matrix into slabs of ``stored_at_once`` values; only those of another type than double are copied."""
    if matrix.format not in ("csr", "csc"):
        matrix = sparse.csr_array(matrix)
    ends, at_once = matrix.indptr, get_sizes().stored_at_once
    first = 0
    while first < ends.size - 1:
        last = int(np.searchsorted(ends, int(ends[first]) + at_once, side="right")) - 1
        last = max(last, first + 1)
        part = slice(int(ends[first]), int(ends[last]))
        yield Slab(
            first,
            matrix.format == "csr",
            (ends[first : last + 1] - ends[first]).astype(np.intp),
            matrix.indices[part],
            np.ascontiguousarray(matrix.data[part], dtype=np.float64),
        )
        first = last
