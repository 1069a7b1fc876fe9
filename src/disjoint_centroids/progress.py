"""A progress bar on standard error, for work that takes long."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

_WIDTH = 30


class Progress:
    """Counts finished steps and, if enabled, shows them.

    On a terminal the bar is redrawn in place; elsewhere (a log file) each step is a line.

    Parameters
    ----------
    label : str
        What is being done.
    total : int
        Number of steps.
    enabled : bool
        Whether to show anything.
    """

    def __init__(self, label: str, total: int, *, enabled: bool) -> None:
        self.label = label
        self.total = total
        self.enabled = enabled
        self.done = 0
        self._began = time.monotonic()

    def __enter__(self) -> Self:
        self._show()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.enabled and sys.stderr.isatty():
            sys.stderr.write("\n")

    def tick(self) -> None:
        """One more step is done."""
        self.done += 1
        self._show()

    def _show(self) -> None:
        if not self.enabled:
            return
        filled = _WIDTH * self.done // max(self.total, 1)
        seconds = time.monotonic() - self._began
        bar = "#" * filled + "-" * (_WIDTH - filled)
        line = f"{self.label} [{bar}] {self.done}/{self.total} {seconds:.1f} s"
        sys.stderr.write(f"\r{line}" if sys.stderr.isatty() else f"{line}\n")
        sys.stderr.flush()
