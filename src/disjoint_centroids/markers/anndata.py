"""Disjoint markers of cell types: from an AnnData to owners in its ``.var`` and ranked lists in its ``.uns``."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from disjoint_centroids.evaluation.methods import OURS, TrainingPart
from disjoint_centroids.markers.anndata_input import (
    batches_of,
    check_anndata,
    check_takes_results,
    labels_of,
    matrix_of,
    place_of,
)
from disjoint_centroids.markers.anndata_matrix import looks_like_counts, some_rows
from disjoint_centroids.markers.estimators import build_estimator, fit_estimator
from disjoint_centroids.markers.marker_lists import NO_NAME, Markers, measured_means
from disjoint_centroids.markers.stored_results import results_of, storable
from disjoint_centroids.rows.training import is_lazy
from disjoint_centroids.tables.nearest_names import nearest_names

if TYPE_CHECKING:
    from anndata import AnnData

__all__ = ["disjoint_markers", "disjoint_markers_df"]

Method = Literal["panel", "ndc", "ndc-s"]

_LEARNED = ("rounds_", "terms_", "reads_", "regression_", "penalty_", "lam_", "temperature_", "train_error_")
_COLUMNS = ("owner", "margin", "difference", "pick")
_LISTED = ("names", "scores", "logfoldchanges", "differences")


def disjoint_markers(
    adata: AnnData,
    groupby: str,
    *,
    layer: str | None = None,
    batch_key: str | None = None,
    n_genes: int | None = 10,
    method: Method = "panel",
    key_added: str = "disjoint_markers",
    random_state: Any = 0,
    copy: bool = False,
    **parameters: Any,
) -> AnnData | None:
    """Give every group of cells markers of its own: no gene is a marker of two groups.

    Parameters
    ----------
    adata : AnnData
        Cells and genes, on a logarithmic scale (``scanpy.pp.normalize_total`` and ``scanpy.pp.log1p``). ``.X`` or the
        layer may be dense or sparse, in memory, in a file (``backed="r"``) or a dask array; see Notes.
    groupby : str
        Column of ``.obs`` with the groups. Cells without a label are left out; a group needs two cells.
    layer : str, default=None
        Layer to use instead of ``.X``. For the values in ``.raw`` give ``adata.raw.to_adata()``.
    batch_key : str, default=None
        Column of ``.obs`` with the batch of each cell, such as the donor: panels are then judged within batches, and
        folds hold whole batches out. Needs ``method="panel"``, and a matrix that is no dask array.
    n_genes : int or None, default=10
        Markers of a group. A panel has just as many, beside those that are ``forced``, or fewer where rules such as
        ``direction="up"`` or ``max_features`` leave fewer; None lets cross-validation decide. Of the owners that the
        other methods find, ``.uns`` lists the clearest ones, None: all of them.
    method : {"panel", "ndc", "ndc-s"}, default="panel"
        Method that finds the owners: :class:`~disjoint_centroids.DisjointPanelClassifier`,
        :class:`~disjoint_centroids.NearestDisjointCentroid` or
        :class:`~disjoint_centroids.NearestDisjointCentroidCV`. The last two are the published rules, which suit
        data with many zeros badly.
    key_added : str, default="disjoint_markers"
        Key in ``.uns``, and how the columns in ``.var`` begin.
    random_state : int, RandomState instance or None, default=0
        For folds and restarts.
    copy : bool, default=False
        True: leave ``adata`` as it is, and return a copy with the results.
    **parameters
        Passed to the estimator, such as ``reads="own"``: the score of a group then reads its own markers only, not
        those of all groups. ``direction="up"`` keeps to markers that are higher in their group and not off in more of
        its cells than of the others, ``detection``, ``min_features_per_class`` and ``allowed`` are further rules.
        ``forced``, ``excluded``, ``allowed``, ``feature_costs`` and ``shared_features`` may name genes as
        ``.var_names`` does.

    Returns
    -------
    AnnData or None
        The copy if ``copy``, else None; and in ``adata``

        ``.var[key_added + "_owner"]``
            The group that each gene is a marker of, missing if of none.
        ``.var[key_added + "_margin"]``
            Panels: mean contribution of the gene to the score of its group in the group itself minus that elsewhere.
            Others: distance to the second nearest centre minus that to the nearest.
        ``.var[key_added + "_difference"]``
            Mean in the group that owns the gene minus the mean in all other cells, of the values as they are, with
            ``batch_key`` too. Negative: a marker by its absence.
        ``.var[key_added + "_pick"]``
            Panels only: 1 for the gene that its group picked first.
        ``.uns[key_added]``
            As ``scanpy.tl.rank_genes_groups`` leaves it: ``params``, and ``names``, ``scores`` (the margins),
            ``logfoldchanges``, ``differences`` as record arrays with one field per group, the best marker first: panels
            in the order of picking, others by margin. Shorter lists are filled up with empty names. ``pvals`` and
            ``pvals_adj`` are there because scanpy asks for them, and are missing throughout: these methods have none.
            ``fit`` holds what the estimator chose, and its training error.

    See Also
    --------
    disjoint_markers_df : The lists as a table.
    marker_alternates : What could take the place of each marker.
    evaluate_markers : What a list of markers is worth.

    Notes
    -----
    A dask array is not loaded: the estimators make a few passes over its chunks of rows. Nor is the matrix of a backed
    AnnData, if dask is installed, unless it is stored column after column or ``batch_key`` is given, which needs the
    values in memory: sparse ones stay sparse, and take twice their size for a moment; dense ones take 8 bytes per
    value. The file of a backed AnnData is not written to.

    Examples
    --------
    >>> import anndata
    >>> import numpy as np
    >>> from disjoint_centroids.markers import disjoint_markers, disjoint_markers_df
    >>> rng = np.random.default_rng(0)
    >>> cells = anndata.AnnData(np.log1p(rng.poisson(0.3, (90, 6)).astype(float)))
    >>> cells.var_names = ["CD3D", "IL7R", "CD79A", "MS4A1", "LYZ", "ACTB"]
    >>> cells.obs["type"] = ["T"] * 30 + ["B"] * 30 + ["monocyte"] * 30
    >>> cells.X[:30, :2] += 1; cells.X[30:60, 2:4] += 1; cells.X[60:, 4] += 1
    >>> disjoint_markers(cells, "type", n_genes=1)
    >>> cells.var["disjoint_markers_owner"].dropna().to_dict()
    {'IL7R': 'T', 'MS4A1': 'B', 'LYZ': 'monocyte'}
    >>> disjoint_markers_df(cells, "monocyte")["names"].tolist()
    ['LYZ']
    """
    check_anndata(adata, "disjoint_markers")
    check_takes_results(adata, copy=copy)
    if method not in OURS:
        raise ValueError(f"there is no method {method!r}.{nearest_names(str(method), OURS)} Give one of {list(OURS)}.")
    matrix = matrix_of(adata, layer)
    labels, rows, groups = labels_of(adata, groupby)
    batch = None if batch_key is None else batches_of(adata, batch_key, rows, method)
    estimator = build_estimator(method, n_genes, TrainingPart(labels, seed=random_state), parameters, adata.var_names)
    if looks_like_counts(matrix):
        warnings.warn(
            f"{place_of(layer)} holds whole numbers, which look like raw counts. Take logarithms first: "
            "scanpy.pp.normalize_total(adata), then scanpy.pp.log1p(adata).",
            UserWarning,
            stacklevel=2,
        )
    values = some_rows(matrix, rows, lazy=batch is None or is_lazy(matrix))
    fit_estimator(estimator, values, labels, batch, adata.var_names)
    if copy:
        adata = adata.copy()
    # Centroids within batches are less the effects of the batches.
    means = estimator.centroids_ if batch is None else measured_means(values, labels, estimator.classes_)
    markers = Markers(estimator, labels, groups, means, has_picks=method == "panel")
    adata.var = _with_columns(adata.var, key_added, markers.columns())
    params = {"groupby": groupby, "reference": "rest", "method": method, "use_raw": False, "layer": layer}
    params |= {} if batch_key is None else {"batch_key": batch_key}
    adata.uns[key_added] = {
        "params": params | {"n_genes": n_genes, "estimator": {k: storable(v) for k, v in parameters.items()}},
        "fit": {name.rstrip("_"): getattr(estimator, name) for name in _LEARNED if hasattr(estimator, name)},
        # A panel has as many as were asked for, and those that were forced: none is left out.
        **markers.lists(None if method == "panel" else n_genes, adata.var_names, _log_base(adata)),
    }
    return adata if copy else None


def disjoint_markers_df(
    adata: AnnData, group: str | Iterable[str] | None = None, *, key: str = "disjoint_markers"
) -> pd.DataFrame:
    """Tabulate the markers that :func:`disjoint_markers` found.

    Parameters
    ----------
    adata : AnnData
        With the results.
    group : str, several or None, default=None
        The groups wanted; None: all.
    key : str, default="disjoint_markers"
        What was given as ``key_added``.

    Returns
    -------
    pandas.DataFrame
        One row per marker, the best of each group first: ``group``, ``names``, ``scores``, ``logfoldchanges`` and
        ``differences``.

    See Also
    --------
    disjoint_markers : Finds them; it has an example.

    Examples
    --------
    >>> import anndata
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids.markers import disjoint_markers, disjoint_markers_df
    >>> iris = load_iris(as_frame=True)
    >>> flowers = anndata.AnnData(iris.data.rename(index="{}".format))
    >>> flowers.obs["species"] = iris.target_names[iris.target]
    >>> disjoint_markers(flowers, "species", n_genes=1)
    >>> disjoint_markers_df(flowers)[["group", "names"]]
            group              names
    0      setosa  petal length (cm)
    1  versicolor   sepal width (cm)
    2   virginica   petal width (cm)
    """
    lists = results_of(adata, key)
    known = lists["names"].dtype.names
    wanted = known if group is None else [group] if isinstance(group, str) else list(group)
    for name in wanted:
        if name not in known:
            raise KeyError(
                f"there is no group {name!r}.{nearest_names(str(name), known)} The groups are {list(known)}."
            )
    parts = [pd.DataFrame({"group": name} | {field: lists[field][name] for field in _LISTED}) for name in wanted]
    table = pd.concat(parts, ignore_index=True)
    return table[table["names"] != NO_NAME].reset_index(drop=True)


def _with_columns(var: pd.DataFrame, key: str, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Columns that begin with the key added to ``.var``; those of an earlier call do not stay behind."""
    kept = var.drop(columns=[f"{key}_{name}" for name in _COLUMNS], errors="ignore")
    return kept.assign(**{f"{key}_{name}": values for name, values in columns.items()})


def _log_base(adata: AnnData) -> float:
    """Base of ``scanpy.pp.log1p``, which is in ``.uns`` if it is not e."""
    base = adata.uns.get("log1p", {}).get("base")
    return float(np.e if base is None else base)
