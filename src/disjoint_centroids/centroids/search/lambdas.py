"""Where lambda matters on this table: from every class barely keeping a feature to nothing being dropped."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from disjoint_centroids.centroids.search.problem import Problem
from disjoint_centroids.centroids.search.restarts import ROUNDS, run_restarts
from disjoint_centroids.centroids.search.settings import Settings
from disjoint_centroids.numerics.types import FloatArray

SMALLEST, LARGEST = 1e-3, 16.0
_COARSE = 43  # lambdas a factor of 1.26 apart
_FINE = 9
_STEP, _STEPS = 1.03, 15
_STARTS = 16  # restarts that look for the ends of the range


@dataclass(frozen=True, slots=True)
class LamRange:
    """The lambdas worth trying."""

    smallest: float
    largest: float


def lam_range(problem: Problem, settings: Settings) -> LamRange:
    """Find the smallest lambda at which every class keeps a feature, and the smallest at which none is dropped.

    The second is where half of the different ends of restarts drop nothing. Where classes keep a feature however small
    lambda is (a class whose one feature is its own centre), the first is where the number of features starts to grow.
    """
    settings = replace(settings, n_init=min(settings.n_init, _STARTS))
    coarse = np.geomspace(SMALLEST, LARGEST, _COARSE)
    kept = _features_kept(problem, coarse, settings)
    high = _first(kept == problem.n_features)
    if kept[0] > 0:
        grows = max(_first(kept > kept[0]), 1)
        smallest = coarse[np.flatnonzero(kept[:grows] > 0)[-1]]
    else:
        smallest = _refine(problem, settings, coarse, _first(kept > 0), 1)
    largest = _refine(problem, settings, coarse, high, problem.n_features)
    return LamRange(float(smallest), float(max(largest, smallest)))


def smallest_lam(problem: Problem, settings: Settings) -> float | None:
    """The smallest lambda, of those looked at, with which some restart leaves every class a feature.

    Rounded up to few digits where a class keeps its feature there too; None if no lambda keeps one.
    """
    coarse = np.geomspace(SMALLEST, LARGEST, _COARSE)
    kept = _features_kept(problem, coarse, settings)
    if not kept.any():
        return None
    found = _refine(problem, settings, coarse, _first(kept > 0), 1)
    # The draws that replace abandoned restarts may find a feature for every class at a smaller lambda still.
    below = np.maximum(found / _STEP ** np.arange(_STEPS, -1, -1.0), SMALLEST)
    works = _features_kept(problem, below, settings, ROUNDS) > 0
    found = float(below[_first(works)]) if works.any() else found
    shorter = np.array([_rounded_up(found, digits) for digits in (3, 4, 5)])
    works = _features_kept(problem, shorter, settings, ROUNDS) > 0
    return float(shorter[_first(works)]) if works.any() else found


def _rounded_up(value: float, digits: int) -> float:
    """The next number above with that many digits: short enough to show, and used as shown."""
    step = 10.0 ** (np.floor(np.log10(value)) + 1 - digits)
    return float(f"{np.ceil(value / step) * step:.{digits}g}")


def _first(found: np.ndarray) -> int:
    return int(np.argmax(found)) if found.any() else len(found) - 1


def _refine(problem: Problem, settings: Settings, coarse: FloatArray, at: int, n_kept: int) -> float:
    """Look more closely between a coarse lambda and the one before it."""
    if at == 0:
        return float(coarse[0])
    fine = np.geomspace(coarse[at - 1], coarse[at], _FINE)[1:]
    return float(fine[_first(_features_kept(problem, fine, settings) >= n_kept)])


def _features_kept(problem: Problem, lams: FloatArray, settings: Settings, rounds: int = 1) -> FloatArray:
    """Median number of selected features over the restarts that survive at each lambda; 0 where none does."""
    clusters = problem.clusters(has_pool=True)
    found = run_restarts(problem, clusters, lams, settings, rounds).survived
    n_kept = np.count_nonzero(found[0].partitions, axis=1)
    return np.array([np.median(n_kept[ends.at]) if ends.at.size else 0.0 for ends in found])
