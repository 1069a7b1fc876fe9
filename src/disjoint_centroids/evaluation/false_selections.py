"""Upper bounds on the number of features that are selected often by chance, on halves of the samples."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, inf, sqrt

import numpy as np
from scipy.optimize import brentq, minimize_scalar

_ROUNDING = 1e-9
_STARTS = 12  # points on each piece of the search for the largest tail, before it is polished


@dataclass(frozen=True, slots=True)
class FalseSelectionBounds:
    """Upper bounds on the expected number of features that reach a cut-off though each is selected rarely.

    Attributes
    ----------
    meinshausen_buhlmann : float
        Without assumptions.
    unimodal : float
        If frequencies have one mode; never above the first.
    r_concave : float
        If frequencies are r-concave, which is stronger; never above the second.
    """

    meinshausen_buhlmann: float
    unimodal: float
    r_concave: float


def false_selection_bounds(q: float, p: int, n_pairs: int, cutoff: float) -> FalseSelectionBounds:
    r"""Bound the expected number of features with a low selection probability that reach a cut-off.

    A procedure is run on both halves of ``n_pairs`` = B complementary pairs, and selects q of p features on average.
    A feature has a low selection probability if it is at most :math:`\theta = q/p`, that of an average feature. With
    :math:`\pi` the cut-off, rounded up to a frequency that 2B runs can have, the expected number of such features
    that are selected in a share of at least :math:`\pi` of the runs is at most

    - :math:`q^2 / ((2\pi - 1) p)`, whatever the distribution. Meinshausen and Bühlmann (2010) proved it for features
      that are exchangeable and never selected more rarely than by chance, Shah and Samworth (2013) as stated here;
    - :math:`C\, q^2 / p` if the share of pairs in which both halves select such a feature has a unimodal distribution,
      :math:`\theta \le 1/\sqrt 3` and :math:`\pi > \min(1/2 + \theta^2, 1/2 + 1/(2B) + 3\theta^2/4)`, where
      :math:`C = 1 / (2 (2\pi - 1 - 1/(2B)))` for :math:`\pi \le 3/4`, and
      :math:`C = 4 (1 - \pi + 1/(2B)) / (1 + 1/B)` above;
    - :math:`p \min\{D(\theta^2, 2\pi - 1, B, -1/2),\; D(\theta, \pi, 2B, -1/4)\}` if these shares are -1/2-concave
      and the selection frequencies -1/4-concave, where :math:`D(\eta, t, n, r)` is the largest
      :math:`P(X \ge t)` of an r-concave X on :math:`\{0, 1/n, \dots, 1\}` with :math:`E X \le \eta`.

    An assumption never makes a bound higher: where its own formula does not apply, or is higher, the bound with fewer
    assumptions stands. None is above p; that is the answer if every run selects everything.

    Parameters
    ----------
    q : float
        Mean number of features that a run selects.
    p : int
        Number of features.
    n_pairs : int
        Pairs of halves, B.
    cutoff : float
        Above 0.5, at most 1.

    Returns
    -------
    FalseSelectionBounds
        The three bounds.

    References
    ----------
    N. Meinshausen and P. Bühlmann (2010), "Stability selection", JRSS B 72.
    R. D. Shah and R. J. Samworth (2013), "Variable selection with error control: another look at stability
    selection", JRSS B 75.

    Examples
    --------
    >>> from disjoint_centroids.evaluation.false_selections import false_selection_bounds
    >>> found = false_selection_bounds(q=50, p=1000, n_pairs=50, cutoff=0.6)
    >>> round(found.meinshausen_buhlmann, 3), round(found.unimodal, 3), round(found.r_concave, 3)
    (12.5, 6.579, 2.605)
    """
    if not 0.5 < cutoff <= 1:
        raise ValueError(f"cutoff must be above 0.5 and at most 1; got {cutoff}.")
    needed = runs_needed(cutoff, 2 * n_pairs)
    share, theta = needed / (2 * n_pairs), q / p
    plain = min(q * theta / (2 * share - 1), float(p))
    unimodal = min(plain, q * theta * _unimodal_factor(theta, share, n_pairs))
    tail = min(
        largest_tail(theta**2, needed - n_pairs, n_pairs, -1 / 2), largest_tail(theta, needed, 2 * n_pairs, -1 / 4)
    )
    return FalseSelectionBounds(plain, unimodal, min(unimodal, p * tail))


def runs_needed(cutoff: float, n_runs: int) -> int:
    """Number of runs in which a feature must be selected to reach a cut-off: 0.6 of 10 runs are 6, 0.61 are 7."""
    return ceil(cutoff * n_runs - _ROUNDING)


def _unimodal_factor(theta: float, share: float, n_pairs: int) -> float:
    lowest = 0.5 + min(theta**2, 1 / (2 * n_pairs) + 0.75 * theta**2)
    if theta > 1 / sqrt(3) or share <= lowest:
        return inf
    if share <= 0.75:
        return 1 / (2 * (2 * share - 1 - 1 / (2 * n_pairs)))
    return 4 * (1 - share + 1 / (2 * n_pairs)) / (1 + 1 / n_pairs)


@lru_cache(maxsize=1024)
def largest_tail(mean: float, at: int, n: int, r: float) -> float:
    """Largest P(X >= at / n) of an r-concave X on {0, 1/n, …, 1} of the given mean or a lower one, r negative.

    The extremes fall as the curve (a + i) ** (1 / r) for i = 0 … k, with a smaller last mass at k + 1. For each k,
    the mean and the total leave one number free, a; it runs from where the last mass lies on the curve to where it is
    none. Up to twice the mean the answer is 1, which is safe.
    """
    centre = mean * n
    if centre == 0:
        return 0.0
    first = floor(2 * centre + _ROUNDING) + 1  # the shortest curve that can fall and have this mean
    if at < first:
        return 1.0
    logs = [_log_offset(centre, k, r) for k in range(first, n + 1)]  # falling: a longer curve is a steeper one
    found = _tail(logs[-1], at, n, centre, r)
    for k, upper, lower in zip(range(first, n), logs[:-1], logs[1:], strict=True):
        if k + 1 >= at:
            found = max(found, _largest_on_piece(lower, upper, at, k, centre, r))
    return float(min(max(found, 0.0), 1.0))


def _curve(log_offset: float, k: int, r: float) -> np.ndarray:
    """(a + i) ** (1 / r) for i = 0 … k, the first of them 1."""
    return (1 + np.arange(k + 1) * np.exp(-log_offset)) ** (1 / r)


def _log_offset(centre: float, k: int, r: float) -> float:
    """Logarithm of a at which the curve on 0 … k has its mean at ``centre``."""
    places = np.arange(k + 1)

    def excess(log_offset: float) -> float:
        curve = _curve(log_offset, k, r)
        return float(places @ curve / curve.sum() - centre)

    return float(brentq(excess, -60.0, 45.0, xtol=1e-13))


def _tail(log_offset: float, at: int, k: int, centre: float, r: float) -> float:
    """P(X >= at) of the curve on 0 … k and a mass at k + 1 that puts the mean at ``centre``."""
    curve = _curve(log_offset, k, r)
    weight = (k + 1 - centre) / float((k + 1 - np.arange(k + 1)) @ curve)
    return 1 - weight * float(curve[:at].sum())


def _largest_on_piece(lower: float, upper: float, at: int, k: int, centre: float, r: float) -> float:
    grid = np.linspace(lower, upper, _STARTS)
    tails = [_tail(log_offset, at, k, centre, r) for log_offset in grid]
    best = int(np.argmax(tails))
    around = (grid[max(best - 1, 0)], grid[min(best + 1, _STARTS - 1)])
    polished = minimize_scalar(lambda log_offset: -_tail(log_offset, at, k, centre, r), bounds=around, method="bounded")
    return max(tails[best], -float(polished.fun))
