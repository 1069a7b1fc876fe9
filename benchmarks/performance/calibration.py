"""The machine's rates for the cost model: plain products measured directly, the rest from a few small fits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.optimize import nnls

from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV
from disjoint_centroids.numerics.threads import default_threads, run_all
from performance.cost import MEASURED_DIRECTLY, UNITS, Shape, work
from performance.counting import Steps, counted
from performance.shapes import block_table
from performance.timing import in_turns

SHAPES = (
    Shape(40, 8, 2, 1),
    Shape(100_000, 8, 2, 1),
    Shape(10_000, 120, 2, 1),
    Shape(6000, 120, 12, 1),
    Shape(400, 60, 3, 300),
    Shape(400, 60, 12, 300),
    Shape(400, 200, 3, 300),
    Shape(50, 1000, 2, 20),
    Shape(80, 1000, 6, 20),
    Shape(200, 1000, 2, 20),
    Shape(80, 4000, 2, 20),
)
_QUICK = (
    Shape(40, 8, 2, 1),
    Shape(2000, 6, 2, 1),
    Shape(500, 30, 2, 1),
    Shape(300, 40, 6, 1),
    Shape(40, 20, 2, 5),
    Shape(60, 30, 3, 5),
    Shape(40, 270, 2, 2),
)


def measure_fit(shape: Shape, repeats: int) -> tuple[float, Steps]:
    """Least seconds of several fits of a block table, which are those least disturbed, and the counted steps."""
    X, y = block_table(shape.n, shape.p, shape.k)
    if shape.folds:
        model = NearestDisjointCentroidCV(n_init=shape.restarts, n_lams=shape.lams, cv=shape.folds, random_state=0)
    else:
        model = NearestDisjointCentroid(lam=1.0, n_init=shape.restarts, random_state=0)
    with counted() as steps:
        model.fit(X, y)
    return min(in_turns({"fit": partial(model.fit, X, y)}, repeats, warm=False)["fit"]), steps


def rates(quick: bool) -> dict[str, float]:
    """Seconds a unit."""
    found = product_rates(quick)
    rows, left = [], []
    others = [unit for unit in UNITS if unit not in MEASURED_DIRECTLY]
    for shape in _QUICK if quick else SHAPES:
        measure_fit(shape, 1)  # compiles what is compiled
        taken, steps = measure_fit(shape, 1 if quick else 5)
        done = work(shape, steps)
        rest = taken - sum(done[unit] * found[unit] for unit in MEASURED_DIRECTLY)
        # Every fit counts as much as any other, however long it took.
        rows.append([done[unit] / taken for unit in others])
        left.append(max(rest, 0.0) / taken)
    matrix = np.asarray(rows)
    scale = matrix.max(axis=0)
    solved, _ = nnls(matrix / scale, np.asarray(left))
    return found | dict(zip(others, (solved / scale).tolist(), strict=True))


def product_rates(quick: bool) -> dict[str, float]:
    """Seconds an operation of both kinds of product, at shapes and in threads as the engine has them."""
    rng = np.random.default_rng(0)
    rows, width = (200, 40) if quick else (4096, 200)
    tall, held = rng.random((rows, width)), (rng.random((100, width)) < 0.2).astype(float)
    products = {
        "gram": (lambda: tall.T @ tall, tall.size * width),
        "score": (lambda: held @ tall.T, 2 * held.size * rows),
    }
    n_threads, times_each = default_threads(), 20

    def in_threads(product: Callable[[], object]) -> None:
        run_all(lambda _: [product() for _ in range(times_each)], range(n_threads), n_threads)

    works = {kind: partial(in_threads, product) for kind, (product, _) in products.items()}
    times = in_turns(works, 3 if quick else 9)
    return {
        kind: float(np.median(times[kind])) / (operations * n_threads * times_each)
        for kind, (_, operations) in products.items()
    }
