"""Arrays on disk, zarr and ``.npy``, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from disjoint_centroids._listed import listed
from disjoint_centroids.tables.blocks.stored_rows import even_cuts, rows_within
from disjoint_centroids.tables.cells.file_cells import FileCells, cell_text
from disjoint_centroids.tables.formats.opening import library_errors, needs_package
from disjoint_centroids.tables.memory.bounds import MemoryBound, reserve_names
from disjoint_centroids.tables.problems import TableProblems

_DAMAGED = "Cut off or damaged: write or fetch it again."
_NUMBERS = "biuf"
_MATRIX = "X"
_NAMES = "feature_names"
_ZARR_FILES = ("zarr.json", ".zgroup", ".zarray")


@dataclass(frozen=True, slots=True)
class ArrayBlocks:
    """A table of numbers on disk, and row ranges in it: :class:`StoredRows`.

    Attributes
    ----------
    source : str
        As the user names it.
    path : str
        The absolute path, since a worker may stand in another folder.
    names : tuple of str
        Features.
    ranges : tuple of (int, int)
        First row of each block, and the first after it.
    ids : str or None
        AnnData's index of obs.
    labels : tuple of str
        Names that may be given as target or as ids: arrays of one dimension in a zarr group, or columns of obs.
    """

    source: str
    path: str
    names: tuple[str, ...]
    ranges: tuple[tuple[int, int], ...]
    ids: str | None = None
    labels: tuple[str, ...] = ()

    @property
    def lengths(self) -> tuple[int, ...]:
        """Rows of each block."""
        return tuple(stop - start for start, stop in self.ranges)

    @property
    def advice(self) -> None:
        """Chunks are the writer's choice; those that are larger than a block are read once for each."""
        return

    @property
    def labels_are_columns(self) -> bool:
        """False: the matrix holds features only."""
        return False

    def label_names(self) -> tuple[str, ...]:
        """Arrays beside the matrix."""
        return self.labels

    def cells(self, at: int, columns: Sequence[int]) -> FileCells:
        """Some columns of a block."""
        with library_errors(self.source, "an array", _DAMAGED):
            numbers = _rows_of(_matrix_in(_opened(self.path)), *self.ranges[at])
        if list(columns) != list(range(len(self.names))):
            numbers = numbers[:, columns]
        return FileCells([self.names[column] for column in columns], numbers, {})

    def text(self, at: int, name: str) -> list[str]:
        """Part of an array beside the matrix, as it is written."""
        with library_errors(self.source, "zarr", _DAMAGED):
            return _texts(_beside(_opened(self.path))[name], *self.ranges[at])

    def place(self, at: int) -> str:
        """Rows of a block, for messages."""
        start, stop = self.ranges[at]
        return f"rows {start + 1} to {stop}"

    def rows(self, at: int) -> range:
        """The numbers of a block's rows, from 0."""
        return range(*self.ranges[at])


def is_zarr(path: Path) -> bool:
    """True if a folder is a zarr group or array."""
    return path.suffix.lower() == ".zarr" or any((path / name).exists() for name in _ZARR_FILES)


def open_array_blocks(path: Path, rows: int | None, bound: MemoryBound) -> ArrayBlocks:
    """Read shapes, chunks and names of the arrays, and divide the rows into blocks."""
    source = str(path)
    with library_errors(source, "zarr" if path.is_dir() else "a NumPy array", _DAMAGED):
        root = _opened(source)
        matrix = _matrix_in(root)
        if matrix is None:
            raise TableProblems(source, [f"it has no array {_MATRIX!r}. Write the samples x features array there."])
        shape = _shape(matrix)
        _check_is_table(matrix, shape, source)
        reserve_names(shape[0], shape[1], bound)
        bound.reserve(8 * prod(_chunks(matrix)))
        beside = _beside(root)
        labels = tuple(name for name, array in beside.items() if _length(array) == shape[0])
        names = tuple(_feature_names(root, shape[1], source))
        index = _obs_index(root)
    cuts = _cuts(shape[0], rows_within(shape[1], rows), _chunk_rows(matrix))
    return ArrayBlocks(source, str(path.absolute()), names, tuple(cuts), index, labels)


def _opened(path: str) -> Any:
    """A zarr group or array, or an array mapped into memory."""
    if not Path(path).is_dir():
        return np.load(path, mmap_mode="r", allow_pickle=False)
    try:
        import zarr
    except ImportError as error:
        raise needs_package(path, "zarr", "zarr") from error
    return zarr.open(path, mode="r")


def _is_group(found: Any) -> bool:
    return hasattr(found, "keys")


def _matrix_in(root: Any) -> Any:
    """The array itself, or the one of this name in a group."""
    if not _is_group(root):
        return root
    return root.get(_MATRIX)


