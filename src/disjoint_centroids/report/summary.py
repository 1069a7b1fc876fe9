"""Everything that a report shows of a table, as a dict."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from platform import python_version
from typing import Any

import pandas as pd
from sklearn.pipeline import Pipeline

from disjoint_centroids.comparison import METHODS
from disjoint_centroids.datasets import LabelledTable
from disjoint_centroids.path import NearestDisjointCentroidCV
from disjoint_centroids.peers import inner_splitter
from disjoint_centroids.pipeline import model_pipeline
from disjoint_centroids.report.answer import model_answer, nested_answer
from disjoint_centroids.report.data_warnings import data_warnings
from disjoint_centroids.report.explanation import explanation_facts
from disjoint_centroids.report.figures import rounded
from disjoint_centroids.report.model_facts import (
    class_rows,
    confusion_facts,
    feature_names,
    heat_map_facts,
    owner_facts,
    path_facts,
)

INNER_FOLDS = 5
_PACKAGES = ("disjoint-centroids", "numpy", "scipy", "scikit-learn", "pandas", "numba")


def summarize(
    table: LabelledTable,
    *,
    model: Pipeline | None = None,
    training_checksum: str | None = None,
    transform: str = "none",
    impute: str | None = None,
    methods: Iterable[str] = ("NDC-S", "NC", "NSC", "Logistic"),
    cv: int = 3,
    repeats: int = 5,
    n_init: int = 100,
    random_state: int = 0,
    n_jobs: int | None = None,
    command: str = "",
    verbose: int = 0,
) -> dict[str, Any]:
    """Fit and judge NDC-S on a table, or judge a given model on it: all that the report page shows.

    Parameters
    ----------
    table : LabelledTable
        The table, with labels.
    model : Pipeline, default=None
        A fitted pipeline that ends in a nearest disjoint centroid classifier. It is not fitted again, and judged on
        this table. None: errors come from nested cross-validation, the model from all samples.
    training_checksum : str, default=None
        Checksum of the table that ``model`` was trained on: if it is this table, the page says so.
    transform, impute : str, default="none" and None
        As for :func:`disjoint_centroids.pipeline.model_pipeline`; not used if there is a model.
    methods : iterable of str
        Names of :data:`disjoint_centroids.comparison.METHODS` to put beside NDC-S; not used if there is a model.
    cv, repeats, n_init, random_state, n_jobs
        As for :func:`disjoint_centroids.comparison.compare`.
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
    >>> from disjoint_centroids.datasets import LabelledTable, make_blocks
    >>> from disjoint_centroids.report import summarize
    >>> X, y = make_blocks(k=3, n=10, d=4, irrelevant=4, random_state=0)
    >>> values = pd.DataFrame(X, [f"s{i}" for i in range(30)], [f"g{f}" for f in range(16)])
    >>> table = LabelledTable(values, pd.Series(y.astype(str), values.index), "blocks.csv")
    >>> summary = summarize(table, methods=["NDC-S", "NC"], repeats=1, n_init=3)
    >>> [row["method"] for row in summary["answer"]["methods"]]
    ['NDC-S', 'NC']
    >>> len(summary["owners"]["rows"])
    16
    """
    methods = tuple(methods)
    labels = _checked_labels(table, methods)
    settings: dict[str, Any] = {"cv": cv, "repeats": repeats, "inner_folds": INNER_FOLDS, "n_init": n_init}
    settings |= {"transform": transform, "impute": impute, "random_state": random_state}
    said: list[str] = []
    if model is None:
        values = table.values
        fitted, said = _fitted_on_all(values, labels, settings, n_jobs, verbose)
        answer = nested_answer(
            values,
            labels,
            methods,
            n_features_used=int(fitted[-1].get_support().sum()),
            n_jobs=n_jobs,
            verbose=verbose,
            **settings,
        )
        settings["methods"] = ", ".join([row["method"] for row in answer["methods"]])
    else:
        fitted, values = model, _known_columns(model, table)
        answer = model_answer(
            fitted.predict(values).astype(str),
            labels,
            n_features_used=int(fitted[-1].get_support().sum()),
            n_features=values.shape[1],
            is_training=None if training_checksum is None else training_checksum == table.checksum,
        )
        settings = {"model": " → ".join(name for name, _ in fitted.steps)}
    transformed = any("imputer" not in name for name, _ in fitted.steps[:-1])
    return {
        "source": table.source,
        "n_samples": len(labels),
        "n_features": values.shape[1],
        "answer": {name: value for name, value in answer.items() if name != "predicted"},
        "warnings": [
            *data_warnings(values, labels, transformed=transformed, inner_folds=settings.get("inner_folds", 0)),
            *({"kind": "fit", "text": text} for text in said),
        ],
        "confusion": confusion_facts(answer["predicted"], labels, [str(label) for label in fitted[-1].classes_]),
        "largest_class_error": float(1 - labels.value_counts(normalize=True).iloc[0]),
        "made": _made(table, settings, command),
        **_model_summary(fitted, values, labels),
    }


def _checked_labels(table: LabelledTable, methods: Iterable[str]) -> pd.Series:
    if table.labels is None:
        raise ValueError(f"{table.source} has no labels, and a report needs them. Name their column or file.")
    labels = table.labels.astype(str)
    counts = labels.value_counts()
    if len(counts) < 2:
        raise ValueError(f"{table.source} has one class only, {counts.index[0]!r}. A report needs two or more.")
    unknown = [method for method in methods if method not in METHODS]
    if unknown:
        raise ValueError(f"There is no method {unknown[0]!r}. The names are: {', '.join(METHODS)}.")
    return labels


def _fitted_on_all(
    values: pd.DataFrame, labels: pd.Series, settings: dict[str, Any], n_jobs: int | None, verbose: int
) -> tuple[Pipeline, list[str]]:
    """NDC-S on all samples, and what it warned of."""
    classifier = NearestDisjointCentroidCV(
        cv=inner_splitter(labels.to_numpy(), settings["inner_folds"], settings["random_state"]),
        n_init=settings["n_init"],
        random_state=settings["random_state"],
        n_jobs=n_jobs,
        verbose=verbose,
    )
    pipeline = model_pipeline(classifier, transform=settings["transform"], impute=settings["impute"])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        pipeline.fit(values, labels.to_numpy())
    return pipeline, list(dict.fromkeys(str(warning.message) for warning in said))


def _known_columns(model: Pipeline, table: LabelledTable) -> pd.DataFrame:
    """The columns that a model was trained on, in its order."""
    names = getattr(model, "feature_names_in_", feature_names(model[-1]))
    missing = [str(name) for name in names if name not in table.values.columns]
    if missing:
        shown = ", ".join(missing[:10]) + (" …" if len(missing) > 10 else "")
        raise ValueError(
            f"{table.source} lacks {len(missing)} of the {len(names)} features of the model: {shown}. "
            "Give a table that has them, or make the report from the table alone."
        )
    return table.values[list(names)]


def _model_summary(pipeline: Pipeline, values: pd.DataFrame, labels: pd.Series) -> dict[str, Any]:
    """What there is to tell of the fitted model, on the scale that it sees."""
    model = pipeline[-1]
    prepared = pipeline[:-1].transform(values) if len(pipeline.steps) > 1 else values
    lam = getattr(model, "lam_", getattr(model, "lam", None))
    return {
        "lam": None if lam is None else rounded(lam),
        "classes": class_rows(model, labels),
        "path": path_facts(model),
        "owners": owner_facts(model, prepared, labels),
        "heat_map": heat_map_facts(model, prepared, labels),
        "explanation": explanation_facts(model, prepared, labels),
    }


def _made(table: LabelledTable, settings: dict[str, Any], command: str) -> dict[str, Any]:
    """What is needed to make the same report again."""
    found = {"Python": python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # used from a source folder that was never installed
            found[package] = "unknown"
    return {
        "command": command,
        "created": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "checksum": table.checksum,
        "settings": {name: value for name, value in settings.items() if value is not None},
        "versions": found,
    }
