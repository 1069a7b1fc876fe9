"""Pipelines that end in a classifier: the steps before it, and samples as the classifier sees them."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import has_fit_parameter

from disjoint_centroids.transforms import transform_steps

IMPUTERS = ("median", "knn")
Model = TypeVar("Model", bound=BaseEstimator)


def model_pipeline(classifier: BaseEstimator, *, transform: str = "none", impute: str | None = None) -> Pipeline:
    """Build a pipeline that imputes, transforms and classifies, and keeps the names of the columns.

    Parameters
    ----------
    classifier : estimator
        The last step.
    transform : str, default="none"
        A name of :data:`disjoint_centroids.transforms.TRANSFORMS`.
    impute : {"median", "knn"} or None, default=None
        Filling in of missing values: by the median of the column, or from the five nearest samples.

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
    return make_pipeline(*preparing_steps(transform, impute), classifier)


def preparing_steps(transform: str, impute: str | None) -> list[Any]:
    """Build the steps of :func:`model_pipeline` before the classifier; none for "none" and None."""
    steps = [*_imputer(impute), *transform_steps(transform)]
    for step in steps:
        step.set_output(transform="pandas")
    return steps


def fit_within_batches(model: Model, X: Any, y: Any, batch: Any = None) -> Model:
    """Fit a model; the batches of the samples, if given, go to its last step if that is a panel classifier.

    Parameters
    ----------
    model : classifier or Pipeline that ends in one
        To be fitted.
    X, y : array-like
        Training samples and their labels.
    batch : array-like of shape (n_samples,), default=None
        Batches; None: none are known.

    Returns
    -------
    classifier or Pipeline
        ``model``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids import DisjointPanelClassifier
    >>> from disjoint_centroids.pipeline import fit_within_batches, model_pipeline
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = model_pipeline(DisjointPanelClassifier(rounds=1), transform="log2")
    >>> fit_within_batches(model, X, y, batch=X.index % 3)[-1].batches_.tolist()
    ['0', '1', '2']
    """
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if batch is None or not has_fit_parameter(last, "batch"):
        model.fit(X, y)
        return model
    name = f"{model.steps[-1][0]}__batch" if isinstance(model, Pipeline) else "batch"
    model.fit(X, y, **{name: np.asarray(batch)})
    return model


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
