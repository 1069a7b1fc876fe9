"""Jobs of the comparison at equal size: one method on one fold of a set gives its errors at every size."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import balanced_accuracy_score

from real_data_study.equal_size.methods import METHODS, Rule, Task
from real_data_study.jobs import Job, Samples, result_row, splits
from real_data_study.sets import LOG2

SIZES = (2, 5, 10, 20, 50)
"""Features per class."""

REPEATS = 2

MEASURES = ("error", "balanced_error", "features")
OUTCOMES = (*(f"{measure}_{size}" for size in SIZES for measure in MEASURES), "seconds")


def jobs(sets: Iterable[str], methods: Iterable[str], repeats: int) -> Iterator[Job]:
    """Jobs of the methods on every split of the main study, on log2 values."""
    methods = list(methods)
    for name, scale, repeat, fold in splits(sets, (LOG2,), repeats):
        for method in methods:
            yield Job(name, scale, method, repeat, fold)


def do(job: Job) -> dict[str, Any]:
    """Run a job: one row with the figures of all sizes."""
    return result_row(job, _judged, OUTCOMES)


def _judged(job: Job, train: Samples, test: Samples) -> dict[str, Any]:
    began = time.perf_counter()
    row: dict[str, Any] = {}
    with warnings.catch_warnings():
        # Constant genes, unconverged paths, classes that are never predicted: expected, and no reason to stop.
        warnings.simplefilter("ignore")
        for size, (rule, predicted) in zip(SIZES, answers(job.method, train, test[0], job.fit_seed()), strict=True):
            row[f"error_{size}"] = float(np.mean(predicted != test[1]))
            row[f"balanced_error_{size}"] = 1.0 - float(balanced_accuracy_score(test[1], predicted))
            row[f"features_{size}"] = rule.features.size
    return row | {"seconds": time.perf_counter() - began}


def answers(method: str, train: Samples, new: np.ndarray, seed: int) -> Iterator[tuple[Rule, np.ndarray]]:
    """Fit to a training part; for every size the rule and the labels that it gives new samples.

    Where a table has too few features for a size, every class gets as many as there are for it.
    """
    X, labels = train
    classes, codes = np.unique(labels, return_inverse=True)
    sizes = tuple(min(size, X.shape[1] // len(classes)) for size in SIZES)
    for rule in METHODS[method].fit(Task(X, codes, sizes, seed)):
        yield rule, classes[rule.predict(new)]


def by_size(rows: pd.DataFrame) -> dict[int, pd.DataFrame]:
    """Rows of each size, with the columns of the main study's results."""
    others = [name for name in rows.columns if name not in OUTCOMES]
    return {
        size: rows[[*others, *(f"{measure}_{size}" for measure in MEASURES)]].rename(
            columns={f"{measure}_{size}": measure for measure in MEASURES}
        )
        for size in SIZES
    }
