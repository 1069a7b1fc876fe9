"""A progress bar on standard error, for work that takes long."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

_WIDTH = 30


class Progress:
    """Counts finished steps and, if enabled, shows them.

    On a terminal the bar is redrawn in place; elsewhere (a log file) there is a line for each percent.

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
        self._shown = -1
        self._width = 0

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
        terminal = sys.stderr.isatty()
        percent = 100 * self.done // max(self.total, 1)
        if not terminal and percent == self._shown:
            return
        self._shown = percent
        filled = _WIDTH * self.done // max(self.total, 1)
        bar = "#" * filled + "-" * (_WIDTH - filled)
        line = f"{self.label} [{bar}] {self.done}/{self.total} {self._clock()}"
        sys.stderr.write(f"\r{line:<{self._width}}" if terminal else f"{line}\n")
        sys.stderr.flush()
        self._width = len(line)  # a shorter line must cover the end of a longer one

    def _clock(self) -> str:
        seconds = time.monotonic() - self._began
        if not 0 < self.done < self.total:
            return _duration(seconds)
        return f"{_duration(seconds)}, about {_duration(seconds / self.done * (self.total - self.done))} left"


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
