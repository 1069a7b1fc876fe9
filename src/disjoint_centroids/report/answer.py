"""The answer that a report begins with: how often a model errs, and with how many features."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

from disjoint_centroids.comparison import compare, held_out_labels
from disjoint_centroids.report.figures import percent

OWN = "NDC-S"
NAMES = {
    "NDC": ("NDC", "Nearest disjoint centroids, all features (NDC)"),
    "NDC-S": ("NDC-S", "Nearest disjoint centroids (NDC-S)"),
    "NC": ("Nearest centroid", "Nearest centroid"),
    "NSC": ("Shrunken centroids", "Nearest shrunken centroids"),
    "KNN": ("Neighbours", "15 nearest neighbours"),
    "LDA": ("Linear discriminant", "Linear discriminant analysis"),
    "SVM": ("SVM, radial", "Support vector machine, radial"),
    "Logistic": ("L1 logistic", "Logistic regression, L1 penalty"),
}
"""Short and long: for a chart's axis, and for a table."""
_NEEDED = 3


def nested_answer(
    values: pd.DataFrame, labels: pd.Series, methods: Iterable[str], *, n_features_used: int, **settings: Any
) -> dict[str, Any]:
    """Errors of several methods by repeated nested cross-validation, and held-out labels by NDC-S.

    ``settings`` go to :func:`disjoint_centroids.comparison.compare`; methods that cannot run on the table are left out
    with a note.
    """
    smallest = int(labels.value_counts().min())
    answer: dict[str, Any] = {"kind": "nested", "methods": [], "notes": [], "predicted": None}
    if smallest < _NEEDED:
        rarest = labels.value_counts().index[-1]
        answer["sentence"] = (
            f"No error can be given: the class “{rarest}” has {smallest} samples, and cross-validation within "
            f"cross-validation needs at least {_NEEDED} of every class. Fitted on all samples, NDC-S uses "
            f"{n_features_used} of {values.shape[1]} features."
        )
        return answer
    if settings["cv"] > smallest:
        answer["notes"].append(f"{smallest} outer folds instead of {settings['cv']}: the smallest class has no more.")
        settings["cv"] = smallest
    for method in dict.fromkeys([OWN, *methods]):
        _add_method(answer, method, values, labels, settings)
    if any(row["method"] == OWN for row in answer["methods"]):
        once = {name: value for name, value in settings.items() if name not in {"repeats", "n_jobs"}}
        answer["predicted"] = held_out_labels(values, labels, OWN, **once)
    answer["sentence"] = _nested_sentence(answer, n_features_used, values.shape[1])
    return answer


def _add_method(
    answer: dict[str, Any], method: str, values: pd.DataFrame, labels: pd.Series, settings: dict[str, Any]
) -> None:
    """Run one method and add its row, or a note that says why there is none."""
    short, name = NAMES.get(method, (method, method))
    if method == "Logistic" and find_spec("glmnet") is None:
        answer["notes"].append(
            f"{name} is left out: it needs glmnet, which is not installed (pip install 'disjoint-centroids[compare]')."
        )
        return
    try:
        table = compare(values, labels, methods=[method], **settings)
    except ValueError as error:
        answer["notes"].append(f"{name} is left out: it cannot be fitted on parts of this table ({error})")
        return
    by_repeat = table.groupby("repeat")["error"].mean()
    answer["methods"].append(
        {
            "method": method,
            "short": short,
            "name": name,
            "error": float(by_repeat.mean()),
            "low": float(by_repeat.min()),
            "high": float(by_repeat.max()),
            "balanced_error": float(table["balanced_error"].mean()),
            "features": round(table["features"].median()),
            "seconds": float(table["seconds"].median()),
        }
    )


def _nested_sentence(answer: dict[str, Any], used: int, n_features: int) -> str:
    rows = {row["method"]: row for row in answer["methods"]}
    if OWN not in rows:
        return f"No error can be given for NDC-S: see the notes. Fitted on all samples it uses {used} of {n_features}."
    own = rows[OWN]
    text = (
        f"Nearest disjoint centroids (NDC-S) misclassify {percent(own['error'])}{_range(own)} of held-out samples; "
        f"fitted on all samples they use {used} of {n_features} features."
    )
    if "NC" in rows:
        text += f" Nearest centroid, with all of them: {percent(rows['NC']['error'])}."
    return text


def _range(row: dict[str, Any]) -> str:
    low, high = percent(row["low"]), percent(row["high"])
    return "" if low == high else f" ({low.split()[0]} to {high})"


def model_answer(
    predicted: np.ndarray, labels: pd.Series, *, n_features_used: int, n_features: int, is_training: bool | None
) -> dict[str, Any]:
    """Error of a given model on a table; ``is_training`` None means that nobody knows."""
    wrong = predicted != labels.to_numpy()
    by_class = [wrong[labels.to_numpy() == label].mean() for label in labels.unique()]
    error = float(wrong.mean())
    used = f"using {n_features_used} of {n_features} features"
    if is_training:
        sentence = (
            f"The model misclassifies {percent(error)} of the {len(labels)} samples it was trained on, {used}. "
            "That is its own training data: on new samples it errs more often. For an honest error make the report "
            "from the table alone, by nested cross-validation."
        )
    else:
        seen = (
            "This is not the table it was trained on."
            if is_training is False
            else "Whether it was trained on these samples is not known; if it was, the figure is too low."
        )
        sentence = f"The model misclassifies {percent(error)} of these {len(labels)} samples, {used}. {seen}"
    row = {
        "method": OWN,
        "short": "This model",
        "name": "This model",
        "error": error,
        "low": error,
        "high": error,
        "balanced_error": float(np.mean(by_class)),
        "features": n_features_used,
        "seconds": None,
    }
    kind = {True: "training", False: "new", None: "unknown"}[is_training]
    return {"kind": kind, "methods": [row], "notes": [], "predicted": predicted, "sentence": sentence}
