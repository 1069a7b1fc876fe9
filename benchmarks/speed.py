"""Speed and memory as ratios, taken side by side in one run: ``python benchmarks/speed.py [--quick]``."""

from __future__ import annotations

import argparse
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import NearestCentroid

from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV
from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.engine import hartigan, lloyd, pruning
from plain import plain_ndc

REPEATS = 5


def seconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Median time of several calls."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return float(np.median(times))


def matmul_rate(size: int = 3000) -> float:
    """Floating-point operations a second of a square matrix product."""
    rng = np.random.default_rng(0)
    left, right = rng.random((size, size)), rng.random((size, size))
    left @ right
    return 2 * size**3 / seconds(lambda: left @ right, 3)


def against_the_plain_loop(n_init: int) -> None:
    X, y = make_blocks(k=4, n=250, d=5, irrelevant=80, random_state=0)
    print(f"\n1. n=1000, p=100, k=4, {n_init} restarts, starts included: plain loop over ours")
    for name, lam in (("Algorithm 1", None), ("Algorithm 2, lam=1", 1.0)):
        model = NearestDisjointCentroid(lam=lam, n_init=n_init, random_state=0).fit(X, y)
        pairs = []
        for _ in range(REPEATS):  # in turns, so that a busy moment of the machine hits both
            plain = seconds(lambda lam=lam: plain_ndc(X, y, lam, n_init), 1)
            pairs.append((plain, seconds(lambda model=model: model.fit(X, y), REPEATS)))
        plain, ours = np.median(pairs, axis=0)
        ratios = sorted(slow / fast for slow, fast in pairs)
        print(
            f"   {name}: plain {plain * 1e3:.0f} ms, ours {ours * 1e3:.1f} ms: {np.median(ratios):.0f} x "
            f"({ratios[0]:.0f} to {ratios[-1]:.0f})"
        )


def wide_tables(p: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Two kinds of wide table: expression-like (levels that differ by gene, a few factors), and pure noise."""
    rng = np.random.default_rng(0)
    n = 100
    y = np.arange(n) % 2
    noise = rng.standard_normal((n, p))
    factors = rng.standard_normal((n, 5)) @ rng.standard_normal((5, p))
    return {
        "expression-like": (0.5 * noise + 0.3 * factors + rng.normal(8, 2, size=p), y),
        "noise": (noise, y),
    }


@contextmanager
def counted_operations():
    """Count what the algorithm without pruning multiplies and adds: distances, and as much again for the centres."""
    total = [0.0]
    lock = threading.Lock()
    original = lloyd.cross_products

    def counting(passes: int):
        def count(support, sums, start, stop, room):
            with lock:
                total[0] += passes * 2.0 * sums.size * (stop - start)
            return original(support, sums, start, stop, room)

        return count

    enabled = pruning.ENABLED
    lloyd.cross_products, hartigan.cross_products, pruning.ENABLED = counting(2), counting(1), False
    try:
        yield total
    finally:
        lloyd.cross_products = hartigan.cross_products = original
        pruning.ENABLED = enabled


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


@contextmanager
def peak_memory():
    """The most memory in use during the block, above what was in use before it."""
    before, peak, done = resident_bytes(), [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.002):
            peak[0] = max(peak[0], resident_bytes() - before)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield peak
    finally:
        done.set()
        watcher.join()


def against_the_product(p: int, n_init: int) -> None:
    print(f"\n2. n=100, p={p}, k=2, {n_init} restarts, lam=0.9, starts included: time over the operations' own")
    for name, (X, y) in wide_tables(p).items():
        model = NearestDisjointCentroid(lam=0.9, n_init=n_init, random_state=0)
        model.fit(X[:, :1000], y)
        with counted_operations() as operations:
            model.fit(X, y)
        with peak_memory() as peak:
            model.fit(X, y)
        ratios = []
        for _ in range(3):
            rate = matmul_rate()
            ratios.append(seconds(lambda model=model, X=X, y=y: model.fit(X, y), 1) / (operations[0] / rate))
        extra, allowed = peak[0] / 1e6, X.nbytes / 1e6 + 100
        print(
            f"   {name}: {operations[0] / 1e9:.0f} Gflop, {np.median(ratios):.2f} x (of {np.round(ratios, 2)}); "
            f"memory above X {extra:.0f} MB (allowed {allowed:.0f})"
        )


def against_rivals_with_cv(n_init: int) -> None:
    X, y = make_blocks(k=4, n=250, d=5, irrelevant=80, random_state=0)
    print(f"\n3. NDC-S by 5-fold CV, 30 lambdas, {n_init} restarts, n=1000, p=100, k=4: rival over ours")
    model = NearestDisjointCentroidCV(n_init=n_init, random_state=0).fit(X, y)
    ours = seconds(lambda: model.fit(X, y), 3)
    print(f"   ours {ours:.2f} s")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # saga does not converge in its default steps, which is in its favour here
        thresholds = {"shrink_threshold": np.linspace(0.01, 5, 30)}
        grid = GridSearchCV(NearestCentroid(), thresholds, cv=5)
        print(
            f"   GridSearchCV over 30 thresholds of NearestCentroid: {seconds(lambda: grid.fit(X, y), 3) / ours:.1f} x"
        )
        logistic = LogisticRegressionCV(Cs=10, cv=5, l1_ratios=(1.0,), solver="saga", random_state=0)
        print(f"   LogisticRegressionCV (L1, saga, 10 Cs): {seconds(lambda: logistic.fit(X, y), 1) / ours:.1f} x")


def growth_with_samples(sizes: list[int], n_init: int) -> None:
    print(f"\n4. the same fit (lam=1, {n_init} restarts, p=100, k=4) as n grows: time of a fit over one pass over X")
    for n in sizes:
        X, y = make_blocks(k=4, n=n // 4, d=5, irrelevant=80, random_state=0)
        model = NearestDisjointCentroid(lam=1.0, n_init=n_init, random_state=0).fit(X, y)
        fit = seconds(lambda model=model, X=X, y=y: model.fit(X, y))
        one_pass = seconds(lambda X=X: X.T @ X)
        print(f"   n={n}: fit {fit * 1e3:.0f} ms, a pass (X'X) {one_pass * 1e3:.1f} ms: {fit / one_pass:.0f} x")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small shapes: only to see that everything runs")
    quick = parser.parse_args().quick
    print(f"matrix product of 3000²: {matmul_rate(500 if quick else 3000) / 1e9:.0f} Gflop/s")
    against_the_plain_loop(5 if quick else 100)
    against_the_product(1000 if quick else 20_000, 5 if quick else 100)
    against_rivals_with_cv(5 if quick else 100)
    growth_with_samples([400, 800] if quick else [1000, 4000, 16_000, 64_000], 5 if quick else 100)


if __name__ == "__main__":
    main()
