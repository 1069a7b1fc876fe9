"""Samples with their classes."""

from __future__ import annotations

from dataclasses import dataclass

from disjoint_centroids.numerics.stored import Values
from disjoint_centroids.numerics.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class LabelledRows:
    """Samples with their classes, to judge partitions by.

    Attributes
    ----------
    values : array or sparse matrix of shape (n_samples, n_features)
        The features that are shared out among the classes.
    shared : array or sparse matrix of shape (n_samples, n_shared)
        Those that every class uses.
    codes, weights : arrays of shape (n_samples,)
    """

    values: Values
    shared: Values
    codes: IntArray
    weights: FloatArray
