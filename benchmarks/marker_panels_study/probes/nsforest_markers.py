"""NS-Forest: the markers of every class, then the other genes that it lists, by binary score."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator

import nsforest
from probe import Found, Part, columns, run


def fits(part: Part) -> Iterator[Found]:
    """One ranking for all sizes, of at most ten genes per class; a class may have none."""
    cells = nsforest.pp.prep_medians(part.cells(), "kind")
    cells = nsforest.pp.prep_binary_scores(cells, "kind")
    with tempfile.TemporaryDirectory() as folder:
        table = nsforest.nsforesting.NSForest(cells, "kind", n_jobs=1, output_folder=f"{folder}/")
    lists: list[list[int]] = [[] for _ in range(part.n_classes)]
    for row in table.itertuples():
        ordered = dict.fromkeys([*row.NSForest_markers, *row.binary_genes])  # each once
        lists[int(row.clusterName[1:])] = columns(ordered)
    yield Found(lists)


if __name__ == "__main__":
    run(fits)
