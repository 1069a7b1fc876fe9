"""Short panels on single cells with many classes: ``python benchmarks/many_classes.py``.

CITE-seq (13 types), Zeisel (7 types, and 47 subtypes), 2, 5 and 10 genes per class: 3-fold error of panels that read
all features, or their own only, of logistic regression on the features of the former, and of a linear SVM on all genes.
The share of wrong samples is compared, so that no method balances the classes: panels have ``priors="empirical"``.
A run can be stopped and started again; ``--publish`` puts its table into docs/single-cell.md.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import parallel_config
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.evaluation.results_file import ResultsFile
from disjoint_centroids.evaluation.resumable import remaining, run_jobs
from panel_tables import Table, single_cells

sys.path.append(str(Path(__file__).parents[1] / "paper"))
from markdown_tables import markdown, with_tables

SETS = {"cite-seq": "CITE-seq", "zeisel": "Zeisel", "zeisel-subtypes": "Zeisel subtypes"}
SIZES, FOLDS = (2, 5, 10), 3
ALL_GENES = 0
"""Number of genes per class that stands for all genes, in the results."""

OWN, ALL, SAME, SVM = "own panel", "all panels", "logistic regression", "linear SVM, all genes"
READINGS = (ALL, OWN, SAME)
KEY = ("set", "size", "reading", "fold")
OUTPUT = Path(__file__).parent / "output" / "many_classes.parquet"
PAGE = Path(__file__).parents[1] / "docs" / "single-cell.md"


@dataclass(frozen=True, slots=True)
class Job:
    """A fit to two thirds of a set, and what it makes of the rest; logistic regression comes with ``all panels``."""

    set: str
    size: int
    reading: str
    fold: int

    @property
    def key(self) -> tuple[str, int, str, int]:
        """Values that identify the job in the results file."""
        return self.set, self.size, self.reading, self.fold


@cache
def cells(name: str) -> Table:
    """One of the sets, on a logarithmic scale."""
    return single_cells(name)


def jobs(sets: list[str], sizes: tuple[int, ...] = SIZES) -> list[Job]:
    """All jobs, those that take long last."""
    ours = [Job(s, size, reading, f) for s in sets for size in sizes for reading in (ALL, OWN) for f in range(FOLDS)]
    return ours + [Job(s, ALL_GENES, SVM, f) for s in sets for f in range(FOLDS)]


def do(job: Job) -> dict[str, Any]:
    """Run a job."""
    X, y = cells(job.set)
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    train, test = list(splitter.split(X, y))[job.fold]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # solvers that stop before they converge
        return asdict(job) | judged(job, (X[train], y[train]), (X[test], y[test]))


def judged(job: Job, train: Table, test: Table) -> dict[str, float]:
    """Held-out error and seconds of a fit, and the error of logistic regression on its features."""
    began = time.perf_counter()
    if job.reading == SVM:
        model: Any = make_pipeline(StandardScaler(), LinearSVC(C=0.01)).fit(*train)
    else:
        reads = "own" if job.reading == OWN else "all"
        model = DisjointPanelClassifier(rounds=job.size, reads=reads, priors="empirical", random_state=0).fit(*train)
    row = {"error": float(np.mean(model.predict(test[0]) != test[1])), "seconds": time.perf_counter() - began}
    if job.reading != ALL:
        return row | {"logistic": np.nan}
    features = np.flatnonzero(model.owner_ >= 0)
    reader = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    predicted = reader.fit(train[0][:, features], train[1]).predict(test[0][:, features])
    return row | {"logistic": float(np.mean(predicted != test[1]))}


def error_table(rows: pd.DataFrame) -> str:
    """Mean errors as Markdown: one row per set and size."""
    found = []
    means = rows.groupby(["set", "size", "reading"])[["error", "logistic", "seconds"]].mean()
    for name, title in SETS.items():
        if name not in set(rows["set"]):
            continue
        everything = means["error"].get((name, ALL_GENES, SVM), np.nan)
        for size in sorted(set(rows["size"]) - {ALL_GENES}):
            of_all, own = means.loc[name, size, ALL], means.loc[name, size, OWN]
            errors = (of_all["error"], own["error"], of_all["logistic"], everything)
            found.append([title, str(size), *(f"{error:.3f}" for error in errors), f"{of_all['seconds']:.1f}"])
    return markdown(["set", "genes per class", *READINGS, SVM, "seconds per fit"], found)


def main(arguments: list[str] | None = None) -> None:
    """Do what is not done yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=list(SETS), default=list(SETS))
    parser.add_argument("--n-jobs", type=int, default=-1, help="processes (default: all cores)")
    parser.add_argument("--publish", action="store_true", help="put the table into docs/single-cell.md")
    parser.add_argument("--redo", action="store_true", help="forget what was done before")
    asked = parser.parse_args(arguments)
    if asked.redo:
        OUTPUT.unlink(missing_ok=True)
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    for name in asked.sets:
        cells(name)  # fetched once, before many processes would
    results = ResultsFile(OUTPUT, KEY)
    with parallel_config(backend="loky", inner_max_num_threads=1):
        run_jobs(remaining(jobs(asked.sets), results), do, results, label="many classes", n_jobs=asked.n_jobs)
    table = error_table(results.frame())
    print(table)
    if asked.publish:
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), {"many classes": table}), encoding="utf-8")


if __name__ == "__main__":
    from many_classes import main as run  # processes find jobs under the name of this module

    run()
