"""The summary that a report is rendered from, as a dict."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from disjoint_centroids._listed import listed
from disjoint_centroids.evaluation.methods import INNER_FOLDS, METHODS
from disjoint_centroids.evaluation.stability import OwnershipStability
from disjoint_centroids.pipeline import as_seen
from disjoint_centroids.report.answer import SUBJECTS
from disjoint_centroids.report.data_warnings import data_warnings, guessing_warnings
from disjoint_centroids.report.explanation import explanation_facts, panels_read
from disjoint_centroids.report.formatting import rounded
from disjoint_centroids.report.judged import JudgedModel, judge_method, judge_model
from disjoint_centroids.report.methods import Compared, default_methods
from disjoint_centroids.report.owners import class_rows, owner_facts
from disjoint_centroids.report.path import path_facts, rounds_facts
from disjoint_centroids.report.pictures import centroid_facts, heat_map_facts
from disjoint_centroids.report.predicted import class_facts, confusion_facts, roc_facts, sample_facts
from disjoint_centroids.report.stability import stability_facts
from disjoint_centroids.report.versions import versions
from disjoint_centroids.tables import LabelledTable


def summarize(
    table: LabelledTable,
    *,
    model: Pipeline | None = None,
    training_checksum: str | None = None,
    in_training: Any = None,
    n_compared: int | None = None,
    transform: str = "none",
    impute: str | None = None,
    method: str = "Panel",
    methods: Iterable[str] | None = None,
    parameters: dict[str, Any] | None = None,
    cv: int = 3,
    repeats: int = 5,
    n_init: int = 100,
    stability: int = 0,
    random_state: int = 0,
    n_jobs: int | None = None,
    results: str | Path | None = None,
    command: str = "",
    verbose: int = 0,
) -> dict[str, Any]:
    """Fit and judge a method on a table, or judge a given model on it, and collect what the report page shows.

    Parameters
    ----------
    table : LabelledTable
        The table, with labels. If it has batches, panels are fitted within them, and errors are those on batches that
        the training samples lack.
    model : Pipeline, default=None
        A fitted pipeline that ends in a classifier of this package whose features have one owner at most. It is not
        fitted again, and judged on this table, which may lack features that the model does not use. None: errors come
        from nested cross-validation, the model from all samples.
    training_checksum : str, default=None
        Checksum of the table that ``model`` was trained on, for models of which no more is known: if it is that of this
        table, the page says so.
    in_training : array-like of bool of shape (n_samples,), default=None
        Samples that ``model`` was trained on, as
        :meth:`disjoint_centroids.models.model_file.SavedModel.in_training` gives them: the page says how many they
        are and gives the error of the others. None: not known.
    n_compared : int, default=None
        Number of features in which they were compared with the training samples, if not in all.
    transform, impute : str, default="none" and None
        As for :func:`disjoint_centroids.pipeline.model_pipeline`; not used if there is a model.
    method : {"Panel", "NDC-S", "NDC"}, default="Panel"
        What the report is about: disjoint panels, or the paper's nearest disjoint centroids with selected features
        or with all of them; not used if there is a model.
    methods : iterable of str
        Names of :data:`disjoint_centroids.evaluation.methods.METHODS` to put beside it; not used if there is a model.
    parameters : dict, default=None
        Parameters of ``method``, as for :func:`disjoint_centroids.evaluation.build_method`, features by position; not
        used if there is a model.
    cv, repeats, n_init, random_state, n_jobs
        As for :func:`disjoint_centroids.evaluation.comparison.compare`.
    stability : int, default=0
        Fits on halves of the samples, an even number, that say how sure the owners are
        (:class:`disjoint_centroids.evaluation.stability.OwnershipStability`). A given model's settings are fitted on
        halves of this table. 0: the page does not say it.
    results : path, default=None
        A file that keeps the fits of the comparison as they are made, as for
        :func:`disjoint_centroids.evaluation.comparison.compare`: an interrupted report that is given it again goes on
        from there.
    command : str, default=""
        The command that makes this report, for the page to show.
    verbose : int, default=0
        1 shows progress bars on standard error.

    Returns
    -------
    dict
        Ready for JSON, and for :func:`render`.

    Examples
    --------
    >>> import pandas as pd
    >>> from disjoint_centroids.datasets import make_blocks
    >>> from disjoint_centroids.tables import LabelledTable
    >>> from disjoint_centroids.report import summarize
    >>> X, y = make_blocks(k=3, n=10, d=4, irrelevant=4, random_state=0)
    >>> values = pd.DataFrame(X, [f"s{i}" for i in range(30)], [f"g{f}" for f in range(16)])
    >>> table = LabelledTable(values, pd.Series(y.astype(str), values.index), "blocks.csv")
    >>> summary = summarize(table, methods=["NC"], repeats=1)
    >>> [row["method"] for row in summary["answer"]["methods"]]
    ['Panel', 'NC']
    >>> len(summary["owners"]["rows"])
    16
    """
    beside = Compared(tuple(methods)) if methods is not None else default_methods(method, *table.values.shape, n_init)
    methods = beside.methods
    labels = _checked_labels(table, method, methods)
    if stability % 2 or stability < 0:
        raise ValueError(f"stability={stability}: fits on halves come in pairs. Give an even number, such as 100.")
    if model is None:
        settings: dict[str, Any] = {"cv": cv, "repeats": repeats, "inner_folds": INNER_FOLDS, "n_init": n_init}
        settings |= {"transform": transform, "impute": impute, "random_state": random_state}
        judged = judge_method(
            method,
            methods,
            table.values,
            labels,
            settings,
            parameters=parameters,
            n_jobs=n_jobs,
            verbose=verbose,
            results=results,
            batch=None if table.batch is None else table.batch.to_numpy(),
        )
        judged.answer["notes"] += [beside.note] if beside.note is not None else []
    else:
        if in_training is None and training_checksum == table.checksum:
            in_training = np.ones(len(labels))
        seen = None if in_training is None else np.asarray(in_training, dtype=bool)
        judged = judge_model(model, table, labels, seen, n_compared=n_compared)
    sure, settings = None, judged.settings
    if stability and judged.absent:
        raise ValueError(
            f"stability fits the model anew and needs all of its features; {table.source} lacks {len(judged.absent)}: "
            f"{listed(judged.absent)}. Add them, or leave stability= out."
        )
    if stability:
        counted = OwnershipStability(
            judged.halved, n_resamples=stability, random_state=random_state, n_jobs=n_jobs, verbose=verbose
        )
        sure = stability_facts(judged.model, counted, judged.values, labels)
        settings = settings | {"stability": stability, "random_state": random_state}
    return {
        "source": table.source,
        "n_samples": len(labels),
        "n_features": judged.values.shape[1],
        "answer": judged.answer,
        "warnings": _warnings(judged, labels),
        **_predicted(judged),
        "largest_class_error": float(1 - labels.value_counts(normalize=True).iloc[0]),
        "made": _made(table, settings, command),
        "stability": sure,
        "sets": judged.sets,
        **_model_summary(judged, labels),
    }


def _warnings(judged: JudgedModel, labels: pd.Series) -> list[dict[str, str]]:
    """Collect warnings about the data and those of the fit."""
    transformed = any("imputer" not in name for name, _ in judged.model.steps[:-1])
    found = data_warnings(
        judged.values.drop(columns=judged.absent),
        labels,
        transformed=transformed,
        inner_folds=judged.settings.get("inner_folds", 0),
    )
    (own,) = [row for row in judged.answer["methods"] if row["own"]] or [None]
    if own is not None and judged.answer["kind"] in ("nested", "new"):
        found += guessing_warnings(own["error"], own["balanced_error"], labels)
    return found + [{"kind": "fit", "text": text} for text in judged.said]


def _predicted(judged: JudgedModel) -> dict[str, Any]:
    """Summarise the predictions over all repeats: confused classes, misclassified samples."""
    classes, predictions = [str(label) for label in judged.model.classes_], judged.predictions
    return {
        "confusion": confusion_facts(predictions, classes),
        "by_class": class_facts(predictions, classes),
        "roc": roc_facts(predictions, classes),
        "samples": sample_facts(predictions),
    }


def _checked_labels(table: LabelledTable, method: str, methods: Iterable[str]) -> pd.Series:
    if table.labels is None:
        raise ValueError(f"{table.source} has no labels, and a report needs them. Name their column or file.")
    labels = table.labels.astype(str)
    counts = labels.value_counts()
    if len(counts) < 2:
        raise ValueError(f"{table.source} has one class only, {counts.index[0]!r}. A report needs two or more.")
    if method not in SUBJECTS:
        raise ValueError(f"A report is about one of {', '.join(SUBJECTS)}; got method={method!r}.")
    unknown = [name for name in methods if name not in METHODS]
    if unknown:
        raise ValueError(f"There is no method {unknown[0]!r}. The names are: {', '.join(METHODS)}.")
    return labels


def _model_summary(judged: JudgedModel, labels: pd.Series) -> dict[str, Any]:
    """Describe the fitted model, on the scale that it sees."""
    model, seen, lam = judged.model[-1], as_seen(judged.model, judged.values), judged.model[-1]._lambda()
    return {
        "kind": model._kind,
        "reads": panels_read(model),
        "lam": None if lam is None else rounded(lam),
        "classes": class_rows(model, labels),
        "path": path_facts(model),
        "rounds": rounds_facts(model),
        "owners": owner_facts(model, judged.measured(seen), labels),
        "centroids": centroid_facts(model, seen, labels),
        "heat_map": heat_map_facts(model, seen, labels),
        "explanation": explanation_facts(model, seen, labels),
    }


def _made(table: LabelledTable, settings: dict[str, Any], command: str) -> dict[str, Any]:
    """Record what is needed to make the same report again."""
    return {
        "command": command,
        "created": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "checksum": table.checksum,
        "settings": {name: value for name, value in settings.items() if value is not None},
        "versions": versions(),
    }
