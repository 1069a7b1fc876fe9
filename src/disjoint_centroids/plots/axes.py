"""Axes that the user gives, and ticks on logarithmic axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TICKS = 7


def given_panels(axes: Any, needed: int, what: str) -> np.ndarray:
    """Check that there are as many axes as needed, and return those as a flat array."""
    panels = np.asarray(axes, dtype=object).ravel()
    if panels.size < needed:
        raise ValueError(f"axes must hold {needed} axes, {what}; got {panels.size}.")
    return panels[:needed]


def inches_of(ax: Axes) -> tuple[float, float]:
    """Approximate width and height of a panel in inches."""
    box, dpi = ax.get_window_extent(), ax.figure.dpi
    return float(box.width / dpi), float(box.height / dpi)


def log_ticks(low: float, high: float) -> np.ndarray:
    """Choose at most seven round numbers, about evenly spaced on a logarithmic axis from low to high."""
    step = np.log(high / low) / (_TICKS - 1)
    ticks = np.array([_rounded(target, 0.3 * step) for target in np.geomspace(low, high, _TICKS)])
    return np.unique(ticks[(ticks >= low * (1 - 1e-9)) & (ticks <= high * (1 + 1e-9))])


def _rounded(target: float, tolerance: float) -> float:
    """Round to the fewest digits that are near enough on a logarithmic axis."""
    candidates = (float(f"{target:.{digits}e}") for digits in range(6))
    return next((c for c in candidates if abs(np.log(c / target)) <= tolerance), target)


def label_ticks(axis: Any, ticks: Sequence[float] | np.ndarray, labels: Sequence[str]) -> None:
    """Set exactly these ticks: a logarithmic axis would add small ones with labels of their own."""
    from matplotlib.ticker import NullFormatter, NullLocator

    axis.set_ticks(ticks, labels=labels)
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())
