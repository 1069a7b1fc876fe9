"""Features as users name them (by name, by index, by mask), turned into indices."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from disjoint_centroids._listed import listed


def feature_indices(estimator: BaseEstimator, chosen: Any, n_features: int, parameter: str) -> np.ndarray:
    """Indices of the features that a parameter names, in its order; none for None.

    Errors speak of the parameter by its name. Column names are those that ``estimator`` has learned.
    """
    if chosen is None or np.size(chosen) == 0:
        return np.empty(0, dtype=np.intp)
    given = np.asarray(chosen)
    if given.ndim != 1:
        raise ValueError(f"{parameter} must be one-dimensional; got an array of shape {given.shape}.")
    if given.dtype == bool:
        if given.size != n_features:
            raise ValueError(f"{parameter} as a mask needs {n_features} entries, one per feature; got {given.size}.")
        return np.flatnonzero(given)
    if given.dtype.kind in "iu":
        if given.min() < -n_features or given.max() >= n_features:
            wrong = given.max() if given.max() >= n_features else given.min()
            raise ValueError(
                f"{parameter} as indices must lie from {-n_features} to {n_features - 1}, the features of X; "
                f"got {wrong}."
            )
        return np.asarray(given % n_features, dtype=np.intp)
    if given.dtype.kind in "fc":
        raise ValueError(
            f"{parameter} must be names, indices (whole numbers) or a mask; got the numbers {given[:5].tolist()!r}."
        )
    return _from_names(estimator, given, parameter)


def shown_names(estimator: BaseEstimator, n_features: int) -> np.ndarray:
    """Names of the features in messages: those of X, those that a caller who knows better set, or else positions."""
    known = getattr(estimator, "feature_names_in_", None)
    names: np.ndarray = known if known is not None else getattr(estimator, "_shown_names", np.arange(n_features))
    return names


def _from_names(estimator: BaseEstimator, given: np.ndarray, parameter: str) -> np.ndarray:
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        raise ValueError(
            f"{parameter}={given[:5].tolist()!r} are names, but X has no column names. "
            f"Give X as a data frame, or {parameter} as indices or a mask."
        )
    places = {name: at for at, name in enumerate(names)}
    unknown = [str(name) for name in given if name not in places]
    if unknown:
        raise ValueError(f"{parameter} not among the columns of X: {listed(unknown)}.")
    return np.array([places[name] for name in given], dtype=np.intp)
