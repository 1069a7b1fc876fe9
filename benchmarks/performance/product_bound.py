"""Wide tables: the time of a fit beside that of its counted operations, where it goes, and extreme shapes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from markdown_tables import markdown as markdown_table

import extreme_shapes
from disjoint_centroids import NearestDisjointCentroid
from performance import drawing
from performance.counting import counted_operations
from performance.shapes import times_sign, wide_tables
from performance.timing import product_rate, seconds_of, spread
from performance.words import figure, megabytes, ranged, seconds
from wide_profile import profile_wide

TITLE = "Wide tables: near the limit"


def measure(quick: bool) -> dict[str, Any]:
    p, n_init, repeats, size = (400, 3, 1, 200) if quick else (20_000, 100, 5, 3000)
    rows = [_beside_the_product(name, *table, n_init, repeats, size) for name, table in wide_tables(p).items()]
    return {
        "n_init": n_init,
        "rows": rows,
        "profile": profile_wide(quick),
        "extreme": extreme_shapes.measure(quick),
    }


def _beside_the_product(
    name: str, X: np.ndarray, y: np.ndarray, n_init: int, repeats: int, size: int
) -> dict[str, Any]:
    model = NearestDisjointCentroid(lam=0.9, n_init=n_init, random_state=0)
    with counted_operations() as operations:
        model.fit(X, y)
    bounds, taken = [], []
    for _ in range(repeats):  # in turns: the rate of the product moves with what else the machine does
        bounds.append(operations[0] / product_rate(size))
        taken.append(seconds_of(partial(model.fit, X, y)))
    return {
        "table": name,
        "n": X.shape[0],
        "p": X.shape[1],
        "operations": operations[0],
        "seconds": spread(taken),
        "ratio": spread([fit / bound for fit, bound in zip(taken, bounds, strict=True)]),
    }


def markdown(results: dict[str, Any]) -> str:
    rows = [
        [
            f"{times_sign(row['n'], row['p'])}, {row['table']}",
            figure(row["operations"] / 1e9),
            seconds(row["seconds"]["median"]),
            ranged(row["ratio"]),
        ]
        for row in results["rows"]
    ]
    profile = results["profile"]["rows"]
    phases = [
        [
            phase,
            *(
                f"{share:.0%}"
                for row in profile
                for share in (row["shares"][phase], row["shares_without_pruning"][phase])
            ),
        ]
        for phase in profile[0]["shares"]
    ]
    header = [part for row in profile for part in (row["table"], f"{row['table']}, nothing skipped")]
    return f"""How much faster could it be? An algorithm that computes every distance at every step needs a certain
number of multiplications and additions. The last column divides the time of a fit (two classes, {results["n_init"]}
restarts with their starts, lambda 0.9) by the time that one large matrix product takes for as many operations.

{markdown_table(["table", "operations, 10⁹", "time of the fit", "divided by that of the product"], rows)}

A ratio below 1 is possible because distances are skipped: a centre that has moved little cannot have come much nearer
to a feature, and where this decides which centre is nearest, no distance is computed. The next table shows where the
time goes, on one thread, as shares of the whole fit; and, as shares of the same time, what each part would take if
nothing were skipped:

{markdown_table(["", *header], phases)}

![Where the time of a fit to a wide table goes](images/performance-product-bound.png)

{_extreme(results["extreme"])}"""


def _extreme(rows: list[dict[str, Any]]) -> str:
    shown = [
        [
            f"{times_sign(row['n'], row['p'])}, {row['k']} classes, {row['table']}",
            f"{row['n_restarts_used']} of {row['n_init']}",
            seconds(row["seconds"]),
            megabytes(row["table_bytes"]),
            megabytes(row["peak_bytes"]),
        ]
        for row in rows
    ]
    header = ["table", "restarts that were used", "time", "size of the table", "additional memory"]
    return f"""### Many classes, and very many features

One fit each at lambda 0.9, on tables with a block of features for each class and on pure noise:

{markdown_table(header, shown)}"""


def picture(results: dict[str, Any], folder: Path) -> list[Path]:
    """Stacked bars: the parts of a fit as it is, and if nothing were skipped."""
    made, ax = drawing.figure(9, 3.4)
    profile = results["profile"]["rows"]
    bars = [
        (f"{row['table']}{said}", row[key])
        for row in profile
        for said, key in (("", "shares"), (",\nnothing skipped", "shares_without_pruning"))
    ]
    left = np.zeros(len(bars))
    for at, phase in enumerate(profile[0]["shares"]):
        shares = np.array([of_phase[phase] for _, of_phase in bars])
        ax.barh(range(len(bars)), shares, left=left, color=drawing.SHADES[at], label=phase)
        left += shares
    ax.set(yticks=range(len(bars)), xlabel="time (a fit as it is: 1)")
    ax.set_yticklabels([name for name, _ in bars])
    ax.invert_yaxis()
    made.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    return [drawing.save(made, folder, "product-bound")]
