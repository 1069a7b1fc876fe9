"""Agreement of a sketch of the table with the exact answer, for sketches of growing size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from markdown_tables import markdown as markdown_table

from disjoint_centroids import NearestDisjointCentroid
from disjoint_centroids.rows.sketch import rows_for
from performance import drawing
from performance.shapes import block_table, thousands, times_sign
from performance.words import figure

_ERRORS = (0.5, 0.35, 0.25, 0.18, 0.12, 0.08, 0.05)
_SEEDS = 5


def measure(quick: bool) -> dict[str, Any]:
    n, p, k, n_init = (400, 20, 2, 3) if quick else (20_000, 400, 4, 100)
    errors, seeds = (_ERRORS[::3], 1) if quick else (_ERRORS, _SEEDS)
    X, y = block_table(n, p, k, each=p // (2 * k))
    blocks = da.from_array(X, chunks=(n // 4, p))
    exact = _fit(blocks, y, n_init, "exact", 0)
    rows = []
    for error in errors:
        fitted = [_fit(blocks, y, n_init, error, seed) for seed in range(seeds)]
        rows.append(
            {
                "error": error,
                "rows": int(rows_for(error)),
                "agreement": [float(np.mean(model.owner_ == exact.owner_)) for model in fitted],
                "train_error": [model.train_error_ for model in fitted],
            }
        )
    other = [_fit(blocks, y, n_init, "exact", seed) for seed in range(1, seeds + 1)]
    return {
        "n": n,
        "p": p,
        "k": k,
        "n_init": n_init,
        "exact_error": exact.train_error_,
        "other_starts": [float(np.mean(model.owner_ == exact.owner_)) for model in other],
        "rows": rows,
    }


def _fit(blocks: da.Array, y: np.ndarray, n_init: int, compression: Any, seed: int) -> NearestDisjointCentroid:
    model = NearestDisjointCentroid(lam=1.0, n_init=n_init, compression=compression, random_state=seed)
    return model.fit(blocks, y)


def markdown(results: dict[str, Any]) -> str:
    rows = [
        [
            f"{row['error']:g}",
            thousands(row["rows"]),
            f"{np.mean(row['agreement']):.3f} ({min(row['agreement']):.3f} to {max(row['agreement']):.3f})",
            f"{np.mean(row['train_error']):.4f}",
        ]
        for row in results["rows"]
    ]
    header = [
        "relative error asked for",
        "rows kept per class",
        "features assigned as by the exact fit",
        "training error",
    ]
    return f"""### The sketch

If the Gram matrices do not fit into memory, `compression="sketch"` keeps a few random combinations of each class's
rows. (Instead of `"sketch"` you may give a number: the relative standard error that a squared distance may have.) A few
more passes then move features to the centre that is exactly nearest. On a table of
{times_sign(results["n"], results["p"])} with {results["k"]}
classes, half of its features relevant:

{markdown_table(header, rows)}

![Agreement of the sketch with the exact answer](images/performance-sketch.png)

The exact fit has a training error of {results["exact_error"]:.4f}. Exact fits from other starts agree with it in
a share of {figure(float(np.mean(results["other_starts"])))} of the features: a sketch cannot
be expected to agree more."""


def picture(results: dict[str, Any], folder: Path) -> Path:
    """Agreement against the size of the sketch."""
    made, ax = drawing.figure(6, 3.2)
    kept = [row["rows"] for row in results["rows"]]
    for row in results["rows"]:
        ax.plot([row["rows"]] * len(row["agreement"]), row["agreement"], "o", ms=4, color=drawing.COLOURS[0], alpha=0.4)
    ax.plot(kept, [np.mean(row["agreement"]) for row in results["rows"]], color=drawing.COLOURS[0], label="a sketch")
    ax.axhline(np.mean(results["other_starts"]), color=drawing.COLOURS[1], ls="--", label="exact, other starts (mean)")
    ax.set(xscale="log", xlabel="rows kept per class", ylabel="share of features assigned\nas by the exact fit")
    drawing.plain_ticks(ax.xaxis)
    ax.legend(frameon=False, fontsize=8, loc="lower right")
    return drawing.save(made, folder, "sketch")
