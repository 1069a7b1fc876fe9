"""The simulations with NDC-S restricted to lambdas up to 1, which explains part of its differences from the paper."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from job import Job
from settings import INNER_FOLDS, N_INIT, SHORT_GRID, Study

from disjoint_centroids import NearestDisjointCentroidCV
from disjoint_centroids.datasets import SIMULATIONS
from disjoint_centroids.evaluation.peers.classifiers import inner_splitter
from disjoint_centroids.evaluation.trials import features_used

EXPERIMENTS = ("lambda-grid",)
METHOD = "NDC-S, lambda up to 1"


def jobs(study: Study) -> Iterator[Job]:
    """Half as often as the tables."""
    for repetition in range((study.repetitions + 1) // 2):
        for setting in SIMULATIONS:
            yield Job("lambda-grid", setting.name, METHOD, repetition)


def do(job: Job) -> dict[str, Any]:
    """NDC-S on the very tables of the simulation study."""
    began = time.perf_counter()
    setting = next(s for s in SIMULATIONS if s.name == job.setting)
    twin = Job(f"simulation-{setting.number}", job.setting, "NDC-S", job.repetition)
    (X, y), (X_test, y_test) = setting.draw(twin.seed("train")), setting.draw(twin.seed("test"))
    seed = twin.seed("fit")
    model = NearestDisjointCentroidCV(
        lams=SHORT_GRID, n_init=N_INIT, cv=inner_splitter(y, INNER_FOLDS, seed), random_state=seed
    )
    error = float(np.mean(model.fit(X, y).predict(X_test) != y_test))
    return {"error": error, "features": features_used(model, X.shape[1]), "seconds": time.perf_counter() - began}
