"""Disjoint panels of features that the classes draft: our own classifier."""

from disjoint_centroids.panels.classifier import DisjointPanelClassifier

__all__ = ["DisjointPanelClassifier"]
