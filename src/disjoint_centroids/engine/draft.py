"""The draft: in rounds, every class gets a feature of its own, the one that helps its score most where it still errs.

The score of a class is a ridge regression on the columns of its own features, and only differences between scores
count: the residuals of a sample are centred over the classes. A round is one product of the table with the residuals
of all classes, a matching of classes with features that gains most in sum, and a refit of every class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dposv
from scipy.optimize import linear_sum_assignment

from disjoint_centroids.engine.columns import Columns
from disjoint_centroids.engine.ridge_fit import indicator_residuals
from disjoint_centroids.engine.terms import PanelColumns
from disjoint_centroids.engine.types import BoolArray, FloatArray, IntArray

_NOTHING = 1e-12  # a gain of less than this share of the loss is rounding
_SAME = 1e-10  # gains that differ by less than this share of the class's largest are equal
_FREE = 1e-9  # what costs nothing is taken to cost this share of the dearest


@dataclass(frozen=True, slots=True)
class Rules:
    """Who may pick what.

    Attributes
    ----------
    allowed : boolean array of shape (n_features,)
        Features that may be picked.
    forced : tuple of n_classes tuples of int
        Features that a class has from the start.
    shared_out : tuple of int
        Features that must be in, whoever takes them.
    per_class, in_all : int
        Bounds on the number of features.
    costs : array of shape (n_features,) or None
        What each feature costs; None: nothing.
    budget : float
        What may be spent.
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
    """Who picked what, in which order.

    Attributes
    ----------
    picks : tuple of n_classes arrays
        Features of each class, in the order of picking; those forced come first.
    counts : array of shape (n_rounds + 1, n_classes)
        How many each class had before the first round (those forced), after the first, and so on.
    """

    picks: tuple[IntArray, ...]
    counts: IntArray

    @property
    def n_rounds(self) -> int:
        return len(self.counts) - 1

    def panels(self, n_rounds: int) -> tuple[IntArray, ...]:
        """The panels as they were after some rounds (after the last, if there were fewer)."""
        counts = self.counts[min(n_rounds, self.n_rounds)]
        return tuple(picks[:count] for picks, count in zip(self.picks, counts, strict=True))


