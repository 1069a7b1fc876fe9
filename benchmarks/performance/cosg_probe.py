"""COSG on the blocks of a sparse table, by itself: it runs in an environment that has ``cosg`` and not this package."""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path


def answer(folder: str, p: int, n_blocks: int, n_genes: int) -> dict[str, float]:
    """Read the blocks into one AnnData, and time COSG on it."""
    import anndata
    import cosg
    import numpy as np
    from scipy import sparse

    parts = []
    for at in range(n_blocks):
        data, indices, indptr = (np.load(Path(folder) / f"{at}-{name}.npy") for name in ("data", "indices", "indptr"))
        parts.append(sparse.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, p)))
    table = anndata.AnnData(sparse.vstack(parts, format="csr"))
    del parts
    kinds = np.load(Path(folder) / "labels.npy")
    table.obs["kind"] = [f"type {code}" for code in kinds]
    table.obs["kind"] = table.obs["kind"].astype("category")
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins again at what is in use now
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cosg.cosg(table, key_added="cosg", mu=1, n_genes_user=n_genes, groupby="kind")
    taken = time.process_time() - began
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
    return {"seconds": taken, "peak": peak}


if __name__ == "__main__":
    print(json.dumps(answer(**json.loads(sys.argv[1]))))
