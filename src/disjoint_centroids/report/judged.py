"""A model and its errors: fitted on a table and judged by nested cross-validation, or given and applied to it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from disjoint_centroids.evaluation.held_out_predictions import CONFIDENCE
from disjoint_centroids.evaluation.methods import TrainingPart, build_method
from disjoint_centroids.models.prediction import model_columns, needed_features
from disjoint_centroids.pipeline import as_seen, fit_within_batches, model_pipeline
from disjoint_centroids.report.answer import model_answer, nested_answer
from disjoint_centroids.report.class_sets import HeldOutSets, set_facts
from disjoint_centroids.report.owners import used_features
from disjoint_centroids.report.predicted import predictions_of
from disjoint_centroids.tables import LabelledTable


@dataclass(frozen=True, slots=True)
class JudgedModel:
    """A fitted model, and what is known of its errors.

    Attributes
    ----------
    model : Pipeline
    values : pandas.DataFrame
        The samples, with the columns that the model takes.
    answer : dict
        Errors, and the sentence that the page begins with.
    sets : dict or None
        Facts about sets of classes; None for a model without them, or if it was trained on all these samples.
    halved : Pipeline
        The same settings, to be fitted on half of the samples.
    settings : dict
        For the page to show.
    said : list of str
        Warnings of the fit.
    absent : list of str
        Features of the model that the table lacks and the model does not use: in ``values`` they hold a constant.
    predictions : pandas.DataFrame or None
        Predictions of every sample in every repeat, as
        :class:`disjoint_centroids.evaluation.comparison.Comparison` describes them: held out, or those of the given
        model. None if nothing could be held out.
    """

    model: Pipeline
    values: pd.DataFrame
    answer: dict[str, Any]
    sets: dict[str, Any] | None
    halved: Pipeline
    settings: dict[str, Any]
    said: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    predictions: pd.DataFrame | None = None

    def measured(self, seen: pd.DataFrame) -> pd.DataFrame:
        """Put NaN into the columns that the table lacks, in a table as the classifier sees it."""
        return seen.mask(np.broadcast_to(seen.columns.isin(self.absent), seen.shape)) if self.absent else seen


def judge_method(
    method: str,
    others: tuple[str, ...],
    values: pd.DataFrame,
    labels: pd.Series,
    settings: dict[str, Any],
    *,
    n_jobs: int | None,
    verbose: int,
    parameters: dict[str, Any] | None = None,
    results: str | Path | None = None,
    batch: np.ndarray | None = None,
) -> JudgedModel:
    """Fit a method on all samples, and judge it beside others by nested cross-validation."""
    parameters = parameters or {}
    model = _pipeline(labels.to_numpy(), method, settings, parameters)
    model[-1].set_params(n_jobs=n_jobs, verbose=verbose)
    said = _fitted_on_all(model, values, labels, batch)
    answer, predictions = nested_answer(
        values,
        labels,
        method,
        others,
        uses=used_features(model[-1]),
        parameters={method: parameters},
        n_jobs=n_jobs,
        verbose=verbose,
        results=results,
        batch=batch,
        **settings,
    )
    found = HeldOutSets.of(predictions)
    sets = None if found is None else set_facts(found.sets, found.classes, labels, held_out=True)
    shown = settings | {"methods": ", ".join([row["method"] for row in answer["methods"]])}
    halved = _pipeline(labels.to_numpy(), method, settings, parameters)
    return JudgedModel(model, values, answer, sets, halved, shown, said, predictions=predictions)


def judge_model(
    model: Pipeline, table: LabelledTable, labels: pd.Series, in_training: np.ndarray | None, *, n_compared: int | None
) -> JudgedModel:
    """Apply a given model to a table; ``in_training`` marks the samples it was trained on, None: not known."""
    values = _known_columns(_checked_model(model), table)
    absent = [str(name) for name in values.columns if name not in table.values.columns]
    predictions = predictions_of(model, values, labels)
    answer = model_answer(
        predictions["predicted"].to_numpy(),
        labels,
        uses=used_features(model[-1]),
        n_features_used=int(model[-1].get_support().sum()),
        in_training=in_training,
        n_compared=n_compared,
    )
    # Of samples that it was trained on, a model is too sure; and the models of its folds may use further features.
    sets, has_all = None, not absent or not set(needed_features(model, sets=True)) & set(absent)
    if in_training is not None and not in_training.all() and has_all:
        sets = _sets_of_new(model, values[~in_training], labels[~in_training])
    settings = {"model": " → ".join(name for name, _ in model.steps)}
    return JudgedModel(model, values, answer, sets, model, settings, absent=absent, predictions=predictions)


def _checked_model(model: Pipeline) -> Pipeline:
    if not model[-1]._has_owners:
        raise ValueError(
            f"A report needs a model in which a feature has one owner at most; got {type(model[-1]).__name__}. Fit "
            "DisjointPanelClassifier or NearestDisjointCentroidCV."
        )
    return model


def _fitted_on_all(pipeline: Pipeline, values: pd.DataFrame, labels: pd.Series, batch: np.ndarray | None) -> list[str]:
    """Fit a pipeline on all samples, and collect its warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        fit_within_batches(pipeline, values, labels.to_numpy(), batch)
    return list(dict.fromkeys(str(warning.message) for warning in said))


def _pipeline(labels: np.ndarray, method: str, settings: dict[str, Any], parameters: dict[str, Any]) -> Pipeline:
    """Build a method for samples with these labels, as ``ndc fit`` does."""
    part = TrainingPart(labels, settings["inner_folds"], settings["random_state"], settings["n_init"])
    classifier = build_method(method, part, **parameters)
    return model_pipeline(classifier, transform=settings["transform"], impute=settings["impute"])


def _sets_of_new(model: Pipeline, values: pd.DataFrame, labels: pd.Series) -> dict[str, Any] | None:
    """Sets of classes of a given model for samples it was not trained on; None if it has no sets."""
    classifier = model[-1]
    if not classifier._fold_models():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # classes with too few samples: the page names them itself
        found = classifier.predict_set(as_seen(model, values), CONFIDENCE)
    return set_facts(found, classifier.classes_, labels, held_out=False)


def _known_columns(model: Pipeline, table: LabelledTable) -> pd.DataFrame:
    """Select the columns that a model was trained on, in its order."""
    try:
        return model_columns(model, table.values)
    except ValueError as error:
        raise ValueError(f"{table.source}: {error} Or make the report from the table alone.") from error
