"""Dask, and only here: tables cut into blocks of rows that need not be in memory, nor on this machine.

Nothing here schedules anything: work is handed to whatever scheduler dask is set to, threads of this process by default
or the cluster that a ``dask.distributed.Client`` has been opened for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from disjoint_centroids.numerics import one_thread_a_product
from disjoint_centroids.progress import Progress

if TYPE_CHECKING:
    from distributed import Client

try:
    import dask
    import dask.array as da
    from dask.callbacks import Callback
except ImportError as missing:  # pragma: no cover - the extra is there wherever tests run
    raise ImportError(
        "Tables larger than memory need dask: install it with `pip install disjoint-centroids[dask]`."
    ) from missing

_TOGETHER = 8
"""Number of partial results that are added up in one task."""

_LONGEST_CHAIN = 32

_STORED = 0.1
"""Share of the values that a sparse block is taken to store, which is not known before it is read."""


class RowBlocks:
    """A dask array or frame as blocks of rows.

    Parameters
    ----------
    X : dask array or dask frame
        Of shape (n_samples, n_features). Columns in several chunks are brought together.
    lengths : sequence of int or None
        The number of rows in each block, where X does not know it.
    verbose : int, default=0
        1 shows a progress bar over the blocks of each pass, if they are computed in this process. A cluster has its own
        dashboard.
    """

    def __init__(self, X: Any, lengths: Sequence[int] | None = None, verbose: int = 0) -> None:
        self._verbose = verbose
        self._passes = 0
        self.columns = None if _is_array(X) else list(X.columns)
        X = _whole_rows(X) if _is_array(X) else X
        self._delayed = list(X.to_delayed().ravel()) if _is_array(X) else list(X.to_delayed())
        self.n_features = int(X.shape[1])
        self._stored = _STORED if sparse.issparse(getattr(X, "_meta", None)) else 1.0
        self.lengths = _known_lengths(X, lengths)
        if len(self.lengths) != len(self._delayed):
            raise ValueError(
                f"X has {len(self._delayed)} blocks of rows, y {len(self.lengths)}. Cut y as X is cut (for frames: "
                "take both from one frame), or give y as an array in memory."
            )

    def slices(self, values: np.ndarray) -> list[np.ndarray]:
        """Parts of an array with one entry per row, one part per block."""
        return np.split(values, np.cumsum(self.lengths)[:-1])

    def total(
        self,
        work: Callable[..., Any],
        of_blocks: Sequence[Sequence[Any]],
        of_all: Sequence[Any],
        result_bytes: float = 0.0,
    ) -> Any:
        """The sum of ``work(values, *of_blocks[b], *of_all)`` over all blocks b: one pass over the rows.

        Results are added with ``+``, always in the same order: a block that has to be computed again, because a machine
        was lost, changes nothing. Where a result is larger than a block (``result_bytes``), one task after the other
        adds to the same result, so that few of them are in memory at once.
        """
        # Arguments that hold other things are wrapped, or dask would look for collections in all of them.
        common = _wrapped(tuple(of_all))
        add_block = dask.delayed(_add_block, pure=False)
        partial: list[Any] = []
        for chain in _chains(len(self._delayed), result_bytes / max(self._block_bytes, 1.0)):
            total = None
            for b in chain:
                own = _wrapped((self.lengths[b], tuple(of_blocks[b])))
                total = add_block(total, work, self._delayed[b], own, common)
            partial.append(total)
        add_all = dask.delayed(_add_all, pure=False)
        while len(partial) > 1:
            partial = [add_all(*partial[a : a + _TOGETHER]) for a in range(0, len(partial), _TOGETHER)]
        self._passes += 1
        label = f"pass {self._passes} over the table"
        with (
            one_thread_a_product(),  # dask's threads are many already
            Progress(label, len(self._delayed), enabled=self._verbose > 0) as bar,
            _BlocksDone(bar),
        ):
            return partial[0].compute()

    def first(self) -> Any:
        """Values of the first block that has rows."""
        at = next((b for b, length in enumerate(self.lengths) if length), 0)
        return as_rows(self._delayed[at].compute())

    @property
    def _block_bytes(self) -> float:
        return 8.0 * self._stored * self.n_features * sum(self.lengths) / max(len(self.lengths), 1)


class _BlocksDone(Callback):
    """Ticks for every block that one of dask's own schedulers has finished."""

    def __init__(self, bar: Progress) -> None:
        super().__init__(posttask=lambda key, *_: bar.tick() if str(key).startswith(_add_block.__name__) else None)


def _chains(n_blocks: int, size: float) -> Iterator[range]:
    """Blocks to be added up one after the other: the longer, the larger a result is compared with a block."""
    length = int(np.clip(math.ceil(_TOGETHER * size / 4), 1, _LONGEST_CHAIN))
    for begin in range(0, n_blocks, length):
        yield range(begin, min(begin + length, n_blocks))


def _wrapped(arguments: tuple[Any, ...]) -> Any:
    """Arguments of a task as one delayed value that is taken as it is."""
    return dask.delayed(arguments, pure=False, traverse=False)


def _add_block(
    before: Any,
    work: Callable[..., Any],
    block: Any,
    own: tuple[int, tuple[Any, ...]],
    of_all: tuple[Any, ...],
) -> Any:
    values = as_rows(block)
    length, of_block = own
    if values.shape[0] != length:
        raise ValueError(
            f"A block of X has {values.shape[0]} rows, the labels say {length}. Cut X and y into the same blocks."
        )
    found = work(values, *of_block, *of_all)
    return found if before is None else _added_into(found, before)


def _add_all(*parts: Any) -> Any:
    if len(parts) == 1:
        return parts[0]
    total = parts[0] + parts[1]
    for part in parts[2:]:
        total = _added_into(total, part)
    return total


