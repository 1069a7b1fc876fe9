"""Disjoint markers of cell types: from an AnnData to owners in its ``.var`` and ranked lists in its ``.uns``."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from disjoint_centroids._listed import listed
from disjoint_centroids.evaluation.methods import OURS, TrainingPart, build_method
from disjoint_centroids.markers.anndata_matrix import looks_like_counts, some_rows
from disjoint_centroids.markers.marker_lists import NO_NAME, Markers
from disjoint_centroids.tables.nearest_names import nearest_names

if TYPE_CHECKING:
    from anndata import AnnData

__all__ = ["disjoint_markers", "disjoint_markers_df"]

Method = Literal["panel", "ndc", "ndc-s"]

_LEARNED = ("rounds_", "terms_", "penalty_", "lam_", "temperature_", "train_error_")
_COLUMNS = ("owner", "margin", "difference", "pick")
_LISTED = ("names", "scores", "logfoldchanges", "differences")


def disjoint_markers(
    adata: AnnData,
    groupby: str,
    *,
    layer: str | None = None,
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
        Layer to look at instead of ``.X``. For the values in ``.raw`` give ``adata.raw.to_adata()``.
    n_genes : int or None, default=10
        Markers of a group. A panel has just as many; None lets cross-validation decide. Of the owners that the other
        methods find, ``.uns`` lists the clearest ones, None: all of them.
    method : {"panel", "ndc", "ndc-s"}, default="panel"
        Who finds the owners: :class:`~disjoint_centroids.DisjointPanelClassifier`,
        :class:`~disjoint_centroids.NearestDisjointCentroid` or
        :class:`~disjoint_centroids.NearestDisjointCentroidCV`. The last two are the published rules, which suit
        data with many zeros badly.
    key_added : str, default="disjoint_markers"
        Key in ``.uns``, and how the columns in ``.var`` begin.
    random_state : int, RandomState instance or None, default=0
        For folds and restarts.
    copy : bool, default=False
        Whether to leave ``adata`` alone and return a copy with the results.
    **parameters
        Passed to the estimator. ``forced``, ``excluded``, ``feature_costs`` and ``shared_features`` may name genes as
        ``.var_names`` does.

    Returns
    -------
    AnnData or None
        The copy if ``copy``, else None; and in ``adata``

        ``.var[key_added + "_owner"]``
            The group that each gene is a marker of, missing if of none.
        ``.var[key_added + "_margin"]``
            Panels: how much more the gene adds to the score of its group in the group itself than elsewhere. Else:
            distance to the second nearest centre minus that to the nearest.
        ``.var[key_added + "_difference"]``
            Mean in the group that owns the gene minus the mean in all other cells. Negative: a marker by its absence.
        ``.var[key_added + "_pick"]``
            Panels only: 1 for the gene that its group picked first.
        ``.uns[key_added]``
            As ``scanpy.tl.rank_genes_groups`` leaves it: ``params``, and ``names``, ``scores`` (the margins),
            ``logfoldchanges``, ``differences`` as record arrays with a field a group, the best marker first: panels
            in the order of picking, others by margin. Shorter lists are filled up with empty names. ``pvals`` and
            ``pvals_adj`` are there because scanpy asks for them, and are missing throughout: these methods have none.
            ``fit`` holds what the estimator chose, and its training error.

    See Also
    --------
    disjoint_markers_df : The lists as a table.

    Notes
    -----
    A matrix in a file is read by chunks of rows, and so are, for panels, dask arrays. What was read is kept in memory:
    sparse values stay sparse, and take twice their size for a moment; dense ones take 8 bytes a value. The methods
    "ndc" and "ndc-s" get a dask array as it is. The file of a backed AnnData is not written to.

    Examples
    --------
    >>> import anndata
    >>> import numpy as np
    >>> from disjoint_centroids.markers.anndata import disjoint_markers, disjoint_markers_df
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
    _refuse_other_than_anndata(adata, copy=copy)
    if method not in OURS:
        raise ValueError(f"there is no method {method!r}.{nearest_names(str(method), OURS)} Give one of {list(OURS)}.")
    matrix = _matrix(adata, layer)
    labels, rows, groups = _labels(adata, groupby)
    estimator = _estimator(method, n_genes, TrainingPart(labels, seed=random_state), parameters, adata.var_names)
    if looks_like_counts(matrix):
        warnings.warn(
            f"{_place(layer)} holds whole numbers, which look like raw counts. Take logarithms first: "
            "scanpy.pp.normalize_total(adata), then scanpy.pp.log1p(adata).",
            UserWarning,
            stacklevel=2,
        )
    estimator.fit(some_rows(matrix, rows, lazy=method != "panel"), labels)
    if copy:
        adata = adata.copy()
    markers = Markers(estimator, labels, groups, has_picks=method == "panel")
    adata.var = _with_columns(adata.var, key_added, markers.columns())
    params = {"groupby": groupby, "reference": "rest", "method": method, "use_raw": False, "layer": layer}
    adata.uns[key_added] = {
        "params": params | {"n_genes": n_genes, "estimator": {k: _storable(v) for k, v in parameters.items()}},
        "fit": {name.rstrip("_"): getattr(estimator, name) for name in _LEARNED if hasattr(estimator, name)},
        **markers.lists(n_genes, adata.var_names, _log_base(adata)),
    }
    return adata if copy else None


def disjoint_markers_df(
    adata: AnnData, group: str | Iterable[str] | None = None, *, key: str = "disjoint_markers"
) -> pd.DataFrame:
    """The markers that :func:`disjoint_markers` found, as one long table.

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
        A row a marker, the best of each group first: ``group``, ``names``, ``scores``, ``logfoldchanges`` and
        ``differences``.

    See Also
    --------
    disjoint_markers : Finds them; it has an example.

    Examples
    --------
    >>> import anndata
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids.markers.anndata import disjoint_markers, disjoint_markers_df
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
    if key not in adata.uns:
        near = nearest_names(key, map(str, adata.uns))
        raise KeyError(f"adata.uns has no {key!r}.{near} Call disjoint_markers(adata, …, key_added={key!r}) first.")
    lists = adata.uns[key]
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


