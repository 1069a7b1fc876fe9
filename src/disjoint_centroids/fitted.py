"""Parts of a fitted model (a classifier, or a pipeline that ends in one) and of the table that it is applied to."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from disjoint_centroids._listed import listed
from disjoint_centroids._scikit import check_feature_names_in
from disjoint_centroids.base import PartitionedClassifier
from disjoint_centroids.numerics.stored import dense
from disjoint_centroids.pipeline import as_seen, steps_before
from disjoint_centroids.rows.training import read_samples

_NAMED_IN_ERRORS = 5


def classifier_of(estimator: Any, *, fitted: bool = True) -> Any:
    """Get the classifier: the estimator itself, or the last step of a pipeline; ``fitted``: refuse unfitted ones."""
    classifier = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    if not isinstance(classifier, PartitionedClassifier):
        given = classifier if isinstance(classifier, str) else type(classifier).__name__
        where = "a pipeline that ends in " if isinstance(estimator, Pipeline) else ""
        raise ValueError(
            f"There is nothing to draw for {where}{given}. Give a fitted DisjointPanelClassifier, "
            "NearestDisjointCentroidCV or another classifier of this package, or a pipeline that ends in one."
        )
    if fitted:
        check_is_fitted(classifier)
    return classifier


def fitted_pipeline(model: Any, task: str) -> Pipeline:
    """Get a fitted model as a pipeline, which may have the classifier as its only step; ``task`` is for the error."""
    pipeline = model if isinstance(model, Pipeline) else make_pipeline(model)
    if not isinstance(pipeline[-1], PartitionedClassifier):
        raise TypeError(
            f"{task} takes a classifier of this package, such as DisjointPanelClassifier, or a pipeline that ends in "
            f"one; got {type(pipeline[-1]).__name__}."
        )
    check_is_fitted(pipeline[-1])
    return pipeline


def columns_seen(estimator: Any, X: Any, columns: np.ndarray) -> np.ndarray:
    """Transform and validate a table, and return some columns as an array; only these are made dense."""
    classifier = classifier_of(estimator)
    takes_sparse = get_tags(classifier).input_tags.sparse
    values = read_samples(classifier, as_seen(estimator, X), accept_sparse=takes_sparse)[:, columns]
    return dense(values)


def feature_names(estimator: Any) -> np.ndarray:
    """Names of the features of the classifier; if it was fitted without names, those that the steps before it give."""
    classifier = classifier_of(estimator)
    if not hasattr(classifier, "feature_names_in_") and steps_before(estimator):
        try:
            return np.asarray(estimator[:-1].get_feature_names_out(), dtype=object)
        except (AttributeError, ValueError):  # some transformer cannot name what it returns
            pass
    return np.asarray(check_feature_names_in(classifier, None), dtype=object)


def class_codes(classes: np.ndarray, X: Any, y: Any) -> np.ndarray:
    """Position of the label of every sample in ``classes``, (n_samples,)."""
    import pandas as pd

    labels = np.asarray(y)
    check_consistent_length(X, labels)
    codes = pd.Index(classes).get_indexer(pd.Index(labels))
    unknown = np.unique(labels[codes < 0].astype(str))
    if unknown.size:
        theirs, ours = (listed((repr(str(label)) for label in some), _NAMED_IN_ERRORS) for some in (unknown, classes))
        raise ValueError(
            f"y has {unknown.size} label(s) that the model was not trained on: {theirs}. Drop these samples, or give "
            f"the labels as in training: {ours}."
        )
    return codes


def rows_of(X: Any, positions: np.ndarray) -> Any:
    """Select rows of an array, a sparse matrix or a data frame by their positions."""
    if hasattr(X, "iloc"):
        return X.iloc[positions]
    return (X if hasattr(X, "shape") else np.asarray(X))[positions]
