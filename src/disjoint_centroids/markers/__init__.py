"""Marker lists of single-cell tables (AnnData)."""

from disjoint_centroids.markers.anndata import disjoint_markers, disjoint_markers_df

__all__ = ["disjoint_markers", "disjoint_markers_df"]
