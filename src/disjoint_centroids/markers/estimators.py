"""Estimators for genes: parameters of our own methods in which genes are given by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from disjoint_centroids._listed import listed
from disjoint_centroids._spoken import spoken_parameters
from disjoint_centroids.evaluation.methods import OURS, TrainingPart, build_method
from disjoint_centroids.tables.nearest_names import nearest_names, nearest_to_each

_OWN_NAMES = {"rounds": "n_genes", "batch": "batch_key"}
"""Names that ``disjoint_markers`` has for parameters of the estimators."""


def build_estimator(
    method: str, n_genes: int | None, part: TrainingPart, parameters: Mapping[str, Any], var_names: pd.Index
) -> Any:
    """Build the estimator of a method; its parameters may name genes as ``var_names`` does."""
    plain = build_method(OURS[method], part)
    known = plain.get_params()
    if "rounds" in parameters:
        raise TypeError(f"disjoint_markers takes n_genes={parameters['rounds']!r} instead of rounds.")
    for name in parameters:
        if name not in known:
            near = nearest_names(name, known)
            raise TypeError(f"disjoint_markers has no parameter {name!r}, nor has {type(plain).__name__}.{near}")
    if n_genes is not None and n_genes < 1:
        raise ValueError(f"n_genes must be 1 or more, or None; got {n_genes!r}.")
    given = by_position(parameters, var_names)
    if method == "panel":
        given["rounds"] = "auto" if n_genes is None else n_genes
    return build_method(OURS[method], part, **given)


def fit_estimator(estimator: Any, values: Any, labels: np.ndarray, batch: np.ndarray | None, genes: pd.Index) -> None:
    """Fit, with errors that speak of genes by name, and of the parameters of ``disjoint_markers``."""
    estimator._shown_names = genes.to_numpy()
    try:
        estimator.fit(values, labels, **({} if batch is None else {"batch": batch}))
    except ValueError as error:
        message = str(error)
        for name, _, (begin, _) in reversed(spoken_parameters(message)):
            message = message[:begin] + _OWN_NAMES.get(name, name) + message[begin + len(name) :]
        if message == str(error):
            raise
        raise ValueError(message) from error


def by_position(parameters: Mapping[str, Any], names: pd.Index, place: str = ".var_names") -> dict[str, Any]:
    """Replace names of genes in parameters by their positions; ``place`` is where the names are, for errors."""
    return {parameter: _by_position(parameter, value, names, place) for parameter, value in parameters.items()}


def _by_position(parameter: str, value: Any, var_names: pd.Index, place: str) -> Any:
    """Replace names of genes by positions; a name that several genes have stands for all of them."""
    if parameter == "feature_costs" and isinstance(value, Mapping):
        return [value.get(name, np.nan) for name in var_names]
    if parameter == "forced" and isinstance(value, Mapping):
        return {
            str(group): _by_position(f"forced[{group!r}]", genes, var_names, place) for group, genes in value.items()
        }
    is_of_genes = parameter.startswith("forced") or parameter in ("excluded", "allowed", "shared_features")
    if not is_of_genes or value is None or hasattr(value, "get_support"):
        return value
    if isinstance(value, str):
        raise TypeError(f"{parameter} is the text {value!r}, not a list of genes. Give [{value!r}].")
    given = np.asarray(value)
    if given.dtype.kind not in "OUST":
        return value
    unknown = [str(name) for name in given if name not in var_names]
    if unknown:
        near = nearest_to_each(unknown, map(str, var_names))
        raise ValueError(
            f"{parameter} names genes that are not in {place} ({len(unknown)} of {given.size}): {listed(unknown, 5)}."
            f"{near} Correct them, or leave them out"
            f"{': adata.var_names.intersection(genes) has those that are there.' if place == '.var_names' else '.'}"
        )
    return np.flatnonzero(var_names.isin(given))
