"""Base of the classifiers that take disjoint feature sets from another one and decide in their own way."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from disjoint_centroids._scikit import HasMethods
from disjoint_centroids.centroids.base import DisjointCentroidBase
from disjoint_centroids.centroids.classifier import NearestDisjointCentroid
from disjoint_centroids.rows.training import TrainingSet, read_training_set, shared_mask

OWN_CONSTRAINTS: dict[str, Any] = {
    "estimator": [HasMethods(["fit", "distances"]), None],
    "random_state": ["random_state"],
}


def _of_partition(name: str, meaning: str) -> Any:
    return property(lambda self: getattr(self.estimator_, name), doc=meaning)


class OnPartition(DisjointCentroidBase):
    """A classifier on the feature sets of ``estimator_``. Subclasses say how a sample's class follows from them."""

    _takes_sparse = False  # what they decide by needs the samples dense

    owner_: np.ndarray = _of_partition(
        "owner_", "Index of the class that owns each feature; -1: nobody, -2: shared by all."
    )
    feature_sets_: list[np.ndarray] = _of_partition("feature_sets_", "Indices of each class's own features.")
    centroids_: np.ndarray = _of_partition("centroids_", "Class means of all features.")
    variances_: np.ndarray = _of_partition("variances_", "Class variances of all features.")
    margin_: np.ndarray = _of_partition(
        "margin_", "Distance of each feature to the second nearest centre minus the nearest."
    )
    feature_distances_: np.ndarray = _of_partition(
        "feature_distances_", "Distance of each feature to each class's centre."
    )
    risk_: float = _of_partition(
        "risk_", "Mean squared distance of the training samples to their own class's centroid."
    )

    def _partition_estimator(self) -> Any:
        return self.estimator_

    def _is_divided(self) -> bool:
        divided: bool = self.estimator_._is_divided()
        return divided

    def _read_labelled(self, X: Any, y: Any, sample_weight: Any) -> TrainingSet:
        return read_training_set(self, X, y, sample_weight, None, divided=True)

    def _partitioner(self, training: TrainingSet, seed: int) -> DisjointCentroidBase:
        """A fresh copy of ``estimator`` that takes arrays: names become positions, no seed becomes ours."""
        found = NearestDisjointCentroid() if self.estimator is None else clone(self.estimator)
        given = found.get_params(deep=False)
        if not isinstance(found, DisjointCentroidBase) or not {"init", "shared_features"} <= given.keys():
            raise TypeError(
                f"{type(self).__name__} needs an estimator that finds disjoint feature sets, NearestDisjointCentroid "
                f"or NearestDisjointCentroidCV; got {type(found).__name__}. Give one of these, or None."
            )
        if given["random_state"] is None:
            found.set_params(random_state=seed)
        shared = given["shared_features"]
        if shared is not None and not hasattr(shared, "get_support"):
            labels = training.classes[training.codes]
            found.set_params(shared_features=np.flatnonzero(shared_mask(self, shared, training.values, labels)))
        return found


def fit_on(
    estimator: DisjointCentroidBase,
    training: TrainingSet,
    positions: np.ndarray | None = None,
    *,
    probabilities: bool = True,
) -> Any:
    """A copy of an estimator, fitted on some of the samples, or on all of them.

    Without ``probabilities`` it is not fitted on folds as well, and they are worth less.
    """
    at = np.arange(len(training.codes)) if positions is None else positions
    labels = training.classes[training.codes[at]]
    model = clone(estimator)
    model._has_probabilities = probabilities
    return model.fit(training.values[at], labels, sample_weight=training.weights[at])
