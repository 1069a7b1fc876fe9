"""Draft of features: in every round each class gets the feature that lowers the loss of its score most.

The score of a class is a ridge regression on the columns of its own features, and only differences between scores
count: the residuals of a sample are centred over the classes. A round is one product of the table with the residuals
of all classes, a matching of classes with features that gains most in sum, and a refit of every class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from disjoint_centroids.numerics.ranks import SAME, few_digits
from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray
from disjoint_centroids.panels.drafting.columns import Columns
from disjoint_centroids.panels.drafting.ridge_fit import JointRidge, indicator_residuals
from disjoint_centroids.panels.drafting.softmax_fit import Scores
from disjoint_centroids.panels.drafting.terms import PanelColumns

_NOTHING = 1e-12  # a gain of less than this share of the loss is rounding
_FREE = 1e-9  # what costs nothing is taken to cost this share of the dearest


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
    """

    allowed: BoolArray
    forced: tuple[tuple[int, ...], ...]
    shared_out: tuple[int, ...] = ()
    per_class: int = 2**31
    in_all: int = 2**31
    costs: FloatArray | None = None
    budget: float = np.inf


@dataclass(frozen=True, slots=True)
class Draft:
    """Picks of every class, in their order.

    Attributes
    ----------
    picks : tuple of n_classes arrays
        Features of each class, in the order of picking; those forced come first.
    counts : array of shape (n_rounds + 1, n_classes)
        Number of picks of each class before the first round (those forced), after the first, and so on.
    ridge : JointRidge
        The regression that guided the picks, with ``columns_per_feature`` columns for each of them.
    """

    picks: tuple[IntArray, ...]
    counts: IntArray
    ridge: JointRidge
    columns_per_feature: int

    @property
    def n_rounds(self) -> int:
        return len(self.counts) - 1

    def panels(self, n_rounds: int) -> tuple[IntArray, ...]:
        """Panels after some rounds (after the last, if there were fewer)."""
        counts = self.counts[min(n_rounds, self.n_rounds)]
        return tuple(picks[:count] for picks, count in zip(self.picks, counts, strict=True))

    def scores(self, n_rounds: int) -> Scores:
        """Regression after some rounds: coefficients of every class on the columns of its picks."""
        size = self.columns_per_feature * int(self.counts[min(n_rounds, self.n_rounds)].sum())
        coefficients, owners = self.ridge.coefficients(size), self.ridge.owners(size)
        by_class = tuple(coefficients[owners == j] for j in range(len(self.picks)))
        return Scores(by_class, np.zeros(len(self.picks)))


def draft(
    columns: Columns,
    terms: PanelColumns,
    codes: IntArray,
    weights: FloatArray,
    *,
    rules: Rules,
    n_rounds: int,
    penalty: float,
) -> Draft:
    """Run a draft of at most ``n_rounds`` rounds. ``weights`` are balanced: they have the same sum in every class."""
    state = _State(columns, terms, codes, weights, rules, n_rounds, penalty)
    state.seat_forced()
    counts = [state.counts()]
    for _ in range(n_rounds):
        if not state.run_round():
            break
        counts.append(state.counts())
    picks = tuple(np.array(own, dtype=np.intp) for own in state.picks)
    return Draft(picks, np.array(counts, dtype=np.intp), state.ridge, terms.per_feature)