class _Team:
    """One class: its picks, its columns, and the ridge regression on them."""

    def __init__(self, n_samples: int, capacity: int) -> None:
        self._matrix = np.empty((n_samples, capacity), order="F")
        self._gram = np.empty((capacity, capacity), order="F")
        self._size = 0
        self.picks: list[int] = []
        self.fitted: FloatArray = np.zeros(n_samples)

    def take(self, feature: int, new: FloatArray, weights: FloatArray) -> None:
        """Enter a feature's columns; the inner products of the older ones are not added up again."""
        begin, end = self._size, self._size + new.shape[1]
        self._matrix[:, begin:end] = new
        beside = self._matrix[:, :end].T @ (weights[:, None] * new)
        self._gram[:end, begin:end] = beside
        self._gram[begin:end, :end] = beside.T
        self._size = end
        self.picks.append(feature)

    def ridge(self, weighted_target: FloatArray, share: float, penalty: float) -> FloatArray:
        """The regression's values on the samples: gram times ``share`` plus ``penalty`` on the diagonal."""
        matrix = self._matrix[:, : self._size]
        system = share * self._gram[: self._size, : self._size]
        system[np.diag_indices_from(system)] += penalty
        # The public wrappers of this routine check and copy at length; there are thousands of small systems.
        _, coefficients, info = dposv(system, matrix.T @ weighted_target, overwrite_a=True, lower=True)
        assert info == 0  # a positive diagonal was added to inner products
        fitted: FloatArray = matrix @ coefficients
        return fitted


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
    """Let the classes pick. ``weights`` are balanced: every class has the same, and they sum to ``n``."""
    state = _State(columns, terms, codes, weights, rules, n_rounds, penalty)
    state.seat_forced()
    counts = [state.counts()]
    for _ in range(n_rounds):
        if not state.play_round():
            break
        counts.append(state.counts())
    return Draft(tuple(np.array(team.picks, dtype=np.intp) for team in state.teams), np.array(counts, dtype=np.intp))


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
        room = min(int(rules.allowed.sum()), rules.in_all)
        self.teams = [
            _Team(codes.size, terms.per_feature * min(n_rounds + len(given) + len(rules.shared_out), room))
            for given in rules.forced
        ]

    def counts(self) -> list[int]:
        return [len(team.picks) for team in self.teams]

    def seat_forced(self) -> None:
        """Give the classes what they must have, and let them match for what somebody must have."""
        for j, features in enumerate(self.rules.forced):
            for feature in features:
                self._seat(j, feature)
        for j, features in enumerate(self.rules.forced):
            if features:
                self._refit(j)
        wanted = np.zeros_like(self.free)
        wanted[list(self.rules.shared_out)] = True
        while (wanted & self.free).any():
            gains = self._gains()
            pairs = self._match(gains, wanted & self.free, np.ones_like(gains, dtype=bool))
            if not pairs:  # every class that may still pick has as many as it may have
                break
            self._enter(pairs)

    def play_round(self) -> bool:
        """One feature for every class that still wants and may have one; whether anybody picked."""
        gains = self._gains()
        has_none = np.array(self.counts()) == 0
        # Something is better than nothing at all: a class without any feature takes even one that gains nothing.
        is_wanted = has_none[:, None] | (gains > self.least_gain)
        pairs = self._match(self._worth(gains), self.free & (self.costs <= self.left), is_wanted)
        pairs = self._affordable(pairs)
        self._enter(pairs)
        return bool(pairs)

    def _gains(self) -> FloatArray:
        """How much the loss falls if a class takes a feature, (n_classes, n_features)."""
        gains = self.terms.gains(self.columns, self.weights[:, None] * self.residual, self.penalty)
        gains[:, np.flatnonzero(~self.free)] = 0.0
        # Equal columns differ in the last bits, which depend on the machine: what is equal goes to the lower index.
        unit = _SAME * gains.max(axis=1, keepdims=True)
        unit[unit == 0.0] = 1.0
        gains /= unit
        np.round(gains, out=gains)
        gains *= unit
        return gains

    def _worth(self, gains: FloatArray) -> FloatArray:
        """Gains for what they cost, if there is a budget; a feature that costs nothing is worth any other."""
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
        # No pair at all is worth nothing, and a little more than a pair that nobody wants.
        worth = np.where(is_possible, worth, -_NOTHING * (worth.max() or 1.0))
        # The best of every class are enough: nobody can be pushed further down than there are classes.
        best = np.unique(np.concatenate([_largest(worth[j], may_pick.size) for j in may_pick]))
        rows, at = linear_sum_assignment(worth[np.ix_(may_pick, best)], maximize=True)
        pairs = [(int(may_pick[r]), int(best[c])) for r, c in zip(rows, at, strict=True)]
        return sorted((p for p in pairs if is_possible[p]), key=lambda p: (-worth[p], p))

    def _affordable(self, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """The pairs that budget and bound leave room for, the most promising first."""
        kept: list[tuple[int, int]] = []
        left = self.left
        for j, feature in pairs:
            if self.costs[feature] <= left and self.n_picked + len(kept) < self.rules.in_all:
                kept.append((j, feature))
                left -= self.costs[feature]
        return kept

    def _enter(self, pairs: list[tuple[int, int]]) -> None:
        for j, feature in sorted(pairs):
            self._seat(j, feature)
        for j, _ in sorted(pairs):
            self._refit(j)

    def _seat(self, label: int, feature: int) -> None:
        self.free[feature] = False
        self.left -= float(self.costs[feature])
        self.n_picked += 1
        new = self.terms.of_class(label, self.columns.take(np.array([feature])), np.array([feature]))
        self.teams[label].take(feature, new, self.weights)

    def _refit(self, label: int) -> None:
        """The ridge regression of one class, the others as they are."""
        team, n_classes = self.teams[label], len(self.teams)
        share = (n_classes - 1) / n_classes  # how much of a score is left of itself after centring
        target = self.residual[:, label] + share * team.fitted
        fitted = team.ridge(self.weights * target, share, self.penalty * self.total)
        change = fitted - team.fitted
        team.fitted = fitted
        self.residual += change[:, None] / n_classes
        self.residual[:, label] -= change


def _largest(numbers: FloatArray, n_wanted: int) -> IntArray:
    """Where the largest numbers are; of equal ones the first."""
    if n_wanted >= numbers.size:
        return np.arange(numbers.size)
    least = np.partition(numbers, -n_wanted)[-n_wanted]
    above = np.flatnonzero(numbers > least)
    return np.concatenate([above, np.flatnonzero(numbers == least)[: n_wanted - above.size]])
