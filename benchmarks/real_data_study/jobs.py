"""One piece of work: a method on one fold of a set. Splits and seeds come from names, never from an order."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from disjoint_centroids.evaluation import Outcome, evaluate
from real_data_study.methods import INNER_FOLDS, METHODS, N_INIT, OUTER_FOLDS
from real_data_study.sets import LOG2, tables

KEY = ("set", "scale", "method", "repeat", "fold")
OUTCOMES = tuple(Outcome.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class Job:
    """One fit and its test, the subject of one row of the results."""

    set: str
    scale: str
    method: str
    repeat: int
    fold: int

    @property
    def key(self) -> tuple[str, str, str, int, int]:
        """Values that identify the job in the results file."""
        return self.set, self.scale, self.method, self.repeat, self.fold

    def split_seed(self) -> int:
        """The same for every method, scale and fold of a repeat."""
        return _seed(self.set, self.repeat, "split")

    def fit_seed(self) -> int:
        """The same for every method and scale of a fold."""
        return _seed(self.set, self.repeat, self.fold, "fit")


def _seed(*words: object) -> int:
    return int.from_bytes(hashlib.sha256(" ".join(map(str, words)).encode()).digest()[:4]) // 2


def jobs(sets: Iterable[str], scales: Iterable[str], methods: Iterable[str], repeats: int) -> Iterator[Job]:
    """Repeat by repeat, so that an interrupted run has whole repeats of every set and method."""
    sets, methods = list(sets), list(methods)
    on = {name: _scales_to_run(name, set(scales)) for name in sets}
    for repeat in range(repeats):
        for name in sets:
            for scale in on[name]:
                for fold in range(OUTER_FOLDS):
                    for method in methods:
                        if repeat < METHODS[method].repeats:
                            yield Job(name, scale, method, repeat, fold)


def _scales_to_run(name: str, asked: set[str]) -> list[str]:
    """A set without logarithms answers for both scales as distributed."""
    there = tables(name)
    return [scale for scale in there if scale in asked or LOG2 not in there]


def do(job: Job) -> dict[str, Any]:
    """Run a job. One that fails is a row without figures: it must not take the others with it."""
    there = tables(job.set)
    table = there[job.scale]
    X, y = table.values, table.labels
    about = {
        "has_log2": LOG2 in there,
        "samples": len(y),
        "genes": X.shape[1],
        "classes": len(np.unique(y)),
    }
    try:
        train, test = _split(job, y)
        outcome = asdict(
            evaluate(
                METHODS[job.method].build,
                (X[train], y[train]),
                (X[test], y[test]),
                inner_folds=INNER_FOLDS,
                n_init=N_INIT,
                seed=job.fit_seed(),
            )
        )
        failure = ""
    except Exception as error:  # whatever it is, it is told at the end
        outcome = dict.fromkeys(OUTCOMES, np.nan)
        failure = f"{type(error).__name__}: {error}"
    return asdict(job) | outcome | about | {"failure": failure, "finished": time.time()}


def _split(job: Job, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    splitter = StratifiedKFold(OUTER_FOLDS, shuffle=True, random_state=job.split_seed())
    return list(splitter.split(y, y))[job.fold]
