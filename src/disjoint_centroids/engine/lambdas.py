"""Where lambda matters on this table: from every class barely keeping a feature to nothing being dropped."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from disjoint_centroids.engine.problem import Problem
from disjoint_centroids.engine.restarts import Ends, run_restarts
from disjoint_centroids.engine.settings import Settings
from disjoint_centroids.engine.types import FloatArray

SMALLEST, LARGEST = 1e-3, 16.0
_COARSE = 43  # lambdas a factor of 1.26 apart
_FINE = 9
_STARTS = 16  # restarts that look for the ends of the range


@dataclass(frozen=True, slots=True)
class LamRange:
    """The lambdas worth trying."""

    smallest: float
    largest: float


def lam_range(problem: Problem, settings: Settings) -> LamRange:
    """Find the smallest lambda at which every class keeps a feature, and the smallest at which none is dropped.

    The second is where half of the restarts drop nothing. Where classes keep a feature however small lambda is
    (a class whose one feature is its own centre), the first is where the number of selected features starts to grow.
    """
    coarse = np.geomspace(SMALLEST, LARGEST, _COARSE)
    kept = _features_kept(problem, coarse, settings)
    low = _first(kept > kept[0]) if kept[0] > 0 else _first(kept > 0)
    high = _first(kept == problem.n_features)
    low = max(low, 1) if kept[0] > 0 else low
    smallest = coarse[low - 1] if kept[0] > 0 else _refine(problem, settings, coarse, low, 1)
    largest = _refine(problem, settings, coarse, high, problem.n_features)
    return LamRange(float(smallest), float(max(largest, smallest)))


def smallest_lam(problem: Problem, settings: Settings) -> float | None:
    """The smallest lambda, of those looked at, with which some restart leaves every class a feature.

    Rounded up to three digits, so that it can be shown and used as shown; None if no lambda does.
    """
    coarse = np.geomspace(SMALLEST, LARGEST, _COARSE)
    kept = _features_kept(problem, coarse, settings)
    if not kept.any():
        return None
    found = _refine(problem, settings, coarse, _first(kept > 0), 1)
    while True:
        shown = float(f"{found:.3g}")
        if shown >= found and _features_kept(problem, np.array([shown]), settings)[0] > 0:
            return shown
        found = max(found, shown) * 1.005


def _first(found: np.ndarray) -> int:
    return int(np.argmax(found)) if found.any() else len(found) - 1


def _refine(problem: Problem, settings: Settings, coarse: FloatArray, at: int, n_kept: int) -> float:
    """Look more closely between a coarse lambda and the one before it."""
    if at == 0:
        return float(coarse[0])
    fine = np.geomspace(coarse[at - 1], coarse[at], _FINE)[1:]
    return float(fine[_first(_features_kept(problem, fine, settings) >= n_kept)])


def _features_kept(problem: Problem, lams: FloatArray, settings: Settings) -> FloatArray:
    """Median number of selected features over the restarts that survive at each lambda; 0 where none does."""
    few = replace(settings, n_init=min(settings.n_init, _STARTS))
    clusters = problem.clusters(has_pool=True)
    return np.array([_median_kept(ends) for ends in run_restarts(problem, clusters, lams, few, rounds=1)])


def _median_kept(ends: Ends) -> float:
    if not ends.survived:
        return 0.0
    return float(np.median([np.count_nonzero(end.owner) for end in ends.survived.values()]))
