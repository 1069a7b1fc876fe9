"""After a sketch: exact distances for the partition that was chosen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.compressed import CompressedTraining
from disjoint_centroids.centroids.passes import Gaps, look_closely
from disjoint_centroids.rows.blocks import small

_LOOKS = 6
"""Passes, at most; in each but the last, features move to the exactly nearest centre."""


def second_look(
    training: CompressedTraining, problem: search.Problem, partition: search.Partition, lam: float | None
) -> tuple[search.Partition, search.Problem]:
    """After a sketch: features move to the exactly nearest centre, pass by pass, until none does.

    Returns the partition, with its exact training error, and a problem that knows the exact distances of its features.
    """
    for look in range(1, _LOOKS + 1):
        gaps = _look_at(training, problem, partition.owner)
        exact = search.with_exact_gaps(problem, partition.owner, gaps.squares)
        moved = search.nearest_owner(exact, partition.owner, lam)
        nobody_moves = bool((moved == partition.owner).all())
        class_would_lose_all = np.unique(moved[moved >= 0]).size < len(training.classes)
        if nobody_moves or class_would_lose_all or look == _LOOKS:
            break
        partition = replace(partition, owner=moved)
    error = float(gaps.wrong.weights[0].sum() / training.labels.weights.sum())
    risk = float(problem.risks(partition.owner[None])[0])
    return replace(partition, train_error=error, risk=risk), exact


def _look_at(training: CompressedTraining, problem: search.Problem, owner: np.ndarray) -> Gaps:
    """One pass: exact distances of all features to the centres of a partition, and what it gets wrong."""
    rows, labels = training.rows, training.labels
    arguments = list(zip(small(rows, labels.codes), labels.small_weights(rows), strict=True))
    candidates = [search.Candidates.of(problem, owner[None], np.arange(len(training.classes)))]
    found: Gaps = rows.total(look_closely, arguments, [owner, candidates, training.shared], 0.0)
    return found
