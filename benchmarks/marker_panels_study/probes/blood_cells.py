"""The blood cells that come with scanpy, on the logarithmic scale of their ``raw``, written for the other programs."""

from __future__ import annotations

import sys

import numpy as np
import scanpy as sc

if __name__ == "__main__":
    cells = sc.datasets.pbmc68k_reduced()
    values = cells.raw.to_adata().X.toarray().astype(np.float64)
    np.savez_compressed(sys.argv[1], values=values, labels=cells.obs["bulk_labels"].to_numpy(dtype=str))
