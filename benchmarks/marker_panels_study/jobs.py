"""One piece of work: a program on one fold of a set gives its lists at every size, which are then read."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, fbeta_score
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disjoint_centroids.evaluation.results_file import ResultsFile
from disjoint_centroids.numerics import one_thread_a_product
from marker_panels_study import lists
from marker_panels_study.asking import Answer, ask
from marker_panels_study.methods import METHODS, SIZES
from marker_panels_study.sets import EXPRESSION, OUTPUT, table

RESULTS, MACHINE = "marker_panels.parquet", "marker_panels_machine.json"
KEY = ("set", "method", "fold")
FOLDS, SEED, BETA = 3, 0, 0.5
LIMIT = 200.0
"""Seconds of processor time, on one thread, that a fit may take: ten minutes for the folds of a set."""

CENTROID, LOGISTIC, OWN = "nearest centroid", "logistic regression", "own scores"
READERS = {
    CENTROID: lambda: make_pipeline(StandardScaler(), NearestCentroid()),
    LOGISTIC: lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
}
READINGS = (*READERS, OWN)
MEASURES = ("error", "balanced error", "F-beta")
OF_LISTS = ("on target", "most on target", "on target by means", "off in its class", "markers", "seconds")


def column(size: int, measure: str, reading: str = "") -> str:
    """Column of a figure in the results."""
    return ", ".join(word for word in (str(size), measure, reading) if word)


OUTCOMES = (
    *(column(size, measure, reading) for size in SIZES for measure in MEASURES for reading in READINGS),
    *(column(size, measure) for size in SIZES for measure in OF_LISTS),
    "peak",
)


@dataclass(frozen=True, slots=True)
class Job:
    """A program on all folds of a set."""

    set: str
    method: str
    limit: float = LIMIT

    @property
    def key(self) -> tuple[str, str]:
        """Values that identify the job."""
        return self.set, self.method


class Rows:
    """Keeper of results: one row per fold in a file, a job is done if all its folds are there."""

    def __init__(self, path: Path | None) -> None:
        self.file = ResultsFile(path, KEY)

    def done(self) -> set[tuple[str, str]]:
        """Keys of the jobs that are done."""
        folds = Counter(key[:2] for key in self.file.done())
        return {key for key, count in folds.items() if count == FOLDS}

    def add(self, rows: list[dict[str, Any]]) -> None:
        """Keep the rows of one job."""
        for row in rows:
            self.file.add(row)

    def write(self) -> None:
        """Write all rows to disk."""
        self.file.write()


@dataclass(frozen=True, slots=True)
class Split:
    """Training and test part of a fold, with class codes."""

    values: np.ndarray
    codes: np.ndarray
    new: np.ndarray
    new_codes: np.ndarray


def split(name: str, fold: int) -> Split:
    """Divide a set, the same way for every program."""
    there = table(name)
    codes = np.unique(there.labels, return_inverse=True)[1]
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    train, test = list(splitter.split(codes, codes))[fold]
    return Split(there.values[train], codes[train], there.values[test], codes[test])


def folder_of(name: str, fold: int) -> Path:
    """Folder in which probes find a training part."""
    return OUTPUT / "marker_panels" / f"{name}-{fold}"


def write_parts(name: str) -> None:
    """Write what probes read of a set."""
    for fold in range(FOLDS):
        part, folder = split(name, fold), folder_of(name, fold)
        folder.mkdir(parents=True, exist_ok=True)
        for what, values in (("values", part.values), ("codes", part.codes), ("new", part.new)):
            np.save(folder / f"{what}.npy", values)


def do(job: Job) -> list[dict[str, Any]]:
    """Run a job: one row per fold with the figures of all sizes; what the program did not finish is missing."""
    there = table(job.set)
    folders = [folder_of(job.set, fold) for fold in range(FOLDS)]
    answers = ask(METHODS[job.method], folders, SIZES, SEED, job.limit)
    about = {
        "samples": len(there.labels),
        "features": there.values.shape[1],
        "classes": len(np.unique(there.labels)),
        "limit": job.limit,
        "failure": answers.failure,
    }
    rows = []
    with warnings.catch_warnings(), one_thread_a_product():
        warnings.simplefilter("ignore")  # columns that are constant, classes that are never predicted
        for fold in range(FOLDS):
            outcome = judged(job.set, split(job.set, fold), answers.of(fold))
            key = {"set": job.set, "method": job.method, "fold": fold}
            rows.append(key | dict.fromkeys(OUTCOMES, np.nan) | outcome | about | {"finished": time.time()})
    return rows


def judged(name: str, part: Split, answers: list[Answer]) -> dict[str, Any]:
    """Figures of the lists that a program gave."""
    row: dict[str, Any] = {}
    for answer in answers:
        row["peak"] = max(answer["peak"], row.get("peak", 0))
        for size in SIZES if answer["size"] is None else (answer["size"],):
            markers = lists.dealt(answer, size, part.values, part.codes)
            row |= {column(size, "seconds"): answer["seconds"]} | of_lists(name, size, markers, part)
            for reading, predicted in readings(markers, part, answer["predicted"]):
                row |= of_predictions(size, reading, part.new_codes, predicted)
    return row


def of_lists(name: str, size: int, markers: lists.Lists, part: Split) -> dict[str, float]:
    """Figures of lists by themselves; on-target fractions are of held-out samples."""
    row = {column(size, "markers"): float(lists.columns_of(markers).size)}
    if name in EXPRESSION and row[column(size, "markers")]:
        new = part.new, part.new_codes
        row |= {
            column(size, "on target"): lists.on_target(markers, *new, np.median),
            column(size, "most on target"): lists.most_on_target(size, *new),
            column(size, "on target by means"): lists.on_target(markers, *new, np.mean),
            column(size, "off in its class"): lists.off_in_its_class(markers, part.values, part.codes),
        }
    return row


def readings(markers: lists.Lists, part: Split, own: list[int] | None) -> Iterator[tuple[str, np.ndarray]]:
    """Predictions of each reading for the test part."""
    chosen = lists.columns_of(markers)
    if chosen.size:
        for reading, build in READERS.items():
            yield reading, build().fit(part.values[:, chosen], part.codes).predict(part.new[:, chosen])
    if own is not None:
        yield OWN, np.array(own)


def of_predictions(size: int, reading: str, truth: np.ndarray, predicted: np.ndarray) -> dict[str, float]:
    """Figures of a reading."""
    figures = (
        float(np.mean(predicted != truth)),
        1.0 - float(balanced_accuracy_score(truth, predicted)),
        float(fbeta_score(truth, predicted, beta=BETA, average="macro", zero_division=0)),
    )
    return {column(size, measure, reading): figure for measure, figure in zip(MEASURES, figures, strict=True)}
