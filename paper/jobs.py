"""The jobs of a study, and how each is done: one row of results a job."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np
from settings import ALL_METHODS, INNER_FOLDS, OUTER_FOLDS, REAL_SETS, SCALES, SELECTION_SET, Study
from sklearn.model_selection import StratifiedKFold

from disjoint_centroids import NearestDisjointCentroidCV
from disjoint_centroids.comparison import evaluate
from disjoint_centroids.datasets import SIMULATIONS, fetch_compcancer

KEY = ("experiment", "setting", "method", "repetition")


@dataclass(frozen=True, slots=True)
class Job:
    """One method on one draw of one setting."""

    experiment: str
    setting: str
    method: str
    repetition: int
    n_init: int

    @property
    def key(self) -> tuple[str, str, str, int]:
        return self.experiment, self.setting, self.method, self.repetition

    def seed(self, purpose: str) -> int:
        """A seed of its own for each purpose; all methods of a repetition see the same data."""
        words = f"{self.experiment} {self.setting} {self.repetition} {purpose}"
        return int.from_bytes(hashlib.sha256(words.encode()).digest()[:4]) // 2


def jobs(study: Study) -> Iterator[Job]:
    """All jobs, repetition by repetition: an interrupted run has something of everything."""
    for repetition in range(study.repetitions):
        for setting in SIMULATIONS:
            for method in ALL_METHODS:
                yield Job(f"simulation-{setting.number}", setting.name, method, repetition, study.n_init)
    for split in range(study.splits):
        for name in REAL_SETS:
            for scale in SCALES:
                for method in ALL_METHODS:
                    yield Job(name, scale, method, split, study.n_init)
    for run in range(study.selection_runs):
        yield Job("selection", "as distributed", "NDC-S", run, study.n_init)


def do(job: Job) -> dict[str, Any]:
    """Run a job. When it was finished is noted, so that the time a study took can be read off its rows."""
    if job.experiment == "selection":
        outcome = _selection(job)
    elif job.experiment in REAL_SETS:
        outcome = _real(job)
    else:
        outcome = _simulation(job)
    return _row(job) | outcome | {"finished": time.time()}


def _row(job: Job) -> dict[str, Any]:
    return dict(zip(KEY, job.key, strict=True))


def _simulation(job: Job) -> dict[str, Any]:
    setting = next(s for s in SIMULATIONS if s.name == job.setting)
    train, test = setting.draw(job.seed("train")), setting.draw(job.seed("test"))
    return asdict_of(
        evaluate(job.method, train, test, inner_folds=INNER_FOLDS, n_init=job.n_init, seed=job.seed("fit"))
    )


@cache
def _table(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    bunch = fetch_compcancer(name)
    return bunch.data, bunch.target, bunch.feature_names


def _splits(job: Job, X: np.ndarray, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    return list(StratifiedKFold(OUTER_FOLDS, shuffle=True, random_state=job.seed("split")).split(X, y))


def _real(job: Job) -> dict[str, Any]:
    """Mean over the folds of one split: the paper's figure is of one such split."""
    X, y, _ = _table(job.experiment)
    outcomes = [
        asdict_of(
            evaluate(
                job.method,
                (X[train], y[train]),
                (X[test], y[test]),
                transform=SCALES[job.setting],
                inner_folds=INNER_FOLDS,
                n_init=job.n_init,
                seed=job.seed(f"fit {fold}"),
            )
        )
        for fold, (train, test) in enumerate(_splits(job, X, y))
    ]
    mean = {name: float(np.mean([o[name] for o in outcomes])) for name in ("error", "balanced_error", "features")}
    return mean | {"seconds": sum(o["seconds"] for o in outcomes)}


def _selection(job: Job) -> dict[str, Any]:
    """Which genes NDC-S selects on the training parts of one split."""
    X, y, genes = _table(SELECTION_SET)
    selected: list[str] = []
    for fold, (train, _) in enumerate(_splits(job, X, y)):
        inner = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=job.seed("inner"))
        model = NearestDisjointCentroidCV(n_init=job.n_init, cv=inner, random_state=job.seed(f"fit {fold}"))
        selected += list(genes[model.fit(X[train], y[train]).get_support()])
    return {"selected": " ".join(selected)}


def asdict_of(outcome: Any) -> dict[str, Any]:
    """An outcome as columns."""
    return asdict(outcome)
