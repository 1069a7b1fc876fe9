"""Cost of a draft of panels: the whole path of panel sizes beside as many plain passes over the table."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from markdown_tables import markdown as markdown_table
from scipy import sparse

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.panels import drafting
from performance import drawing
from performance.shapes import times_sign
from performance.timing import in_turns, ratio
from performance.words import figure, ranged

TITLE = "Panels"
_DENSITY = 0.05


def measure(quick: bool) -> dict[str, Any]:
    n, p, k, rounds, repeats = (40, 60, 3, 4, 1) if quick else (100, 20_000, 4, 50, 5)
    rows = []
    for kind, values in _tables(n, p).items():
        for terms in ("linear", "both"):
            times = in_turns(_works(values, k, rounds, terms), repeats)
            rows.append(
                {
                    "table": kind,
                    "terms": terms,
                    "draft": ratio(times["draft"], times["passes"]),
                    "fit": ratio(times["fit"], times["draft"]),
                }
            )
    return {"n": n, "p": p, "k": k, "rounds": rounds, "repeats": repeats, "rows": rows}


def _tables(n: int, p: int) -> dict[str, np.ndarray | sparse.csc_array]:
    """A dense table, and one of the same shape with a value in every twentieth cell."""
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(n, p))
    held = rng.random(dense.shape) < _DENSITY
    return {"dense": dense, f"sparse, {_DENSITY:.0%} of the cells": sparse.csc_array(dense * held)}


def _works(values: np.ndarray | sparse.csc_array, k: int, rounds: int, terms: drafting.TermsKind) -> dict[str, Any]:
    """The plain passes, the draft, and a fit that chooses the rounds in five folds."""
    n, p = values.shape
    codes, weights = np.arange(n) % k, np.ones(n)
    rules = drafting.Rules(np.ones(p, dtype=bool), ((),) * k)
    residuals = np.random.default_rng(1).normal(size=(n, k))
    columns = drafting.columns_of(values, codes, weights)
    learned = replace(drafting.panel_columns("both", columns, weights), kind=terms)

    def passes() -> None:
        for _ in range(rounds):
            columns.products(residuals)
            if terms != "linear":
                columns.square_products(residuals)

    draft = partial(drafting.draft, columns, learned, codes, weights, rules=rules, n_rounds=rounds, penalty=1.0)
    model = DisjointPanelClassifier(terms=terms, penalty=0.5, max_features_per_class=rounds, random_state=0)
    return {"passes": passes, "draft": draft, "fit": partial(model.fit, values, codes)}


def markdown(results: dict[str, Any]) -> str:
    rows = [[row["table"], row["terms"], ranged(row["draft"]), ranged(row["fit"])] for row in results["rows"]]
    shape = f"{times_sign(results['n'], results['p'])}, {results['k']} classes, {results['rounds']} rounds"
    header = ["table", "terms", "draft divided by plain products", "fit with five folds divided by draft"]
    return f"""`DisjointPanelClassifier` drafts features in rounds, and a round needs the product of the
table with {results["k"]} columns of residuals (with both terms, also the product of its squares). For a table of
{shape}, the time of the whole draft is divided by that of {results["rounds"]} such plain products.

{markdown_table(header, rows)}

![Time of a draft divided by that of its plain products](images/performance-panels.png)

A fit that chooses the number of rounds by five folds makes six drafts, and an exact fit at the end of each."""


def picture(results: dict[str, Any], folder: Path) -> list[Path]:
    """Bars: a draft over as many plain passes."""
    rows = results["rows"][::-1]
    made, ax = drawing.figure(6.4, 2.2)
    values = [row["draft"]["median"] for row in rows]
    ax.barh(range(len(rows)), values, color=drawing.COLOURS[0])
    for at, value in enumerate(values):
        ax.annotate(figure(value), (value, at), (3, 0), textcoords="offset points", va="center", fontsize=8)
    ax.axvline(1, color=drawing.INK, lw=1)
    ax.set(yticks=range(len(rows)), xlabel="time of a draft divided by that of its plain products (line: equal)")
    ax.set_yticklabels([f"{row['table']}, {row['terms']}" for row in rows])
    return [drawing.save(made, folder, "panels")]
