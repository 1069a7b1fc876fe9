"""Section of a report that explains samples: totals for every class, and the features that contribute most."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from disjoint_centroids.models.explanation import contributions
from disjoint_centroids.panels.tables import reads_all_panels
from disjoint_centroids.report.formatting import rounded

MOST_SAMPLES = 200
MOST_FEATURES = 8
_AT_ONCE = 20  # samples whose contributions are computed together

_PANELS = "A sample goes to the class with the largest score. The score of a class starts from a constant, and "
PANEL_RULES = {
    "all": _PANELS + "every feature on the lists of all classes raises or lowers it, the class's own or not.",
    "own": _PANELS
    + "every feature on the class's own list raises or lowers it; features of other classes do not count.",
}
RULES = {
    "DisjointKNeighborsClassifier": (
        "A sample goes to the class to which most of its nearest neighbours belong (neighbours vote). The charts show "
        "its distances to the centroids of the classes, each computed on that class's own features; they do not "
        "decide alone."
    ),
    "DisjointLogisticRegression": (
        "A sample goes to the class that is most probable in a regression on its distances to the centroids of the "
        "classes, each computed on that class's own features. The nearest class usually wins, but not always."
    ),
}
NEAREST = (
    "A sample goes to the class whose centroid is nearest. The distance to a class is computed on that class's own "
    "features only."
)


def explanation_facts(model: Any, prepared: pd.DataFrame, labels: pd.Series) -> dict[str, Any]:
    """Distances or scores of every sample, and the largest contributions to the first, second and own class.

    Of more than 200 samples the misclassified are kept, then those that are nearly as near to another class.
    """
    by_score, totals = model._measure == "score", model._measured(prepared)
    order = np.argsort(-model.predict_log_proba(prepared), axis=1, kind="stable")
    classes = [str(label) for label in model.classes_]
    known = labels.to_numpy()
    wrong = np.array([classes[first] != label for first, label in zip(order[:, 0], known, strict=True)])
    kept = _kept(-totals if by_score else totals, order, wrong)
    likely = model.predict_proba(prepared)
    reads, sizes = panels_read(model), [int(own.size) for own in model.feature_sets_]
    names: dict[str, int] = {}
    samples = []
    for i, parts in zip(kept, _contributions_by_sample(model, prepared, kept), strict=True):
        own = classes.index(known[i]) if known[i] in classes else None
        shown = dict.fromkeys([*order[i, :2].tolist(), *([] if own is None else [own])])
        samples.append(
            {
                "row": int(i),
                "id": str(prepared.index[i]),
                "label": str(known[i]),
                "order": order[i].tolist(),
                "totals": [rounded(total) for total in totals[i]],
                "likely": [rounded(likely[i, j]) for j in order[i, :2]] if by_score else None,
                "parts": {
                    j: _largest(parts[(parts["class"] == model.classes_[j]).to_numpy()], names, classes) for j in shown
                },
            }
        )
    return {
        "kind": model._measure,
        "rule": PANEL_RULES[str(reads)] if by_score else RULES.get(type(model).__name__, NEAREST),
        "reads": reads,
        "classes": classes,
        "counts": [sum(sizes) if reads == "all" else size for size in sizes],
        "starts": _starts(model) if by_score else None,
        "features": list(names),
        "samples": samples,
        "n_samples": len(known),
        "n_wrong": int(wrong[kept].sum()),
    }


def _contributions_by_sample(model: Any, prepared: pd.DataFrame, kept: np.ndarray) -> Iterator[pd.DataFrame]:
    """Compute the contributions to the scores or distances of samples, some samples at a time."""
    for first in range(0, len(kept), _AT_ONCE):
        block = prepared.iloc[kept[first : first + _AT_ONCE]]
        parts = contributions(model, block.set_axis(np.arange(len(block))))
        samples = parts["sample"].to_numpy()
        for at in range(len(block)):
            yield parts[samples == at]


def _kept(distances: np.ndarray, order: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    """Positions of the samples to explain, the misclassified first, else in the order of the table."""
    if len(wrong) > MOST_SAMPLES:
        first, second = (np.take_along_axis(distances, order[:, [at]], axis=1)[:, 0] for at in (0, 1))
        kept = np.sort(np.lexsort((second - first, ~wrong))[:MOST_SAMPLES])
    else:
        kept = np.arange(len(wrong))
    return kept[np.argsort(~wrong[kept], kind="stable")]


def _starts(model: Any) -> list[float | None]:
    """Score of every class without any feature, with the priors in it."""
    prior = 0.0 if model.class_prior_ is None else np.log(model.class_prior_) / model.temperature_
    return [rounded(start) for start in model.intercept_ + prior]


def panels_read(model: Any) -> str | None:
    """Panels that the score of a class reads, "all" or "own"; None for a model without panels."""
    if model._kind != "panel":
        return None
    return "all" if reads_all_panels(model) else "own"


def _largest(parts: pd.DataFrame, names: dict[str, int], classes: list[str]) -> list[list[Any]]:
    """List the largest contributions.

    Each is the number of the feature in ``names``, value, centroid and contribution; for scores also the mean elsewhere
    and the number of the owner in ``classes``.
    """
    largest = parts.iloc[np.argsort(-parts["contribution"].abs().to_numpy(), kind="stable")[:MOST_FEATURES]]
    columns = [c for c in ("value", "centroid", "contribution", "others") if c in largest]
    owners = [[classes.index(str(owner))] for owner in largest["owner"]] if "owner" in largest else [[]] * len(largest)
    return [
        [names.setdefault(str(feature), len(names)), *(rounded(value) for value in row), *owner]
        for feature, row, owner in zip(largest["feature"], largest[columns].to_numpy(), owners, strict=True)
    ]
