"""Changes of scale: pipeline steps before a classifier, fitted on training samples only."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from disjoint_centroids.rows.text_cells import check_no_text

TRANSFORMS = ("none", "log2", "log1p", "standardize", "log2-standardize")


def transform_steps(name: str) -> list[BaseEstimator]:
    """Build the pipeline steps of a named transform.

    Parameters
    ----------
    name : {"none", "log2", "log1p", "standardize", "log2-standardize"}
        "log2" is for raw intensities, which must be positive; "log1p" takes zeros too.

    Returns
    -------
    list of transformers
        Unfitted; empty for "none".

    Examples
    --------
    >>> from disjoint_centroids.transforms import transform_steps
    >>> [type(step).__name__ for step in transform_steps("log2-standardize")]
    ['FunctionTransformer', 'StandardScaler']
    """
    if name not in TRANSFORMS:
        raise ValueError(f"There is no transform {name!r}. The names are: {', '.join(TRANSFORMS)}.")
    steps: list[BaseEstimator] = []
    if name.startswith("log2"):
        steps.append(FunctionTransformer(_log2, feature_names_out="one-to-one"))
    if name == "log1p":
        steps.append(FunctionTransformer(_log1p, feature_names_out="one-to-one"))
    if name.endswith("standardize"):
        steps.append(StandardScaler())
    return steps


def _log2(values: np.ndarray) -> np.ndarray:
    lowest = _lowest(values, "log2")
    if lowest <= 0:
        raise ValueError(f"log2 needs positive values; the smallest is {lowest:g}. Use log1p, or no logarithm at all.")
    return np.log2(values)


def _log1p(values: np.ndarray) -> np.ndarray:
    lowest = _lowest(values, "log1p")
    if lowest <= -1:
        raise ValueError(
            f"log1p needs values above -1; the smallest is {lowest:g}. Such data is on a log scale already."
        )
    return np.log1p(values)


FUNCTIONS = {"log2": _log2, "log1p": _log1p}
"""Functions of this package that a FunctionTransformer may hold, by the name that stands for them in a model file."""


def is_elementwise(function: Any) -> bool:
    """True if a function of a FunctionTransformer is known to change each cell by itself.

    Examples
    --------
    >>> import numpy as np
    >>> from disjoint_centroids.transforms import is_elementwise
    >>> is_elementwise(np.sqrt), is_elementwise(lambda X: X / X.sum())
    (True, False)
    """
    return function is None or function in FUNCTIONS.values() or (isinstance(function, np.ufunc) and function.nin == 1)


def _lowest(values: Any, name: str) -> float:
    try:
        return float(np.min(np.asarray(values, dtype=np.float64)))
    except (TypeError, ValueError):
        check_no_text(name, values)
        raise
