"""Marker lists: found in single-cell tables (AnnData), and judged, whoever chose them."""

from disjoint_centroids.markers.anndata import disjoint_markers, disjoint_markers_df
from disjoint_centroids.markers.anndata_alternates import marker_alternates
from disjoint_centroids.markers.evaluation import MarkerEvaluation, evaluate_markers

__all__ = ["MarkerEvaluation", "disjoint_markers", "disjoint_markers_df", "evaluate_markers", "marker_alternates"]