def _shape(matrix: Any) -> tuple[int, ...]:
    return tuple(int(n) for n in (matrix.attrs["shape"] if _is_group(matrix) else matrix.shape))


def _check_is_table(matrix: Any, shape: tuple[int, ...], source: str) -> None:
    if _is_group(matrix) and matrix.attrs.get("encoding-type") != "csr_matrix":
        raise TableProblems(
            source,
            [
                f"its {_MATRIX} is stored as {matrix.attrs.get('encoding-type')!r}, of which rows cannot be read one "
                f"after the other. Write it as a dense array or as CSR: adata.{_MATRIX} = adata.{_MATRIX}.tocsr()"
            ],
        )
    if len(shape) != 2:
        raise TableProblems(source, [f"its array has the shape {shape}. Give one with samples x features."])
    kind = (matrix["data"] if _is_group(matrix) else matrix).dtype
    if kind.kind not in _NUMBERS:
        raise TableProblems(source, [f"its array holds {kind}, not numbers. Write it as float64."])


def _chunk_rows(matrix: Any) -> int:
    """Rows that the store keeps together; one if rows can be had one by one."""
    return (*_chunks(matrix), 1)[0]


def _chunks(matrix: Any) -> tuple[int, ...]:
    """Shape of what the store unpacks at once; nothing if cells can be had one by one."""
    chunks = None if _is_group(matrix) else getattr(matrix, "chunks", None)
    return tuple(int(n) for n in chunks) if chunks else ()


def _cuts(n_rows: int, most: int, together: int) -> Iterable[tuple[int, int]]:
    """Ranges within the bound that do not divide what the store keeps together, unless that is too large."""
    if together > most:
        for start in range(0, n_rows, together):
            size = min(together, n_rows - start)
            yield from ((start + first, start + last) for first, last in even_cuts(size, most))
        return
    step = most // together * together
    yield from ((start, min(start + step, n_rows)) for start in range(0, n_rows, step))


def _rows_of(matrix: Any, start: int, stop: int) -> np.ndarray:
    """Rows as float64; those of a CSR group are filled up with zeros."""
    if not _is_group(matrix):
        return np.ascontiguousarray(matrix[start:stop], dtype=np.float64)
    ends = np.asarray(matrix["indptr"][start : stop + 1])
    inside = slice(int(ends[0]), int(ends[-1]))
    data, indices = np.asarray(matrix["data"][inside]), np.asarray(matrix["indices"][inside])
    part = sparse.csr_array((data, indices, ends - ends[0]), shape=(stop - start, _shape(matrix)[1]))
    dense: np.ndarray = part.toarray().astype(np.float64, copy=False)
    return dense


def _beside(root: Any) -> dict[str, Any]:
    """Names of arrays that may hold labels or ids: AnnData's obs, or the other arrays of the group."""
    if not _is_group(root):
        return {}
    if "obs" in root:
        obs = root["obs"]
        return {name: obs[name] for name in [*obs.attrs["column-order"], obs.attrs["_index"]]}
    return {name: root[name] for name in root.keys() if name != _MATRIX and not _is_group(root[name])}  # noqa: SIM118


def _obs_index(root: Any) -> str | None:
    return str(root["obs"].attrs["_index"]) if _is_group(root) and "obs" in root else None


def _length(array: Any) -> int:
    """Length of an array of one dimension, or of AnnData's categories by number; 0 for anything else."""
    codes = array["codes"] if _is_group(array) and "codes" in array else array
    return int(codes.shape[0]) if not _is_group(codes) and len(codes.shape) == 1 else 0


def _texts(array: Any, start: int, stop: int) -> list[str]:
    if not _is_group(array):
        return [cell_text(value) for value in np.asarray(array[start:stop]).tolist()]
    categories = [*(cell_text(value) for value in np.asarray(array["categories"][:]).tolist()), ""]
    return [categories[code] for code in np.asarray(array["codes"][start:stop]).tolist()]  # -1: none


def _feature_names(root: Any, n_features: int, source: str) -> list[str]:
    """AnnData's index of var, an array of names beside the matrix, or x0, x1 … as scikit-learn calls them."""
    if _is_group(root) and "var" in root:
        var = root["var"]
        return _texts(var[var.attrs["_index"]], 0, n_features)
    if not _is_group(root) or _NAMES not in root:
        return [f"x{at}" for at in range(n_features)]
    names = _texts(root[_NAMES], 0, n_features)
    if len(names) != n_features:
        raise TableProblems(
            source, [f"it has {n_features} features and {len(names)} {_NAMES} ({listed(names)}). Give one for each."]
        )
    return names