class _State:
    """A draft in progress."""

    def __init__(
        self,
        columns: Columns,
        terms: PanelColumns,
        codes: IntArray,
        weights: FloatArray,
        rules: Rules,
        n_rounds: int,
        penalty: float,
    ) -> None:
        n_classes = len(rules.forced)
        self.columns, self.terms, self.weights, self.rules, self.penalty = columns, terms, weights, rules, penalty
        self.free = rules.allowed.copy()
        self.costs = np.zeros(self.free.size) if rules.costs is None else rules.costs
        self.left = rules.budget
        self.n_picked = 0
        self.total = float(weights.sum())
        self.residual = indicator_residuals(codes, n_classes)
        self.least_gain = _NOTHING * float(weights @ (self.residual**2).sum(axis=1)) * self.total
        n_forced = sum(map(len, rules.forced)) + len(rules.shared_out)
        room = min(int(rules.allowed.sum()), rules.in_all, n_classes * n_rounds + n_forced)
        self.picks: list[list[int]] = [[] for _ in rules.forced]
        self.ridge = JointRidge(codes, weights, n_classes, penalty, terms.per_feature * room)
        self.preference = _preference(columns, weights)

    def counts(self) -> list[int]:
        return [len(own) for own in self.picks]

    def seat_forced(self) -> None:
        """Give the classes their forced features, and match them with the features that any of them must take."""
        self._enter([(j, feature) for j, features in enumerate(self.rules.forced) for feature in features])
        wanted = np.zeros_like(self.free)
        wanted[list(self.rules.shared_out)] = True
        while (wanted & self.free).any():
            gains = self._gains()
            pairs = self._match(gains, wanted & self.free, np.ones_like(gains, dtype=bool))
            if not pairs:  # every class that may still pick has as many as it may have
                break
            self._enter(pairs)

    def run_round(self) -> bool:
        """Give one feature to every class that gains by one and may have it; True if any class picked."""
        gains = self._gains()
        has_none = np.array(self.counts()) == 0
        # A class without any feature takes even one that gains nothing: it needs one to have a score.
        is_wanted = has_none[:, None] | (gains > self.least_gain)
        pairs = self._match(self._worth(gains), self.free & (self.costs <= self.left), is_wanted)
        pairs = self._affordable(pairs)
        self._enter(pairs)
        return bool(pairs)

    def _gains(self) -> FloatArray:
        """Decrease of the loss if a class takes a feature, (n_classes, n_features)."""
        gains = self.terms.gains(self.columns, self.weights[:, None] * self.residual, self.penalty)
        gains[:, np.flatnonzero(~self.free)] = 0.0
        # Equal gains differ in the last bits, which depend on the machine: they are rounded, and ordered by preference.
        unit = SAME * gains.max(axis=1, keepdims=True)
        unit[unit == 0.0] = 1.0
        gains /= unit
        np.round(gains, out=gains)
        gains += np.where(gains > 0, self.preference, 0.0)
        gains *= unit
        return gains

    def _worth(self, gains: FloatArray) -> FloatArray:
        """Gains per cost if there is a budget; a feature without cost counts as almost free."""
        dearest = float(self.costs.max())
        if dearest == 0.0 or not np.isfinite(self.rules.budget):
            return gains
        return gains / np.maximum(self.costs, _FREE * dearest)

    def _match(self, worth: FloatArray, is_open: BoolArray, is_wanted: BoolArray) -> list[tuple[int, int]]:
        """Pairs (class, feature) with the largest sum of worths, the most promising first."""
        may_pick = np.flatnonzero(np.array(self.counts()) < self.rules.per_class)
        is_possible = is_wanted & is_open
        if not is_possible[may_pick].any():
            return []
        # An unwanted pair is worth a little less than no pair.
        worth = np.where(is_possible, worth, -_NOTHING * (worth.max() or 1.0))
        # As many features per class as there are classes suffice: a class is pushed down its list by the others only.
        best = np.unique(np.concatenate([_largest(worth[j], may_pick.size) for j in may_pick]))
        rows, at = linear_sum_assignment(worth[np.ix_(may_pick, best)], maximize=True)
        pairs = [(int(may_pick[r]), int(best[c])) for r, c in zip(rows, at, strict=True)]
        return sorted((p for p in pairs if is_possible[p]), key=lambda p: (-worth[p], p))

    def _affordable(self, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Pairs that budget and bound leave room for, the most promising first."""
        kept: list[tuple[int, int]] = []
        left = self.left
        for j, feature in pairs:
            if self.costs[feature] <= left and self.n_picked + len(kept) < self.rules.in_all:
                kept.append((j, feature))
                left -= self.costs[feature]
        return kept

    def _enter(self, pairs: list[tuple[int, int]]) -> None:
        """Give features to classes, and refit the scores of all classes."""
        if not pairs:
            return
        for j, feature in pairs:
            self.free[feature] = False
            self.left -= float(self.costs[feature])
            self.picks[j].append(feature)
        self.n_picked += len(pairs)
        new = [
            self.terms.of_class(j, self.columns.dense(np.array([feature])), np.array([feature])) for j, feature in pairs
        ]
        owners = np.repeat([j for j, _ in pairs], self.terms.per_feature)
        self.ridge.add(np.concatenate(new, axis=1), owners)
        self.residual = self.ridge.residuals()


def _largest(numbers: FloatArray, n_wanted: int) -> IntArray:
    """Positions of the largest numbers; of equal ones the first."""
    if n_wanted >= numbers.size:
        return np.arange(numbers.size)
    least = np.partition(numbers, -n_wanted)[-n_wanted]
    above = np.flatnonzero(numbers > least)
    return np.concatenate([above, np.flatnonzero(numbers == least)[: n_wanted - above.size]])


def _preference(columns: Columns, weights: FloatArray) -> FloatArray:
    """Number between 0 and a half for every feature, which orders features of equal gain by the data.

    Two features may gain the same and still differ: on other samples of the same class, in sign or in unit. Neither
    the order of the columns nor that of the samples or classes enters: the feature that weighs more in samples far
    from the centre comes first, then that of the larger scale, then that of the larger centre. Features that are equal
    in all of this are copies of each other, and the first of them comes first.
    """
    standard = columns.standard
    far = columns.products((weights * columns.squared_norms())[:, None])[0]
    order = np.lexsort((-few_digits(standard.center), -few_digits(standard.scale), -few_digits(far)))
    preference = np.empty(order.size)
    preference[order] = np.linspace(0.5, 0.0, order.size, endpoint=False)
    return preference
