"""Logarithms of softmax for scores with one line per class."""

from __future__ import annotations

import numpy as np

from disjoint_centroids.numerics.types import FloatArray


def log_softmax(scores: FloatArray) -> FloatArray:
    """Logarithms of the probabilities of the classes, from scores (n_classes, n_samples).

    Few long lines are added up several times as fast as many short ones.
    """
    logs: FloatArray = scores - scores.max(axis=0)
    logs -= np.log(np.exp(logs).sum(axis=0))
    return logs
