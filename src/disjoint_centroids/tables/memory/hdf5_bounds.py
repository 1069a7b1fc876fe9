"""Memory that the arrays of an HDF5 file will take, from their declared shapes."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

from disjoint_centroids.tables.memory.bounds import CELL_BYTES, WORD_BYTES, MemoryBound

_NUMBERS = "biuf"


def reserve_arrays(path: Path, bound: MemoryBound) -> None:
    """Reserve memory for reading all arrays of an AnnData file; a sparse X counts as the dense table it becomes."""
    import h5py

    def reserve(_name: str, found: Any) -> None:
        if isinstance(found, h5py.Dataset):
            each = CELL_BYTES if found.dtype.kind in _NUMBERS else WORD_BYTES
            chunk = found.dtype.itemsize * prod(found.chunks or ())
            bound.reserve(max(found.dtype.itemsize, each) * prod(found.shape or ()) + chunk)

    with h5py.File(path, "r") as file:
        file.visititems(reserve)
        matrix = file.get("X")
        if isinstance(matrix, h5py.Group):
            bound.reserve(CELL_BYTES * prod(int(n) for n in matrix.attrs.get("shape", ())))
