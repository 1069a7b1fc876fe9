"""Time of a fit to a wide table, phase by phase: ``python benchmarks/wide_profile.py [--quick]``."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

from disjoint_centroids import NearestDisjointCentroid, numerics
from disjoint_centroids.centroids import search as engine
from disjoint_centroids.centroids.search import Problem, restarts, starts
from performance.shapes import wide_tables

REST = "the rest: input checks, choice, model"
PHASES = {
    "table made ready: columns and moments": (engine, "prepare"),
    "k-means: Lloyd's algorithm": (starts, "lloyd"),
    "k-means: single moves": (starts, "single_moves"),
    "Algorithm 2": (restarts, "lloyd"),
    "training errors": (Problem, "errors"),
    "margins": (engine, "feature_distances"),
    "temperature": (numerics, "cautious_temperature"),
}
"""Function in which each phase begins: a name in a module or class, called from outside the phase only."""


@contextmanager
def clocked() -> Iterator[dict[str, float]]:
    """Seconds spent in each phase while the block runs."""
    spent = dict.fromkeys(PHASES, 0.0)
    originals = {phase: getattr(place, name) for phase, (place, name) in PHASES.items()}

    def clock(phase: str) -> Any:
        def work(*args: Any, **options: Any) -> Any:
            began = time.perf_counter()
            try:
                return originals[phase](*args, **options)
            finally:
                spent[phase] += time.perf_counter() - began

        return work

    for phase, (place, name) in PHASES.items():
        setattr(place, name, clock(phase))
    try:
        yield spent
    finally:
        for phase, (place, name) in PHASES.items():
            setattr(place, name, originals[phase])


@contextmanager
def without_pruning() -> Iterator[None]:
    """Every distance at every step."""
    with patch.object(engine, "Settings", partial(engine.Settings, pruning=None)):
        yield


def profile_wide(quick: bool) -> dict[str, Any]:
    """Shares of the time of a fit (k=2, lam=0.9, one thread) by phase, and its time over that without pruning."""
    p, n_init = (400, 3) if quick else (20_000, 100)
    rows = []
    for name, (X, y) in wide_tables(p).items():
        model = NearestDisjointCentroid(lam=0.9, n_init=n_init, random_state=0, n_jobs=1).fit(X[:, :300], y)
        with clocked() as spent:
            began = time.perf_counter()
            model.fit(X, y)
            total = time.perf_counter() - began
        with clocked() as plain, without_pruning():
            began = time.perf_counter()
            model.fit(X, y)
            total_plain = time.perf_counter() - began
        spent[REST], plain[REST] = total - sum(spent.values()), total_plain - sum(plain.values())
        rows.append(
            {
                "table": name,
                "n": len(X),
                "p": p,
                "seconds": total,
                "seconds_without_pruning": total_plain,
                "shares": {phase: taken / total for phase, taken in spent.items()},
                # Of the same whole: what a phase would take if nothing were skipped.
                "shares_without_pruning": {phase: taken / total for phase, taken in plain.items()},
            }
        )
    return {"n_init": n_init, "rows": rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small shapes: only to see that everything runs")
    results = profile_wide(parser.parse_args().quick)
    for row in results["rows"]:
        ratio = row["seconds_without_pruning"] / row["seconds"]
        print(f"{row['table']}, {row['n']} x {row['p']}, {results['n_init']} restarts, one thread")
        print(f"  {'phase':40} {'share':>8} {'without pruning':>17}")
        for phase, share in row["shares"].items():
            print(f"  {phase:40} {share:8.1%} {row['shares_without_pruning'][phase]:17.1%}")
        print(f"  {'total':40} {1:8.1%} {ratio:17.1%}")


if __name__ == "__main__":
    main()
