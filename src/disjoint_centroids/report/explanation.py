"""Why a model puts a sample where it does: distances to all classes, and the features that add most to some."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from disjoint_centroids.report.figures import rounded

MOST_SAMPLES = 200
MOST_FEATURES = 8


def explanation_facts(model: Any, prepared: pd.DataFrame, labels: pd.Series) -> dict[str, Any]:
    """Of every sample: its distances, and the largest contributions to the nearest, the next and its own class.

    Beyond 200 samples those stay that are misclassified, then those that are nearly as near to another class.
    """
    distances = model.distances(prepared)
    order = np.argsort(-model.predict_log_proba(prepared), axis=1, kind="stable")
    classes = [str(label) for label in model.classes_]
    known = labels.to_numpy()
    wrong = np.array([classes[first] != label for first, label in zip(order[:, 0], known, strict=True)])
    kept = _kept(distances, order, wrong)
    names: dict[str, int] = {}
    samples = []
    for i in kept:
        parts = model.explain(prepared.iloc[[i]])
        own = classes.index(known[i]) if known[i] in classes else None
        shown = dict.fromkeys([*order[i, :2].tolist(), *([] if own is None else [own])])
        samples.append(
            {
                "id": str(prepared.index[i]),
                "label": str(known[i]),
                "order": order[i].tolist(),
                "distances": [rounded(d) for d in distances[i]],
                "parts": {j: _largest(parts[(parts["class"] == model.classes_[j]).to_numpy()], names) for j in shown},
            }
        )
    return {
        "classes": classes,
        "features": list(names),
        "samples": samples,
        "n_samples": len(known),
        "n_wrong": int(wrong[kept].sum()),
    }


def _kept(distances: np.ndarray, order: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    """Samples to explain, the misclassified first, else in the order of the table."""
    if len(wrong) > MOST_SAMPLES:
        first, second = (np.take_along_axis(distances, order[:, [at]], axis=1)[:, 0] for at in (0, 1))
        kept = np.sort(np.lexsort((second - first, ~wrong))[:MOST_SAMPLES])
    else:
        kept = np.arange(len(wrong))
    return kept[np.argsort(~wrong[kept], kind="stable")]


def _largest(parts: pd.DataFrame, names: dict[str, int]) -> list[list[Any]]:
    """Feature (a number into ``names``), value, centroid and contribution of the features that add most."""
    largest = parts.nlargest(MOST_FEATURES, "contribution")
    return [
        [names.setdefault(str(feature), len(names)), rounded(value), rounded(centroid), rounded(contribution)]
        for feature, value, centroid, contribution in zip(
            largest["feature"], largest["value"], largest["centroid"], largest["contribution"], strict=True
        )
    ]
