"""The whole of a model: what is done to a table before the classifier sees it, and the classifier."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline

from disjoint_centroids.transforms import transform_steps

IMPUTERS = ("median", "knn")


def model_pipeline(classifier: BaseEstimator, *, transform: str = "none", impute: str | None = None) -> Pipeline:
    """Impute, transform, classify: a pipeline whose steps are fitted on training samples only and keep column names.

    Parameters
    ----------
    classifier : estimator
        The last step.
    transform : str, default="none"
        A name of :data:`disjoint_centroids.transforms.TRANSFORMS`.
    impute : {"median", "knn"} or None, default=None
        How missing values are filled in: by the column's median, or from the five nearest samples.

    Returns
    -------
    sklearn.pipeline.Pipeline
        Unfitted.

    Examples
    --------
    >>> from disjoint_centroids import NearestDisjointCentroid
    >>> from disjoint_centroids.pipeline import model_pipeline
    >>> list(model_pipeline(NearestDisjointCentroid(), transform="log2", impute="median").named_steps)
    ['simpleimputer', 'functiontransformer', 'nearestdisjointcentroid']
    """
    steps = [*_imputer(impute), *transform_steps(transform)]
    for step in steps:
        step.set_output(transform="pandas")
    return make_pipeline(*steps, classifier)


def _imputer(name: str | None) -> list[Any]:
    if name is None:
        return []
    if name not in IMPUTERS:
        raise ValueError(f"There is no imputation {name!r}. The names are: {', '.join(IMPUTERS)}.")
    return [SimpleImputer(strategy="median") if name == "median" else KNNImputer(n_neighbors=5)]
