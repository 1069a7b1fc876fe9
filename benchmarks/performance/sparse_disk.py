"""Sparse rows on disk in blocks, as dask reads them, and the bare pass that a fit is measured against."""

from __future__ import annotations

from pathlib import Path

import dask
import dask.array as da
import numpy as np
from scipy import sparse

from disjoint_centroids.rows.kernels import add_sparse_products
from performance.dask_table import OnDisk, summed

STORED = 0.08
_MARKERS, _FOLD = 20, 2.5


class SparseDisk(OnDisk):
    """A folder with files of CSR rows, one per block, and the labels of the rows."""

    __slots__ = ()

    def array(self) -> da.Array:
        """The table as a dask array of sparse blocks; a block is read when it is needed, and not kept."""
        read = dask.delayed(_read, pure=False)
        meta = sparse.csr_array((0, self.n_features), dtype=np.float32)
        blocks = [
            da.from_delayed(read(self.path, at, self.n_features), (length, self.n_features), meta=meta)
            for at, (_, length) in enumerate(self.edges)
        ]
        return da.concatenate(blocks)


def _read(folder: Path, at: int, width: int) -> sparse.csr_array:
    parts = [np.load(folder / f"{at}-{name}.npy") for name in ("data", "indices", "indptr")]
    return sparse.csr_array(tuple(parts), shape=(len(parts[2]) - 1, width))


def write_sparse(folder: Path, n: int, p: int, n_classes: int, rows_of_block: int) -> SparseDisk:
    """Write random rows with 8 % stored; a class has larger values on twenty features of its own."""
    rng = np.random.default_rng(0)
    table = SparseDisk(folder, rng.integers(n_classes, size=n), p, rows_of_block)
    np.save(folder / "labels.npy", table.labels)
    each = min(_MARKERS, p // n_classes)
    for at, (first, length) in enumerate(table.edges):
        gaps = rng.geometric(STORED, size=int(1.1 * STORED * length * p) + 100)
        places = np.cumsum(gaps) - 1
        places = places[places < length * p]
        columns = (places % p).astype(np.int32)
        values = rng.exponential(size=places.size).astype(np.float32)
        labels = table.labels[first : first + length]
        values[columns // each == labels[places // p]] *= _FOLD
        starts = np.searchsorted(places, p * np.arange(length + 1)).astype(np.int32)
        for name, part in (("data", values), ("indices", columns), ("indptr", starts)):
            np.save(folder / f"{at}-{name}.npy", part)
    return table


def bare_sparse_gram_pass(table: SparseDisk, weights: np.ndarray) -> np.ndarray:
    """The weighted inner products of all pairs of features by the kernel of the fit, and nothing else."""

    def of_block(rows: sparse.csr_array, of_rows: np.ndarray) -> np.ndarray:
        found = np.zeros((1, table.n_features, table.n_features))
        cells = np.zeros(rows.shape[0], dtype=np.intp)
        add_sparse_products(rows.data.astype(np.float64), rows.indices, rows.indptr, cells, of_rows, False, found)
        return found[0]

    return summed(table.array(), of_block, [table.of_blocks(weights)])
