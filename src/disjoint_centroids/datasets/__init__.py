"""Example tables: the paper's simulations, 35 cancer gene expression sets of de Souto et al., and single-cell sets."""

from disjoint_centroids.datasets.compcancer import compcancer_sets, fetch_compcancer
from disjoint_centroids.datasets.simulations import SIMULATIONS, make_blocks, simulation
from disjoint_centroids.datasets.single_cell import fetch_single_cell, single_cell_sets

__all__ = [
    "SIMULATIONS",
    "compcancer_sets",
    "fetch_compcancer",
    "fetch_single_cell",
    "make_blocks",
    "simulation",
    "single_cell_sets",
]
