"""Memory that the arrays of an HDF5 file will take, from their declared shapes."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

from disjoint_centroids.tables.memory.bounds import CELL_BYTES, WORD_BYTES, MemoryBound

_NUMBERS = "biuf"


def take_arrays(path: Path, bound: MemoryBound) -> None:
    """Count what reading all arrays of an AnnData file takes; a sparse X counts as the dense table it becomes."""
    import h5py

    def take(_name: str, found: Any) -> None:
        if isinstance(found, h5py.Dataset):
            each = CELL_BYTES if found.dtype.kind in _NUMBERS else WORD_BYTES
            chunk = found.dtype.itemsize * prod(found.chunks or ())
            bound.take(max(found.dtype.itemsize, each) * prod(found.shape or ()) + chunk)

    with h5py.File(path, "r") as file:
        file.visititems(take)
        matrix = file.get("X")
        if isinstance(matrix, h5py.Group):
            bound.take(CELL_BYTES * prod(int(n) for n in matrix.attrs.get("shape", ())))
