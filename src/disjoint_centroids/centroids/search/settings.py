"""Settings of a search, which all of its parts read."""

from __future__ import annotations

from dataclasses import dataclass, replace

from disjoint_centroids.centroids.search.pruning import PRUNING, Pruning
from disjoint_centroids.numerics.types import OwnerArray


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a search.

    Attributes
    ----------
    n_init : int
        Restarts that should count.
    init : str or array of shape (n_starts, n_features)
        A kind of start (``KINDS``), or starting owners in class numbers with -1 for I_0.
    by_error : bool
        Whether the best restart is the one with the least training error (ties: risk) or that with the least risk.
    refine : bool
        Whether single-feature moves that lower the training loss follow.
    seed : int
        Everything random follows from it.
    pruning : Pruning or None
        When Lloyd's algorithm skips features that cannot have changed hands; None: never. The answer is the same.
    n_repaired : int
        Abandoned restarts, at most, that are repaired at a lambda at which no restart survived.
    """

    n_init: int
    init: str | OwnerArray
    by_error: bool
    max_iter: int
    n_threads: int
    seed: int
    refine: bool = False
    pruning: Pruning | None = PRUNING
    n_repaired: int = 20

    def with_init(self, init: str) -> Settings:
        """Copy of the settings with another kind of start."""
        return replace(self, init=init)
