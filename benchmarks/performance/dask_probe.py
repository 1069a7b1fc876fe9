"""One size of the dask section, in a process of its own: ``python -m performance.dask_probe QUESTION``."""

from __future__ import annotations

import json
import resource
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV
from performance.counting import candidates_found
from performance.dask_table import (
    CLASSES,
    DiskTable,
    bare_gram_pass,
    bare_scoring_pass,
    candidate_sets,
    write_table,
)
from performance.peak import forget_peak, peak_bytes
from performance.timing import in_turns, ratio, spread

FOLDS = 5


def answer(
    n: int, p: int, n_init: int, n_lams: int, turns: dict[str, int], block_bytes: float, limit: float
) -> dict[str, Any]:
    """A fit and a cross-validation of n rows on disk, each beside its bare passes."""
    # Address space, which is never less than memory: beyond the limit the process ends with a MemoryError.
    resource.setrlimit(resource.RLIMIT_AS, (int(limit), int(limit)))
    with tempfile.TemporaryDirectory() as folder:
        table = write_table(Path(folder) / "table.bin", n, p, block_bytes)
        fit = NearestDisjointCentroid(lam=1.0, n_init=n_init, random_state=0)
        cv = NearestDisjointCentroidCV(n_lams=n_lams, cv=FOLDS, n_init=n_init, random_state=0)
        return {
            "n": n,
            "p": p,
            "bytes": 8 * n * p,
            "block_bytes": 8 * p * table.rows_of_block,
            "fit": _beside_bare_passes(table, fit, table.labels, turns["fit"]),
            "cv": _beside_bare_passes(table, cv, _fold_groups(table.labels), turns["cv"]),
        }


def _fold_groups(labels: np.ndarray) -> np.ndarray:
    """Class and fold of every row as one number, the folds being those of the cross-validation."""
    fold = np.empty(len(labels), dtype=np.intp)
    for at, (_, test) in enumerate(StratifiedKFold(FOLDS).split(labels, labels)):
        fold[test] = at
    return fold * CLASSES + labels


def _beside_bare_passes(table: DiskTable, model: Any, groups: np.ndarray, repeats: int) -> dict[str, Any]:
    model.fit(table.array()[: table.rows_of_block], table.labels[: table.rows_of_block])  # loads what is compiled
    forget_peak()
    with candidates_found() as candidates:
        model.fit(table.array(), table.labels)
    peak = peak_bytes()
    # Which means the rows are compared with changes nothing in the time.
    parts = [candidate_sets(owners, model.centroids_) for owners in candidates]
    works: dict[str, Callable[[], object]] = {
        "gram": partial(bare_gram_pass, table, groups),
        "scoring": partial(bare_scoring_pass, table, parts),
        "fit": lambda: model.fit(table.array(), table.labels),
        "scoring one": partial(bare_scoring_pass, table, [candidate_sets(model.owner_[None], model.centroids_)]),
    }
    times = in_turns(works, repeats, warm=False)
    bare = np.add(times["gram"], times["scoring"])
    return {
        "candidates": sum(len(owners) for owners in candidates),
        "sets": sum(len(held) for sets in parts for held in sets.held),
        "seconds": {name: spread(taken) for name, taken in times.items()},
        "ratio": ratio(times["fit"], bare),
        "ratio_one": ratio(times["fit"], np.add(times["gram"], times["scoring one"])),
        "peak": peak,
    }


if __name__ == "__main__":
    print(json.dumps(answer(**json.loads(sys.argv[1]))))
