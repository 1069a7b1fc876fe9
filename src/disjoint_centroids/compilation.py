"""A progress bar for compilation: kernels are compiled by the first call that needs them, once per installation."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from disjoint_centroids.progress import Progress

LABEL = "compiling, once after an installation"

_MORE = 8  # kernels that the paper's classifiers need beyond those of a narrow table, if the table is a wide one
_shown: list[CompilationBar] = []


class CompilationBar:
    """Bar over the kernels that a call compiles; it appears with the first that is not found on disk.

    Parameters
    ----------
    expected : int
        Number of kernels that the call needs if none is found on disk. The bar ends with that number, or with the call;
        further kernels have another bar.
    """

    def __init__(self, expected: int) -> None:
        self._expected = expected
        self._bar: Progress | None = None

    def start(self) -> None:
        """Show the bar before the compilation of a kernel."""
        if self._bar is None:
            self._bar = Progress(LABEL, self._expected, enabled=True, estimated=False)
            self._bar.__enter__()

    def finish(self) -> None:
        """Count one more compiled kernel."""
        if self._bar is not None:
            self._bar.tick()
            if self._bar.done == self._bar.total:
                self.close()

    def close(self) -> None:
        """End the line of the bar, if there is one."""
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
            self._bar = None
            self._expected = _MORE


@contextmanager
def compilation_shown(expected: int, *, enabled: bool = True) -> Iterator[None]:
    """Show a progress bar on standard error while kernels are compiled, if any are.

    Parameters
    ----------
    expected : int
        Number of kernels that the call needs if none is found on disk.
    enabled : bool, default=True
        False: show nothing.
    """
    bar = CompilationBar(expected)
    if enabled:
        _shown.append(bar)
    try:
        yield
    finally:
        if enabled:
            _shown.remove(bar)
        bar.close()


def announce_compilations() -> None:
    """Tell the innermost bar of every kernel that numba compiles, and not of those it finds on disk."""
    from numba.core import event

    class Announcer(event.Listener):
        """Listener for compilations; those of functions that a kernel calls belong to the kernel."""

        def __init__(self) -> None:
            self._depth = threading.local()

        def on_start(self, event: Any) -> None:
            self._depth.now = getattr(self._depth, "now", 0) + 1
            if self._depth.now == 1 and _shown:
                _shown[-1].start()

        def on_end(self, event: Any) -> None:
            self._depth.now -= 1
            if self._depth.now == 0 and _shown:
                _shown[-1].finish()

    event.register("numba:compile", Announcer())
