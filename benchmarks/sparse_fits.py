"""Sparse tables: memory beside scikit-learn's NearestCentroid, and time per iteration as the stored values grow.

python benchmarks/sparse_fits.py          # some minutes
python benchmarks/sparse_fits.py --quick  # small shapes: only to see that everything runs
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from time import process_time
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestCentroid

from disjoint_centroids import NearestDisjointCentroid
from disjoint_centroids.centroids.search import prepare
from disjoint_centroids.centroids.search.lloyd import lloyd
from disjoint_centroids.numerics.types import owner_dtype
from performance.peak import peak_memory

N_CLASSES, N_INIT = 4, 10
REPEATS = 15
FULL, QUICK = (2000, 20_000), (200, 2000)
DENSITIES = (0.005, 0.01, 0.02, 0.04)
MODELS = {
    "NearestDisjointCentroid": NearestDisjointCentroid(n_init=N_INIT, random_state=0),
    "NearestCentroid": NearestCentroid(),
}


def counts(shape: tuple[int, int], density: float) -> tuple[Any, np.ndarray]:
    """A table of counts like those of words or reads: each class has some features that are common in it only."""
    rng = np.random.default_rng(0)
    n_samples, n_features = shape
    codes = np.arange(n_samples) % N_CLASSES
    rows, columns = (rng.integers(size, size=int(density * n_samples * n_features)) for size in shape)
    # A third of the values of the first tenth of the features move to samples of the class that the feature is of.
    typical = (columns < n_features // 10) & (rng.uniform(size=rows.size) < 1 / 3)
    rows[typical] += (columns[typical] - rows[typical]) % N_CLASSES
    rows %= n_samples
    table = sparse.coo_array((1.0 + rng.poisson(1.0, rows.size), (rows, columns)), shape=shape)
    return table.tocsr(), codes


def stored_megabytes(table: Any) -> float:
    return (table.data.nbytes + table.indices.nbytes + table.indptr.nbytes) / 1e6


def fit_once(name: str, shape: tuple[int, int], density: float) -> dict[str, float]:
    """Peak memory of one fit above the table, in this process; what must be compiled is compiled before."""
    MODELS[name].fit(*counts((120, 600), density))
    table, codes = counts(shape, density)
    with peak_memory() as peak:
        MODELS[name].fit(table, codes)
    return {"input": stored_megabytes(table), "above": peak[0] / 1e6}


def in_fresh_process(name: str, shape: tuple[int, int], density: float) -> dict[str, float]:
    """The same in a process of its own: what was freed before would hide what is taken now."""
    asked = json.dumps([name, shape, density])
    done = subprocess.run([sys.executable, __file__, "--fit", asked], capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measure_memory(quick: bool = False) -> dict[str, Any]:
    """Megabytes above the input while fitting, ours and NearestCentroid's, and what we allow ourselves."""
    shape, density = QUICK if quick else FULL, 0.01
    found = {name: in_fresh_process(name, shape, density) for name in MODELS}
    held = found["NearestDisjointCentroid"]["input"]
    return {
        "shape": shape,
        "density": density,
        "n_init": N_INIT,
        "input_mb": held,
        "dense_mb": 8e-6 * shape[0] * shape[1],
        "ours_mb": found["NearestDisjointCentroid"]["above"],
        "allowed_mb": 3 * held + 200,
        "nearest_centroid_mb": found["NearestCentroid"]["above"],
    }


def measure_growth(quick: bool = False) -> list[dict[str, float]]:
    """Processor time of an iteration of Algorithm 1, all restarts together, at growing numbers of stored values.

    ``ns_per_further_value`` is what a value costs, for one restart, that the table before had not.
    """
    cases = [_FirstIteration(QUICK if quick else FULL, density) for density in DENSITIES]
    rounds = [[case.seconds() for case in cases] for _ in range(2 if quick else REPEATS)]  # in turns
    taken = np.min(rounds, axis=0)
    stored = np.array([case.n_stored for case in cases])
    further = 1e9 / N_INIT * np.diff(taken, prepend=np.nan) / np.diff(stored, prepend=0)
    return [
        {
            "density": density,
            "n_stored": int(n_stored),
            "ms_per_iteration": 1e3 * seconds,
            "ns_per_value": 1e9 * seconds / n_stored / N_INIT,
            "ns_per_further_value": more,
        }
        for density, n_stored, seconds, more in zip(DENSITIES, stored, taken, further, strict=True)
    ]


class _FirstIteration:
    """One iteration from random owners: all features join their clusters, and all are assigned. Nothing is pruned."""

    def __init__(self, shape: tuple[int, int], density: float) -> None:
        table, codes = counts(shape, density)
        self.n_stored = int(table.nnz)
        self._problem = prepare(table, codes, np.ones(codes.size), N_CLASSES)
        self._clusters = self._problem.clusters(has_pool=False)
        rng = np.random.default_rng(0)
        self._start = rng.integers(N_CLASSES, size=(N_INIT, shape[1])).astype(owner_dtype(N_CLASSES))
        self.seconds()  # what must be compiled is compiled

    def seconds(self) -> float:
        begin = process_time()
        lloyd(self._problem.table, self._clusters, self._start, None, max_iter=1)
        return process_time() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small shapes: only to see that everything runs")
    parser.add_argument("--fit", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.fit:
        name, shape, density = json.loads(arguments.fit)
        print(json.dumps(fit_once(name, tuple(shape), density)))
        return
    memory = measure_memory(arguments.quick)
    n_samples, n_features = memory["shape"]
    print(f"{n_samples} x {n_features}, {memory['density']:.1%} stored, {N_INIT} restarts")
    print(f"   the table: {memory['input_mb']:.1f} MB, {memory['dense_mb']:.0f} MB if it were dense")
    print(f"   above it, ours: {memory['ours_mb']:.0f} MB, allowed {memory['allowed_mb']:.0f} MB")
    print(f"   above it, scikit-learn's NearestCentroid: {memory['nearest_centroid_mb']:.0f} MB")
    print(f"\nan iteration of {N_INIT} restarts as the stored values grow")
    for row in measure_growth(arguments.quick):
        times = f"{row['ms_per_iteration']:6.1f} ms, {row['ns_per_value']:.2f} ns a value and restart"
        further = f"{row['ns_per_further_value']:.2f} ns a further one"
        print(f"   {row['density']:.1%}, {row['n_stored']:>8} values: {times}, {further}")


if __name__ == "__main__":
    main()
