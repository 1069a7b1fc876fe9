"""Tables to try things on: the paper's simulations, the 35 cancer gene expression sets of de Souto et al."""

from disjoint_centroids.datasets.blocks import SIMULATIONS, make_blocks, simulation
from disjoint_centroids.datasets.compcancer import compcancer_sets, fetch_compcancer

__all__ = ["SIMULATIONS", "compcancer_sets", "fetch_compcancer", "make_blocks", "simulation"]
