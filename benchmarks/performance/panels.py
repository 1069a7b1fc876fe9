"""Time of panel fits beside L1 paths, linear SVMs and shrunken centroids, everything chosen by five folds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from markdown_tables import markdown as markdown_table
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.evaluation.peers.classifiers import L1LogisticCV, ShrunkenCentroidCV
from panel_tables import TABLES, simulated
from performance import drawing
from performance.timing import in_turns, spread
from performance.words import figure, seconds

TITLE = "Panels"
OURS, TEN = "panels", "panels, 10 per class"
SVM, GLMNET, L1, NSC = "linear SVM", "glmnet", "our L1 path", "shrunken centroids"
RIVALS = (SVM, GLMNET, L1, NSC)
_COSTS = np.logspace(-4, 1, 10)
_LARGE = 4_000_000
"""Values of a table above which linear SVMs are not timed: they take more than five minutes."""


_CELLS = """ The last two tables are sets of single cells that `ndc data` can fetch. A linear SVM takes more than five
minutes on them, and was not timed."""


def measure(quick: bool) -> dict[str, Any]:
    small: dict[str, Callable[[], Any]] = {
        "40 x 180, 3 classes": lambda: simulated(40, 180, 3),
        "30 x 120, 2 classes": lambda: simulated(30, 120, 2),
    }
    tables = small if quick else TABLES
    rows = []
    for name, make in tables.items():
        X, y = make()
        y = np.unique(y, return_inverse=True)[1]
        few = np.concatenate([np.flatnonzero(y == label)[:8] for label in np.unique(y)])
        DisjointPanelClassifier(random_state=0).fit(X[few][:, :400], y[few])  # what is compiled is not timed
        times = in_turns(_works(X, y), 1, warm=False)
        rows.append({"table": name, "seconds": {work: spread(found)["median"] for work, found in times.items()}})
    return {"rows": rows}


def _works(X: np.ndarray, y: np.ndarray) -> dict[str, Callable[[], object]]:
    """Fits to be timed; glmnet takes part where it is installed."""
    svm = make_pipeline(StandardScaler(), LinearSVC(dual="auto", random_state=0))
    works: dict[str, Callable[[], object]] = {
        OURS: partial(DisjointPanelClassifier(random_state=0).fit, X, y),
        TEN: partial(DisjointPanelClassifier(rounds=10, terms="linear", random_state=0).fit, X, y),
        L1: partial(_quietly, L1LogisticCV(cv=5, random_state=0).fit, X, y),
        NSC: partial(_quietly, ShrunkenCentroidCV(cv=5, random_state=0).fit, X, y),
    }
    if X.size <= _LARGE:
        works[SVM] = partial(_quietly, GridSearchCV(svm, {"linearsvc__C": _COSTS}, cv=5).fit, X, y)
    if find_spec("glmnet") is not None:
        from glmnet import LogitNet

        works[GLMNET] = partial(_quietly, LogitNet(n_splits=5, n_jobs=1, random_state=0).fit, X, y)
    return works


def _quietly(fit: Callable[..., object], X: np.ndarray, y: np.ndarray) -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an SVM that has not converged is timed as it is
        fit(X, y)


def markdown(results: dict[str, Any]) -> str:
    works = _timed(results["rows"])
    rows = [
        [
            row["table"],
            seconds(row["seconds"][OURS]),
            *(_divided(row["seconds"], work) for work in works),
        ]
        for row in results["rows"]
    ]
    header = ["table", "panels", *(f"{work}, divided by it" for work in works)]
    rivals = "a linear SVM (`LinearSVC`) with ten values of C"
    if GLMNET in works:
        rivals += ", of glmnet's multinomial path (`python-glmnet`)"
    if L1 in works:
        rivals += ", of our own L1 path and of nearest shrunken centroids"
    return f"""Time of `DisjointPanelClassifier().fit`, which chooses rounds, terms, regression and
the penalty by five folds, once for each table; and, divided by it, the times of a panel of ten features per class and
of {rivals}, each with five folds.{_CELLS if any(SVM not in row["seconds"] for row in results["rows"]) else ""}

{markdown_table(header, rows)}

![Times divided by that of panels](images/performance-panels.png)"""


def _timed(rows: list[dict[str, Any]]) -> list[str]:
    """Works that were timed beside the default fit."""
    return [work for work in (TEN, *RIVALS) if any(work in row["seconds"] for row in rows)]


def _divided(seconds_of: dict[str, float], work: str) -> str:
    return figure(seconds_of[work] / seconds_of[OURS]) if work in seconds_of else "not timed"


def picture(results: dict[str, Any], folder: Path) -> list[Path]:
    """Bars: times of others over that of panels."""
    rows = results["rows"][::-1]
    works = _timed(rows)
    made, ax = drawing.figure(6.8, 0.9 + 0.8 * len(rows))
    height = 0.8 / len(works)
    for at, work in enumerate(works):
        there = [number for number, row in enumerate(rows) if work in row["seconds"]]
        values = [rows[number]["seconds"][work] / rows[number]["seconds"][OURS] for number in there]
        places = np.array(there) + (len(works) / 2 - at - 0.5) * height
        ax.barh(places, values, height, color=drawing.COLOURS[at % len(drawing.COLOURS)], label=work)
        for value, place in zip(values, places, strict=True):
            ax.annotate(figure(value), (value, place), (3, 0), textcoords="offset points", va="center", fontsize=7)
    ax.axvline(1, color=drawing.INK, lw=1)
    ax.set(xscale="log", yticks=range(len(rows)), xlabel="time divided by that of panels (line: equal)")
    ax.set_yticklabels([row["table"] for row in rows])
    ax.legend(frameon=False, fontsize=8, loc="lower right")
    return [drawing.save(made, folder, "panels")]
