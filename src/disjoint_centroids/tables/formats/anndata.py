"""AnnData files (.h5ad)."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from disjoint_centroids.tables.cells.file_cells import FileCells, cell_text
from disjoint_centroids.tables.formats.opening import check_signature, first_bytes, library_errors, needs_package
from disjoint_centroids.tables.formats.wanted import Wanted
from disjoint_centroids.tables.memory.bounds import MemoryBound
from disjoint_centroids.tables.memory.hdf5_bounds import reserve_arrays
from disjoint_centroids.tables.nearest_names import nearest_names
from disjoint_centroids.tables.problems import TableProblems


def read_h5ad(path: Path, wanted: Wanted, bound: MemoryBound) -> FileCells:
    """Read X of an AnnData file; target and sample_id are columns of obs."""
    source = bound.source
    check_signature(first_bytes(path), source, own=b"\x89HDF")
    if wanted.features_in_rows:
        raise TableProblems(source, ["an AnnData file has its samples in obs. Leave out features_in_rows=True."])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import anndata
    except ImportError as error:
        raise needs_package(source, "anndata", "anndata") from error
    with library_errors(source, "AnnData", "Cut off or damaged: write or fetch it again."):
        reserve_arrays(path, bound)
        return _cells_of_anndata(anndata.read_h5ad(path), source, wanted)


def _cells_of_anndata(data: Any, source: str, wanted: Wanted) -> FileCells:
    import numpy as np
    from scipy import sparse

    if data.X is None:
        raise TableProblems(source, ["its X is empty. Put the numbers of the samples there."])
    for name, option in ((wanted.target, "target="), (wanted.sample_id, "sample_id="), (wanted.batch, "batch=")):
        if name is not None and name not in data.obs.columns:
            near = (
                nearest_names(name, map(str, data.obs.columns)) or f" The columns are: {', '.join(data.obs.columns)}."
            )
            raise TableProblems(source, [f"obs has no column {name!r} for {option}.{near}"])
    dense = data.X.toarray() if sparse.issparse(data.X) else np.asarray(data.X)
    # What is wanted of obs comes first, so that a feature of the same name does not stand in its way.
    names = [str(name).strip() for name in data.var_names]
    about = np.full((len(dense), len(wanted.keep)), np.nan)
    words = {
        at: {row: word for row, value in enumerate(data.obs[name].tolist()) if (word := cell_text(value))}
        for at, name in enumerate(wanted.keep)
    }
    numbers = np.hstack([about, dense.astype(np.float64)])
    return FileCells([*wanted.keep, *names], numbers, words, ids=[str(name).strip() for name in data.obs_names])
