"""What the cost model says of a fit on many machines."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2

from performance.cost import Shape


@dataclass(frozen=True, slots=True)
class Cluster:
    """Machines, and what is assumed of the search; rates in bytes a second."""

    machines: int = 100
    cores: int = 16
    disk: float = 1e9
    network: float = 1.25e9
    memory: float = 1e10
    rows_of_block: int = 50_000
    steps: int = 30
    candidates: int = 100


def far_ahead(shape: Shape, cluster: Cluster, rates: dict[str, float], threads: int) -> list[tuple[str, float, str]]:
    """Every part of the work, its seconds, and where they come from. ``rates`` hold for ``threads`` cores."""
    n, p, k = shape.n, shape.p, shape.k
    faster = cluster.machines * cluster.cores / threads
    grams = 8.0 * k * p**2
    levels = ceil(log2(cluster.machines))
    blocks = ceil(n / cluster.machines / cluster.rows_of_block)
    reading = 8.0 * n * p / cluster.machines / cluster.disk
    runs, compared = 2 * shape.restarts, 2 * shape.restarts * cluster.steps * (k + 1) * p
    scoring = 2.0 * n * p * k * cluster.candidates * rates["score"] + n * p * k * rates["gap"]
    return [
        ("first reading", reading, "8 n p bytes from all disks"),
        ("Gram matrices", n * p**2 * rates["gram"] / faster, "n p² operations on all cores"),
        ("their sums on each machine", 3 * blocks * grams / cluster.memory, f"{blocks} blocks, in memory"),
        ("their sums over machines", levels * grams / cluster.network, f"{levels} levels of a tree, k p² numbers each"),
        (
            "the search",
            (runs * p**2 * rates["addition"] + compared * rates["gram step"]) * threads / cluster.cores,
            "on one machine, on the sums alone",
        ),
        ("second reading", reading, "as the first"),
        ("scoring", scoring / faster, "2 k C n p operations on all cores"),
    ]
