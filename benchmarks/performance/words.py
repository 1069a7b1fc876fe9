"""Figures as the page writes them."""

from __future__ import annotations

from collections.abc import Sequence

from performance.timing import Spread, straight_line


def figure(value: float) -> str:
    """Two digits that mean something: 0.0041, 0.37, 4.1, 37, 410."""
    if value == 0:
        return "0"
    if value >= 9.95:
        return f"{value:.0f}"
    return f"{value:.2g}" if value < 0.995 else f"{value:.1f}"


def ranged(values: Spread) -> str:
    """A median with its range: 24 (15 to 38)."""
    return f"{figure(values['median'])} ({figure(values['low'])} to {figure(values['high'])})"


def seconds(value: float) -> str:
    """A time in the unit that suits it."""
    if value < 1e-3:
        return f"{figure(value * 1e6)} µs"
    if value < 1:
        return f"{figure(value * 1e3)} ms"
    return f"{figure(value)} s" if value < 600 else f"{figure(value / 60)} min"


def megabytes(value: float) -> str:
    """Bytes in megabytes, or gigabytes from a thousand on."""
    return f"{figure(value / 1e6)} MB" if value < 1e9 else f"{figure(value / 1e9)} GB"


def line(n: Sequence[int], times: Sequence[float]) -> str:
    """A straight line through times at numbers of rows, in words."""
    constant, a_row, off = straight_line(n, times)
    said = f"{seconds(max(constant, 0.0))} plus {seconds(a_row * 1e6)} per million rows"
    return f"{said} (the times differ from the line by at most {off:.0%})"
