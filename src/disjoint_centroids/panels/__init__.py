"""Classifier with disjoint panels of features, which the classes pick in rounds."""

from disjoint_centroids.panels.classifier import DisjointPanelClassifier
from disjoint_centroids.panels.table_sums import TableSums

__all__ = ["DisjointPanelClassifier", "TableSums"]
