"""Conversion of a pipeline to what a model file holds (plain containers and names, no code), and back."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from copy import copy
from dataclasses import asdict
from inspect import signature
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from disjoint_centroids.centroids.classifier import NearestDisjointCentroid
from disjoint_centroids.centroids.cross_validated import NearestDisjointCentroidCV
from disjoint_centroids.centroids.path import DisjointCentroidPath
from disjoint_centroids.models import archive
from disjoint_centroids.models.archive import Refused, shown
from disjoint_centroids.models.earlier_formats import bring_up
from disjoint_centroids.panels.conformal import FoldModel
from disjoint_centroids.panels.model import PanelModel
from disjoint_centroids.rows.training import SHARED
from disjoint_centroids.transforms import FUNCTIONS

_CALLER = 4  # from a warning here to the line that called save_model


class Stored:
    """A pipeline prepared for the file; the user's own is left as it is.

    Attributes
    ----------
    pipeline : sklearn.pipeline.Pipeline
        A copy that consists of what a file can hold.
    names, names_of_step : list of lists of str, list of int or None
        Lists of feature names, each once, and which of them each step knows: thousands of names within the pipeline
        would make the file slow and large.
    left_out : dict
        Parameters that a file cannot hold, as text.
    """

    def __init__(self, pipeline: Pipeline) -> None:
        self.names: list[list[str]] = []
        self.names_of_step: list[int | None] = []
        self.pipeline = copy(pipeline)
        self.pipeline.memory = None  # a cache on this machine
        self.pipeline.steps = [(name, copy(step)) for name, step in pipeline.steps]
        self.left_out = _simplify(self.pipeline[-1])
        for _, step in self.pipeline.steps:
            self._move_names(step)
            if isinstance(step, FunctionTransformer):
                step.func = next((name for name, known in FUNCTIONS.items() if known is step.func), step.func)
        if self.left_out:
            warnings.warn(
                f"A model file cannot hold {', '.join(f'{n}={v}' for n, v in self.left_out.items())}. The model read "
                "from it predicts the same, but a new fit of it uses the default instead.",
                UserWarning,
                stacklevel=_CALLER,
            )

    def _move_names(self, step: Any) -> None:
        """Move the feature names of a step to ``names``."""
        names = getattr(step, "__dict__", {}).pop("feature_names_in_", None)
        if names is None:
            self.names_of_step.append(None)
            return
        listed = [str(name) for name in names]
        if listed not in self.names:
            self.names.append(listed)
        self.names_of_step.append(self.names.index(listed))


def _simplify(classifier: Any) -> dict[str, str]:
    """Replace in place what a file cannot hold of a classifier; return the parameters that were left out, as text."""
    if "_stream" in vars(classifier):
        _ = classifier.owner_  # fits what the batches so far have added up to; the sums themselves are not kept
        del classifier._stream
    if classifier._path == "lambda":
        classifier.path_ = asdict(classifier.path_)
    if folds := classifier._fold_models():
        classifier.fold_models_ = [asdict(fold) for fold in folds]
    if (found := classifier._partition_estimator()) is not None:
        classifier.estimator_ = copy(found)
        _simplify(classifier.estimator_)  # a new fit begins with the parameter `estimator`, whatever this one lacks
    if isinstance(getattr(classifier, "feature_costs", None), Mapping):
        names = getattr(classifier, "feature_names_in_", np.arange(classifier.n_features_in_))
        classifier.feature_costs = np.array(
            [classifier.feature_costs.get(name, np.nan) for name in names],  # NaN: a feature that may not be used
            dtype=np.float64,
        )
    left_out = {}
    defaults = signature(type(classifier)).parameters
    for name, value in classifier.get_params(deep=False).items():
        if _is_storable(value):
            continue
        left_out[name] = shown(repr(value))
        # What a selector chose is known by now: a new fit can keep to it.
        chosen = np.flatnonzero(classifier.owner_ == SHARED) if name == "shared_features" else defaults[name].default
        setattr(classifier, name, chosen)
    return left_out


def _is_storable(value: Any) -> bool:
    if value is None or isinstance(value, bool | int | float | str):
        return True
    try:
        archive.dump(value)
    except Refused:
        return False
    return True


def restore(pipeline: Pipeline, metadata: dict[str, Any]) -> None:
    """Undo, in place, what :class:`Stored` did to a pipeline, in this format or an earlier one."""
    for (_, step), which in zip(pipeline.steps, metadata["names_of_step"], strict=True):
        if which is not None:
            step.feature_names_in_ = np.array(metadata["names"][which], dtype=object)
        if isinstance(step, FunctionTransformer) and step.func is not None:
            if step.func not in FUNCTIONS:
                raise Refused(f"transforms by {shown(step.func)}, which is no transform of this package")
            step.func = FUNCTIONS[step.func]
    bring_up(pipeline[-1], int(metadata["format"]))
    _restore_classifier(pipeline[-1])


def _restore_classifier(classifier: Any) -> None:
    if classifier._path == "lambda":
        classifier.path_ = DisjointCentroidPath(**classifier.path_)
    if folds := classifier._fold_models():
        classifier.fold_models_ = [FoldModel(**fold | {"model": PanelModel(**fold["model"])}) for fold in folds]
    if (found := classifier._partition_estimator()) is not None:
        # A file is not trusted: only these two have been checked to be harmless there.
        if type(found) not in {NearestDisjointCentroid, NearestDisjointCentroidCV}:
            raise Refused(f"holds a {shown(type(found).__name__)} where feature sets come from")
        _restore_classifier(found)
