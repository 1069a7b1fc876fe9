"""Rules of a draft: which features a class may or must own, how many, and at what cost."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from disjoint_centroids.numerics.types import BoolArray, FloatArray
from disjoint_centroids.panels.drafting.standard import Standard


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules of a draft: features that classes may or must pick, bounds and costs.

    Attributes
    ----------
    allowed : boolean array of shape (n_features,)
        Features that may be picked.
    forced : tuple of n_classes tuples of int
        Features that a class has from the start.
    shared_out : tuple of int
        Features that must be picked, by any class.
    per_class, in_all : int
        Bounds on the number of features.
    costs : array of shape (n_features,) or None
        Cost of each feature; None: nothing.
    budget : float
        Largest sum of the costs.
    least : int
        Number of features that a class takes even if they gain nothing: one, because it needs one to have a score.
    promised : bool
        True if every class must have ``least`` features: what another class needs for that is not picked.
    upward : bool
        True if a class may own only features whose mean is higher in it than in the other classes on average, and
        that are zero in no larger share of its samples than of the others, if zeros were counted.
    window : pair of floats
        Smallest and largest mean that a feature may have in the class that owns it, in the units of the table: of the
        values as they were measured, even where effects of batches are taken off.
    """

    allowed: BoolArray
    forced: tuple[tuple[int, ...], ...]
    shared_out: tuple[int, ...] = ()
    per_class: int = 2**31
    in_all: int = 2**31
    costs: FloatArray | None = None
    budget: float = np.inf
    least: int = 1
    promised: bool = False
    upward: bool = False
    window: tuple[float, float] = (-np.inf, np.inf)

    @property
    def asks_means(self) -> bool:
        """True if class means decide which features a class may own."""
        return self.upward or self.window != (-np.inf, np.inf)

    def may_own(self, standard: Standard) -> BoolArray:
        """Features that each class may own, by its means in a training part: (n_classes, n_features)."""
        measured, (low, high) = standard.measured, self.window
        found = np.broadcast_to(self.allowed, measured.shape) & standard.known[:, None]
        if self.upward:
            found = found & (standard.centroids > 0) & ~standard.is_off_more()  # centroids have a mean of zero
        allowed: BoolArray = found & (measured >= low) & (measured <= high)
        return allowed


def rules_in_units_of(rules: Rules, unit: float) -> Rules:
    """Rules for a table that was divided by ``unit``."""
    low, high = rules.window
    return replace(rules, window=(low / unit, high / unit))


def with_longer_panels(rules: Rules, factor: int) -> Rules:
    """Rules of a draft that is cut back afterwards, with panels that may be longer by a factor."""
    return replace(rules, per_class=rules.per_class * factor)
