"""Tables to measure on, and how their shapes are written."""

from __future__ import annotations

import numpy as np

from disjoint_centroids.datasets import make_blocks

TIMES = "\N{MULTIPLICATION SIGN}"


def block_table(n: int, p: int, k: int, each: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A table of the paper's kind: up to ``each`` features that speak for each class, the others for none."""
    each = max(1, min(each, p // (2 * k)))
    return make_blocks(k=k, n=n // k, d=each, irrelevant=p - k * each, random_state=seed)


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


def thousands(number: float) -> str:
    """A whole number as the documentation writes it: 20 000."""
    return f"{number:,.0f}".replace(",", " ") if number >= 10_000 else f"{number:.0f}"


def times_sign(*sides: int) -> str:
    """The sides of a table, with a multiplication sign between them."""
    return f" {TIMES} ".join(thousands(side) for side in sides)
