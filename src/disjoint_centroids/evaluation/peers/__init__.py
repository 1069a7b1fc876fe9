"""Classifiers of others, as R's packages run them."""

from disjoint_centroids.evaluation.peers.classifiers import L1LogisticCV, ShrunkenCentroidCV, inner_splitter

__all__ = ["L1LogisticCV", "ShrunkenCentroidCV", "inner_splitter"]
