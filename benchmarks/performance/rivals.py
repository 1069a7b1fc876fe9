"""Other classifiers and the plain loop, beside ours on the same tables."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from markdown_tables import markdown as markdown_table
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV
from performance import drawing
from performance.shapes import block_table, times_sign
from performance.timing import in_turns, ratio, spread
from performance.words import ranged, seconds
from plain import plain_ndc

TITLE = "Compared with other programs"
OURS = "ours"
_FOLDS = 5
Work = Callable[[], object]


def measure(quick: bool) -> dict[str, Any]:
    n_init, repeats = (3, 1) if quick else (100, 3)
    shapes = [(120, 20, 4), (40, 60, 2)] if quick else [(1000, 100, 4), (100, 2000, 2)]
    rows = []
    for n, p, k in shapes:
        X, y = block_table(n, p, k)
        NearestDisjointCentroid(lam=1.0, n_init=2, random_state=0).fit(X, y)  # loads what is compiled
        for task, works in (("fit", _fits(X, y, n_init)), ("cv", _cross_validations(X, y, n_init, quick))):
            rows += [{"n": n, "p": p, "k": k, "task": task, **row} for row in _beside(works, repeats)]
    return {"n_init": n_init, "n_lams": _grid_lengths(quick)[0], "repeats": repeats, "rows": rows}


def _beside(works: dict[str, dict[str, Work]], repeats: int) -> list[dict[str, Any]]:
    rows = []
    for ours, rivals in works.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # saga does not converge in its default steps, which is in its favour here
            times = in_turns(rivals, repeats, warm=False)
        rows += [
            {
                "ours": ours,
                "rival": rival,
                "our_seconds": spread(times[OURS]),
                "seconds": spread(taken),
                "ratio": ratio(taken, times[OURS]),
            }
            for rival, taken in times.items()
            if rival != OURS
        ]
    return rows


def _fits(X: np.ndarray, y: np.ndarray, n_init: int) -> dict[str, dict[str, Work]]:
    works = {}
    for name, lam in (("Algorithm 1", None), ("Algorithm 2, lambda 1", 1.0)):
        model = NearestDisjointCentroid(lam=lam, n_init=n_init, random_state=0)
        works[name] = {OURS: partial(model.fit, X, y), "plain loop": partial(plain_ndc, X, y, lam, n_init)}
    return works


def _cross_validations(X: np.ndarray, y: np.ndarray, n_init: int, quick: bool) -> dict[str, dict[str, Work]]:
    n_thresholds, n_penalties = _grid_lengths(quick)
    ours = NearestDisjointCentroidCV(n_init=n_init, n_lams=n_thresholds, cv=_FOLDS, random_state=0)
    centroid = GridSearchCV(NearestCentroid(), {"shrink_threshold": np.linspace(0.01, 5, n_thresholds)}, cv=_FOLDS)
    logistic = LogisticRegressionCV(Cs=n_penalties, cv=_FOLDS, l1_ratios=(1.0,), solver="saga", random_state=0)
    machine = GridSearchCV(
        make_pipeline(StandardScaler(), LinearSVC()), {"linearsvc__C": np.logspace(-3, 2, n_penalties)}, cv=_FOLDS
    )
    models = {
        OURS: ours,
        f"`NearestCentroid`, {n_thresholds} thresholds": centroid,
        f"L1 `LogisticRegressionCV` (saga), {n_penalties} penalties": make_pipeline(StandardScaler(), logistic),
        f"`LinearSVC`, {n_penalties} values of C": machine,
        **_glmnet(quick),
    }
    return {"Algorithm 2, cross-validated": {name: partial(model.fit, X, y) for name, model in models.items()}}


def _grid_lengths(quick: bool) -> tuple[int, int]:
    """Thresholds (as many as we have lambdas), and penalties."""
    return (3, 2) if quick else (30, 10)


def _glmnet(quick: bool) -> dict[str, Any]:
    try:
        from glmnet import LogitNet
    except ImportError:
        return {}
    n_penalties = 10 if quick else 100
    return {f"L1 glmnet, {n_penalties} penalties": LogitNet(n_splits=_FOLDS, n_lambda=n_penalties, random_state=0)}


def markdown(results: dict[str, Any]) -> str:
    rows = [
        [
            f"{times_sign(row['n'], row['p'])}, {row['k']} classes",
            row["ours"],
            seconds(row["our_seconds"]["median"]),
            row["rival"],
            seconds(row["seconds"]["median"]),
            ranged(row["ratio"]),
        ]
        for row in results["rows"]
    ]
    header = ["table", "ours", "our time", "compared with", "its time", "its time divided by ours"]
    return f"""Each fit has {results["n_init"]} restarts, k-means starts included; our cross-validation has {_FOLDS}
folds and {results["n_lams"]} values of lambda. Times are medians of {results["repeats"]} runs; the last column has the
median ratio and its range. The plain loop is a straightforward program for the published algorithm, with
scikit-learn's `KMeans` for the starts (`benchmarks/plain.py`).

{markdown_table(header, rows)}

![Times of others over ours](images/performance-rivals.png)

The other methods solve other problems, and the number of penalties that they try is a matter of choice. So read the
ratios as orders of magnitude."""


def picture(results: dict[str, Any], folder: Path) -> list[Path]:
    """A bar a rival and table: how many times as long as ours."""
    rows = results["rows"][::-1]
    names = [f"{row['rival'].replace('`', '')}\n{times_sign(row['n'], row['p'])}, {row['ours']}" for row in rows]
    made, ax = drawing.figure(8.4, 0.5 + 0.42 * len(rows))
    median = np.array([row["ratio"]["median"] for row in rows])
    ends = np.array([[row["ratio"]["low"], row["ratio"]["high"]] for row in rows]).T
    colours = [drawing.COLOURS[0] if row["task"] == "fit" else drawing.COLOURS[1] for row in rows]
    # From one on, to the right for slower ones and to the left for faster.
    ax.barh(range(len(rows)), median - 1, left=1, xerr=np.abs(ends - median), color=colours, ecolor=drawing.INK)
    ax.axvline(1, color=drawing.INK, lw=1)
    ax.set(xscale="log", xlabel="time of the other over ours (line: as fast)", yticks=range(len(rows)))
    ax.set_yticklabels(names, fontsize=7)
    drawing.plain_ticks(ax.xaxis)
    return [drawing.save(made, folder, "rivals")]
