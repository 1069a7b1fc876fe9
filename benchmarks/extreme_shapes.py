"""Shapes at the edge: many classes, and very wide: ``python benchmarks/extreme_shapes.py [--quick]``."""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from disjoint_centroids import NearestDisjointCentroid
from performance.peak import peak_memory

SHAPES = ((20_000, 5_000, 50), (60, 200_000, 2))
QUICK_SHAPES = ((200, 100, 5), (20, 1_000, 2))


def extreme_table(kind: str, n: int, p: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Noise, or noise in which each class has a block of features at a level of its own, and tighter."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % k
    X = rng.standard_normal((n, p))
    if kind == "structure":
        for label, features in enumerate(np.array_split(np.arange(p // 2), k)):
            own = np.ix_(y == label, features)
            X[own] = 0.5 * X[own] + 1.0
    return X, y


def measure(quick: bool) -> list[dict[str, Any]]:
    """Time and memory above the table of a fit with lambda 0.9, a row a shape and kind of table."""
    rows = []
    for n, p, k in QUICK_SHAPES if quick else SHAPES:
        n_init = 2 if quick else (100 if k == 2 else 10)
        for kind in ("structure", "noise"):
            X, y = extreme_table(kind, n, p, k)
            model = NearestDisjointCentroid(lam=0.9, n_init=n_init, random_state=0)
            with peak_memory() as peak:
                began = time.perf_counter()
                model.fit(X, y)
                seconds = time.perf_counter() - began
            rows.append(
                {
                    "n": n,
                    "p": p,
                    "k": k,
                    "table": kind,
                    "n_init": n_init,
                    "seconds": seconds,
                    "table_bytes": X.nbytes,
                    "peak_bytes": peak[0],
                    "n_iter": int(model.n_iter_),
                    "n_restarts_used": int(model.n_restarts_used_),
                    "train_error": float(model.train_error_),
                }
            )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small shapes: only to see that everything runs")
    for row in measure(parser.parse_args().quick):
        print(
            f"n={row['n']}, p={row['p']}, k={row['k']}, {row['table']}, {row['n_init']} restarts: "
            f"{row['seconds']:.1f} s, {row['peak_bytes'] / 1e6:.0f} MB above the table's "
            f"{row['table_bytes'] / 1e6:.0f} MB; {row['n_restarts_used']} restarts counted, "
            f"training error {row['train_error']:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
