"""What a method says of samples while they are held out: labels, and where it has them, sets of classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from disjoint_centroids.comparison import held_out_models
from disjoint_centroids.progress import Progress

CONFIDENCE = 0.9
"""How often the true class should be in the set."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Predicted labels, and whether each class (columns as in ``classes``) is in each sample's set, or None."""

    labels: np.ndarray
    classes: np.ndarray
    sets: np.ndarray | None


def held_out(
    values: pd.DataFrame,
    labels: pd.Series,
    method: str,
    *,
    cv: int,
    transform: str,
    impute: str | None,
    inner_folds: int,
    n_init: int,
    random_state: Any,
    verbose: int = 0,
) -> HeldOut:
    """Fit a method on the outer folds of the first repeat of a comparison, and ask it of the samples left out."""
    table, known = values.to_numpy(np.float64), labels.to_numpy()
    classes = np.unique(known)
    predicted = known.copy()
    sets = np.zeros((len(known), len(classes)), dtype=bool)
    has_sets = True
    models = held_out_models(
        table,
        known,
        method,
        cv=cv,
        transform=transform,
        impute=impute,
        inner_folds=inner_folds,
        n_init=n_init,
        random_state=random_state,
    )
    with Progress("held-out samples", cv, enabled=verbose > 0) as bar:
        for test, model in models:
            predicted[test] = model.predict(table[test])
            has_sets = has_sets and hasattr(model[-1], "predict_set")
            if has_sets:
                seen = model[:-1].transform(table[test]) if len(model) > 1 else table[test]
                sets[np.ix_(test, np.isin(classes, model[-1].classes_))] = model[-1].predict_set(seen, CONFIDENCE)
            bar.tick()
    return HeldOut(predicted, classes, sets if has_sets else None)
