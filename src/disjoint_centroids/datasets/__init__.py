"""Tables: the paper's simulations, the 35 cancer gene expression sets of de Souto et al., and users' own files."""

from disjoint_centroids.datasets.blocks import SIMULATIONS, make_blocks, simulation
from disjoint_centroids.datasets.compcancer import compcancer_sets, fetch_compcancer
from disjoint_centroids.datasets.gene_rows import read_gene_rows
from disjoint_centroids.datasets.labelled_table import LabelledTable
from disjoint_centroids.datasets.parts import Parts, open_parts
from disjoint_centroids.datasets.problems import TableProblems
from disjoint_centroids.datasets.reading import read_table
from disjoint_centroids.datasets.scale import raw_intensities

__all__ = [
    "SIMULATIONS",
    "LabelledTable",
    "Parts",
    "TableProblems",
    "compcancer_sets",
    "fetch_compcancer",
    "make_blocks",
    "open_parts",
    "raw_intensities",
    "read_gene_rows",
    "read_table",
    "simulation",
]
