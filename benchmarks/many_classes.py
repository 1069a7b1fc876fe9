"""Short panels on single cells with many classes: ``python benchmarks/many_classes.py``.

CITE-seq (13 types), Zeisel (7 types, and 47 subtypes), 2, 5 and 10 genes per class: 3-fold error of panels that read
all features, or their own only, of logistic regression on the features of the former, and of a linear SVM on all genes.
In the first table the share of wrong samples is compared, so that no method balances the classes: panels have
``priors="empirical"``. In the second all methods balance them, as panels do by default.
A run can be stopped and started again; ``--publish`` puts its tables into docs/single-cell.md.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from dataclasses import asdict, dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import parallel_config
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
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
ALIKE = "all panels, classes alike"
KEY = ("set", "size", "reading", "fold")
OUTPUT = Path(__file__).parent / "output" / "many_classes.parquet"
PAGE = Path(__file__).parents[1] / "docs" / "single-cell.md"


@dataclass(frozen=True, slots=True)
class Job:
    """A fit to two thirds of a set, judged on the rest; logistic regression comes with the panels that all read."""

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
    panels = product(sets, sizes, (ALL, OWN, ALIKE), range(FOLDS))
    return [Job(*panel) for panel in panels] + [Job(s, ALL_GENES, SVM, f) for s in sets for f in range(FOLDS)]


def do(job: Job) -> dict[str, Any]:
    """Run a job."""
    X, y = cells(job.set)
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    train, test = list(splitter.split(X, y))[job.fold]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # solvers that stop before they converge
        return asdict(job) | judged(job, (X[train], y[train]), (X[test], y[test]))


def judged(job: Job, train: Table, test: Table) -> dict[str, float]:
    """Held-out errors of a fit, and the errors of logistic regression on its features."""
    if job.reading == SVM:
        model: Any = make_pipeline(StandardScaler(), LinearSVC(C=0.01)).fit(*train)
    else:
        reads, priors = "own" if job.reading == OWN else "all", None if job.reading == ALIKE else "empirical"
        model = DisjointPanelClassifier(rounds=job.size, reads=reads, priors=priors, random_state=0).fit(*train)
    row = errors("", test[1], model.predict(test[0]))
    if job.reading not in (ALL, ALIKE):
        return row | errors("logistic ", test[1], None)
    features = np.flatnonzero(model.owner_ >= 0)
    weights = "balanced" if job.reading == ALIKE else None
    reader = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000, class_weight=weights))
    predicted = reader.fit(train[0][:, features], train[1]).predict(test[0][:, features])
    return row | errors("logistic ", test[1], predicted)


def errors(who: str, truth: np.ndarray, predicted: np.ndarray | None) -> dict[str, float]:
    """Share of wrong samples, and the mean over classes of the share of the class; NaN without predictions."""
    if predicted is None:
        return {f"{who}error": np.nan, f"{who}balanced error": np.nan}
    balanced = 1.0 - float(balanced_accuracy_score(truth, predicted))
    return {f"{who}error": float(np.mean(predicted != truth)), f"{who}balanced error": balanced}


def error_table(rows: pd.DataFrame) -> str:
    """Mean errors as Markdown: one row per set and size."""
    found = []
    means = _means(rows)
    for name, size in _sets_and_sizes(rows):
        of_all, own = means.loc[name, size, ALL], means.loc[name, size, OWN]
        everything = means["error"].get((name, ALL_GENES, SVM), np.nan)
        shown = (of_all["error"], own["error"], of_all["logistic error"], everything)
        found.append([SETS[name], str(size), *(f"{error:.3f}" for error in shown)])
    return markdown(["set", "genes per class", *READINGS, SVM], found)


def balanced_table(rows: pd.DataFrame) -> str:
    """Errors and balanced errors where all classes count alike, as Markdown: one row per set and size."""
    means = _means(rows)
    columns = ("balanced error", "logistic balanced error", "error", "logistic error")
    found = [
        [SETS[name], str(size), *(f"{means.loc[(name, size, ALIKE), column]:.3f}" for column in columns)]
        for name, size in _sets_and_sizes(rows)
    ]
    who = [ALL, SAME]
    header = [f"{reading}: {measure}" for measure in ("balanced error", "error") for reading in who]
    return markdown(["set", "genes per class", *header], found)


def _means(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.drop(columns="fold").groupby(["set", "size", "reading"]).mean()


def _sets_and_sizes(rows: pd.DataFrame) -> list[tuple[str, int]]:
    sizes = sorted(set(rows["size"]) - {ALL_GENES})
    return [(name, size) for name in SETS if name in set(rows["set"]) for size in sizes]


def main(arguments: list[str] | None = None) -> None:
    """Do what is not done yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=list(SETS), default=list(SETS))
    parser.add_argument("--n-jobs", type=int, default=-1, help="processes (default: all cores)")
    parser.add_argument("--publish", action="store_true", help="put the tables into docs/single-cell.md")
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
    rows = results.frame()
    made = {"many classes": error_table(rows), "many classes alike": balanced_table(rows)}
    print("\n\n".join(made.values()))
    if asked.publish:
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), made), encoding="utf-8")


if __name__ == "__main__":
    from many_classes import main as run  # processes find jobs under the name of this module

    run()
