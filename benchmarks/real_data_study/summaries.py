"""Results as figures: errors set by set, means over sets, ranks, and how far ranks must lie apart to differ."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from real_data_study.methods import METHODS
from real_data_study.sets import AS_DISTRIBUTED, LOG2

ALPHA = 0.05

EQUAL, BETTER, WORSE = "equal", "better", "worse"
CLEAR = 2.0
"""Standard errors that a paired difference must exceed for one method to be called better than another."""

ROUNDING = 1e-12

PAUSE = 300.0
"""Seconds without a finished job that mean the run was interrupted, not slow."""


def at_scale(results: pd.DataFrame, scale: str) -> pd.DataFrame:
    """The rows that answer for a scale: a set without logarithms answers for both as distributed."""
    chosen = results["scale"] == scale
    if scale == LOG2:
        chosen |= (results["scale"] == AS_DISTRIBUTED) & ~results["has_log2"].astype(bool)
    return results[chosen]


def by_set(
    results: pd.DataFrame, scale: str, column: str, sets: Iterable[str], methods: Collection[str] = METHODS
) -> pd.DataFrame:
    """One row per set, one column per method (in the order of ``methods``): the mean over splits.

    Only sets on which every method of the results was run, so that all means are over the same sets.
    """
    rows = at_scale(results, scale)
    rows = rows[rows["set"].isin(list(sets)) & rows["method"].isin(methods)]
    table = rows.pivot_table(index="set", columns="method", values=column, aggfunc="mean")
    return table.reindex(columns=[name for name in methods if name in table.columns]).dropna()


def ranks(errors: pd.DataFrame) -> pd.DataFrame:
    """Rank of every method on every set, 1 the lowest error; ties share the mean of their ranks."""
    return errors.round(12).rank(axis=1)


def summary(results: pd.DataFrame, scale: str, sets: Iterable[str]) -> pd.DataFrame:
    """One row per method, the lowest mean error first: means over sets of the means over splits."""
    sets = list(sets)
    errors = by_set(results, scale, "error", sets)
    features = by_set(results, scale, "features", sets)
    return pd.DataFrame(
        {
            "error": errors.mean(),
            "balanced_error": by_set(results, scale, "balanced_error", sets).mean(),
            "rank": ranks(errors).mean(),
            "features": features.mean(),
            "median_features": features.median(),
            "seconds": by_set(results, scale, "seconds", sets).mean(),
        }
    ).sort_values("error", kind="stable")


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean paired difference of two methods' errors, the first minus the second, with its standard error."""

    mean: float
    standard_error: float

    @property
    def verdict(self) -> str:
        """The first method is better or worse if the difference is clear, else the two are equal."""
        if not abs(self.mean) > CLEAR * self.standard_error + ROUNDING:
            return EQUAL
        return BETTER if self.mean < 0 else WORSE

    def __str__(self) -> str:
        mean = round(self.mean, 3)
        return f"{mean:+.3f} ± {self.standard_error:.3f}" if mean else f"0.000 ± {self.standard_error:.3f}"


def difference(errors: pd.DataFrame, first: str, second: str) -> Difference:
    """Difference of two methods' errors, paired over sets."""
    gaps = errors[first] - errors[second]
    return Difference(float(gaps.mean()), float(gaps.sem()))


@dataclass(frozen=True, slots=True)
class Friedman:
    """Friedman's test that all methods rank alike, in Iman and Davenport's form, and Nemenyi's critical difference."""

    mean_ranks: pd.Series
    n_sets: int
    statistic: float
    p_value: float
    critical_difference: float


def friedman(errors: pd.DataFrame) -> Friedman:
    """Test that methods differ in rank (Demšar 2006), for at least two methods and two sets."""
    n, k = errors.shape
    if n < 2 or k < 2:
        raise ValueError(f"Ranks are compared over at least two sets and two methods; got {n} and {k}.")
    table = ranks(errors)
    mean = table.mean().sort_values(kind="stable")
    # Ties make ranks vary less than n k (k² - 1) / 12: divide by what they do.
    spread = ((table - (k + 1) / 2) ** 2).to_numpy().sum() / (n * (k - 1))
    chi2 = n * ((mean - (k + 1) / 2) ** 2).sum() / spread if spread > 0 else 0.0
    room = n * (k - 1) - chi2
    statistic = (n - 1) * chi2 / room if room > 1e-9 else np.inf
    p_value = float(stats.f.sf(statistic, k - 1, (k - 1) * (n - 1)))
    return Friedman(mean, n, float(statistic), p_value, critical_difference(k, n))


def critical_difference(n_methods: int, n_sets: int, alpha: float = ALPHA) -> float:
    """Nemenyi: mean ranks further apart than this differ."""
    q = stats.studentized_range.ppf(1.0 - alpha, n_methods, np.inf) / np.sqrt(2.0)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_sets)))


def alike(mean_ranks: pd.Series, width: float) -> list[tuple[str, str]]:
    """First and last method of every longest run of methods whose mean ranks lie within ``width``."""
    ordered = mean_ranks.sort_values(kind="stable")
    values, names = ordered.to_numpy(), list(ordered.index)
    runs: list[tuple[int, int]] = []
    for first in range(len(values)):
        last = int(np.searchsorted(values, values[first] + width, side="right")) - 1
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return [(names[first], names[last]) for first, last in runs]


def wall_minutes(results: pd.DataFrame) -> float:
    """Wall clock time of a run, without interruptions."""
    gaps = np.diff(np.sort(results["finished"]))
    return float(gaps[gaps < PAUSE].sum()) / 60
