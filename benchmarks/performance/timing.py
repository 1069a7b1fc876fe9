"""Times taken side by side: works take turns, so that a busy moment of the machine hits all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np

Spread = dict[str, float]
"""``median``, ``low`` and ``high`` of several measurements."""


def seconds_of(work: Callable[[], object]) -> float:
    """Seconds that something takes, once."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def in_turns(works: Mapping[str, Callable[[], object]], repeats: int, *, warm: bool = True) -> dict[str, list[float]]:
    """Seconds of every work, ``repeats`` times in turns; before that once untimed if ``warm``."""
    if warm:
        for work in works.values():
            work()
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            times[name].append(seconds_of(work))
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
