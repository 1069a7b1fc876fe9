"""Section of a report on the features of each class."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from disjoint_centroids.directions import ARROWS, owner_directions
from disjoint_centroids.exports.feature_lists import higher_elsewhere_sentence
from disjoint_centroids.fitted import feature_names
from disjoint_centroids.panels.design import given_features
from disjoint_centroids.report.formatting import rounded
from disjoint_centroids.rows.training import SHARED, UNUSED

MOST_FEATURES = 5000
"""Rows of the table of owners that a browser still sorts at once."""
FEW_CLASSES = 6
"""With up to so many classes a panel's features are listed with the mean in every class."""
_CLEAREST = {"centroids": 5, "panel": 8}
_HEADS = {"pick": "Pick", "margin": "Margin", "coef": "Coefficient", "curvature": "Curvature"}


def class_rows(model: Any, labels: pd.Series) -> list[dict[str, Any]]:
    """List the classes: number of samples and of features, and the names of the first features.

    ``arrows`` point up where the mean of the class is above the average of the other classes, and down where it is
    below. The features of a panel are in the order of picking, with the values that raise the score (``directions``);
    those of centroids are sorted by their margin.
    """
    names, arrows = feature_names(model), _arrows(model)
    rows = []
    for label, own in zip(model.classes_, model._ranked_sets("margin"), strict=True):
        first = own[: _CLEAREST[model._kind]]
        rows.append(
            {
                "class": str(label),
                "samples": int((labels == str(label)).sum()),
                "features": int(own.size),
                "clearest": [str(name) for name in names[first]],
                "arrows": arrows[first].tolist(),
                "directions": model._readings(first),
            }
        )
    return rows


def _arrows(model: Any) -> np.ndarray:
    """One arrow per feature that a single class owns, "" for the others."""
    return np.array([ARROWS[word] for word in owner_directions(model)], dtype=object)


def used_features(model: Any) -> str:
    """Number of features that a model uses, in all and per class, in words."""
    used, sizes = int(model.get_support().sum()), sorted(own.size for own in model.feature_sets_)
    each = f"{sizes[0]} for each class" if sizes[0] == sizes[-1] else f"{sizes[0]} to {sizes[-1]} for a class"
    return f"{used} of {model.n_features_in_} features, {each}"


def owner_facts(
    model: Any, prepared: pd.DataFrame, labels: pd.Series, most_features: int = MOST_FEATURES
) -> dict[str, Any]:
    """List the features: one row and one arrow per feature, those in use first, unused ones only while there is room.

    The features of a panel come class by class in the order of picking, those of centroids by their margin, the widest
    first.
    """
    names, used = feature_names(model), model.owner_ != UNUSED
    order = model._listed()
    # Rows of scores may have one column per class: twice as long as others.
    most = most_features // 2 if model._measure == "score" else most_features
    shown = order if order.size <= most else order[: min(int(used.sum()), most)]
    columns = _columns_of(model, prepared.to_numpy(np.float64)[:, shown], labels.to_numpy(), shown)
    facts = [[rounded(value) for value in row] for row in np.column_stack(list(columns.values()))]
    rows = [
        [str(names[f]), _owner_name(model, int(model.owner_[f])), *row] for f, row in zip(shown, facts, strict=True)
    ]
    return {
        "higher_elsewhere": higher_elsewhere_sentence(model),
        "columns": list(columns),
        "rows": rows,
        "arrows": _arrows(model)[shown].tolist(),
        "n_used": int(used.sum()),
        "n_given": int(given_features(model).sum()) if model._kind == "panel" else 0,
        "n_features": int(used.size),
    }


def _columns_of(model: Any, values: np.ndarray, labels: np.ndarray, shown: np.ndarray) -> dict[str, np.ndarray]:
    """Numbers of the listed features, by the heads of their columns; NaN where there is none."""
    columns = {_HEADS[name]: figures[shown] for name, figures in model._figures().items()}
    # A feature adds to the score of its class by how the class differs from each other one: show all means.
    if model._measure == "score" and len(model.classes_) <= FEW_CLASSES:
        means = {str(label): _mean(values, labels == str(label)) for label in model.classes_}
        return columns | {f"Mean in {label}": mean for label, mean in means.items()}
    return columns | _inside_and_outside(model, values, labels, shown)


def _inside_and_outside(model: Any, values: np.ndarray, labels: np.ndarray, shown: np.ndarray) -> dict[str, np.ndarray]:
    """Mean and deviation in the class that owns a feature, and its mean elsewhere."""
    inside, outside, spread = (np.full(shown.size, np.nan) for _ in range(3))
    for j, label in enumerate(model.classes_):
        own, here = model.owner_[shown] == j, labels == str(label)
        if here.any() and not here.all():
            inside[own], outside[own] = _mean(values[:, own], here), _mean(values[:, own], ~here)
            spread[own] = values[np.ix_(here, own)].std(axis=0)
    return {"Mean in class": inside, "Mean elsewhere": outside, "SD in class": spread}


def _mean(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    found: np.ndarray = values[rows].mean(axis=0) if rows.any() else np.full(values.shape[1], np.nan)
    return found


def _owner_name(model: Any, owner: int) -> str | None:
    """Name of the owning class; "" for a feature of all classes, None for one that is not used."""
    if owner == UNUSED:
        return None
    return "" if owner == SHARED else str(model.classes_[owner])
