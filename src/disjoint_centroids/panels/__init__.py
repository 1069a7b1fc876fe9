"""Classifier with disjoint panels of features, which the classes pick in rounds."""

from disjoint_centroids.panels.classifier import DisjointPanelClassifier

__all__ = ["DisjointPanelClassifier"]
