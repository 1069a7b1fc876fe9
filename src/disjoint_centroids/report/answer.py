"""The answer that a report begins with: the error of a model, and its number of features."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from disjoint_centroids.evaluation.comparison import compare_with_predictions
from disjoint_centroids.evaluation.comparison_summary import comparison_summary
from disjoint_centroids.evaluation.intervals import CONFIDENCE, error_interval
from disjoint_centroids.models.training_rows import overlap_sentence
from disjoint_centroids.panels.within_batches import judged_samples
from disjoint_centroids.report.formatting import percent

SUBJECTS = {
    "Panel": "Disjoint panels",
    "NDC-S": "Nearest disjoint centroids (NDC-S)",
    "NDC": "Nearest disjoint centroids (NDC)",
}
"""Methods that a report can be about, as the beginning of a sentence; all are plurals."""
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
    :func:`disjoint_centroids.evaluation.comparison.compare_with_predictions`, whose ``predictions`` of ``own`` are
    returned (all repeats); methods that cannot run on the table are left out with a note.
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
    if settings["cv"] > smallest and settings.get("batch") is None:
        answer["notes"].append(f"{smallest} outer folds instead of {settings['cv']}: the smallest class has no more.")
        settings["cv"] = smallest
    asked = list(dict.fromkeys([own, *methods]))
    compared = compare_with_predictions(values, labels, methods=asked, skip_failing=True, **settings)
    errors = comparison_summary(compared.results).to_dict("index")
    medians = compared.results.groupby("method")[["features", "seconds"]].median().to_dict("index")
    for method in asked:
        if method in compared.failures:
            _, name = NAMES.get(method, (method, method))
            why = compared.failures[method]
            answer["notes"].append(f"{name} is left out: it cannot be fitted on parts of this table ({why})")
        else:
            answer["methods"].append(_method_row(method, errors[method], medians[method]) | {"own": method == own})
    found = compared.predictions[compared.predictions["method"] == own] if own not in compared.failures else None
    held_out = judged_samples(compared.new_batch_share) or "held-out samples"
    answer["sentence"] = _nested_sentence(answer["methods"], own, uses, values.shape[1], held_out)
    return answer, found


def _method_row(method: str, errors: dict[Any, Any], medians: dict[Any, Any]) -> dict[str, Any]:
    """Errors of one method (see :func:`comparison_summary`), and the medians of its features and seconds."""
    short, name = NAMES.get(method, (method, method))
    figures = ("error", "low", "high", "lowest", "highest", "balanced_error")
    return {
        "method": method,
        "own": False,
        "short": short,
        "name": name,
        **{figure: float(errors[figure]) for figure in figures},
        "features": round(medians["features"]),
        "seconds": float(medians["seconds"]),
    }


def _nested_sentence(rows: list[dict[str, Any]], own: str, uses: str, n_features: int, held_out: str) -> str:
    if not any(row["own"] for row in rows):
        return f"No error can be given for {_inside(own)}: see the notes. Fitted on all samples they use {uses}."
    first, *others = rows
    text = (
        f"{SUBJECTS[own]} misclassify {percent(first['error'])} of {held_out} ({_interval(first)}); fitted "
        f"on all samples they use {uses}."
    )
    if not others:
        return text
    best = min(others, key=lambda row: (row["error"], row["features"]))
    used = "all features" if best["features"] == n_features else f"{best['features']} features"
    among = "" if len(others) == 1 else f"Best of {len(others)} other methods: "
    return f"{text} {among}{best['name']}, {percent(best['error'])} with {used}."


def _inside(own: str) -> str:
    """Name of a method within a sentence."""
    return SUBJECTS[own][0].lower() + SUBJECTS[own][1:]


def _interval(row: dict[str, Any]) -> str:
    """The confidence interval of an error, in words."""
    low, high = percent(row["low"]), percent(row["high"])
    return f"{100 * CONFIDENCE:.0f}\N{NO-BREAK SPACE}% confidence interval: {low.split()[0]} to {high}"


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
    in all); None: not known.
    """
    wrong = predicted != labels.to_numpy()
    by_class = [wrong[labels.to_numpy() == label].mean() for label in labels.unique()]
    error = float(wrong.mean())
    kind, overlap = _overlap(wrong, in_training, n_compared)
    of = f"the {len(labels)} samples it was trained on" if kind == "training" else f"these {len(labels)} samples"
    sentence = f"The model misclassifies {percent(error)} of {of}, using {uses}. {overlap}"
    # Samples that the model was trained on say nothing of new ones, and an interval would pretend that they do.
    seen = in_training if in_training is not None else np.zeros(len(labels), dtype=bool)
    low, high = error_interval(error, len(labels)) if not seen.any() else (error, error)
    row = {
        "method": "model",
        "own": True,
        "short": "This model",
        "name": "This model",
        "error": error,
        "low": low,
        "high": high,
        "lowest": error,
        "highest": error,
        "balanced_error": float(np.mean(by_class)),
        "features": n_features_used,
        "seconds": None,
    }
    return {"kind": kind, "methods": [row], "notes": [], "sentence": sentence}


def _overlap(wrong: np.ndarray, in_training: np.ndarray | None, n_compared: int | None) -> tuple[str, str]:
    """One word for the overlap with the training samples, and a sentence on what it means for the error."""
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
