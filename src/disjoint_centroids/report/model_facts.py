"""What a report tells of a fitted model: its path, who owns what, the block heat map, the confusion matrix."""

from __future__ import annotations

import base64
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd

from disjoint_centroids.path import choose_lam
from disjoint_centroids.report.figures import rounded
from disjoint_centroids.training import SHARED, UNUSED

MOST_FEATURES = 5000
"""Rows of the table of owners that a browser still sorts at once."""
_CLEAREST = 5


def class_rows(model: Any, labels: pd.Series) -> list[dict[str, Any]]:
    """Of every class: samples here, features that it owns, and those it owns by the widest margin."""
    names = feature_names(model)
    rows = []
    for label, own in zip(model.classes_, model.feature_sets_, strict=True):
        clearest = own[np.argsort(-model.margin_[own], kind="stable")][:_CLEAREST]
        rows.append(
            {
                "class": str(label),
                "samples": int((labels == str(label)).sum()),
                "features": int(own.size),
                "clearest": [str(name) for name in names[clearest]],
            }
        )
    return rows


def feature_names(model: Any) -> np.ndarray:
    """The user's names of the features, or x0, x1 … if the model saw an array."""
    known = getattr(model, "feature_names_in_", None)
    return np.asarray(known if known is not None else [f"x{f}" for f in range(model.n_features_in_)], dtype=object)


def path_facts(model: Any) -> dict[str, Any] | None:
    """Held-out error and features in use along lambda; None for a model whose lambda was given."""
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
    """A row for every feature, those in use first, the widest margin first; unused ones only while there is room."""
    names, used = feature_names(model), model.owner_ != UNUSED
    order = np.lexsort((-np.nan_to_num(model.margin_), ~used))
    shown = order if order.size <= MOST_FEATURES else order[: min(int(used.sum()), MOST_FEATURES)]
    values, known = prepared.to_numpy(np.float64), labels.to_numpy()
    own = {j: known == str(label) for j, label in enumerate(model.classes_)}
    rows = []
    for f in shown:
        j = int(model.owner_[f])
        facts: list[float | None] = [None, None, None]
        if j >= 0 and own[j].any() and not own[j].all():
            inside, outside = values[own[j], f], values[~own[j], f]
            facts = [rounded(inside.mean()), rounded(outside.mean()), rounded(inside.std())]
        rows.append([str(names[f]), _owner_name(model, j), rounded(model.margin_[f]), *facts])
    return {"rows": rows, "n_used": int(used.sum()), "n_features": int(used.size)}


def _owner_name(model: Any, owner: int) -> str | None:
    """A class's name, "" for a feature of all classes, None for one that nobody uses."""
    if owner == UNUSED:
        return None
    return "" if owner == SHARED else str(model.classes_[owner])


def confusion_facts(predicted: np.ndarray | None, labels: pd.Series, classes: list[str]) -> dict[str, Any] | None:
    """How many samples of each class were taken for which; None if nothing was held out."""
    if predicted is None:
        return None
    names = [*classes, *sorted(set(labels) - set(classes))]
    counts = pd.crosstab(labels.to_numpy(), predicted).reindex(index=names, columns=classes, fill_value=0)
    return {"classes": names, "predicted": classes, "counts": counts.to_numpy().tolist()}


def heat_map_facts(model: Any, prepared: pd.DataFrame, labels: pd.Series) -> dict[str, str]:
    """The table sorted into blocks, as a PNG in a data address, and what it shows in words."""
    from matplotlib.figure import Figure

    from disjoint_centroids.plots import PartitionDisplay

    classes = [str(label) for label in model.classes_]
    known = labels.isin(classes).to_numpy()
    figure = Figure(figsize=(9, 5.4), layout="constrained")
    codes = [classes.index(label) for label in labels[known]]
    PartitionDisplay.from_estimator(model, prepared[known], model.classes_[codes], ax=figure.add_subplot())
    counts = [f"{own.size} of {name}" for name, own in zip(classes, model.feature_sets_, strict=True)]
    unused = int((model.owner_ == UNUSED).sum())
    text = (
        f"Heat map of {int(known.sum())} samples, in rows, by class, and of the features, in columns, by the class "
        f"that owns them: {', '.join(counts)}; {unused} are unused. A class's own features, framed, are alike among "
        "its samples."
    )
    return {"image": f"data:image/png;base64,{_png(figure)}", "text": text}


def _png(figure: Any) -> str:
    """A figure with as many colours as eyes can tell in it: a third of the size."""
    from PIL import Image

    drawn, small = BytesIO(), BytesIO()
    figure.savefig(drawn, format="png", dpi=150)
    with Image.open(drawn) as image:
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    return base64.b64encode(small.getvalue()).decode("ascii")
