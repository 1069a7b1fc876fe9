"""The Euclidean norm instead of the one divided by the dimension, which the paper mentions but does not show."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from job import Job
from settings import ABLATION_BLOCKS, ABLATION_SIZES, INNER_FOLDS, N_INIT, Blocks, Study
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold

from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV
from disjoint_centroids.datasets import make_blocks

EXPERIMENTS = ("ablation",)
NORMS = ("dn", "euclidean")
SETTINGS = {
    f"{', '.join(map(str, sizes))}; {blocks.name}": (sizes, blocks)
    for sizes in ABLATION_SIZES
    for blocks in ABLATION_BLOCKS
}


def jobs(study: Study) -> Iterator[Job]:
    """NDC and NDC-S in both norms."""
    for repetition in range(study.repetitions):
        for setting in SETTINGS:
            for method in ("NDC", "NDC-S"):
                for norm in NORMS:
                    yield Job("ablation", setting, f"{method} {norm}", repetition)


def do(job: Job) -> dict[str, Any]:
    """Fit on one draw, judge on another of the same class sizes."""
    began = time.perf_counter()
    (X, y), (X_test, y_test) = (_draw(*SETTINGS[job.setting], job.seed(part)) for part in ("train", "test"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes that lost all features: counted instead
        model = _model(job).fit(X, y)
    predicted = model.predict(X_test)
    return {
        "repaired": float(model.n_restarts_used_ == 0),
        "error": float(np.mean(predicted != y_test)),
        "balanced_error": float(1.0 - balanced_accuracy_score(y_test, predicted)),
        "seconds": time.perf_counter() - began,
    }


def _model(job: Job) -> NearestDisjointCentroid | NearestDisjointCentroidCV:
    method, norm = job.method.split()
    settings: dict[str, Any] = {"n_init": N_INIT, "norm": norm, "random_state": job.seed("fit")}
    if method == "NDC":
        return NearestDisjointCentroid(**settings)
    inner = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=job.seed("inner"))
    return NearestDisjointCentroidCV(cv=inner, **settings)


def _draw(sizes: tuple[int, ...], blocks: Blocks, seed: int) -> tuple[np.ndarray, np.ndarray]:
    return make_blocks(blocks.k, sizes, blocks.d, blocks.mu, blocks.sigma, random_state=seed)
