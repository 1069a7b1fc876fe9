"""Array types and the few numbers that every part of the engine must agree on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
OwnerArray = NDArray[Any]  # int8, or int16 past 120 classes: one entry per (run, feature)
BoolArray = NDArray[np.bool_]

UNASSIGNED = -1
"""A feature that no cluster holds yet: k-means starts with its seeds assigned and nothing else."""

AMBIGUOUS = -2
"""A feature whose two nearest centres are closer to each other than rounding lets us see."""

ROUNDING = 1e-11
"""Distances by inner products closer than this share of their terms are computed again, exactly."""

TIE = 1e-9
"""Exact squared distances that agree to this share are a tie, and the lower index wins."""

ZERO = (64 * np.finfo(np.float64).eps) ** 2
"""A squared distance below this share of the feature's own square is zero."""


def owner_dtype(n_clusters: int) -> type[np.signedinteger[Any]]:
    """The smallest integer that holds every cluster and the two negative codes."""
    return np.int8 if n_clusters <= 120 else np.int16
