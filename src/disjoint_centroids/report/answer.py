"""The answer that a report begins with: how often a model errs, and with how many features."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from disjoint_centroids.comparison import compare_with_predictions
from disjoint_centroids.report.figures import percent
from disjoint_centroids.training_rows import overlap_sentence

SUBJECTS = {
    "Panel": "Disjoint panels",
    "NDC-S": "Nearest disjoint centroids (NDC-S)",
    "NDC": "Nearest disjoint centroids (NDC)",
}
"""Methods that a report can be about, as sentences begin with them; all are plurals."""
NAMES = {
    "Panel": ("Disjoint panels", "Disjoint panels (Panel)"),
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
    values: pd.DataFrame, labels: pd.Series, own: str, methods: Iterable[str], *, uses: str, **settings: Any
) -> tuple[dict[str, Any], pd.DataFrame | None]:
    """Errors of several methods by repeated nested cross-validation, and the held-out predictions of ``own``.

    ``uses`` says how many features the model fitted on all samples uses. ``settings`` go to
    :func:`disjoint_centroids.comparison.compare_with_predictions`, whose ``predictions`` of ``own`` are returned (all
    repeats); methods that cannot run on the table are left out with a note.
    """
    smallest = int(labels.value_counts().min())
    answer: dict[str, Any] = {"kind": "nested", "methods": [], "notes": []}
    if smallest < _NEEDED:
        rarest = labels.value_counts().index[-1]
        answer["sentence"] = (
            f"No error can be given: the class “{rarest}” has {smallest} samples, and cross-validation within "
            f"cross-validation needs at least {_NEEDED} of every class. Fitted on all samples, "
            f"{_inside(own)} use {uses}."
        )
        return answer, None
    if settings["cv"] > smallest:
        answer["notes"].append(f"{smallest} outer folds instead of {settings['cv']}: the smallest class has no more.")
        settings["cv"] = smallest
    found = None
    for method in dict.fromkeys([own, *methods]):
        predictions = _add_method(answer, method, values, labels, settings)
        if method == own and predictions is not None:
            answer["methods"][0]["own"] = True
            found = predictions
    answer["sentence"] = _nested_sentence(answer["methods"], own, uses, values.shape[1])
    return answer, found


def _add_method(
    answer: dict[str, Any], method: str, values: pd.DataFrame, labels: pd.Series, settings: dict[str, Any]
) -> pd.DataFrame | None:
    """Run one method and add its row, or a note that says why there is none; its held-out predictions."""
    short, name = NAMES.get(method, (method, method))
    try:
        compared = compare_with_predictions(values, labels, methods=[method], **settings)
    except ValueError as error:
        answer["notes"].append(f"{name} is left out: it cannot be fitted on parts of this table ({error})")
        return None
    table = compared.results
    by_repeat = table.groupby("repeat")["error"].mean()
    answer["methods"].append(
        {
            "method": method,
            "own": False,
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
    return compared.predictions


def _nested_sentence(rows: list[dict[str, Any]], own: str, uses: str, n_features: int) -> str:
    if not any(row["own"] for row in rows):
        return f"No error can be given for {_inside(own)}: see the notes. Fitted on all samples they use {uses}."
    first, *others = rows
    text = (
        f"{SUBJECTS[own]} misclassify {percent(first['error'])}{_range(first)} of held-out samples; fitted on all "
        f"samples they use {uses}."
    )
    if not others:
        return text
    best = min(others, key=lambda row: (row["error"], row["features"]))
    used = "all features" if best["features"] == n_features else f"{best['features']} features"
    among = "" if len(others) == 1 else f"Best of {len(others)} other methods: "
    return f"{text} {among}{best['name']}, {percent(best['error'])} with {used}."


def _inside(own: str) -> str:
    """A method's name within a sentence."""
    return SUBJECTS[own][0].lower() + SUBJECTS[own][1:]


def _range(row: dict[str, Any]) -> str:
    low, high = percent(row["low"]), percent(row["high"])
    return "" if low == high else f" ({low.split()[0]} to {high})"


def model_answer(
    predicted: np.ndarray,
    labels: pd.Series,
    *,
    uses: str,
    n_features_used: int,
    in_training: np.ndarray | None,
    n_compared: int | None = None,
) -> dict[str, Any]:
    """Error of a given model on a table.

    ``in_training`` says of each sample whether the model was trained on it (compared in ``n_compared`` features, if not
    in all); None means that nobody knows.
    """
    wrong = predicted != labels.to_numpy()
    by_class = [wrong[labels.to_numpy() == label].mean() for label in labels.unique()]
    error = float(wrong.mean())
    kind, overlap = _overlap(wrong, in_training, n_compared)
    of = f"the {len(labels)} samples it was trained on" if kind == "training" else f"these {len(labels)} samples"
    sentence = f"The model misclassifies {percent(error)} of {of}, using {uses}. {overlap}"
    row = {
        "method": "model",
        "own": True,
        "short": "This model",
        "name": "This model",
        "error": error,
        "low": error,
        "high": error,
        "balanced_error": float(np.mean(by_class)),
        "features": n_features_used,
        "seconds": None,
    }
    return {"kind": kind, "methods": [row], "notes": [], "sentence": sentence}


def _overlap(wrong: np.ndarray, in_training: np.ndarray | None, n_compared: int | None) -> tuple[str, str]:
    """A word for the share of samples that the model was trained on, and what it means for the error."""
    if in_training is None:
        return "unknown", "Whether it was trained on these samples is not known; if it was, the figure is too low."
    if in_training.all():
        return "training", (
            "That is its own training data: expect more errors on new samples. For an honest error make the report "
            "from the table alone, by nested cross-validation."
        )
    overlap = overlap_sentence(int(in_training.sum()), len(in_training), n_compared=n_compared)
    overlap = overlap[0].upper() + overlap[1:]
    if not in_training.any():
        return "new", f"{overlap}."
    new = wrong[~in_training]
    others = "1 other" if len(new) == 1 else f"{len(new)} others"
    return "mixed", (
        f"{overlap}: their errors say little about new samples. Of the {others} it misclassifies "
        f"{percent(float(new.mean()))}."
    )
