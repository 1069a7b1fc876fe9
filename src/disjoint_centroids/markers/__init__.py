"""Marker lists of single-cell tables (AnnData)."""

from typing import TYPE_CHECKING

from disjoint_centroids._lazy import lazy_names

if TYPE_CHECKING:
    from disjoint_centroids.markers.anndata import disjoint_markers, disjoint_markers_df

__all__ = [
    "disjoint_markers",
    "disjoint_markers_df",
]

__getattr__ = lazy_names(
    __name__,
    {
        "disjoint_markers": "anndata",
        "disjoint_markers_df": "anndata",
    },
)


def __dir__() -> list[str]:
    return __all__
