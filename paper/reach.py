"""What the study set out to reach, and whether it did: counted from the cells."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from cells import AGREES, BETTER, WORSE
from settings import AUTO_METHODS

from disjoint_centroids.comparison import PAPER_METHODS

OURS = ("NDC", "NDC-S")
PEERS = tuple(method for method in PAPER_METHODS if method not in OURS)
SHARE_TO_REACH = 0.95
AUTO_MAY_LOSE = 0.015
MINUTES_TO_REACH = 90


@dataclass(frozen=True, slots=True)
class Goal:
    """One sentence, and whether it holds."""

    text: str
    reached: bool


def goals(cells: pd.DataFrame, real: pd.DataFrame, simulation_minutes: float, complete: bool) -> list[Goal]:
    """All goals. Of an incomplete study the time says nothing."""
    errors = cells[cells["metric"] == "error"]
    found = [
        _share(errors, OURS, (AGREES, BETTER), "NDC and NDC-S error cells of Tables 1-4 agree or are better"),
        _share(errors, PEERS, (AGREES,), "error cells of the six peers agree"),
        _auto(errors),
        _clearly_better(errors),
        _inside(real),
    ]
    if complete:
        took = f"The simulation study (36 settings, 50 repetitions, ten methods) took {simulation_minutes:.0f} minutes"
        found.append(Goal(f"{took} (to reach: {MINUTES_TO_REACH})", simulation_minutes < MINUTES_TO_REACH))
    return found


def _share(errors: pd.DataFrame, methods: tuple[str, ...], verdicts: tuple[str, ...], what: str) -> Goal:
    cells = errors[errors["method"].isin(methods)]
    good = int(cells["verdict"].isin(verdicts).sum())
    share = good / len(cells)
    return Goal(f"{good} of {len(cells)} {what} ({share:.1%}; to reach: {SHARE_TO_REACH:.0%})", share >= SHARE_TO_REACH)


def _auto(errors: pd.DataFrame) -> Goal:
    cells = errors[errors["method"].isin(AUTO_METHODS)]
    worst = cells.loc[cells["difference"].idxmax()]
    lost = int((cells["difference"] > AUTO_MAY_LOSE).sum())
    text = (
        f'init="auto": {lost} of {len(cells)} cells are worse than the paper\'s by more than {AUTO_MAY_LOSE} '
        f"(the worst, {worst['method']} on {worst['setting']}: {worst['difference']:+.3f} ± {worst['se']:.3f})"
    )
    return Goal(text, lost == 0)


def _clearly_better(errors: pd.DataFrame) -> Goal:
    at = errors["method"].isin(AUTO_METHODS) & errors["experiment"].isin(["simulation-2", "simulation-3"])
    cells = errors[at & (errors["d"] == 3)]
    better = int((cells["verdict"] == BETTER).sum())
    worse = int((cells["verdict"] == WORSE).sum())
    text = (
        'init="auto" where variances differ (Simulations 2 and 3, d=3): '
        f"{better} of {len(cells)} cells clearly better, {worse} worse, by {-cells['difference'].mean():.3f} on average"
    )
    return Goal(text, better > len(cells) / 2 and worse == 0)


def _inside(real: pd.DataFrame) -> Goal:
    cells = real[(real["metric"] == "error") & (real["scale"] == "as distributed") & real["method"].isin(OURS)]
    inside = int(cells["inside"].sum())
    outside = ", ".join(f"{c.method} on {c.experiment}" for c in cells[~cells["inside"]].itertuples())
    text = f"The paper's error lies in our 5-95 % range in {inside} of {len(cells)} cells of NDC and NDC-S on real data"
    return Goal(text + (f" (not: {outside})" if outside else ""), inside == len(cells))
