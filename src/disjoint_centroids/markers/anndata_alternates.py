"""Replacements for the markers that ``disjoint_markers`` found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from disjoint_centroids.evaluation.methods import TrainingPart
from disjoint_centroids.markers.anndata_input import batches_of, check_anndata, labels_of, matrix_of
from disjoint_centroids.markers.anndata_matrix import some_rows
from disjoint_centroids.markers.estimators import build_estimator, fit_estimator
from disjoint_centroids.markers.stored_results import as_given, results_of
from disjoint_centroids.panels.path import DRAFT_PENALTY

if TYPE_CHECKING:
    from anndata import AnnData

_RULES = ("allowed", "excluded", "direction", "detection", "cv", "priors")
"""Parameters that hold for replacements too; what is left of the others is in the markers that were found."""


def marker_alternates(
    adata: AnnData, *, n_alternates: int = 3, key: str = "disjoint_markers", **parameters: Any
) -> pd.DataFrame:
    """Find replacements for the markers of :func:`disjoint_markers`, for when a probe fails in the laboratory.

    For each marker, the genes that would gain most for its group if it were lost are put in its place, the scores are
    fitted anew with the one gene swapped, in every fold, and those of least held-out loss are returned.

    Parameters
    ----------
    adata : AnnData
        With the results of :func:`disjoint_markers` by ``method="panel"``; it stays as it is. The values are those of
        the same layer. They are loaded, from a file or a dask array too; sparse ones stay sparse.
    n_alternates : int, default=3
        Replacements for each marker.
    key : str, default="disjoint_markers"
        What was given as ``key_added``.
    **parameters
        Rules for the replacements, which are otherwise those of the markers: ``allowed``, ``excluded``, ``direction``,
        ``detection``; and ``cv`` and ``priors``.

    Returns
    -------
    pandas.DataFrame
        For every marker one row with ``rank`` 0, for nothing in its place, and one per replacement, the best first:
        ``group``, ``names`` (the marker), ``rank``, ``alternate`` (None at rank 0), held out ``error`` and ``loss``
        (every group counts the same), and ``error_change`` and ``loss_change``, the differences from all markers as
        they are. The markers were chosen on these cells, so that errors are somewhat optimistic; their differences are
        comparable.

    See Also
    --------
    disjoint_markers : Finds the markers.
    disjoint_markers_df : The markers as a table.
    disjoint_centroids.DisjointPanelClassifier.alternates : The same for any table.

    Examples
    --------
    >>> import anndata
    >>> from sklearn.datasets import load_wine
    >>> from disjoint_centroids.markers import disjoint_markers, marker_alternates
    >>> wine = load_wine(as_frame=True)
    >>> samples = anndata.AnnData(wine.data.rename(index="{}".format))
    >>> samples.obs["kind"] = wine.target_names[wine.target]
    >>> disjoint_markers(samples, "kind", n_genes=1)
    >>> marker_alternates(samples, n_alternates=1)[["group", "names", "rank"]].head(2)
         group    names  rank
    0  class_0  proline     0
    1  class_0  proline     1
    """
    check_anndata(adata, "marker_alternates")
    found = results_of(adata, key)
    params = {name: as_given(value) for name, value in found["params"].items()}
    if params["method"] != "panel":
        raise ValueError(
            f"alternates are for panels, and the markers in adata.uns[{key!r}] are of method={params['method']!r}. "
            "Find them by method='panel'."
        )
    _check_rules(parameters)
    labels, rows, groups = labels_of(adata, params["groupby"])
    batch_key = params.get("batch_key")
    batch = None if batch_key is None else batches_of(adata, batch_key, rows, "panel")
    values = some_rows(matrix_of(adata, params.get("layer")), rows, lazy=False)
    markers = _markers(adata, key)
    given = {name: as_given(value) for name, value in found["params"]["estimator"].items() if name in _RULES}
    estimator = build_estimator(
        "panel",
        1,
        TrainingPart(labels, seed=0),
        given | parameters | _as_found(found["fit"]) | _nothing_else(markers),
        adata.var_names,
    )
    fit_estimator(estimator, values, labels, batch, adata.var_names)
    table = estimator.alternates(values, labels, n_alternates=n_alternates, batch=batch)
    return _in_conventions(table, groups, np.asarray(adata.var_names, dtype=object))


def _check_rules(parameters: dict[str, Any]) -> None:
    strange = [name for name in parameters if name not in _RULES]
    if strange:
        raise TypeError(
            f"marker_alternates has no parameter {strange[0]!r}: the markers are those that disjoint_markers found. "
            f"It takes {', '.join(_RULES)}."
        )


def _markers(adata: AnnData, key: str) -> dict[str, list[int]]:
    """Positions of the markers of every group, in the order of picking."""
    columns = [f"{key}_owner", f"{key}_pick"]
    missing = [name for name in columns if name not in adata.var.columns]
    if missing:
        raise KeyError(
            f"adata.var has no column {missing[0]!r}, which says whose markers the genes are. Call "
            f"disjoint_markers(adata, …, key_added={key!r}) again."
        )
    owned = adata.var[columns].reset_index(drop=True).dropna().sort_values(columns[1], kind="stable")
    owners = owned[columns[0]].astype(str)
    return {label: owned.index[owners == label].tolist() for label in dict.fromkeys(owners)}


def _nothing_else(markers: dict[str, list[int]]) -> dict[str, Any]:
    """Parameters of a panel of these markers only."""
    return {"forced": markers, "max_features": sum(map(len, markers.values()))}


def _as_found(fit: Any) -> dict[str, Any]:
    """Parameters of a fit that is to find no others: as alternates are judged, by ridge regression."""
    ridge = str(fit["regression"]) == "ridge"
    return {
        "terms": "linear",
        "regression": "ridge",
        "reads": str(fit.get("reads", "all")),
        "penalty": float(fit["penalty"]) if ridge else DRAFT_PENALTY,
    }


def _in_conventions(table: pd.DataFrame, groups: list[str], names: np.ndarray) -> pd.DataFrame:
    """Names in place of positions, groups in their order, and the columns of ``disjoint_markers_df``."""
    is_swap = table["rank"].to_numpy() > 0
    alternates = np.full(len(table), None, dtype=object)
    alternates[is_swap] = names[table["alternate"][is_swap].to_numpy(dtype=np.intp)]
    named = table.assign(feature=names[table["feature"].to_numpy(dtype=np.intp)], alternate=alternates)
    named["alternate"] = pd.Series(alternates, index=table.index, dtype=object)
    order = named["class"].map({group: at for at, group in enumerate(groups)}).argsort(kind="stable")
    return named.iloc[order].rename(columns={"class": "group", "feature": "names"}).reset_index(drop=True)
