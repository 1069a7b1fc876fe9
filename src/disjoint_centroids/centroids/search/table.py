"""Protocol of a training table, in whatever form it is kept."""

from __future__ import annotations

from typing import Protocol

from disjoint_centroids.centroids.search.supports import Support, Supports
from disjoint_centroids.numerics.types import FloatArray, IntArray


class Table(Protocol):
    """The training samples as the search sees them.

    Attributes
    ----------
    divided : bool
        Whether distances are divided by the weight of the support (the dn norm) or not (Euclidean).
    """

    @property
    def n_features(self) -> int: ...

    @property
    def n_classes(self) -> int: ...

    @property
    def divided(self) -> bool: ...

    def supports(self) -> Supports:
        """Every support in its cheapest form."""

    def squared_gaps(self, label: int, groups: list[IntArray], features: IntArray | None) -> FloatArray:
        """Weighted sums of squared differences between features and the mean column of each group of features.

        Over the samples of a support: (groups, features). Of all features, if none are named. Infinite for a group
        without members. As exact as can be: this decides where inner products cannot.
        """

    def squared_lengths(self, support: Support, features: IntArray) -> FloatArray:
        """Weighted sums of squares of some features over the samples of a support."""
