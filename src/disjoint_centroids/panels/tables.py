"""Fitted panels as tables: one row per feature, and one row per sample, class and feature that the class reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from disjoint_centroids._scikit import check_feature_names_in
from disjoint_centroids.directions import owner_directions
from disjoint_centroids.numerics.stored import dense
from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.design import given_features
from disjoint_centroids.panels.model import PanelModel

if TYPE_CHECKING:
    import pandas as pd


def margins(model: PanelModel, standard: drafting.Standard) -> np.ndarray:
    """Mean contribution of a feature in its owner minus that in the other classes; NaN for unused features."""
    features, owners = model.features, model.owners
    at = np.arange(features.size)
    centroids = standard.centroids[:, features]
    # The mean squared gap of a class to the owner's centroid is its variance plus the squared gap of the centroids.
    gaps = standard.variances[:, features] / model.scale**2 + (centroids - model.centroid) ** 2
    means = model.weight[owners, at] * centroids + model.curvature * gaps
    own = means[owners, at]
    found = np.full(standard.center.size, np.nan)
    found[features] = own - (means.sum(axis=0) - own) / (len(means) - 1)
    return found


def picks(fitted: Any) -> np.ndarray:
    """Rank of each feature among those that its class picked, (n_features,), from 1; 0 if given, NaN if not used."""
    found, given = np.full(fitted.owner_.size, np.nan), given_features(fitted)
    for panel in fitted.feature_sets_:
        picked = panel[~given[panel]]
        found[panel[given[panel]]] = 0.0
        found[picked] = np.arange(1, picked.size + 1)
    return found


def panel_table(fitted: Any) -> pd.DataFrame:
    """Table with one row per feature; see ``DisjointPanelClassifier.feature_table``."""
    import pandas as pd

    labels = np.asarray(fitted.classes_, dtype=object)
    is_owned = fitted.owner_ >= 0
    table = {
        "feature": check_feature_names_in(fitted, None),
        "role": np.select([~is_owned, given_features(fitted)], ["unused", "given"], "owned"),
        "owner": pd.Series(np.where(is_owned, labels[np.maximum(fitted.owner_, 0)], None), dtype=object),
        "direction": owner_directions(fitted),
        "pick": picks(fitted),
        "margin": fitted.margin_,
        "coef": own_coefficients(fitted, fitted.coef_),
        "curvature": own_coefficients(fitted, fitted.curvature_),
    }
    for name, values in (("coef", fitted.coef_), ("mean", fitted.centroids_), ("variance", fitted.variances_)):
        table |= {f"{name}_{label}": row for label, row in zip(fitted.classes_, values, strict=True)}
    return pd.DataFrame(table)


def own_coefficients(fitted: Any, coefficients: np.ndarray) -> np.ndarray:
    """Coefficient of each feature in the score of its owner, (n_features,); zero for unused features."""
    n_features = fitted.owner_.size
    own = coefficients[np.maximum(fitted.owner_, 0), np.arange(n_features)]
    return np.where(fitted.owner_ >= 0, own, 0.0)


def reads_all_panels(fitted: Any) -> bool:
    """True if the scores read the features of all panels; squared terms alone enter the score of the owner only."""
    return bool(fitted.reads_ == "all" and fitted.terms_ != "squared")


def read_pairs(fitted: Any) -> tuple[np.ndarray, np.ndarray]:
    """Classes and the features that each of them reads, as pairs of positions: class after class, panel after panel."""
    features, n_classes = np.concatenate(fitted.feature_sets_), len(fitted.classes_)
    if not reads_all_panels(fitted):
        return fitted.owner_[features], features
    return np.repeat(np.arange(n_classes), features.size), np.tile(features, n_classes)


def contribution_table(fitted: Any, values: Any, samples: np.ndarray) -> pd.DataFrame:
    """Contributions to the scores, one row per sample, class and feature that the class reads."""
    import pandas as pd

    model: PanelModel = fitted._model()
    readers, features = read_pairs(fitted)
    at = np.tile(np.arange(model.features.size), features.size // max(model.features.size, 1))
    block = dense(values[:, model.features])
    n_samples = len(samples)
    return pd.DataFrame(
        {
            "sample": np.repeat(samples, features.size),
            "class": np.tile(fitted.classes_[readers], n_samples),
            "feature": np.tile(check_feature_names_in(fitted, None)[features], n_samples),
            "owner": np.tile(fitted.classes_[fitted.owner_[features]], n_samples),
            "value": block[:, at].ravel(),
            "centroid": np.tile(fitted.centroids_[readers, features], n_samples),
            "contribution": model.contributions(values)[:, readers, at].ravel(),
        }
    )
