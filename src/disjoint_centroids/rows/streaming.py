"""Fit of a pipeline to a table that is read in blocks of rows: first the steps before the classifier, then it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import Pipeline

from disjoint_centroids.progress import Progress
from disjoint_centroids.tables import Parts


def fit_in_blocks(model: Pipeline, parts: Parts, lazy: Any, *, verbose: int = 0) -> Pipeline:
    """Fit a pipeline to a table on disk: the transforms first, then the classifier on lazily transformed blocks.

    Logarithms are taken block by block as the classifier asks for them. Standardising needs means and scales of all
    rows first, which is one more pass over the table.

    Parameters
    ----------
    model : sklearn.pipeline.Pipeline
        As :func:`disjoint_centroids.pipeline.model_pipeline` makes it, without imputation.
    parts : Parts
        The table.
    lazy : dask array
        The same table as :func:`disjoint_centroids.rows.dask_blocks.dask_array` gives it; used is its ``map_blocks``.
    verbose : int, default=0
        Whether to show progress of the pass for standardising; the classifier has its own parameter.

    Returns
    -------
    sklearn.pipeline.Pipeline
        The same model, fitted, as if it had seen a frame with the names of the table.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids import NearestDisjointCentroid
    >>> from disjoint_centroids.tables import open_parts
    >>> from disjoint_centroids.rows.dask_blocks import dask_array
    >>> from disjoint_centroids.pipeline import model_pipeline
    >>> from disjoint_centroids.rows.streaming import fit_in_blocks
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = model_pipeline(NearestDisjointCentroid(n_init=5, random_state=0), transform="standardize")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "iris.parquet"
    ...     X.assign(kind=y).to_parquet(file)
    ...     parts = open_parts(file, target="kind", rows=50)
    ...     model = fit_in_blocks(model, parts, dask_array(parts))
    >>> [str(name) for name in model[-1].feature_names_in_] == list(X.columns)
    True
    """
    steps = [step for _, step in model.steps[:-1]]
    for at, step in enumerate(steps):
        _fit_step(step, steps[:at], parts, verbose)
    if steps:
        lazy = lazy.map_blocks(transformed, steps, parts.names, dtype=np.float64)
    classifier = model[-1].fit(lazy, parts.labels)
    # An array has no names; the model is to know those of the table, as after a fit in memory.
    classifier.feature_names_in_ = np.array(parts.names, dtype=object)
    return model


def transformed(block: np.ndarray, steps: Sequence[Any], names: Sequence[str]) -> np.ndarray:
    """The numbers of a block as the classifier is to see them."""
    values: Any = pd.DataFrame(block, columns=pd.Index(list(names), dtype=object))
    for step in steps:
        values = step.transform(values)
    return np.asarray(values, dtype=np.float64)


def fit_to_names(step: Any, names: Sequence[str]) -> None:
    """Fit a transform that learns nothing from values: it then knows the names of the features."""
    step.fit(pd.DataFrame(np.ones((1, len(names))), columns=pd.Index(list(names), dtype=object)))


def _fit_step(step: Any, before: Sequence[Any], parts: Parts, verbose: int) -> None:
    """Fit a transform: by a pass over the table if it learns from values, from the names alone if it does not."""
    if isinstance(step, SimpleImputer | KNNImputer):
        raise ValueError(
            f"{type(step).__name__} needs the whole table in memory. Fill missing values in beforehand, or leave the "
            "columns out."
        )
    if not hasattr(step, "partial_fit"):
        fit_to_names(step, parts.names)
        return
    columns = pd.Index(list(parts.names), dtype=object)
    with Progress("means and scales", len(parts.lengths), enabled=verbose > 0) as bar:
        for at in range(len(parts.lengths)):
            block = transformed(parts.read(at), before, parts.names)
            step.partial_fit(pd.DataFrame(block, columns=columns))
            bar.tick()
