"""What a draft costs: the whole path of panel sizes beside as many plain passes over the table, in one run.

python benchmarks/panel.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from statistics import median

import numpy as np
from scipy import sparse

from disjoint_centroids import DisjointPanelClassifier, engine

SAMPLES, FEATURES, CLASSES, ROUNDS = 100, 20_000, 4, 50
TIMES = 5


def main() -> None:
    """Print a row for each kind of table and terms."""
    print(f"{SAMPLES} x {FEATURES}, {CLASSES} classes, {ROUNDS} rounds; medians of {TIMES}, side by side")
    print(f"{'table':18} {'terms':8} {'draft / passes':>15} {'CV fit / draft':>15}")
    for name, values in tables().items():
        for terms in ("linear", "both"):
            passes, draft, fit = measure(values, terms)
            print(f"{name:18} {terms:8} {draft / passes:15.1f} {fit / draft:15.1f}")


def tables() -> dict[str, np.ndarray | sparse.csc_array]:
    """A dense table, and one of the same shape with a value in every twentieth cell."""
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(SAMPLES, FEATURES))
    return {"dense": dense, "sparse, 5 %": sparse.csc_array(dense * (rng.random(dense.shape) < 0.05))}


def measure(values: np.ndarray | sparse.csc_array, terms: engine.Terms) -> tuple[float, float, float]:
    """Seconds of the plain passes, of the draft, and of a fit that chooses the rounds in five folds."""
    codes = np.arange(SAMPLES) % CLASSES
    weights = np.ones(SAMPLES)
    rules = engine.Rules(np.ones(FEATURES, dtype=bool), ((),) * CLASSES)
    residuals = np.random.default_rng(1).normal(size=(SAMPLES, CLASSES))
    columns = engine.columns_of(values, codes, weights)
    learned = replace(engine.panel_columns("both", columns, weights), kind=terms)

    def passes() -> None:
        for _ in range(ROUNDS):
            columns.products(residuals)
            if terms != "linear":
                columns.square_products(residuals)

    def draft() -> None:
        engine.draft(columns, learned, codes, weights, rules=rules, n_rounds=ROUNDS, penalty=1.0)

    def fit() -> None:
        DisjointPanelClassifier(terms=terms, penalty=0.5, max_features_per_class=ROUNDS, random_state=0).fit(
            values, codes
        )

    passes()  # the squares are kept from the first time on
    seconds = [[timed(work) for work in (passes, draft)] for _ in range(TIMES)]
    return median(s[0] for s in seconds), median(s[1] for s in seconds), timed(fit)


def timed(work: Callable[[], None]) -> float:
    """Seconds that something takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
