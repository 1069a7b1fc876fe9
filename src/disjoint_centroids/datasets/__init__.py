"""Example tables: the paper's simulations, and the 35 cancer gene expression sets of de Souto et al."""

from disjoint_centroids.datasets.compcancer import compcancer_sets, fetch_compcancer
from disjoint_centroids.datasets.simulations import SIMULATIONS, make_blocks, simulation

__all__ = ["SIMULATIONS", "compcancer_sets", "fetch_compcancer", "make_blocks", "simulation"]
