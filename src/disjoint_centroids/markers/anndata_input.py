"""Checked input from an AnnData: its matrix, and the labels of its cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from disjoint_centroids._listed import listed
from disjoint_centroids.tables.nearest_names import nearest_names

if TYPE_CHECKING:
    from anndata import AnnData


def check_anndata(adata: Any, caller: str) -> None:
    """Raise an error unless ``adata`` is an AnnData with pandas tables; ``caller`` is the function that needs one."""
    try:
        from anndata import AnnData
    except ImportError as error:
        raise ImportError(
            f"{caller} needs anndata, which is not installed: pip install 'disjoint-centroids[anndata]'"
        ) from error
    if not isinstance(adata, AnnData):
        raise TypeError(
            f"{caller} needs an AnnData; got {type(adata).__name__}. For a table with its labels fit "
            "DisjointPanelClassifier."
        )
    if not isinstance(adata.obs, pd.DataFrame) or not isinstance(adata.var, pd.DataFrame):
        raise TypeError(
            f"{caller} needs .obs and .var as pandas tables; those of read_lazy are not. Read them with "
            "anndata.io.read_elem, and .X only with anndata.experimental.read_elem_lazy."
        )


def check_takes_results(adata: AnnData, *, copy: bool) -> None:
    """Raise an error unless results can be written to ``adata``, or to its copy."""
    if adata.isbacked and (adata.is_view or copy):
        given = "a part of an AnnData that lies in a file" if adata.is_view else "copy=True and an AnnData in a file"
        raise ValueError(
            f"disjoint_markers was given {given}: there is nowhere to write the results to. Give adata.to_memory(), or "
            "the whole AnnData, with missing labels for the cells to be left out."
        )


def place_of(layer: str | None) -> str:
    """Name of a layer in messages."""
    return ".X" if layer is None else f".layers[{layer!r}]"


def matrix_of(adata: AnnData, layer: str | None) -> Any:
    """Matrix of a layer, or ``.X``."""
    if layer is not None and layer not in adata.layers:
        there = _layers_of(adata)
        near = nearest_names(str(layer), there)
        raise KeyError(f"adata has no layer {layer!r}.{near} Its layers are {there}.")
    matrix = adata.X if layer is None else adata.layers[layer]
    if matrix is None:
        raise ValueError(f"adata has no .X. Name a layer; its layers are {_layers_of(adata)}.")
    return matrix


def _layers_of(adata: AnnData) -> list[str]:
    # From anndata 0.13 on, the layer None is .X.
    return [name for name in adata.layers if name is not None]


def labels_of(adata: AnnData, groupby: str) -> tuple[np.ndarray, np.ndarray | None, list[str]]:
    """Labels of the cells that have one, their rows (None: all cells), and the groups in their order."""
    column = _column(adata, groupby).astype("category")
    has_label = column.notna().to_numpy()
    labels = column.astype(object).to_numpy()[has_label].astype(str)
    counts = pd.Series(labels).value_counts()
    groups = [name for name in map(str, column.cat.categories) if name in counts.index]
    if len(groups) < 2:
        raise ValueError(
            f"adata.obs[{groupby!r}] needs at least 2 groups to tell apart; it has {groups or 'no label at all'}. "
            "Name another column."
        )
    small = [name for name in groups if counts[name] < 2]
    if small:
        raise ValueError(
            f"{len(small)} group(s) of adata.obs[{groupby!r}] have one cell only: {listed(small)}. A group "
            "needs 2 cells or more. Merge them with others, or leave them out by making their labels missing."
        )
    return labels, None if has_label.all() else np.flatnonzero(has_label), groups


def batches_of(adata: AnnData, batch_key: str, rows: np.ndarray | None, method: str) -> np.ndarray:
    """Batches of the cells that have a label."""
    if method != "panel":
        raise ValueError(f"batch_key={batch_key!r} is for panels; got method={method!r}. Leave one of them out.")
    column = _column(adata, batch_key).astype(object).to_numpy()
    column = column if rows is None else column[rows]
    n_missing = int(pd.isna(column).sum())
    if n_missing:
        raise ValueError(
            f"adata.obs[{batch_key!r}] is missing for {n_missing} cells that have a label. Fill it in, or leave these "
            "cells out by making their labels missing."
        )
    return column.astype(str)


def _column(adata: AnnData, name: str) -> pd.Series:
    if name not in adata.obs.columns:
        there = [str(other) for other in adata.obs.columns]
        raise KeyError(f"adata.obs has no column {name!r}.{nearest_names(str(name), there)} Its columns: {there}.")
    return adata.obs[name]
