"""Matrix of an AnnData, in memory, in a file or in dask, as the estimators take it.

Kinds of matrices are told apart by their attributes, so that neither dask nor anndata need be there.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import sparse

from disjoint_centroids.rows.training import is_lazy

CHUNK_BYTES = 64 * 2**20
"""Bytes of dense float64 rows that are read from a file at a time."""

_ROWS_LOOKED_AT = 100


def some_rows(matrix: Any, rows: np.ndarray | None, *, lazy: bool, chunk_bytes: int = CHUNK_BYTES) -> Any:
    """These rows of a matrix (None: all) as an array, a sparse array or, if ``lazy`` ones may stay, a dask array.

    What is in memory is not copied unless rows are left out. If lazy ones may stay and dask is installed, a matrix in a
    file is a dask array, of which nothing is read yet. Else it is read by chunks of rows: beside the result there is
    one chunk in memory, and if they are sparse, all of them while they are joined.
    """
    if lazy and _is_in_file_by_rows(matrix) and find_spec("dask") is not None:
        matrix = _as_dask(matrix, chunk_bytes)
    if is_lazy(matrix):
        return (matrix if rows is None else matrix[rows]) if lazy else _joined(_lazy_parts(matrix), matrix.shape, rows)
    if getattr(matrix, "format", None) == "csc" and hasattr(matrix, "to_memory"):
        # In a file column after column: every chunk of rows would read it all.
        matrix = matrix.to_memory()
    if sparse.issparse(matrix):
        matrix = _plain(matrix)
    elif not isinstance(matrix, np.ndarray):
        return _joined(_stored_parts(matrix, chunk_bytes), matrix.shape, rows)
    else:
        matrix = np.asarray(matrix)  # not a subclass that writes back to an AnnData
    return matrix if rows is None else matrix[rows]


def looks_like_counts(matrix: Any) -> bool:
    """True if the first rows hold whole numbers only, none negative, some above 1; False for a dask array."""
    if is_lazy(matrix):
        return False
    first = matrix[:_ROWS_LOOKED_AT]
    numbers = np.asarray(first.data if sparse.issparse(first) else first)
    if numbers.size == 0 or numbers.min() < 0 or not 1 < numbers.max() < np.inf:
        return False
    return bool((numbers == np.floor(numbers)).all())


def _is_in_file_by_rows(matrix: Any) -> bool:
    """True if a matrix is in a file, row after row."""
    in_memory = is_lazy(matrix) or sparse.issparse(matrix) or isinstance(matrix, np.ndarray)
    return not in_memory and getattr(matrix, "format", None) != "csc"


def _as_dask(matrix: Any, chunk_bytes: int) -> Any:
    """Matrix in a file as a dask array with chunks of rows."""
    from anndata.experimental import read_elem_lazy

    stored = getattr(matrix, "group", matrix)  # a sparse matrix is a group of arrays
    return read_elem_lazy(stored, chunks=(_chunk_rows(matrix, chunk_bytes), matrix.shape[1]))


def _chunk_rows(matrix: Any, chunk_bytes: int) -> int:
    """Number of rows in a chunk."""
    return max(1, chunk_bytes // (8 * max(1, matrix.shape[1])))


def _plain(matrix: Any) -> Any:
    """Wrap the numbers in a class of scipy without a copy: slices of an AnnData have classes that write back to it."""
    kind = sparse.csc_array if matrix.format == "csc" else sparse.csr_array
    if matrix.format not in ("csc", "csr"):
        return kind(matrix)
    return kind((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)


def _stored_parts(matrix: Any, chunk_bytes: int) -> Iterator[tuple[int, Any]]:
    """A matrix in a file, some rows at a time, each with the number of its first row."""
    step = _chunk_rows(matrix, chunk_bytes)
    for start in range(0, matrix.shape[0], step):
        yield start, matrix[start : start + step]


def _lazy_parts(matrix: Any) -> Iterator[tuple[int, Any]]:
    """A dask array, one of its own chunks of rows at a time, each with the number of its first row."""
    start = 0
    for n_rows in matrix.chunks[0]:
        yield start, matrix[start : start + n_rows].compute()
        start += n_rows


def _joined(parts: Iterator[tuple[int, Any]], shape: tuple[int, int], rows: np.ndarray | None) -> Any:
    """Chunks of rows as one matrix of the rows that are wanted; sparse if the chunks are."""
    wanted = np.arange(shape[0]) if rows is None else rows
    dense: np.ndarray | None = None
    stack: list[Any] = []
    for start, part in parts:
        first, last = np.searchsorted(wanted, [start, start + part.shape[0]])
        here = wanted[first:last] - start
        if sparse.issparse(part):
            stack.append(_plain(part.tocsr())[here])
            continue
        if dense is None:
            # What the estimators compute in, so that they make no copy.
            dense = np.empty((wanted.size, shape[1]))
        dense[first:last] = np.asarray(part)[here]
    return sparse.vstack(stack, format="csr") if dense is None else dense
