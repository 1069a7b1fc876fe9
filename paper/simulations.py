"""Tables 1 to 5: the paper's simulated tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from job import Job
from settings import ALL_METHODS, INNER_FOLDS, N_INIT, Study
from tuning import paper_method

from disjoint_centroids.datasets import SIMULATIONS
from disjoint_centroids.evaluation import evaluate

EXPERIMENTS = tuple(f"simulation-{number}" for number in (1, 2, 3, 4))


def jobs(study: Study) -> Iterator[Job]:
    """Repetition by repetition: an interrupted run has something of everything."""
    for repetition in range(study.repetitions):
        for setting in SIMULATIONS:
            for method in ALL_METHODS:
                yield Job(f"simulation-{setting.number}", setting.name, method, repetition)


def do(job: Job) -> dict[str, Any]:
    """Fit on one draw, judge on another."""
    setting = next(s for s in SIMULATIONS if s.name == job.setting)
    train, test = setting.draw(job.seed("train")), setting.draw(job.seed("test"))
    return asdict(
        evaluate(paper_method(job.method), train, test, inner_folds=INNER_FOLDS, n_init=N_INIT, seed=job.seed("fit"))
    )
