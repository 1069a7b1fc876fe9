"""Section of a report on the predictions: confusion, errors per class and per sample, ROC curves of two classes.

All functions read one table, as :class:`disjoint_centroids.evaluation.comparison.Comparison` describes it: one row per
repeat and sample, with ``repeat``, ``row``, ``sample``, ``label``, ``predicted`` and ``probability_<class>``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.pipeline import Pipeline

from disjoint_centroids.evaluation.held_out_predictions import PROBABILITY
from disjoint_centroids.report.formatting import rounded

MOST_SAMPLES = 5000
"""Rows of the table of samples that a browser still sorts at once."""
_MOST_POINTS = 200  # of a curve


def predictions_of(model: Pipeline, values: pd.DataFrame, labels: pd.Series) -> pd.DataFrame:
    """Predictions of a given model for the samples of a table, as one repeat."""
    likely = pd.DataFrame(model.predict_proba(values), columns=[f"{PROBABILITY}{label}" for label in model.classes_])
    known = {
        "repeat": 0,
        "row": np.arange(len(labels)),
        "sample": [str(name) for name in values.index],
        "label": labels.to_numpy(),
        "predicted": model.predict(values).astype(str),
    }
    return pd.DataFrame(known).join(likely)


def confusion_facts(predictions: pd.DataFrame | None, classes: list[str]) -> dict[str, Any] | None:
    """Number of predictions for every true and predicted class, over all repeats; None if nothing was held out."""
    if predictions is None:
        return None
    label, predicted = _answers(predictions)
    names = [*classes, *sorted(set(label) - set(classes))]
    counts = pd.crosstab(label, predicted).reindex(index=names, columns=classes, fill_value=0)
    repeats = int(predictions["repeat"].nunique())
    return {"classes": names, "predicted": classes, "counts": counts.to_numpy().tolist(), "repeats": repeats}


def class_facts(predictions: pd.DataFrame | None, classes: list[str]) -> list[dict[str, Any]] | None:
    """Sensitivity, specificity and precision of every class, over all repeats; None for a share of nothing."""
    if predictions is None:
        return None
    label, predicted = _answers(predictions)
    repeats = predictions["repeat"].nunique()
    rows = []
    for name in [*classes, *sorted(set(label) - set(classes))]:
        is_true, is_taken = label == name, predicted == name
        rows.append(
            {
                "class": name,
                "samples": int(is_true.sum() // repeats),
                "sensitivity": _share(is_taken, is_true),
                "specificity": _share(~is_taken, ~is_true),
                "precision": _share(is_true, is_taken),
            }
        )
    return rows


def sample_facts(predictions: pd.DataFrame | None, most_samples: int = MOST_SAMPLES) -> dict[str, Any] | None:
    """List the samples: label, most frequent prediction, and number of repeats in which it was wrong.

    A row is: position in the table, name, true class, predicted class, wrong predictions, average probability of the
    true class (None if there is none). Those that are wrong most often come first, then the least probable. Of classes
    that were predicted equally often, the one with the highest average probability is named.
    """
    if predictions is None:
        return None
    label, predicted = _answers(predictions)
    likely = np.full(len(label), np.nan)
    for name in np.unique(label):
        if f"{PROBABILITY}{name}" in predictions:
            here = label == name
            likely[here] = predictions.loc[here, f"{PROBABILITY}{name}"]
    where = predictions["row"].to_numpy()
    each = (
        pd.DataFrame({"wrong": label != predicted, "likely": likely})
        .groupby(where)
        .agg({"wrong": "sum", "likely": "mean"})
    )
    each["predicted"] = _most_frequent(predictions, where, predicted)
    each[["sample", "label"]] = predictions.drop_duplicates("row").set_index("row")[["sample", "label"]]
    columns = (each[name].tolist() for name in ("sample", "label", "predicted", "wrong", "likely"))
    rows: list[list[Any]] = [
        [int(row), str(sample), str(true), str(taken), int(wrong), rounded(share)]
        for row, sample, true, taken, wrong, share in zip(each.index.tolist(), *columns, strict=True)
    ]
    rows.sort(key=lambda row: (-row[4], 1.0 if row[5] is None else row[5]))
    return {
        "rows": rows[:most_samples],
        "n_samples": len(rows),
        "n_wrong": sum(row[4] > 0 for row in rows),
        "repeats": int(predictions["repeat"].nunique()),
    }


def roc_facts(predictions: pd.DataFrame | None, classes: list[str]) -> dict[str, Any] | None:
    """Receiver operating characteristic of two classes: a curve for every repeat, and the areas under them.

    The class with fewer samples is the one to be found. None for more classes, and without probabilities.
    """
    if predictions is None or len(classes) != 2:
        return None
    label, _ = _answers(predictions)
    counts = [int((label == name).sum()) for name in classes]
    positive = int(counts[1] <= counts[0])
    column = f"{PROBABILITY}{classes[positive]}"
    if sum(counts) < len(label) or 0 in counts or predictions.get(column, pd.Series([np.nan])).isna().any():
        return None
    is_positive, likely = label == classes[positive], predictions[column].to_numpy(np.float64)
    curves, areas = [], []
    for repeat in sorted(predictions["repeat"].unique()):
        here = (predictions["repeat"] == repeat).to_numpy()
        areas.append(float(roc_auc_score(is_positive[here], likely[here])))
        curves.append({"repeat": int(repeat) + 1, "points": _curve(is_positive[here], likely[here])})
    return {
        "positive": classes[positive],
        "negative": classes[1 - positive],
        "auc": float(np.mean(areas)),
        "low": min(areas),
        "high": max(areas),
        "curves": curves,
    }


def _answers(predictions: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """True and predicted classes, as text."""
    return predictions["label"].astype(str).to_numpy(object), predictions["predicted"].astype(str).to_numpy(object)


def _most_frequent(predictions: pd.DataFrame, where: np.ndarray, predicted: np.ndarray) -> pd.Series:
    """Class that each sample was predicted as most often; ties go to the highest average probability."""
    votes = pd.crosstab(where, predicted).astype(float)
    for name in votes.columns:
        if f"{PROBABILITY}{name}" in predictions:
            # Half a probability is less than one vote: it decides ties only.
            votes[name] += predictions[f"{PROBABILITY}{name}"].groupby(where).mean().fillna(0.0) / 2
    return votes.idxmax(axis=1)


def _share(what: np.ndarray, among: np.ndarray) -> float | None:
    return float(what[among].mean()) if among.any() else None


def _curve(is_positive: np.ndarray, likely: np.ndarray) -> list[list[float]]:
    """Points (1 - specificity, sensitivity) of a curve, as many as a chart can show."""
    wrongly, found, _ = roc_curve(is_positive, likely)
    kept = np.unique(np.linspace(0, len(wrongly) - 1, min(_MOST_POINTS, len(wrongly))).round().astype(int))
    return [[float(f"{x:.4g}"), float(f"{y:.4g}")] for x, y in zip(wrongly[kept], found[kept], strict=True)]
