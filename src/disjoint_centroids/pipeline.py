"""Pipelines that end in a classifier: the steps before it, and samples as the classifier sees them."""

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


def steps_before(model: Any) -> list[Any]:
    """Steps that transform samples before the classifier of a model; none if the model is a classifier itself."""
    steps = model.steps[:-1] if isinstance(model, Pipeline) else []
    return [step for _, step in steps if step not in (None, "passthrough")]


def as_seen(model: Any, X: Any) -> Any:
    """Transform samples as a fitted model does before its classifier sees them.

    Parameters
    ----------
    model : classifier or Pipeline that ends in one
        Fitted.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Samples as the user has them.

    Returns
    -------
    array-like, sparse matrix or data frame
        The samples after all steps but the last.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import NearestCentroid
    >>> from disjoint_centroids.pipeline import as_seen, model_pipeline
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = model_pipeline(NearestCentroid(), transform="standardize").fit(X, y)
    >>> bool(abs(as_seen(model, X).mean().max()) < 1e-9)
    True
    """
    for step in steps_before(model):
        X = step.transform(X)
    return X


def _imputer(name: str | None) -> list[Any]:
    if name is None:
        return []
    if name not in IMPUTERS:
        raise ValueError(f"There is no imputation {name!r}. The names are: {', '.join(IMPUTERS)}.")
    return [SimpleImputer(strategy="median") if name == "median" else KNNImputer(n_neighbors=5)]
