"""Times taken side by side: works take turns, so that a busy moment of the machine hits all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np

Spread = dict[str, float]
"""``median``, ``low`` and ``high`` of several measurements."""

Clock = Callable[[], float]


def seconds_of(work: Callable[[], object], clock: Clock = time.perf_counter) -> float:
    """Seconds that something takes, once."""
    began = clock()
    work()
    return clock() - began


def in_turns(
    works: Mapping[str, Callable[[], object]],
    repeats: int,
    *,
    warm: bool = True,
    clock: Clock = time.perf_counter,
) -> dict[str, list[float]]:
    """Seconds of every work, ``repeats`` times in turns; before that once untimed if ``warm``.

    ``time.process_time`` as clock counts what this process uses of the processors, all its threads added up: it does
    not depend on what else the machine does.
    """
    if warm:
        for work in works.values():
            work()
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            times[name].append(seconds_of(work, clock))
    return times


def spread(values: Sequence[float]) -> Spread:
    """Median and range."""
    return {"median": float(np.median(values)), "low": float(np.min(values)), "high": float(np.max(values))}


def ratio(above: Sequence[float], below: Sequence[float]) -> Spread:
    """Spread of the ratios of what was measured in the same turn."""
    return spread(np.asarray(above) / np.asarray(below))


def product_rate(size: int, repeats: int = 3) -> float:
    """Floating-point operations a second of a square matrix product."""
    rng = np.random.default_rng(0)
    left, right = rng.random((size, size)), rng.random((size, size))
    times = in_turns({"product": lambda: left @ right}, repeats)["product"]
    return 2.0 * size**3 / float(np.median(times))


def straight_line(n: Sequence[int], times: Sequence[float]) -> tuple[float, float, float]:
    """Fit a line to times: seconds at n = 0, seconds per row, and the largest relative difference from the line."""
    at, taken = np.asarray(n), np.asarray(times)
    # Every time counts as much as any other, however long it took.
    a_row, constant = np.polyfit(at, taken, 1, w=1 / taken)
    return float(constant), float(a_row), float(np.max(np.abs(taken / (constant + a_row * at) - 1)))
