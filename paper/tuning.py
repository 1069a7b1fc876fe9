"""Methods as the paper's experiments run them: NDC-S is tuned in the folds of its peers."""

from __future__ import annotations

from functools import partial

from sklearn.base import BaseEstimator

from disjoint_centroids.evaluation import Builder, TrainingPart
from disjoint_centroids.evaluation.methods import build_method, method_builder

_TUNED = ("NDC-S", "NDC-S auto")


def paper_method(name: str) -> Builder:
    """Builder of a method for :func:`disjoint_centroids.evaluation.evaluate`.

    The estimator would make folds of its own, as many as the largest class allows. The peers are tuned in no more
    folds than the smallest class has samples, and the published figures of NDC-S come from the same folds.
    """
    return partial(_in_folds_of_peers, name) if name in _TUNED else method_builder(name)


def _in_folds_of_peers(name: str, part: TrainingPart) -> BaseEstimator:
    return build_method(name, part, cv=part.splitter())
