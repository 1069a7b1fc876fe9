"""Spapros' selection of probes among 1000 highly variable genes, as in its tutorial."""

from __future__ import annotations

from collections.abc import Iterator

import scanpy as sc
import spapros
from probe import Found, Part, columns, run
from scipy import sparse

HIGHLY_VARIABLE = 1000


def fits(part: Part) -> Iterator[Found]:
    """One ranking for all sizes, without classes."""
    cells = part.cells()
    cells.X = sparse.csr_matrix(cells.X)
    sc.pp.filter_genes(cells, min_cells=1)  # bins of many means of zero could not be told apart
    if cells.n_vars > HIGHLY_VARIABLE:
        sc.pp.highly_variable_genes(cells, flavor="cell_ranger", n_top_genes=HIGHLY_VARIABLE)
    else:
        cells.var["highly_variable"] = True
    selector = spapros.se.ProbesetSelector(
        cells, n=part.total(part.sizes[-1]), celltype_key="kind", verbosity=0, seed=part.seed, n_jobs=1
    )
    selector.select_probeset()
    ranked = selector.probeset.sort_values("rank", kind="stable")
    yield Found(columns(ranked.index[ranked["selection"]]))


if __name__ == "__main__":
    run(fits)
