"""Numerics that both methods share: arrays in, arrays out."""

from disjoint_centroids.numerics.cautious import cautious_temperature
from disjoint_centroids.numerics.moments import Moments, class_moments
from disjoint_centroids.numerics.ranks import CANCELLED, few_digits
from disjoint_centroids.numerics.temperature import fit_temperature
from disjoint_centroids.numerics.threads import default_threads, one_thread_a_product, threads_for
from disjoint_centroids.numerics.types import TIE

__all__ = [
    "CANCELLED",
    "TIE",
    "Moments",
    "cautious_temperature",
    "class_moments",
    "default_threads",
    "few_digits",
    "fit_temperature",
    "one_thread_a_product",
    "threads_for",
]
