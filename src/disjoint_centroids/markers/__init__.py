"""Marker lists of single-cell tables (AnnData)."""
