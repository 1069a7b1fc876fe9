"""One piece of work: a method on one fold of a set. Splits and seeds come from names, never from an order."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
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
    """Jobs of the methods on every split, as far as a method takes part in the repeat."""
    methods = list(methods)
    for name, scale, repeat, fold in splits(sets, scales, repeats):
        for method in methods:
            if repeat < METHODS[method].repeats:
                yield Job(name, scale, method, repeat, fold)


def splits(sets: Iterable[str], scales: Iterable[str], repeats: int) -> Iterator[tuple[str, str, int, int]]:
    """Set, scale, repeat and fold, repeat by repeat, so that an interrupted run has whole repeats of every set."""
    on = {name: _scales_to_run(name, set(scales)) for name in sets}
    for repeat in range(repeats):
        for name, its_scales in on.items():
            for scale in its_scales:
                for fold in range(OUTER_FOLDS):
                    yield name, scale, repeat, fold


def _scales_to_run(name: str, asked: set[str]) -> list[str]:
    """A set without logarithms answers for both scales as distributed."""
    there = tables(name)
    return [scale for scale in there if scale in asked or LOG2 not in there]


Samples = tuple[np.ndarray, np.ndarray]
"""A table and its labels."""


def do(job: Job) -> dict[str, Any]:
    """Run a job of the main study."""
    return result_row(job, _evaluated, OUTCOMES)


def _evaluated(job: Job, train: Samples, test: Samples) -> dict[str, Any]:
    build, seed = METHODS[job.method].build, job.fit_seed()
    return asdict(evaluate(build, train, test, inner_folds=INNER_FOLDS, n_init=N_INIT, seed=seed))


def result_row(
    job: Job, judge: Callable[[Job, Samples, Samples], dict[str, Any]], outcomes: Iterable[str]
) -> dict[str, Any]:
    """Row of a job: what ``judge`` makes of its training and its test part, and facts about the set.

    A job that fails is a row without ``outcomes``: it must not take the others with it.
    """
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
        outcome = judge(job, (X[train], y[train]), (X[test], y[test]))
        failure = ""
    except Exception as error:  # whatever it is, it is told at the end
        outcome = dict.fromkeys(outcomes, np.nan)
        failure = f"{type(error).__name__}: {error}"
    return asdict(job) | outcome | about | {"failure": failure, "finished": time.time()}


def _split(job: Job, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    splitter = StratifiedKFold(OUTER_FOLDS, shuffle=True, random_state=job.split_seed())
    return list(splitter.split(y, y))[job.fold]
