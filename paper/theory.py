"""The paper's theory as experiments: finding the true blocks, the risk against its optimum, the gap to the minimiser.

On a block table everything is known. The least risk is the variance of the diagonal blocks (Corollary 3), and the risk
of any partition and centroids is a sum over features. For two classes the empirical minimiser is found exactly.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from job import Job
from settings import N_INIT, THEORY_BLOCKS, THEORY_SIZES, THEORY_TEST_SIZE, Blocks, Study

from disjoint_centroids import NearestDisjointCentroid, optimal_partition
from disjoint_centroids.datasets import make_blocks

EXPERIMENTS = ("theory",)
OPTIMUM = "optimum"
FITS: dict[str, dict[str, Any]] = {
    "NDC": {},
    "NDC risk": {"criterion": "risk"},
    "NDC auto": {"init": "auto"},
}
"""As published; with the restart of least risk instead of least training error; with the best kind of start."""

SETTINGS = {f"{blocks.name}, n={n}": (blocks, n) for blocks in THEORY_BLOCKS for n in THEORY_SIZES}


def jobs(study: Study) -> Iterator[Job]:
    """Every way to fit at every size, and for two classes the optimum."""
    for repetition in range(study.repetitions):
        for setting, (blocks, _) in SETTINGS.items():
            for method in (*FITS, *([OPTIMUM] if blocks.k == 2 else [])):
                yield Job("theory", setting, method, repetition)


def do(job: Job) -> dict[str, Any]:
    """Fit one draw and hold the partition against what is known."""
    began = time.perf_counter()
    blocks, n = SETTINGS[job.setting]
    X, y = _draw(blocks, n, job.seed("train"))
    best = optimal_partition(X, y) if blocks.k == 2 else None
    if job.method == OPTIMUM and best is not None:
        owner, risk = best.owner, best.risk
    else:
        model = NearestDisjointCentroid(n_init=N_INIT, random_state=job.seed("fit"), **FITS[job.method]).fit(X, y)
        owner, risk = model.owner_, model.risk_
    centroids = np.array([X[y == j].mean(axis=0) for j in range(blocks.k)])
    return {
        "recovered": float(np.array_equal(owner, _true_owner(blocks))),
        "excess_risk": _risk(blocks, owner, centroids) - blocks.sigma[0] ** 2,
        "gap": np.nan if best is None else risk - best.risk,
        "error": _error(owner, centroids, *_draw(blocks, THEORY_TEST_SIZE, job.seed("test"))),
        "seconds": time.perf_counter() - began,
    }


def _draw(blocks: Blocks, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    return make_blocks(blocks.k, n, blocks.d, blocks.mu, blocks.sigma, random_state=seed)


def _true_owner(blocks: Blocks) -> np.ndarray:
    return np.repeat(np.arange(blocks.k), blocks.d)


def _risk(blocks: Blocks, owner: np.ndarray, centroids: np.ndarray) -> float:
    """W(I, c, µ): a feature in its own block has one mean and variance, elsewhere the other."""
    true = _true_owner(blocks)
    total = 0.0
    for j in range(blocks.k):
        own = owner == j
        inside = true[own] == j
        mean, spread = np.where(inside, *blocks.mu), np.where(inside, *blocks.sigma)
        total += float(np.mean(spread**2 + (mean - centroids[j, own]) ** 2)) / blocks.k
    return total


def _error(owner: np.ndarray, centroids: np.ndarray, X: np.ndarray, y: np.ndarray) -> float:
    distances = [((X[:, owner == j] - c[owner == j]) ** 2).mean(axis=1) for j, c in enumerate(centroids)]
    return float(np.mean(np.argmin(distances, axis=0) != y))
