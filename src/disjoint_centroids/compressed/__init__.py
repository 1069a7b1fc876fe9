"""Fits that never hold the table: one pass over the rows adds up what the search needs, a second judges what it found.

Where the rows come from is not known here: anything with the methods of ``Rows`` will do.
"""

from disjoint_centroids.compressed.cross_fit import CrossFit, cross_fit
from disjoint_centroids.compressed.rows import Labels, Rows, in_memory, read_rows
from disjoint_centroids.compressed.second_look import second_look
from disjoint_centroids.compressed.stream import Stream
from disjoint_centroids.compressed.training import CompressedTraining, compress

__all__ = [
    "CompressedTraining",
    "CrossFit",
    "Labels",
    "Rows",
    "Stream",
    "compress",
    "cross_fit",
    "in_memory",
    "read_rows",
    "second_look",
]
