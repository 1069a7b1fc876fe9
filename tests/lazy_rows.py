"""Tables in blocks of rows that count how often they are read."""

import itertools
import os
import signal
import threading
import time
from contextlib import contextmanager
from types import SimpleNamespace

import dask
import dask.array as da
import numpy as np


class CountedBlocks:
    """A dask array whose blocks note every time they are computed."""

    def __init__(self, X, rows_of_block):
        self._lock = threading.Lock()
        edges = np.append(np.arange(0, len(X), rows_of_block), len(X))
        self.reads = np.zeros(len(edges) - 1, dtype=int)
        blocks = [
            da.from_delayed(dask.delayed(self._read, pure=False)(X[a:b], at), (b - a, X.shape[1]), X.dtype)
            for at, (a, b) in enumerate(itertools.pairwise(edges))
        ]
        self.array = da.concatenate(blocks)

    def _read(self, values, at):
        with self._lock:
            self.reads[at] += 1
        return values

    def __reduce__(self):
        raise TypeError("counts in this process only")


class Whole:
    """Rows in memory, cut into blocks: what the compressed fits ask for, without dask."""

    def __init__(self, X, lengths):
        self.X, self.lengths, self.n_features, self.columns = X, list(lengths), X.shape[1], None

    def slices(self, values):
        return np.split(values, np.cumsum(self.lengths)[:-1])

    def first(self):
        return self.slices(self.X)[0]

    def total(self, work, of_blocks, of_all, result_bytes=0.0):
        parts = [work(values, *own, *of_all) for values, own in zip(self.slices(self.X), of_blocks, strict=True)]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total


def noted_block(folder, at, n_rows, n_columns):
    """Rows that follow from their block's number; leaves a note that it was made, by whom."""
    rng = np.random.default_rng(at)
    y = np.arange(n_rows) % 3
    values = rng.standard_normal((n_rows, n_columns))
    values += np.arange(n_columns) // 7 % 3 == y[:, None]
    (folder / f"{at} {time.time_ns()} {os.getpid()}").touch()
    time.sleep(0.02)
    return values


def noted_table(folder, n_blocks, n_rows, n_columns):
    """A dask array of such blocks, whichever process makes them, and its labels."""
    make = dask.delayed(noted_block, pure=False)
    blocks = [
        da.from_delayed(make(folder, at, n_rows, n_columns), (n_rows, n_columns), np.float64) for at in range(n_blocks)
    ]
    return da.concatenate(blocks), np.tile(np.arange(n_rows) % 3, n_blocks)


def noted_rows(folder, n_blocks, n_rows, n_columns):
    """The same rows, made here."""
    return np.concatenate([noted_block(folder, at, n_rows, n_columns) for at in range(n_blocks)])


@contextmanager
def killing_a_worker(folder, n_made):
    """Kill one of the processes that make such blocks within the block of code, once ``n_made`` are there.

    Yields what is known of it at the end: its ``pid``, ``when`` it was killed, and ``n_made`` until then.
    """
    for note in folder.iterdir():
        note.unlink()
    killed = SimpleNamespace()

    def kill_one():
        while len(list(folder.iterdir())) < n_made:
            time.sleep(0.005)
        killed.n_made = len(list(folder.iterdir()))
        killed.pid = min(int(note.name.split()[-1]) for note in folder.iterdir())
        os.kill(killed.pid, signal.SIGKILL)
        killed.when = time.time_ns()

    killer = threading.Thread(target=kill_one, daemon=True)
    killer.start()
    yield killed
    killer.join()
    assert killed.pid != os.getpid()
