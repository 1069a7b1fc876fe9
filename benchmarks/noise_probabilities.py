"""Log-loss of NDC's and NDC-S's probabilities on tables of pure noise, and what fitting them on held-out samples costs.

Run with ``python benchmarks/noise_probabilities.py``; a coin's log-loss is the logarithm of the number of classes.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from sklearn.metrics import log_loss

from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV
from disjoint_centroids.centroids.base import DisjointCentroidBase

SHAPES = ((40, 1000, 2), (100, 50, 2), (30, 200, 3))
NEW = 2000


def noise(n: int, p: int, k: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw samples whose classes nothing tells apart."""
    return np.random.default_rng(seed).normal(size=(n, p)), np.arange(n) % k


def fitted(model: DisjointCentroidBase, X: np.ndarray, y: np.ndarray, *, held_out: bool) -> tuple[float, float]:
    """Fit; seconds, and the factor in the probabilities."""
    model._has_probabilities = held_out
    began = time.perf_counter()
    model.fit(X, y)
    return time.perf_counter() - began, model.temperature_


def main() -> None:
    """Print one line per method and shape."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=10, help="Tables of every shape.")
    draws = parser.parse_args().draws
    for name, make in (("NDC", NearestDisjointCentroid), ("NDC-S", NearestDisjointCentroidCV)):
        for n, p, k in SHAPES:
            losses: dict[bool, list[float]] = {True: [], False: []}
            seconds = {True: 0.0, False: 0.0}
            make(n_init=2, random_state=0).fit(*noise(n, p, k, 0))  # compiles
            for seed in range(draws):
                new, true = noise(NEW, p, k, 1000 + seed)
                for held_out in (True, False):
                    model = make(random_state=seed)
                    took, _ = fitted(model, *noise(n, p, k, seed), held_out=held_out)
                    seconds[held_out] += took
                    losses[held_out].append(log_loss(true, model.predict_proba(new)))
            print(
                f"{name:5}  {n} x {p}, {k} classes: log-loss {np.mean(losses[True]):.3f} "
                f"(largest {np.max(losses[True]):.3f}); on training distances {np.mean(losses[False]):.3f}; "
                f"a coin {np.log(k):.3f}; time of a fit x {seconds[True] / seconds[False]:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
