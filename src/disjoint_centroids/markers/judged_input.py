"""Checked input of the evaluation of lists: samples, labels, batches, and the list as positions of its features."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from disjoint_centroids._listed import listed
from disjoint_centroids.evaluation.feature_lists import FeatureList
from disjoint_centroids.markers.anndata_input import batches_of, labels_of, matrix_of
from disjoint_centroids.markers.anndata_matrix import some_rows
from disjoint_centroids.markers.measures import highest_class

_FEWEST = 2
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class JudgedTable:
    """Labelled samples, and the list as positions of its features.

    Attributes
    ----------
    values : array or CSC matrix of shape (n_samples, n_features)
    labels : array of shape (n_samples,)
        As they were given.
    codes : array of shape (n_samples,)
        Positions in ``classes``.
    classes : list of str
    names : list of str
        All features.
    markers : array of shape (n_markers,)
        Positions of the features of the list.
    owners : array of shape (n_markers,) or None
        Class of each, as a position; None if the list has none.
    batch : array of shape (n_samples,) or None
    """

    values: Any
    labels: np.ndarray
    codes: np.ndarray
    classes: list[str]
    names: list[str]
    markers: np.ndarray
    owners: np.ndarray | None
    batch: np.ndarray | None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    def columns(self, features: np.ndarray, rows: Any = slice(None)) -> np.ndarray:
        """Values of some features as a dense array."""
        block = self.values[:, features][rows]
        return np.asarray(block.toarray() if sparse.issparse(block) else block, dtype=np.float64)

    def owners_of(self, rows: np.ndarray) -> np.ndarray:
        """Class of each marker: as listed, or the one with the highest mean in these samples."""
        if self.owners is not None:
            return self.owners
        return highest_class(self.columns(self.markers, rows), self.codes[rows], self.n_classes)

    def varying(self, rows: np.ndarray) -> np.ndarray:
        """Positions of the features that do not have the same value in all of these samples."""
        part = self.values[rows]
        high, low = part.max(axis=0), part.min(axis=0)
        if sparse.issparse(high):
            high, low = high.toarray(), low.toarray()
        return np.flatnonzero(np.ravel(high) > np.ravel(low))


def read_judged(X: Any, y: Any, markers: Any, feature_names: Any, layer: str | None, batch: Any) -> JudgedTable:
    """Read the samples and the list, and check that they fit; parameters as ``evaluate_markers`` has them."""
    read = _of_anndata(X, y, layer, batch) if hasattr(X, "var_names") else _of_table(X, y, feature_names, batch)
    values, labels, names, batches = read
    _check_finite(values, names)
    classes, codes = np.unique(labels, return_inverse=True)
    _check_classes(classes, np.bincount(codes))
    wanted = FeatureList.of(markers)
    wanted.check(names, classes)
    _check_one_column_each(wanted.names, names)
    place = {name: at for at, name in enumerate(names)}
    position = {str(label): at for at, label in enumerate(classes)}
    owners = None if wanted.classes is None else np.array([position[label] for label in wanted.classes], dtype=np.intp)
    table = JudgedTable(
        values.tocsc() if sparse.issparse(values) else values,
        labels,
        codes,
        [str(label) for label in classes],
        names,
        np.array([place[name] for name in wanted.names], dtype=np.intp),
        owners,
        batches,
    )
    _check_varying(table, wanted.source)
    return table


_Read = tuple[Any, np.ndarray, list[str], np.ndarray | None]
"""Values, labels, names of features, batches."""


def _of_anndata(X: Any, y: Any, layer: str | None, batch: Any) -> _Read:
    if not isinstance(y, str):
        raise TypeError(f"for an AnnData, y names the column of .obs with the labels; got {type(y).__name__}.")
    labels, rows, _ = labels_of(X, y)
    if isinstance(batch, str):
        batch = batches_of(X, batch, rows, "panel")
    elif batch is not None:
        batch = _column_of_samples("batch", batch, X.n_obs)
        batch = batch if rows is None else batch[rows]
    return some_rows(matrix_of(X, layer), rows, lazy=False), labels, [str(name) for name in X.var_names], batch


def _of_table(X: Any, y: Any, feature_names: Any, batch: Any) -> _Read:
    given = X.columns if feature_names is None and hasattr(X, "columns") else feature_names
    names = [] if given is None else [str(name) for name in given]
    values = X.tocsr() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    if len(names) != values.shape[1]:
        raise ValueError(
            f"evaluate_markers needs the names of all {values.shape[1]} features; got {len(names)}. Give a data "
            "frame, or feature_names."
        )
    labels = _column_of_samples("y", y, values.shape[0])
    missing = pd.isna(labels)
    if missing.any():
        raise ValueError(
            f"y has no label for {int(missing.sum())} of {labels.size} samples. Label them, or leave them out of X and "
            "y."
        )
    return values, labels, names, None if batch is None else _column_of_samples("batch", batch, values.shape[0])


def _column_of_samples(parameter: str, given: Any, n_samples: int) -> np.ndarray:
    """Check that a parameter has one value per sample."""
    if isinstance(given, str):
        raise TypeError(
            f"{parameter} is the text {given!r}, which names a column of an AnnData only. Give one value per sample, "
            f"such as table[{given!r}], and leave that column out of X."
        )
    column = np.asarray(given)
    if column.shape != (n_samples,):
        raise ValueError(
            f"{parameter} needs one value for each of the {n_samples} samples of X; got shape {column.shape}. Give the "
            "values of the same samples, in the same order."
        )
    return column


def _check_finite(values: Any, names: list[str]) -> None:
    numbers = values.data if sparse.issparse(values) else values
    if np.isfinite(numbers).all():
        return
    bad = ~np.isfinite(numbers)
    columns = np.unique(values.tocoo().col[bad]) if sparse.issparse(values) else np.flatnonzero(bad.any(axis=0))
    raise ValueError(
        f"{int(bad.sum())} values are missing or infinite, in {columns.size} feature(s): "
        f"{listed((names[at] for at in columns), _SHOWN)}. Fill them in, or leave out these features or samples."
    )


def _check_classes(classes: np.ndarray, counts: np.ndarray) -> None:
    if counts.size < _FEWEST or counts.min() < _FEWEST:
        fewest = f"class {str(classes[counts.argmin()])!r} has {counts.min()}" if counts.size else "there is none"
        raise ValueError(
            f"evaluate_markers needs two classes or more with two samples or more each; {fewest}. Leave it out, or "
            "merge it with another."
        )


def _check_one_column_each(wanted: Collection[str], names: list[str]) -> None:
    counts = Counter(names)
    several = [name for name in wanted if counts[name] > 1]
    if several:
        raise ValueError(
            f"the table has several features of the same name ({listed(several, _SHOWN)}), so that the list does not "
            "say which is meant. Make names unique, as adata.var_names_make_unique() does."
        )


def _check_varying(table: JudgedTable, source: str) -> None:
    """Raise an error if no feature of the list varies, and warn if some do not."""
    values = table.columns(table.markers)
    same = [table.names[at] for at, n in zip(table.markers, np.ptp(values, axis=0), strict=True) if n == 0.0]
    if not same:
        return
    what = f"the same value in all {len(values)} samples: {listed(same, _SHOWN)}"
    if len(same) == table.markers.size:
        raise ValueError(
            f"the features of {source} tell nothing apart: each has {what}. Name features that vary, or check that "
            "the values are those you meant."
        )
    warnings.warn(
        f"{len(same)} of {table.markers.size} features of {source} have {what}. Such a feature tells no class from "
        "another.",
        UserWarning,
        stacklevel=4,
    )
