"""The cost model: what a fit of a given shape has to do, and what that takes on a machine of given rates."""

from __future__ import annotations

from dataclasses import dataclass

from disjoint_centroids.centroids.search.supports import prefers_gram
from performance.counting import Steps


@dataclass(frozen=True, slots=True)
class Shape:
    """A table and what is asked of it: Algorithm 2, so that there are k + 1 clusters of features."""

    n: int
    p: int
    k: int
    restarts: int
    lams: int = 1
    folds: int = 0

    @property
    def everyone_is_gram(self) -> bool:
        """Whether the starts work on a Gram matrix."""
        return prefers_gram(self.p, self.n)

    @property
    def classes_are_grams(self) -> bool:
        """Whether the restarts do."""
        return prefers_gram(self.p, self.n // self.k)


UNITS = {
    "fit": "a fit of a tiny table",
    "value": "a value of the table, read, checked and copied",
    "sample": "a sample's distance to a class, and its part in the probabilities",
    "gram": "an operation of a Gram matrix (p² per sample)",
    "gap": "a value's squared gap to a class mean, for scoring (k p per sample)",
    "addition": "a number added up at the beginning of a restart on Gram matrices (p² per restart)",
    "gram step": "a feature compared with a centre, on Gram matrices",
    "product": "an operation of the products of a wide table, in blocks",
    "pair": "the same for single features, where most distances are skipped",
    "column step": "a feature compared with a centre, on a wide table, moves included",
    "score": "an operation of scoring (2 p per sample and feature set)",
}
"""What is counted; each has a rate, measured in the same run."""

MEASURED_DIRECTLY = ("gram", "score")
"""Units whose rate is that of a plain matrix product; the others are calibrated on small fits."""


def work(shape: Shape, steps: Steps) -> dict[str, float]:
    """How much of every unit a fit needs, given how many steps its restarts took."""
    n, p, clusters = shape.n, shape.p, shape.k + 1
    done = dict.fromkeys(UNITS, 0.0)
    done["fit"] = 1.0
    done["value"] = n * p * (1.0 + shape.folds)
    done["sample"] = float(n * shape.k)
    done["gap"] = n * p * shape.k * (1.0 + shape.folds)
    # A fold's Gram matrices are those of the whole less those of the held-out samples, which are all samples in turn.
    done["gram"] = n * p**2 * (2.0 if shape.folds else 1.0) if shape.everyone_is_gram else 0.0
    done["score"] = 2.0 * p * steps.scored
    if shape.everyone_is_gram:
        done["addition"] += steps.n_starts * p**2
        done["gram step"] += steps.start_steps * clusters * p
    if shape.classes_are_grams:
        done["addition"] += steps.n_runs * p**2
        done["gram step"] += steps.run_steps * clusters * p
    done["product"], done["pair"] = float(steps.products), float(steps.pair_products)
    done["column step"] = float(steps.compared)
    return done


def seconds_by_unit(done: dict[str, float], rates: dict[str, float]) -> dict[str, float]:
    """Seconds of every unit; ``rates`` are seconds a unit."""
    return {unit: done[unit] * rates[unit] for unit in UNITS}


def predicted(shape: Shape, steps: Steps, rates: dict[str, float]) -> float:
    """Seconds of a fit."""
    return sum(seconds_by_unit(work(shape, steps), rates).values())