def _refuse_other_than_anndata(adata: Any, *, copy: bool) -> None:
    try:
        from anndata import AnnData
    except ImportError as error:
        raise ImportError(
            "disjoint_markers needs anndata, which is not installed: pip install 'disjoint-centroids[anndata]'"
        ) from error
    if not isinstance(adata, AnnData):
        raise TypeError(
            f"disjoint_markers needs an AnnData; got {type(adata).__name__}. For a table with its labels fit "
            "DisjointPanelClassifier."
        )
    if not isinstance(adata.obs, pd.DataFrame) or not isinstance(adata.var, pd.DataFrame):
        raise TypeError(
            "disjoint_markers needs .obs and .var as pandas tables; those of read_lazy are not. Read them with "
            "anndata.io.read_elem, and .X only with anndata.experimental.read_elem_lazy."
        )
    if adata.isbacked and (adata.is_view or copy):
        given = "a part of an AnnData that lies in a file" if adata.is_view else "copy=True and an AnnData in a file"
        raise ValueError(
            f"disjoint_markers was given {given}: there is nowhere to write the results to. Give adata.to_memory(), or "
            "the whole AnnData, with missing labels for the cells to be left out."
        )


def _place(layer: str | None) -> str:
    return ".X" if layer is None else f".layers[{layer!r}]"


def _matrix(adata: AnnData, layer: str | None) -> Any:
    if layer is not None and layer not in adata.layers:
        there = list(adata.layers)
        near = nearest_names(str(layer), map(str, there))
        raise KeyError(f"adata has no layer {layer!r}.{near} Its layers are {there}.")
    matrix = adata.X if layer is None else adata.layers[layer]
    if matrix is None:
        raise ValueError(f"adata has no .X. Name a layer; its layers are {list(adata.layers)}.")
    return matrix


def _labels(adata: AnnData, groupby: str) -> tuple[np.ndarray, np.ndarray | None, list[str]]:
    """Labels of the cells that have one, their rows (None: all cells), and the groups in their order."""
    if groupby not in adata.obs.columns:
        there = [str(name) for name in adata.obs.columns]
        raise KeyError(
            f"adata.obs has no column {groupby!r}.{nearest_names(str(groupby), there)} Its columns: {there}."
        )
    column = adata.obs[groupby].astype("category")
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


def _estimator(
    method: str, n_genes: int | None, part: TrainingPart, parameters: Mapping[str, Any], var_names: pd.Index
) -> Any:
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
    given = {name: _by_position(name, value, var_names) for name, value in parameters.items()}
    if method == "panel":
        given["rounds"] = "auto" if n_genes is None else n_genes
    return build_method(OURS[method], part, **given)


def _by_position(parameter: str, value: Any, var_names: pd.Index) -> Any:
    """Genes by their places where they are given by name; all genes of a name, if there are several."""
    if parameter == "feature_costs" and isinstance(value, Mapping):
        missing = [str(name) for name in var_names if name not in value]
        if missing:
            raise ValueError(f"feature_costs has no cost for {len(missing)} gene(s): {listed(missing, 5)}.")
        return [value[name] for name in var_names]
    if parameter == "forced" and isinstance(value, Mapping):
        return {str(group): _by_position(f"forced[{group!r}]", genes, var_names) for group, genes in value.items()}
    is_of_genes = parameter.startswith("forced") or parameter in ("excluded", "shared_features")
    if not is_of_genes or value is None or hasattr(value, "get_support"):
        return value
    given = np.asarray(value)
    if given.dtype.kind not in "OUST":
        return value
    unknown = [str(name) for name in given if name not in var_names]
    if unknown:
        near = nearest_names(unknown[0], map(str, var_names))
        raise ValueError(f"{parameter} names genes that are not in .var_names: {listed(unknown, 5)}.{near}")
    return np.flatnonzero(var_names.isin(given))


def _with_columns(var: pd.DataFrame, key: str, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Columns that begin with the key added to ``.var``; those of an earlier call do not stay behind."""
    kept = var.drop(columns=[f"{key}_{name}" for name in _COLUMNS], errors="ignore")
    return kept.assign(**{f"{key}_{name}": values for name, values in columns.items()})


def _log_base(adata: AnnData) -> float:
    """The base of ``scanpy.pp.log1p``, which it keeps in ``.uns`` if it is not e."""
    base = adata.uns.get("log1p", {}).get("base")
    return float(np.e if base is None else base)


def _storable(value: Any) -> Any:
    """What a file of AnnData can keep: plain values as they are, others as they are printed."""
    return value if isinstance(value, (bool, int, float, str)) else str(value)
