"""Three readings of a marker list: classifiers that are given its features alone."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disjoint_centroids.evaluation.methods import TrainingPart, build_method

_ITERATIONS = 2000


def _our_scores(owners: np.ndarray | None, part: TrainingPart, n_markers: int) -> BaseEstimator:
    """Panel of exactly these features: each with its class, or, if that is not known, drafted by the classes."""
    forced: Any = np.arange(n_markers)
    if owners is not None:
        forced = {label: np.flatnonzero(owners == label) for label in np.unique(owners).tolist()}
    return build_method("Panel", part, forced=forced, max_features=n_markers, rounds=1, terms="linear")


def _nearest_centroid(owners: np.ndarray | None, part: TrainingPart, n_markers: int) -> BaseEstimator:
    return NearestCentroid()


def _logistic(owners: np.ndarray | None, part: TrainingPart, n_markers: int) -> BaseEstimator:
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=_ITERATIONS))


READINGS: dict[str, Callable[..., BaseEstimator]] = {
    "scores": _our_scores,
    "centroid": _nearest_centroid,
    "logistic": _logistic,
}
"""Builders of the readings: our scores, nearest centroid, and logistic regression on standardised features."""


def read_markers(
    reading: str,
    train: tuple[np.ndarray, np.ndarray],
    test: np.ndarray,
    *,
    owners: np.ndarray | None,
    n_classes: int,
    seed: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Fit a reading to the markers of training samples, and read the others.

    Parameters
    ----------
    reading : str
        A name of ``READINGS``.
    train : pair (values, codes)
        Training samples, markers only, and their classes as positions.
    test : array of shape (n_test, n_markers)
        Samples to classify.
    owners : array of shape (n_markers,) or None
        Class of each marker, for our scores.
    n_classes : int
        Number of classes.
    seed : int
        For folds within.

    Returns
    -------
    predicted : array of shape (n_test,)
        Classes, as positions.
    scores : array of shape (n_test, n_classes)
        The higher, the likelier; -inf for classes that the training samples lack.
    """
    values, codes = train
    if not (values.max(axis=0) > values.min(axis=0)).any():
        return _without_markers(codes, len(test), n_classes)
    model = READINGS[reading](owners, TrainingPart(codes, seed=seed), values.shape[1])
    scores = np.full((len(test), n_classes), -np.inf)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes without markers, constant columns: the tables show what it costs
        model.fit(values, codes)
        if isinstance(model, NearestCentroid):
            gaps = [((test - centre) ** 2).sum(axis=1) for centre in model.centroids_]
            scores[:, model.classes_] = -np.column_stack(gaps)
        else:
            scores[:, model.classes_] = model.predict_log_proba(test)
        return np.asarray(model.predict(test)), scores


def _without_markers(codes: np.ndarray, n_test: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Answers if no marker varies in the training samples: the most frequent class, the same for all."""
    counts = np.bincount(codes, minlength=n_classes)
    with np.errstate(divide="ignore"):
        scores = np.tile(np.log(counts / counts.sum()), (n_test, 1))
    return np.full(n_test, counts.argmax()), scores
