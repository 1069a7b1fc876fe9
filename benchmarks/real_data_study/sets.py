"""The 35 sets, the scales on which they are read, and which of them designs were chosen on."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache

import numpy as np

from disjoint_centroids.datasets import compcancer_sets, fetch_compcancer

LEAST_CLASS = 6
"""Classes with fewer samples are left out: three folds must leave some to tune with."""

LOG2, AS_DISTRIBUTED = "log2", "as distributed"
SCALES = (LOG2, AS_DISTRIBUTED)

N_DESIGN = 20


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


ALL = tuple(sorted(compcancer_sets()))
DESIGN = tuple(sorted(sorted(ALL, key=_digest)[:N_DESIGN]))
"""Fixed before any design was made: the 20 names whose SHA-256 digest (of the name, in hex) sorts first.

alizadeh-2000-v1, armstrong-2002-v2, chowdary-2006, dyrskjot-2003, garber-2001, golub-1999-v1, golub-1999-v2, khan-2001,
laiho-2007, lapointe-2004-v1, lapointe-2004-v2, liang-2005, nutt-2003-v2, nutt-2003-v3, ramaswamy-2001, risinger-2003,
shipp-2002-v1, su-2001, tomlins-2006, yeoh-2002-v1.
"""

APART = tuple(name for name in ALL if name not in DESIGN)
"""The other 15, on which nothing was chosen."""

QUICK = ("nutt-2003-v3", "pomeroy-2002-v1")
"""Two small sets for a smoke run."""

GROUPS = {"design": DESIGN, "apart": APART, "all": ALL}


@dataclass(frozen=True, slots=True)
class Table:
    """One set on one scale, small classes left out."""

    values: np.ndarray
    labels: np.ndarray


@cache
def tables(name: str) -> dict[str, Table]:
    """A set on every scale that it has: as distributed, and log2 where that is another one.

    Logarithms are taken of raw intensities, all of which must be positive. A set without them is the same on both
    scales; it is run once and counts for both.
    """
    bunch = fetch_compcancer(name)
    labels, counts = np.unique(bunch.target, return_counts=True)
    kept = np.isin(bunch.target, labels[counts >= LEAST_CLASS])
    values, target = bunch.data[kept], bunch.target[kept]
    found = {AS_DISTRIBUTED: Table(values, target)}
    if takes_log2(bunch.data):
        found[LOG2] = Table(np.log2(values), target)
    return found


def takes_log2(values: np.ndarray) -> bool:
    """True if the values of a set are all positive, and range over more than two decades as raw intensities do."""
    return bool(values.min() > 0) and bool(values.max() > 100 * values.min())