def _added_into(own: Any, other: Any) -> Any:
    """Sum of two results, of which ``own`` was made by this very task and may be changed.

    ``other`` may not: dask hands it out again if a task has to be repeated.
    """
    if hasattr(type(own), "__iadd__"):
        own += other
        return own
    return other + own


def as_rows(block: Any) -> Any:
    """A block as a float array, or as a sparse matrix by rows that lists every cell once."""
    if sparse.issparse(block):
        rows = block.tocsr().astype(np.float64, copy=False)
        if not rows.has_canonical_format:
            rows = rows.copy()  # the block is the user's
            rows.sum_duplicates()
        return rows
    return np.asarray(block, dtype=np.float64)


def gather(values: Any) -> tuple[np.ndarray, list[int] | None]:
    """Labels, weights or groups as an array, and the lengths of their blocks if they were in blocks."""
    if not hasattr(values, "__dask_graph__"):
        return np.asarray(values), None
    if _is_array(values):
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        parts = dask.compute(*values.to_delayed().ravel())
    else:
        parts = dask.compute(*values.to_delayed())
    arrays = [np.asarray(part) for part in parts]
    return np.concatenate(arrays), [len(part) for part in arrays]


def map_rows(function: Callable[[Any], np.ndarray], X: Any, dtype: Any, n_columns: int | None) -> Any:
    """Apply ``function`` to every block of rows, when asked for: a dask array.

    Each block gives ``n_columns`` columns, or with None one number (or label) a row.
    """
    array = _whole_rows(X if _is_array(X) else X.to_dask_array())
    rows = array.chunks[0]
    if n_columns is None:
        meta = np.empty(0, dtype=dtype)
        return array.map_blocks(_on_block, function, dtype=dtype, chunks=(rows,), drop_axis=1, meta=meta)
    meta = np.empty((0, n_columns), dtype=dtype)
    return array.map_blocks(_on_block, function, dtype=dtype, chunks=(rows, (n_columns,)), meta=meta)


def _on_block(block: Any, function: Callable[[Any], np.ndarray]) -> np.ndarray:
    return function(as_rows(block))


def dask_array(parts: Any) -> da.Array:
    """A table on disk, opened by :func:`disjoint_centroids.tables.open_parts`, as a dask array.

    Parameters
    ----------
    parts : Parts
        Something with ``names``, ``lengths`` and ``read(at)``, which gives the rows of block ``at``.

    Returns
    -------
    dask.array.Array
        Of shape (n_samples, n_features), one chunk per block. Nothing is read yet.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids import NearestDisjointCentroid
    >>> from disjoint_centroids.tables import open_parts
    >>> from disjoint_centroids.rows.dask_blocks import dask_array
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "iris.parquet"
    ...     X.assign(kind=y).to_parquet(file)
    ...     parts = open_parts(file, target="kind", rows=40)
    ...     table = dask_array(parts)
    ...     model = NearestDisjointCentroid(n_init=5, random_state=0).fit(table, parts.labels)
    >>> table.chunks[0]
    (37, 38, 37, 38)
    >>> len(model.owner_)
    4
    """
    read = dask.delayed(parts.read, pure=False, traverse=False)
    width = len(parts.names)
    blocks = [
        da.from_delayed(read(at), shape=(length, width), dtype=np.float64) for at, length in enumerate(parts.lengths)
    ]
    return da.concatenate(blocks, axis=0)


def connect(address: str | None) -> AbstractContextManager[Client | None]:
    """Work on a running cluster as long as the context lasts; on dask's own default without an address.

    Parameters
    ----------
    address : str or None
        Of the scheduler, such as ``tcp://10.0.0.1:8786``, or the path of its scheduler file (``*.json``).

    Returns
    -------
    context manager
        A ``dask.distributed.Client``, or nothing.

    Examples
    --------
    >>> from disjoint_centroids.rows.dask_blocks import connect
    >>> with connect(None):  # threads of this process
    ...     pass
    """
    if address is None:
        return nullcontext()
    from distributed import Client

    before = _open_client()
    try:
        if not address.endswith(".json"):
            return Client(address, timeout=10)
        if not Path(address).exists():  # for which a client would wait without end
            raise ValueError("there is no such file")
        return Client(scheduler_file=address, timeout=10)
    except (OSError, ValueError) as error:
        failed = _open_client()
        if failed is not None and failed is not before:
            failed.close(timeout=1)  # or dask would hand all work to it, and wait without end
        raise ValueError(
            f"no scheduler answers at {address!r} ({str(error).rstrip('.')}). Give its address as it prints it, such "
            "as tcp://10.0.0.1:8786, or its scheduler file (*.json). Is it running, and can this machine reach it?"
        ) from error


def _open_client() -> Client | None:
    """Return the client that dask hands work to, if any is open."""
    from distributed import default_client

    try:
        return default_client()
    except ValueError:
        return None


def _is_array(X: Any) -> bool:
    return hasattr(X, "chunks")


def _whole_rows(array: Any) -> Any:
    if array.ndim != 2:
        raise ValueError(f"X must have 2 dimensions, samples by features; got shape {array.shape}.")
    return array.rechunk({1: -1}) if array.numblocks[1] > 1 else array


def _known_lengths(X: Any, lengths: Sequence[int] | None) -> list[int]:
    own = list(X.chunks[0]) if _is_array(X) else [math.nan]
    if not any(math.isnan(length) for length in own):
        return [int(length) for length in own]
    if lengths is not None:
        return [int(length) for length in lengths]
    raise ValueError(
        "X does not know how many rows its blocks have, and y is not in blocks. Give y as a dask array or series from "
        "the same table, or let X count: X.compute_chunk_sizes() for an array, X.to_dask_array(lengths=True) for a "
        "frame."
    )
