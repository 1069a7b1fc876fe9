"""The lambdas that matter on a table: from every class barely keeping a feature to no feature being dropped."""

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
_STARTS = 16  # restarts per lambda that find the ends of the range


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
    """The smallest lambda, of those tried, with which some restart leaves every class a feature; None if there is none.

    Lambdas of three digits are tried, so that the one found can be used as it is shown.
    """
    coarse = _three_digits(np.geomspace(SMALLEST, LARGEST, _COARSE))
    works = _features_kept(problem, coarse, settings, ROUNDS) > 0
    if not works.any():
        return None
    at = _first(works)
    if at == 0:
        return float(coarse[0])
    fine = _three_digits(np.geomspace(coarse[at - 1], coarse[at], _FINE)[1:])
    return float(fine[_first(_features_kept(problem, fine, settings, ROUNDS) > 0)])


def _three_digits(lams: FloatArray) -> FloatArray:
    return np.array([float(f"{lam:.3g}") for lam in lams])


def _first(found: np.ndarray) -> int:
    return int(np.argmax(found)) if found.any() else len(found) - 1


def _refine(problem: Problem, settings: Settings, coarse: FloatArray, at: int, n_kept: int) -> float:
    """The smallest lambda between a coarse one and the one before it at which ``n_kept`` features are kept."""
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
