"""COSG with the settings of its documentation."""

from __future__ import annotations

from collections.abc import Iterator

import cosg
from probe import Found, Part, columns, run
from scipy import sparse


def fits(part: Part) -> Iterator[Found]:
    """One ranking for all sizes."""
    cells = part.cells()
    cells.X = sparse.csr_matrix(cells.X)
    cosg.cosg(cells, key_added="cosg", mu=1, n_genes_user=part.depth, groupby="kind")
    names = cells.uns["cosg"]["names"]
    yield Found([columns(names[f"c{code:02d}"]) for code in range(part.n_classes)])


if __name__ == "__main__":
    run(fits)
