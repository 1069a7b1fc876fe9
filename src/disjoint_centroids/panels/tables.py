"""Fitted panels as tables: one row per feature, and one row per sample and feature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from disjoint_centroids._scikit import check_feature_names_in
from disjoint_centroids.directions import owner_directions
from disjoint_centroids.panels.model import PanelModel
from disjoint_centroids.rows.training import TrainingSet

if TYPE_CHECKING:
    import pandas as pd


def margins(model: PanelModel, training: TrainingSet, n_features: int) -> np.ndarray:
    """Mean contribution of a feature in its owner minus that in the other classes; NaN for unused features."""
    added = model.contributions(training.values)
    indicator = np.zeros((len(training.classes), training.codes.size))
    indicator[training.codes, np.arange(training.codes.size)] = training.weights
    means = indicator @ added / indicator.sum(axis=1, keepdims=True)
    own = means[model.owners, np.arange(model.features.size)]
    found = np.full(n_features, np.nan)
    found[model.features] = own - (means.sum(axis=0) - own) / (len(training.classes) - 1)
    return found


def picks(fitted: Any) -> np.ndarray:
    """Rank of each feature in its panel, (n_features,): 1 for the first that its class picked, NaN if not used."""
    found = np.full(fitted.owner_.size, np.nan)
    for panel in fitted.feature_sets_:
        found[panel] = np.arange(1, panel.size + 1)
    return found


def panel_table(fitted: Any) -> pd.DataFrame:
    """Table with one row per feature; see ``DisjointPanelClassifier.feature_table``."""
    import pandas as pd

    labels = np.asarray(fitted.classes_, dtype=object)
    is_owned = fitted.owner_ >= 0
    table = {
        "feature": check_feature_names_in(fitted, None),
        "role": np.where(is_owned, "owned", "unused"),
        "owner": pd.Series(np.where(is_owned, labels[np.maximum(fitted.owner_, 0)], None), dtype=object),
        "direction": owner_directions(fitted),
        "pick": picks(fitted),
        "margin": fitted.margin_,
        "coef": fitted.coef_,
        "curvature": fitted.curvature_,
    }
    for name, values in (("mean", fitted.centroids_), ("variance", fitted.variances_)):
        table |= {f"{name}_{label}": row for label, row in zip(fitted.classes_, values, strict=True)}
    return pd.DataFrame(table)


def contribution_table(fitted: Any, values: Any, samples: np.ndarray) -> pd.DataFrame:
    """Contributions to the scores, one row per sample and owned feature."""
    import pandas as pd

    model: PanelModel = fitted._model()
    features, owners = model.features, model.owners
    block = values[:, features]
    block = block.toarray() if sparse.issparse(block) else block
    n_samples = len(samples)
    return pd.DataFrame(
        {
            "sample": np.repeat(samples, features.size),
            "class": np.tile(fitted.classes_[owners], n_samples),
            "feature": np.tile(check_feature_names_in(fitted, None)[features], n_samples),
            "value": block.ravel(),
            "centroid": np.tile(fitted.centroids_[owners, features], n_samples),
            "contribution": model.contributions(values).ravel(),
        }
    )
