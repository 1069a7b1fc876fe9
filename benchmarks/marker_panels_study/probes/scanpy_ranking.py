"""scanpy's ``rank_genes_groups``: every class against the rest, by the method named in the options."""

from __future__ import annotations

from collections.abc import Iterator

import scanpy as sc
from probe import Found, Part, columns, run


def fits(part: Part) -> Iterator[Found]:
    """One ranking for all sizes."""
    cells = part.cells()
    sc.tl.rank_genes_groups(cells, "kind", method=part.options["method"], n_genes=part.depth)
    names = cells.uns["rank_genes_groups"]["names"]
    yield Found([columns(names[kind]) for kind in names.dtype.names])


if __name__ == "__main__":
    run(fits)
