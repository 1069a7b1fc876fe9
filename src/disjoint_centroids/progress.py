"""A progress bar on standard error, for work that takes long."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import NamedTuple, Self

_WIDTH = 30
_SILENCE = 30.0  # seconds without a line in a log file


class Reached(NamedTuple):
    """State of a progress bar: finished steps of all steps, seconds that passed, and an estimate of those left."""

    label: str
    done: int
    total: int
    seconds: float
    left: float | None


_listeners: list[Callable[[Reached], None]] = []
_unfinished: list[Progress] = []  # the bar whose line the cursor of the terminal stands in, if any


@contextmanager
def heard_by(listener: Callable[[Reached], None]) -> Iterator[None]:
    """Hand every step of enabled progress bars of this process to a function, instead of drawing them.

    Examples
    --------
    >>> from disjoint_centroids.progress import Progress, heard_by
    >>> heard = []
    >>> with heard_by(heard.append), Progress("counting", 1, enabled=True) as bar:
    ...     bar.tick()
    >>> [(reached.label, reached.done, reached.total) for reached in heard]
    [('counting', 0, 1), ('counting', 1, 1)]
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


class Progress:
    """Count of finished steps, shown as a bar if enabled.

    On a terminal the bar is redrawn in place, on a new line if another bar was drawn in between; elsewhere (a log file)
    there is a line for each tenth, and for a percent that comes half a minute after the line before.

    Parameters
    ----------
    label : str
        Words before the bar.
    total : int or mapping of str to int
        Number of steps; a mapping: of each kind of step. Kinds of step may take very different times: what is left is
        estimated from the time that each kind took.
    enabled : bool
        True: show the bar.
    estimated : bool, default=True
        True: estimate the time that is left. False: steps take so different times that an estimate would mislead.
    """

    def __init__(self, label: str, total: int | Mapping[str, int], *, enabled: bool, estimated: bool = True) -> None:
        self.label = label
        self._left = {"": total} if isinstance(total, int) else dict(total)
        self._took: dict[str, list[float]] = {}
        self.total = sum(self._left.values())
        self.enabled = enabled
        self._estimated = estimated
        self.done = 0
        self._began = time.monotonic()
        self._shown, self._shown_at = -1, self._began
        self._width = 0

    def __enter__(self) -> Self:
        self._show()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self.done < self.total:
            self.done = self.total  # steps that turned out not to be needed
            self._show()
        if self in _unfinished:
            _unfinished.clear()
            sys.stderr.write("\n")

    def tick(self, kind: str = "", seconds: float = 1.0) -> None:
        """Count one more finished step.

        Parameters
        ----------
        kind : str, default=""
            Kind of the step.
        seconds : float, default=1.0
            Time that the step took by itself; steps may run at the same time.
        """
        self.done += 1
        self._left[kind] = self._left.get(kind, 1) - 1
        self._took.setdefault(kind, []).append(seconds)
        self._show()

    def _show(self) -> None:
        if not self.enabled:
            return
        if _listeners:
            for listener in _listeners:
                listener(self._reached())
            return
        terminal = sys.stderr.isatty()
        percent = 100 * self.done // max(self.total, 1)
        if not terminal and not self._is_due(percent):
            return
        self._shown, self._shown_at = percent, time.monotonic()
        filled = _WIDTH * self.done // max(self.total, 1)
        bar = "#" * filled + "-" * (_WIDTH - filled)
        line = f"{self.label} [{bar}] {self.done}/{self.total} {self._clock()}"
        if terminal:
            self._begin_line()
        sys.stderr.write(f"\r{line:<{self._width}}" if terminal else f"{line}\n")
        sys.stderr.flush()
        self._width = len(line)  # a shorter line must cover the end of a longer one

    def _begin_line(self) -> None:
        """Leave the line of another bar, within which this one runs or which ran within this one."""
        if _unfinished and self not in _unfinished:
            sys.stderr.write("\n")
            self._width = 0
        _unfinished[:] = [self]

    def _is_due(self, percent: int) -> bool:
        """True if a log file should have a line on this percent."""
        waited = time.monotonic() - self._shown_at >= _SILENCE
        return percent // 10 > self._shown // 10 or (waited and percent > self._shown)

    def _reached(self) -> Reached:
        seconds = time.monotonic() - self._began
        left = seconds * self._left_per_done() if self._estimated and 0 < self.done < self.total else None
        return Reached(self.label, self.done, self.total, seconds, left)

    def _clock(self) -> str:
        reached = self._reached()
        if reached.left is None:
            return _duration(reached.seconds)
        return f"{_duration(reached.seconds)}, about {_duration(reached.left)} left"

    def _left_per_done(self) -> float:
        """Work left as a multiple of the work done; a kind of step not seen yet is taken to be an average one."""
        done = sum(sum(took) for took in self._took.values())
        if done <= 0.0:
            return (self.total - self.done) / self.done
        average = done / self.done
        mean = {kind: sum(took) / len(took) for kind, took in self._took.items()}
        return sum(left * mean.get(kind, average) for kind, left in self._left.items()) / done


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
