"""Checked input of the evaluation of lists: samples, labels, batches, and the list as positions of its features."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.pipeline import make_pipeline

from disjoint_centroids._listed import listed
from disjoint_centroids.evaluation.feature_lists import FeatureList
from disjoint_centroids.markers.anndata_input import batches_of, labels_of, matrix_of
from disjoint_centroids.markers.anndata_matrix import some_rows
from disjoint_centroids.markers.measures import highest_class
from disjoint_centroids.pipeline import preparing_steps

_FEWEST = 2
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class JudgedTable:
    """Labelled samples, and the list as positions of its features.

    Attributes
    ----------
    values : array or CSC matrix of shape (n_samples, n_features)
        As they were given, until the table is :meth:`prepared`.
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
    transform : str
        As :func:`~disjoint_centroids.pipeline.model_pipeline` takes it.
    impute : str or None
        The same.
    """

    values: Any
    labels: np.ndarray
    codes: np.ndarray
    classes: list[str]
    names: list[str]
    markers: np.ndarray
    owners: np.ndarray | None
    batch: np.ndarray | None
    transform: str = "none"
    impute: str | None = None

    def prepared(self, rows: np.ndarray) -> JudgedTable:
        """The table with values filled in and transformed by steps that are fitted to some samples, its training part.

        A feature without any value there is 0 in all samples.
        """
        steps = preparing_steps(self.transform, self.impute)
        if not steps:
            return self
        places = [str(at) for at in range(self.values.shape[1])]
        given = pd.DataFrame(self.values, columns=places)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of features without any value
            found = make_pipeline(*steps).fit(given.iloc[rows]).transform(given)
        return replace(self, values=found.reindex(columns=places, fill_value=0.0).to_numpy())

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


def read_judged(
    X: Any,
    y: Any,
    markers: Any,
    feature_names: Any,
    layer: str | None,
    batch: Any,
    *,
    transform: str = "none",
    impute: str | None = None,
) -> JudgedTable:
    """Read the samples and the list, and check that they fit; parameters as ``evaluate_markers`` has them."""
    read = _of_anndata(X, y, layer, batch) if hasattr(X, "var_names") else _of_table(X, y, feature_names, batch)
    values, labels, names, batches = read
    if sparse.issparse(values) and preparing_steps(transform, impute):
        raise ValueError(
            "transform= and impute= need a dense table, and X is sparse. Change its values before, and leave both out."
        )
    _check_finite(values, names, can_be_missing=impute is not None)
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
        transform,
        impute,
    )
    _check_varying(table.prepared(np.arange(codes.size)), wanted.source)
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


def _check_finite(values: Any, names: list[str], *, can_be_missing: bool) -> None:
    numbers = values.data if sparse.issparse(values) else values
    bad = np.isinf(numbers) if can_be_missing else ~np.isfinite(numbers)
    if not bad.any():
        return
    columns = np.unique(values.tocoo().col[bad]) if sparse.issparse(values) else np.flatnonzero(bad.any(axis=0))
    what = "infinite" if can_be_missing else "missing or infinite"
    ways = ["leave out these features or samples", *([] if can_be_missing else ["fill in what is missing by impute="])]
    cure = ", or ".join(ways)
    raise ValueError(
        f"{int(bad.sum())} values are {what}, in {columns.size} feature(s): "
        f"{listed((names[at] for at in columns), _SHOWN)}. {cure[0].upper()}{cure[1:]}."
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
