"""Facts of a report about a fitted model: its classes, who owns what, its path along lambda."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from disjoint_centroids.centroids.path import choose_lam
from disjoint_centroids.directions import ARROWS, owner_directions
from disjoint_centroids.report.figures import rounded
from disjoint_centroids.report.panel_facts import directions, is_panel
from disjoint_centroids.rows.training import SHARED, UNUSED

MOST_FEATURES = 5000
"""Rows of the table of owners that a browser still sorts at once."""
FEW_CLASSES = 6
"""With up to so many classes a panel's features are listed with the mean in every class."""
_CLEAREST = {"centroids": 5, "panel": 8}


def class_rows(model: Any, labels: pd.Series) -> list[dict[str, Any]]:
    """Of every class: samples here, features that it owns, and the first of them.

    ``arrows`` point up where the class's mean is above the average of the others, and down where it is below. A panel's
    features are in the order of picking, with what the model reads from them (``directions``); others by their margin.
    """
    names, arrows = feature_names(model), _arrows(model)
    rows = []
    for label, own in zip(model.classes_, model.feature_sets_, strict=True):
        ordered = own if is_panel(model) else own[np.argsort(-model.margin_[own], kind="stable")]
        first = ordered[: _CLEAREST["panel" if is_panel(model) else "centroids"]]
        rows.append(
            {
                "class": str(label),
                "samples": int((labels == str(label)).sum()),
                "features": int(own.size),
                "clearest": [str(name) for name in names[first]],
                "arrows": arrows[first].tolist(),
                "directions": directions(model, first) if is_panel(model) else None,
            }
        )
    return rows


def _arrows(model: Any) -> np.ndarray:
    """An arrow for every feature that one class owns, "" for the others."""
    return np.array([ARROWS[word] for word in owner_directions(model)], dtype=object)


def feature_names(model: Any) -> np.ndarray:
    """The user's names of the features, or x0, x1 … if the model saw an array."""
    known = getattr(model, "feature_names_in_", None)
    return np.asarray(known if known is not None else [f"x{f}" for f in range(model.n_features_in_)], dtype=object)


def used_features(model: Any) -> str:
    """How many features a model uses, of how many, and how many a class, for people."""
    used, sizes = int(model.get_support().sum()), sorted(own.size for own in model.feature_sets_)
    each = f"{sizes[0]} for each class" if sizes[0] == sizes[-1] else f"{sizes[0]} to {sizes[-1]} for a class"
    return f"{used} of {model.n_features_in_} features, {each}"


def path_facts(model: Any) -> dict[str, Any] | None:
    """Held-out error and features in use along lambda; None for a model that did not choose its lambda."""
    if not hasattr(model, "cv_errors_"):
        return None
    errors, selected = np.asarray(model.cv_errors_), np.asarray(model.n_selected_)
    found = getattr(model, "path_", None)
    frugal = choose_lam(errors, selected, "1se", None if found is None else np.asarray(found.n_restarts) > 0)
    n_folds = errors.shape[1]
    spread = errors.std(axis=1, ddof=1) / np.sqrt(n_folds) if n_folds > 1 else np.zeros(len(errors))
    return {
        "chosen": float(model.lam_),
        "one_se": float(model.lams_[frugal]),
        "n_folds": int(n_folds),
        "rows": [
            {"lam": float(lam), "error": float(mean), "se": float(se), "features": int(count)}
            for lam, mean, se, count in zip(model.lams_, errors.mean(axis=1), spread, selected, strict=True)
        ],
    }


def owner_facts(model: Any, prepared: pd.DataFrame, labels: pd.Series) -> dict[str, Any]:
    """A row for every feature, and its arrow; those in use first, unused ones only while there is room.

    A panel's features come class by class in the order of picking, others by their margin, the widest first.
    """
    names, used = feature_names(model), model.owner_ != UNUSED
    order = np.lexsort((-np.nan_to_num(model.margin_), ~used))
    if is_panel(model):
        order = np.concatenate([*model.feature_sets_, np.flatnonzero(~used)])
    # Rows of a panel may have a column for every class: twice as long as others.
    most = MOST_FEATURES // 2 if is_panel(model) else MOST_FEATURES
    shown = order if order.size <= most else order[: min(int(used.sum()), most)]
    columns = _columns_of(model, prepared.to_numpy(np.float64)[:, shown], labels.to_numpy(), shown)
    facts = [[rounded(value) for value in row] for row in np.column_stack(list(columns.values()))]
    rows = [
        [str(names[f]), _owner_name(model, int(model.owner_[f])), *row] for f, row in zip(shown, facts, strict=True)
    ]
    return {
        "columns": list(columns),
        "rows": rows,
        "arrows": _arrows(model)[shown].tolist(),
        "n_used": int(used.sum()),
        "n_features": int(used.size),
    }


def _columns_of(model: Any, values: np.ndarray, labels: np.ndarray, shown: np.ndarray) -> dict[str, np.ndarray]:
    """Numbers of the shown features, by the heads of their columns; NaN where there is none."""
    columns = {"Margin": model.margin_[shown]}
    if is_panel(model):
        pick = np.full(model.owner_.size, np.nan)
        for own in model.feature_sets_:
            pick[own] = np.arange(1, own.size + 1)
        unused = model.owner_[shown] == UNUSED
        columns = {"Pick": pick[shown]} | columns
        columns |= {"Coefficient": np.where(unused, np.nan, model.coef_[shown])}
        if model.terms_ != "linear":
            columns |= {"Curvature": np.where(unused, np.nan, model.curvature_[shown])}
        if len(model.classes_) <= FEW_CLASSES:
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
    """A class's name, "" for a feature of all classes, None for one that nobody uses."""
    if owner == UNUSED:
        return None
    return "" if owner == SHARED else str(model.classes_[owner])
