"""Disjoint markers in an AnnData: where they are written, from whichever kind of matrix they come."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what a library says while it is imported is not about us
    anndata = pytest.importorskip("anndata")
    import h5py

from disjoint_centroids import DisjointPanelClassifier, NearestDisjointCentroid, NearestDisjointCentroidCV
from disjoint_centroids.evaluation.methods import OURS, TrainingPart, build_method
from disjoint_centroids.markers import anndata_matrix as matrices
from disjoint_centroids.markers import disjoint_markers, disjoint_markers_df, marker_alternates
from disjoint_centroids.rows.training import is_lazy

TYPES = ["T", "B", "monocyte"]
MARKERS = {"T": {"g0", "g1"}, "B": {"g2", "g3"}, "monocyte": {"g4", "g5"}}
SEARCH = {"ndc": {"n_init": 5}, "ndc-s": {"n_init": 5, "n_lams": 4, "cv": 3}, "panel": {"cv": 3}}
ESTIMATORS = {"panel": DisjointPanelClassifier, "ndc": NearestDisjointCentroid, "ndc-s": NearestDisjointCentroidCV}
METHODS = list(ESTIMATORS)


@pytest.fixture
def cells():
    """90 cells of three types, 12 genes: two are on in each type, the others say nothing; two of three values are 0."""
    rng = np.random.default_rng(5)
    rates = np.full((90, 12), 0.3)
    for at in range(3):
        rates[30 * at : 30 * at + 30, 2 * at : 2 * at + 2] = 2.0
    made = anndata.AnnData(np.log1p(rng.poisson(rates).astype(float)))
    made.obs_names = [f"c{at}" for at in range(90)]
    made.var_names = [f"g{at}" for at in range(12)]
    made.obs["type"] = pd.Categorical(np.repeat(TYPES, 30), categories=TYPES)
    return made


def run(cells, method="panel", **parameters):
    disjoint_markers(cells, "type", method=method, **{"n_genes": 2, **SEARCH[method], **parameters})
    return cells


def owners(cells, key="disjoint_markers"):
    return cells.var[f"{key}_owner"].astype(object).where(lambda owner: owner.notna(), None).tolist()


def in_dask(values, chunks):
    array = pytest.importorskip("dask.array")
    return array.from_array(values, chunks=chunks)


def in_sparse_dask(values, rows):
    array = pytest.importorskip("dask.array")
    return array.from_array(values, chunks=(rows, -1)).map_blocks(sparse.csr_matrix)


# Where the results are


def test_panels_find_the_planted_markers(cells):
    run(cells)
    assert {group: set(disjoint_markers_df(cells, group)["names"]) for group in TYPES} == MARKERS
    assert owners(cells)[6:] == [None] * 6
    assert (cells.var["disjoint_markers_difference"].iloc[:6] > 0.5).all()
    assert cells.var["disjoint_markers_pick"].iloc[:2].tolist() in ([1, 2], [2, 1])
    assert cells.var["disjoint_markers_pick"].iloc[6:].isna().all()


def test_in_place_and_nothing_is_returned(cells):
    assert disjoint_markers(cells, "type", n_genes=2) is None
    assert "disjoint_markers" in cells.uns


@pytest.mark.parametrize("method", METHODS)
def test_owners_and_margins_are_the_estimators(cells, method):
    run(cells, method)
    rounds = {"rounds": 2} if method == "panel" else {}
    fitted = ESTIMATORS[method](random_state=0, **SEARCH[method], **rounds)
    fitted.fit(cells.X, np.repeat(TYPES, 30))
    labels = [*fitted.classes_, None]
    assert owners(cells) == [labels[owner] for owner in fitted.owner_]
    np.testing.assert_array_equal(cells.var["disjoint_markers_margin"], fitted.margin_)
    assert cells.uns["disjoint_markers"]["fit"]["train_error"] == fitted.train_error_


@pytest.mark.parametrize("method", METHODS)
def test_lists_hold_the_owned_genes_the_best_first(cells, method):
    run(cells, method, n_genes=3)
    for group in TYPES:
        listed = disjoint_markers_df(cells, group)
        owned = cells.var[cells.var["disjoint_markers_owner"] == group]
        by = ("disjoint_markers_pick", True) if method == "panel" else ("disjoint_markers_margin", False)
        best = owned.sort_values(by[0], ascending=by[1], kind="stable").head(3)
        assert listed["names"].tolist() == best.index.tolist()
        np.testing.assert_allclose(listed["scores"], best["disjoint_markers_margin"], rtol=1e-6)


def test_groups_keep_the_order_of_their_categories(cells):
    run(cells)
    assert cells.var["disjoint_markers_owner"].cat.categories.tolist() == TYPES
    assert cells.uns["disjoint_markers"]["names"].dtype.names == tuple(TYPES)


def test_differences_and_fold_changes_by_hand(cells):
    run(cells)
    first = disjoint_markers_df(cells, "B").iloc[0]
    values = cells[:, first["names"]].X.ravel()
    own, rest = values[30:60].mean(), np.r_[values[:30], values[60:]].mean()
    assert first["differences"] == pytest.approx(own - rest, rel=1e-5)
    assert first["logfoldchanges"] == pytest.approx(np.log2(np.expm1(own) / np.expm1(rest)), rel=1e-5)


def test_fold_changes_know_the_base_of_the_logarithm(cells):
    plain = disjoint_markers_df(run(cells))
    cells.X = cells.X / np.log(2)
    cells.uns["log1p"] = {"base": 2}
    np.testing.assert_allclose(disjoint_markers_df(run(cells))["logfoldchanges"], plain["logfoldchanges"], rtol=1e-5)


def test_scaled_values_have_no_fold_change(cells):
    cells.X = (cells.X - cells.X.mean(axis=0)) / cells.X.std(axis=0)
    listed = disjoint_markers_df(run(cells))
    assert listed["logfoldchanges"].isna().all()
    assert (listed["differences"] > 0).all()


def test_a_gene_that_is_lower_in_its_type_has_a_negative_difference(cells):
    cells.X = cells.X.max() - cells.X
    listed = disjoint_markers_df(run(cells))
    assert (listed["differences"] < 0).all()
    assert (cells.var["disjoint_markers_difference"].dropna() < 0).all()


def test_parameters_are_kept(cells):
    run(cells, excluded=["g7"], penalty=0.25)
    params = cells.uns["disjoint_markers"]["params"]
    assert {k: params[k] for k in ("groupby", "reference", "method", "use_raw", "layer", "n_genes")} == {
        "groupby": "type",
        "reference": "rest",
        "method": "panel",
        "use_raw": False,
        "layer": None,
        "n_genes": 2,
    }
    assert params["estimator"] == {"cv": 3, "excluded": '["g7"]', "penalty": 0.25}
    assert cells.uns["disjoint_markers"]["fit"]["penalty"] == 0.25


def test_a_second_call_leaves_no_column_of_the_first(cells):
    run(run(cells), "ndc")
    assert "disjoint_markers_pick" not in cells.var
    run(cells, key_added="other")
    assert {"other_owner", "other_pick", "disjoint_markers_owner"} <= set(cells.var)


def test_a_copy_leaves_the_original_alone(cells):
    copied = disjoint_markers(cells, "type", n_genes=2, copy=True)
    assert set(copied.uns) == {"disjoint_markers"}
    assert not cells.uns
    assert not cells.var.columns.tolist()


@pytest.mark.parametrize("method", METHODS)
def test_files_keep_the_results(cells, method, tmp_path):
    run(cells, method, n_genes=None)  # lists of different lengths, but for the panel
    cells.write_h5ad(tmp_path / "cells.h5ad")
    read = anndata.read_h5ad(tmp_path / "cells.h5ad")
    pd.testing.assert_frame_equal(read.var, cells.var)
    pd.testing.assert_frame_equal(disjoint_markers_df(read), disjoint_markers_df(cells))
    assert read.uns["disjoint_markers"]["params"]["groupby"] == "type"
    assert read.uns["disjoint_markers"]["fit"] == pytest.approx(cells.uns["disjoint_markers"]["fit"])


def test_shorter_lists_are_filled_up_and_the_table_leaves_that_out(cells):
    run(cells, "ndc", n_genes=None)
    names = cells.uns["disjoint_markers"]["names"]
    sizes = cells.var["disjoint_markers_owner"].value_counts()
    assert len(set(sizes)) > 1
    assert [int((names[group] != "").sum()) for group in TYPES] == [sizes[group] for group in TYPES]
    assert len(disjoint_markers_df(cells)) == sizes.sum() == 12


# From every kind of matrix


def matrix_kinds():
    yield "csr_matrix", sparse.csr_matrix
    yield "csc_matrix", sparse.csc_matrix
    yield "csr_array", sparse.csr_array
    yield "float32", lambda values: values.astype(np.float32)
    yield "dask", lambda values: in_dask(values, (40, -1))
    yield "dask by columns too", lambda values: in_dask(values, (40, 5))
    yield "dask of csr", lambda values: in_sparse_dask(values, 40)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", [pytest.param(make, id=name) for name, make in matrix_kinds()])
def test_same_owners_from_every_kind_of_matrix(cells, method, kind):
    expected = run(cells.copy(), method)
    cells.X = kind(cells.X)
    run(cells, method)
    assert owners(cells) == owners(expected)
    margins = (data.var["disjoint_markers_margin"] for data in (cells, expected))
    np.testing.assert_allclose(*margins, rtol=1e-5, atol=1e-5)  # float32 has no more digits


@pytest.mark.parametrize("kind", [pytest.param(make, id=name) for name, make in matrix_kinds()])
def test_cells_without_a_label_are_left_out(cells, kind):
    keep = np.arange(90) % 7 != 3
    expected = run(cells[keep].copy())
    cells.obs["type"] = cells.obs["type"].where(keep)
    cells.X = kind(cells.X)
    run(cells)
    assert owners(cells) == owners(expected)
    margins = (data.var["disjoint_markers_margin"] for data in (cells, expected))
    np.testing.assert_allclose(*margins, rtol=1e-5, atol=1e-5)


def test_a_layer_is_looked_at_instead(cells):
    expected = owners(run(cells.copy()))
    cells.layers["log"] = sparse.csr_matrix(cells.X)
    cells.X = np.random.default_rng(0).random(cells.shape)
    run(cells, layer="log")
    assert owners(cells) == expected
    assert cells.uns["disjoint_markers"]["params"]["layer"] == "log"
    assert owners(run(cells)) != expected


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
def test_backed_cells_give_the_same_and_their_file_stays(cells, stored, tmp_path):
    cells.obs["type"] = cells.obs["type"].where(np.arange(90) % 7 != 3)
    expected = run(cells.copy())
    cells.X = stored(cells.X)
    path = tmp_path / "cells.h5ad"
    cells.write_h5ad(path)
    before = hashlib.sha256(path.read_bytes()).digest()
    backed = anndata.read_h5ad(path, backed="r")
    run(backed)
    assert backed.isbacked
    assert owners(backed) == owners(expected)
    np.testing.assert_allclose(*(data.var["disjoint_markers_margin"] for data in (backed, expected)), rtol=1e-9)
    backed.file.close()
    assert hashlib.sha256(path.read_bytes()).digest() == before


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
def test_a_file_is_read_by_chunks_of_rows(cells, stored, tmp_path):
    expected = cells.X.copy()
    cells.X = stored(cells.X)
    cells.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    for rows in (None, np.flatnonzero(np.arange(90) % 7 != 3)):
        for chunk_bytes in (1, 8 * 12 * 7, 2**20):
            read = matrices.some_rows(backed.X, rows, lazy=False, chunk_bytes=chunk_bytes)
            dense = read.toarray() if sparse.issparse(read) else read
            np.testing.assert_array_equal(dense, expected if rows is None else expected[rows])
    backed.file.close()


@pytest.mark.parametrize("method", ["ndc", "ndc-s"])
@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_matrix])
def test_the_papers_rules_take_backed_cells_too(cells, method, stored, tmp_path):
    expected = run(cells.copy(), method)
    cells.X = stored(cells.X)
    cells.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    run(backed, method)
    assert owners(backed) == owners(expected)
    backed.file.close()


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
def test_a_file_is_not_loaded_if_dask_is_there(cells, stored, tmp_path, monkeypatch):
    cells.X = stored(cells.X)
    cells.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    by_rows = stored is not sparse.csc_matrix
    found = matrices.some_rows(backed.X, None, lazy=True, chunk_bytes=8 * 12 * 40)
    assert is_lazy(found) == by_rows
    if by_rows:
        assert found.chunks[0] == (40, 40, 10)
    monkeypatch.setattr(matrices, "find_spec", lambda name: None)
    assert not is_lazy(matrices.some_rows(backed.X, None, lazy=True))
    backed.file.close()


def test_batches_of_backed_cells_are_judged_in_memory(cells, tmp_path):
    cells.obs["donor"] = np.resize(["d1", "d2", "d3"], 90)
    cells.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    run(backed, batch_key="donor")
    assert owners(backed) == owners(run(cells.copy(), batch_key="donor"))
    backed.file.close()


def test_reading_a_sparse_file_needs_little_more_than_twice_its_size(tmp_path):
    stored = sparse.random(4000, 2000, density=0.05, format="csr", random_state=0)
    anndata.AnnData(stored).write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    size = stored.data.nbytes + stored.indices.nbytes + stored.indptr.nbytes
    tracemalloc.start()
    read = matrices.some_rows(backed.X, None, lazy=False, chunk_bytes=2**20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    backed.file.close()
    assert (abs(read - stored)).nnz == 0
    assert peak < 2.2 * size + 2 * 2**20 < 8 * stored.shape[0] * stored.shape[1]


def test_a_dask_array_goes_to_the_papers_rules_as_it_is(cells):
    array = in_dask(cells.X, (40, -1))
    assert matrices.some_rows(array, None, lazy=True) is array
    some = matrices.some_rows(array, np.arange(5, 50), lazy=True)
    assert matrices.is_lazy(some)
    np.testing.assert_array_equal(some.compute(), cells.X[5:50])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_matrix])
def test_dask_chunks_that_lie_in_a_file(cells, method, stored, tmp_path):
    pytest.importorskip("dask")
    expected = run(cells.copy(), method)
    cells.X = stored(cells.X)
    cells.write_h5ad(tmp_path / "cells.h5ad")
    with h5py.File(tmp_path / "cells.h5ad") as file:
        lazy = anndata.AnnData(obs=anndata.io.read_elem(file["obs"]), var=anndata.io.read_elem(file["var"]))
        lazy.X = anndata.experimental.read_elem_lazy(file["X"], chunks=(40, 12))
        run(lazy, method)
        assert matrices.is_lazy(lazy.X)
    assert owners(lazy) == owners(expected)


def test_lazy_tables_are_refused(cells, tmp_path):
    pytest.importorskip("dask")
    pytest.importorskip("xarray")
    cells.write_h5ad(tmp_path / "cells.h5ad")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lazy = anndata.experimental.read_lazy(tmp_path / "cells.h5ad")
    with pytest.raises(TypeError, match=r"pandas tables.*read_elem_lazy"):
        disjoint_markers(lazy, "type")


def test_views_are_read_as_they_are_cut(cells):
    cells.X = sparse.csc_matrix(cells.X)
    expected = run(cells[:, :6].copy())
    view = run(cells[:, :6])
    assert owners(view) == owners(expected)
    assert not cells.uns


@pytest.mark.filterwarnings("ignore:Variable names are not unique")
def test_genes_of_the_same_name(cells):
    expected = owners(run(cells.copy()))
    cells.var_names = ["same"] * 12
    assert owners(run(cells)) == expected


# What the user says of groups and genes


@pytest.mark.parametrize("as_written", [lambda codes: codes, lambda codes: codes.astype(str).astype(object)])
def test_labels_need_not_be_a_categorical(cells, as_written):
    cells.obs["type"] = as_written(np.repeat([10, 2, 7], 30))
    run(cells)
    assert set(disjoint_markers_df(cells, "2")["names"]) == MARKERS["B"]


def test_categories_without_cells_are_no_groups(cells):
    cells.obs["type"] = cells.obs["type"].cat.add_categories("NK")
    run(cells)
    assert disjoint_markers_df(cells)["group"].unique().tolist() == TYPES


def test_genes_may_be_excluded_and_forced_by_name(cells):
    run(cells, excluded=["g0", "g2"], forced={"T": ["g9"]}, n_genes=3)
    owner = dict(zip(cells.var_names, owners(cells), strict=True))
    assert (owner["g0"], owner["g2"], owner["g9"]) == (None, None, "T")
    costs = {name: 100.0 if name in {"g0", "g1"} else 1.0 for name in cells.var_names}
    run(cells, feature_costs=costs, budget=6.0)
    some = {name: cost for name, cost in costs.items() if name != "g9"}
    run(cells, feature_costs=some, budget=6.0, excluded=["g9"], key_added="some")
    assert cells.var["some_owner"].notna().any()
    assert "T" not in owners(cells)[:2]


def test_markers_within_batches(cells):
    """g11 is on in one donor, most of whose cells are T cells: without batches it is taken for a marker of them."""
    donor = np.where((np.arange(90) < 28) | (np.arange(90) % 30 < 2), "d1", "d2")
    cells.X[donor == "d1", 11] += 3.0
    cells.obs["donor"] = donor
    cells.layers["twice"] = 2.0 * cells.X
    run(cells, n_genes=1)
    assert owners(cells)[11] == "T"
    run(cells, n_genes=1, layer="twice", batch_key="donor")
    assert owners(cells)[11] is None
    assert cells.uns["disjoint_markers"]["params"]["batch_key"] == "donor"
    with pytest.raises(ValueError, match="batch and class are the same"):
        run(cells, batch_key="type")
    with pytest.raises(KeyError, match=r"no column 'doner'\. Did you mean 'donor'"):
        run(cells, batch_key="doner")
    with pytest.raises(ValueError, match="is for panels; got method='ndc'"):
        run(cells, "ndc", batch_key="donor")


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_differences_within_batches_are_those_of_the_cells(cells, kind):
    """Fold changes too: of values less the effects of batches, a mean may be negative and its logarithm missing."""
    cells.obs["donor"] = donor = np.where(np.arange(90) % 30 < np.repeat([5, 15, 25], 30), "d1", "d2")
    cells.X[donor == "d1", :6] *= 3.0
    type_of, raw = cells.obs["type"].to_numpy(), cells.X.copy()
    cells.X = kind(raw)
    run(cells, batch_key="donor")
    expected = [
        np.nan if owner is None else raw[type_of == owner, at].mean() - raw[type_of != owner, at].mean()
        for at, owner in enumerate(owners(cells))
    ]
    assert np.allclose(cells.var["disjoint_markers_difference"], expected, equal_nan=True)
    found = disjoint_markers_df(cells)
    assert np.allclose(found["differences"], cells.var["disjoint_markers_difference"][found["names"]])
    assert found["logfoldchanges"].notna().all()


def test_rules_of_a_laboratory(cells):
    stock = ["g0", "g1", "g2", "g3", "g4", "g5", "g9"]
    run(cells, allowed=stock, direction="up", min_features_per_class=2, n_genes=2)
    owner = cells.var["disjoint_markers_owner"].dropna()
    assert set(owner.index) <= set(stock)
    assert owner.value_counts().tolist() == [2, 2, 2]
    assert (cells.var.loc[owner.index, "disjoint_markers_difference"] > 0).all()


def test_raw_counts_are_pointed_out(cells):
    cells.X = np.expm1(cells.X).round()
    with pytest.warns(UserWarning, match=r"raw counts.*log1p"):
        run(cells)
    cells.X = (cells.X > 0).astype(float)
    run(cells)  # on or off are no counts


# Alternates


def as_alternates(cells, y, batch=None, **rules):
    """Alternates of a panel that is fitted to the table, in the conventions of the markers."""
    model = DisjointPanelClassifier(random_state=0, cv=3, rounds=2, **rules)
    fit = {} if batch is None else {"batch": batch}
    table = model.fit(cells.to_df(), y, **fit).alternates(cells.to_df(), y, n_alternates=2, batch=batch)
    order = table["class"].map(TYPES.index).argsort(kind="stable")
    return table.iloc[order].rename(columns={"class": "group", "feature": "names"}).reset_index(drop=True)


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"direction": "up", "detection": (0.2, np.inf), "excluded": ["g9"]},
        {"reads": "own", "allowed": pd.Index([f"g{at}" for at in range(10)])},
        {"regression": "logistic", "forced": {"T": ["g1"]}},
    ],
    ids=["no rules", "up", "own", "logistic"],
)
def test_alternates_are_those_of_the_panel(cells, rules):
    run(cells, **rules)
    found = marker_alternates(cells, n_alternates=2)
    pd.testing.assert_frame_equal(found, as_alternates(cells, np.repeat(TYPES, 30), **rules), rtol=1e-6, atol=1e-9)
    assert found["group"].drop_duplicates().tolist() == TYPES
    assert found["alternate"][found["rank"] == 0].isna().all()
    first = disjoint_markers_df(cells)[["group", "names"]]
    assert found[found["rank"] == 0][["group", "names"]].to_numpy().tolist() == first.to_numpy().tolist()


def test_alternates_within_batches_of_a_layer_and_of_some_cells(cells):
    donor = np.arange(90) % 3
    cells.obs["donor"] = donor.astype(str)
    cells.layers["logs"] = sparse.csr_matrix(cells.X)
    cells.X = np.zeros_like(cells.X)
    cells.obs.loc[cells.obs_names[::10], "type"] = None
    run(cells, layer="logs", batch_key="donor", key_added="mine")
    rows = cells.obs["type"].notna().to_numpy()
    some = anndata.AnnData(cells.layers["logs"].toarray()[rows], var=cells.var[[]])
    expected = as_alternates(some, np.repeat(TYPES, 30)[rows], batch=donor[rows].astype(str))
    pd.testing.assert_frame_equal(marker_alternates(cells, n_alternates=2, key="mine"), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("kind", ["in memory", "backed"])
def test_alternates_of_a_file(cells, tmp_path, kind):
    run(cells, excluded=["g9"], detection=(0.1, 5.0))
    expected = marker_alternates(cells)
    cells.X = sparse.csr_matrix(cells.X)
    cells.write_h5ad(tmp_path / "cells.h5ad")
    before = hashlib.sha256((tmp_path / "cells.h5ad").read_bytes()).hexdigest()
    read = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r" if kind == "backed" else None)
    pd.testing.assert_frame_equal(marker_alternates(read), expected, rtol=1e-6, atol=1e-9)
    assert hashlib.sha256((tmp_path / "cells.h5ad").read_bytes()).hexdigest() == before


def test_rules_for_alternates_may_be_others(cells):
    run(cells)
    found = marker_alternates(cells, n_alternates=9, excluded=["g8", "g9"])
    assert not {"g8", "g9"} & set(found["alternate"])
    assert {"g8", "g9"} < set(marker_alternates(cells, n_alternates=9)["alternate"])


def test_alternates_that_cannot_be_found(cells):
    with pytest.raises(KeyError, match=r"no 'disjoint_markers'.* Call disjoint_markers\(adata"):
        marker_alternates(cells)
    run(cells, "ndc")
    with pytest.raises(ValueError, match=r"alternates are for panels, and the markers in .* are of method='ndc'. Find"):
        marker_alternates(cells)
    run(cells)
    with pytest.raises(TypeError, match="no parameter 'rounds': the markers are those that disjoint_markers found"):
        marker_alternates(cells, rounds=3)
    with pytest.raises(ValueError, match="n_alternates must be 1 or more; got 0"):
        marker_alternates(cells, n_alternates=0)
    with pytest.raises(TypeError, match="marker_alternates needs an AnnData; got DataFrame"):
        marker_alternates(cells.to_df())
    del cells.var["disjoint_markers_pick"]
    with pytest.raises(KeyError, match=r"adata\.var has no column 'disjoint_markers_pick'"):
        marker_alternates(cells)


def test_a_list_is_extended(cells):
    mine = {"T": ["g9", "g0", "g8"], "B": ["g2"]}
    run(cells, forced=mine, max_features=7, n_genes=7)
    owner = cells.var["disjoint_markers_owner"].dropna()
    assert owner.size == 7
    assert all(owner[gene] == group for group, genes in mine.items() for gene in genes)
    assert len(disjoint_markers_df(cells)) == 7


# What is refused


def one_cell_alone(cells):
    cells.obs["type"] = cells.obs["type"].cat.add_categories("NK")
    cells.obs.iloc[0, 0] = "NK"


def one_group(cells):
    cells.obs["type"] = "T"


def value_missing(cells):
    cells.X[5, 3] = np.nan


def no_matrix(cells):
    del cells.X


@pytest.mark.parametrize(
    ("change", "given", "error", "says"),
    [
        (None, {"groupby": "typ"}, KeyError, r"no column 'typ'. Did you mean 'type'"),
        (None, {"layer": "counts"}, KeyError, r"no layer 'counts'.*layers are \['count'\]"),
        (None, {"method": "pannel"}, ValueError, "no method 'pannel'. Did you mean 'panel'"),
        (None, {"penaltyy": 1}, TypeError, "'penaltyy'.*Did you mean 'penalty'"),
        (None, {"rounds": 3}, TypeError, "n_genes=3 instead of rounds"),
        (None, {"n_genes": 0}, ValueError, "n_genes must be 1 or more, or None; got 0"),
        (None, {"excluded": ["g77"]}, ValueError, r"not in .var_names \(1 of 1\): g77. Did you mean 'g7'"),
        (
            None,
            {"feature_costs": {"g0": 1.0}, "budget": 2.0},
            ValueError,
            "no cost for 11 feature.* that may be used: g1, g2",
        ),
        (None, {"allowed": ["g0", "XIST", "G1"]}, ValueError, r"\(2 of 3\): XIST, G1. Did you mean 'g1' for 'G1'"),
        (
            None,
            {"allowed": ["g0", "XIST"]},
            ValueError,
            r"Correct them, or leave them out: adata.var_names.intersection",
        ),
        (None, {"allowed": "g0"}, TypeError, r"allowed is the text 'g0', not a list of genes. Give \['g0'\]"),
        (None, {"forced": {"T": "g0"}}, TypeError, r"forced\['T'\] is the text 'g0', not a list of genes"),
        (None, {"detection": 5}, ValueError, r"detection=\(5\) is no window: it needs two numbers"),
        (None, {"detection": ("low", "high")}, ValueError, r"detection=\('low', 'high'\) is no window"),
        (value_missing, {}, ValueError, r"NaN: 1 value\(s\) in 1 feature\(s\) \(g3\)"),
        (None, {"n_genes": 2, "min_features_per_class": 3}, ValueError, "3 is more than n_genes=2 allows"),
        (None, {"batch_key": "type"}, ValueError, "Name another column for batch_key="),
        (None, {"forced": {"T": ["g2"]}, "direction": "up"}, ValueError, "g2 forced into the panel of class 'T'"),
        (None, {"forced": {"T": ["g2"], "B": ["g2"]}}, ValueError, "forced= names features more than once: g2"),
        (one_cell_alone, {}, ValueError, "one cell only: NK.*2 cells or more"),
        (one_group, {}, ValueError, r"at least 2 groups.*\['T'\]"),
        (no_matrix, {}, ValueError, r"no .X. Name a layer; its layers are \['count'\]"),
    ],
)
def test_errors_say_what_to_do(cells, change, given, error, says):
    cells.layers["count"] = cells.X.copy()
    if change is not None:
        change(cells)
    with pytest.raises(error, match=says):
        disjoint_markers(cells, **{"groupby": "type", **given})
    assert not cells.uns
    assert not cells.var.columns.tolist()


def test_tables_are_no_anndata(cells):
    with pytest.raises(TypeError, match=r"needs an AnnData; got DataFrame.*DisjointPanelClassifier"):
        disjoint_markers(cells.to_df(), "type")


def test_parts_and_copies_of_a_file_are_refused(cells, tmp_path):
    cells.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    with pytest.raises(ValueError, match=r"a part of an AnnData.*to_memory\(\)"):
        disjoint_markers(backed[:40], "type")
    with pytest.raises(ValueError, match=r"copy=True and an AnnData in a file.*to_memory\(\)"):
        disjoint_markers(backed, "type", copy=True)
    backed.file.close()


def test_the_table_names_keys_and_groups_that_are_there(cells):
    with pytest.raises(KeyError, match="no 'disjoint_markers'"):
        disjoint_markers_df(cells)
    run(cells)
    with pytest.raises(KeyError, match=r"no group 'monocytes'. Did you mean 'monocyte'"):
        disjoint_markers_df(cells, ["T", "monocytes"])


def test_without_anndata_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "anndata", None)
    with pytest.raises(ImportError, match=r"pip install 'disjoint-centroids\[anndata\]'"):
        disjoint_markers(object(), "type")


def test_importing_it_imports_neither_anndata_nor_dask():
    check = (
        "import sys, disjoint_centroids.markers.anndata; sys.exit(bool({'anndata', 'dask', 'h5py'} & {*sys.modules}))"
    )
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


# scanpy takes the results for its own


@pytest.fixture
def scanpy():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("scanpy")


@pytest.mark.parametrize("method", METHODS)
def test_the_table_of_scanpy_shows_the_same(cells, scanpy, method):
    run(cells, method)
    theirs = scanpy.get.rank_genes_groups_df(cells, group=None, key="disjoint_markers")
    ours = disjoint_markers_df(cells)
    theirs = theirs[theirs["names"] != ""].reset_index(drop=True)
    assert theirs["names"].tolist() == ours["names"].tolist()
    assert theirs["group"].tolist() == ours["group"].tolist()
    np.testing.assert_array_equal(theirs["scores"], ours["scores"])
    assert theirs["pvals"].isna().all()


def test_fold_changes_are_those_of_scanpy(cells, scanpy):
    run(cells)
    scanpy.tl.rank_genes_groups(cells, "type", method="t-test")
    theirs = scanpy.get.rank_genes_groups_df(cells, group="B").set_index("names")["logfoldchanges"]
    ours = disjoint_markers_df(cells, "B").set_index("names")["logfoldchanges"]
    np.testing.assert_allclose(ours, theirs[ours.index], rtol=1e-4)


@pytest.mark.filterwarnings("ignore")  # scanpy's pictures are not under test, only that they find what they need
@pytest.mark.parametrize("plot", ["dotplot", "matrixplot", "heatmap", None])
def test_scanpy_draws_them(cells, scanpy, plot):
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    run(cells)
    name = "rank_genes_groups" if plot is None else f"rank_genes_groups_{plot}"
    arguments = {"n_genes": 2} if plot is None else {"n_genes": 2, "dendrogram": False}
    getattr(scanpy.pl, name)(cells, key="disjoint_markers", show=False, **arguments)
    shown = {
        text.get_text() for ax in plt.gcf().axes for text in [*ax.texts, *ax.get_xticklabels(), *ax.get_yticklabels()]
    }
    plt.close("all")
    assert set().union(*MARKERS.values()) <= shown


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("small", [False, True], ids=["equal", "one small class"])
def test_the_model_is_the_one_that_every_command_fits(cells, method, small):
    """Commands are compared with the same builder in ``test_methods.py``."""
    if small:
        cells = cells[np.flatnonzero((cells.obs["type"] != "B") | (np.arange(cells.n_obs) % 8 == 0))].copy()
    labels = cells.obs["type"].to_numpy().astype(str)
    built = build_method(OURS[method], TrainingPart(labels, seed=3, n_init=4)).fit(cells.X, labels)
    disjoint_markers(
        cells, "type", n_genes=None, method=method, random_state=3, **{} if method == "panel" else {"n_init": 4}
    )
    assert owners(cells) == np.append(built.classes_.astype(object), None)[built.owner_].tolist()
    np.testing.assert_array_equal(cells.var["disjoint_markers_margin"], built.margin_)
    learned = cells.uns["disjoint_markers"]["fit"]
    assert learned["temperature"] == built.temperature_
    assert learned["train_error"] == built.train_error_
    assert {"panel": "rounds", "ndc-s": "lam"}.get(method, "temperature") in learned
    for name, value in learned.items():
        assert value == getattr(built, f"{name}_")
