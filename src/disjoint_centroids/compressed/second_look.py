"""After a sketch: exact distances for the partition that was chosen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from disjoint_centroids import engine
from disjoint_centroids.compressed.looks import Gaps, look_closely
from disjoint_centroids.compressed.rows import small
from disjoint_centroids.compressed.training import CompressedTraining

_LOOKS = 5
"""Passes in which features move to the exactly nearest centre, at most."""


def second_look(
    training: CompressedTraining, problem: engine.Problem, partition: engine.Partition, lam: float | None
) -> tuple[engine.Partition, engine.Problem]:
    """After a sketch: features move to the exactly nearest centre, pass by pass, until none does.

    Returns the partition, with its exact training error, and a problem that knows the exact distances of its features.
    """
    rows, labels = training.rows, training.labels
    arguments = list(zip(small(rows, labels.codes), labels.small_weights(rows), strict=True))
    for look in range(_LOOKS + 1):
        candidates = [engine.Candidates.of(problem, partition.owner[None], np.arange(len(training.classes)))]
        gaps: Gaps = rows.total(look_closely, arguments, [partition.owner, candidates, training.shared], 0.0)
        error = float(gaps.wrong.weights[0].sum() / labels.weights.sum())
        exact = engine.with_exact_gaps(problem, partition.owner, gaps.squares)
        moved = engine.nearest_owner(exact, partition.owner, lam)
        stays = (
            (moved == partition.owner).all()
            or look == _LOOKS
            or len(np.unique(moved[moved >= 0])) < len(training.classes)
        )
        risk = float(problem.risks(partition.owner[None])[0])
        partition = replace(partition, train_error=error, risk=risk)
        if stays:
            break
        partition = replace(partition, owner=moved, n_moves=partition.n_moves + int((moved != partition.owner).sum()))
    return partition, exact
