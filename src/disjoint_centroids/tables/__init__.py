"""Readers of users' tables, which report every problem of a file at once."""

from typing import TYPE_CHECKING

from disjoint_centroids._lazy import lazy_names

if TYPE_CHECKING:
    from disjoint_centroids.tables.labelled_table import LabelledTable
    from disjoint_centroids.tables.parts import Parts, open_parts
    from disjoint_centroids.tables.problems import TableProblems
    from disjoint_centroids.tables.reading import read_table
    from disjoint_centroids.tables.scale import raw_intensities

__all__ = [
    "LabelledTable",
    "Parts",
    "TableProblems",
    "open_parts",
    "raw_intensities",
    "read_table",
]

_find = lazy_names(
    __name__,
    {
        "labelled_table": ["LabelledTable"],
        "parts": ["Parts", "open_parts"],
        "problems": ["TableProblems"],
        "reading": ["read_table"],
        "scale": ["raw_intensities"],
    },
)
if not TYPE_CHECKING:  # a type checker would believe every misspelt name
    __getattr__ = _find


def __dir__() -> list[str]:
    return __all__
