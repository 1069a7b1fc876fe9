"""Training sets made ready for the search."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from disjoint_centroids.centroids.search import Problem, prepare
from disjoint_centroids.rows.training import TrainingSet


def problem_of(training: TrainingSet) -> Problem:
    """Make a validated training set ready for the search."""
    own = training.values[:, ~training.shared] if training.shared.any() else training.values
    return prepare(
        own if sparse.issparse(own) else np.ascontiguousarray(own),
        training.codes,
        training.weights,
        len(training.classes),
        divided=training.divided,
        shared_values=training.values[:, training.shared],
    )
