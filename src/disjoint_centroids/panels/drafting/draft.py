"""Draft of features: in every round each class gets the feature that lowers the loss of its score most.

A ridge regression of the class indicators on the columns picked so far guides the draft: what it leaves of the
indicators says what each feature could still gain. A round needs the inner products of all features with what is left,
a matching of classes with features that gains most in sum, and a step of the regression. The drafts of all training
parts and kinds of terms run side by side, so that their products can be taken together.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import linear_sum_assignment

from disjoint_centroids.numerics.ranks import CANCELLED, SAME, few_digits
from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray
from disjoint_centroids.panels.drafting.minimum import least_cost
from disjoint_centroids.panels.drafting.products import Left, NewColumns, Picked, Source
from disjoint_centroids.panels.drafting.ridge import GrowingRidge
from disjoint_centroids.panels.drafting.rules import Rules

TermsKind = Literal["linear", "squared", "both"]
TERMS: tuple[TermsKind, ...] = ("linear", "squared", "both")

_NOTHING = 1e-12  # a gain of less than this share of the loss is rounding
_FORBIDDEN = -1.0  # stands for the gain of a feature that a class may not own
_FREE = 1e-9  # what costs nothing is taken to cost this share of the dearest
_PREFERRED = 1e-6  # with two classes every linear gain is tied: a feature goes to the class in which it is high


@dataclass(frozen=True, slots=True)
class Plan:
    """One draft to run.

    Attributes
    ----------
    part : int
        The training part.
    terms : str
        Columns per feature: z, its squared gap to the owner's centroid, or both.
    own : bool
        True if a class reads its own columns only in the regression that guides the draft.
    penalty : float
        Ridge penalty of that regression, in units of the weight of the samples.
    n_rounds : int
        Most rounds.
    """

    part: int
    terms: TermsKind
    own: bool
    penalty: float
    n_rounds: int

    @property
    def per_feature(self) -> int:
        """Number of columns per feature."""
        return 2 if self.terms == "both" else 1


@dataclass(frozen=True, slots=True)
class Draft:
    """Picks of every class, in their order.

    Attributes
    ----------
    features, owners : arrays of shape (n_picks,)
        Picks of all classes in the order of entry, and the class of each; those forced come first.
    counts : array of shape (n_rounds + 1,)
        Number of picks before the first round (those forced), after the first, and so on.
    picked : Picked
        Their columns, ``plan.per_feature`` for each pick.
    ridge : GrowingRidge
        The regression that guided the picks.
    """

    plan: Plan
    features: IntArray
    owners: IntArray
    counts: IntArray
    picked: Picked
    ridge: GrowingRidge

    @property
    def n_rounds(self) -> int:
        return len(self.counts) - 1

    def n_picks(self, n_rounds: int) -> int:
        """Number of picks after some rounds (after the last, if there were fewer)."""
        return int(self.counts[min(n_rounds, self.n_rounds)])

    def column_owners(self) -> IntArray:
        """Class that owns each column."""
        return np.repeat(self.owners, self.plan.per_feature)


def run_drafts(
    source: Source, plans: Sequence[Plan], rules: Rules, tick: Callable[[], None] = lambda: None
) -> list[Draft]:
    """Run drafts side by side. ``tick`` is called after every round; rounds that were not needed count in the end."""
    states = [_State(source, plan, rules) for plan in plans]
    to_come = max(plan.n_rounds for plan in plans)
    running = {at: state.play() for at, state in enumerate(states)}
    for play in running.values():
        next(play)
    _enter_all(source, states)
    while running:
        left = source.left([states[at].fitted() for at in running])
        for at, found in zip(list(running), left, strict=True):
            try:
                running[at].send(found)
            except StopIteration:
                del running[at]
        _enter_all(source, states)
        tick()
        to_come -= 1
    for _ in range(to_come):
        tick()
    return [state.finished() for state in states]


def _enter_all(source: Source, states: Sequence[_State]) -> None:
    """Enter what classes have just picked in all drafts."""
    waiting = [state for state in states if state.new is not None]
    if waiting:
        source.enter([(state.picked, state.new) for state in waiting if state.new is not None])
        for state in waiting:
            state.refit()


class _State:
    """A draft in progress."""

    def __init__(self, source: Source, plan: Plan, rules: Rules) -> None:
        self.source, self.plan, self.rules = source, plan, rules
        self.standard = source.standards[plan.part]
        self.known = self.standard.known
        self.free = rules.allowed.copy()
        self.may_own = rules.may_own(self.standard) if rules.asks_means else None
        self.costs = np.zeros(self.free.size) if rules.costs is None else rules.costs
        self.left_to_spend = rules.budget
        n_known, total = int(self.known.sum()), self.standard.total
        self.least_gain = _NOTHING * 4.0 * (n_known - 1) / n_known * total**2
        n_forced = sum(map(len, rules.forced)) + len(rules.shared_out)
        room = min(int(rules.allowed.sum()), rules.in_all, n_known * plan.n_rounds + n_forced)
        self.features: list[int] = []
        self.owners: list[int] = []
        self.counts: list[int] = []
        self.picked = source.open(plan.part, plan.per_feature * room, with_squares=plan.terms != "linear")
        self.ridge = GrowingRidge(self.known, plan.penalty, total, plan.per_feature * room, own=plan.own)
        self.preference = _preference(source, plan.part)
        self.new: NewColumns | None = None

    def fitted(self) -> tuple[Picked, FloatArray]:
        """Columns, and coefficients of the centred scores."""
        return self.picked, self.ridge.centred_coefficients()

    def finished(self) -> Draft:
        features, owners = np.array(self.features, dtype=np.intp), np.array(self.owners, dtype=np.intp)
        return Draft(self.plan, features, owners, np.array(self.counts, dtype=np.intp), self.picked, self.ridge)

    def play(self) -> Generator[None, Left, None]:
        """Run the draft. Whenever it pauses, it must be sent the products with what its regression leaves."""
        forced = [(j, f) for j, features in enumerate(self.rules.forced) for f in features if self.known[j]]
        self._enter(forced)
        wanted = np.zeros_like(self.free)
        wanted[list(self.rules.shared_out)] = True
        while (wanted & self.free).any():
            gains = self._gains((yield))
            about = wanted & self.free, self.known, np.ones(self.free.size)
            pairs = self._reserving(gains.copy(), *about) or self._match(gains, *about)
            if not pairs:  # every class that may still pick has as many as it may have
                break
            self._enter(pairs)
        self.counts.append(len(self.features))
        for _ in range(self.plan.n_rounds):
            if not self._run_round(self._gains((yield))):
                return
            self.counts.append(len(self.features))

    def _run_round(self, gains: FloatArray) -> bool:
        """Give one feature to every class that gains by one and may have it; True if any class picked."""
        takes_any = self.known & (self._sizes() < self.rules.least)
        is_open = self.free & (self.costs <= self.left_to_spend)
        pairs = self._affordable(self._reserving(gains, is_open, takes_any, self._worth_of_unit()))
        self._enter(pairs)
        return bool(pairs)

    def _sizes(self) -> IntArray:
        return np.bincount(self.owners, minlength=self.known.size)

    def _gains(self, left: Left) -> FloatArray:
        """Decrease of the loss if a class takes a feature, times the weight of the samples; (n_classes, n_features).

        Of two columns the better counts. A squared gap counts only with a negative coefficient: being far from the
        centroid of a class is evidence against the class. A feature that must be higher in its class counts only with
        a positive coefficient. What a class may not own has a negative gain.
        """
        from disjoint_centroids.panels.drafting import kernels

        plan, n_known = self.plan, int(self.known.sum())
        share = (n_known - 1) / n_known
        free = self.free
        gains = np.zeros_like(left.linear)
        if plan.terms != "squared":
            divisors = (share if plan.own else 1.0) * self.standard.variance + plan.penalty
            linear = np.maximum(left.linear, 0.0) if self.rules.upward else left.linear
            kernels.linear_gains(linear, divisors, _PREFERRED, free, gains)
        if plan.terms != "linear":
            assert left.squared is not None
            assert self.source.gaps is not None
            gaps = self.source.gaps[plan.part]
            divisors = share * gaps.variances + plan.penalty
            kernels.squared_gains(
                left.linear, left.squared, self.standard.centroids, gaps.scales, divisors, free, gains
            )
        gains[~self.known] = 0.0
        if self.may_own is not None:
            gains[~self.may_own] = _FORBIDDEN
        return gains

    def _worth_of_unit(self) -> FloatArray:
        """Worth of a unit of gain: one over the cost if there is a budget. A feature without cost is almost free."""
        dearest = float(self.costs.max())
        if dearest == 0.0 or not np.isfinite(self.rules.budget):
            return np.ones(self.costs.size)
        return 1.0 / np.maximum(self.costs, _FREE * dearest)

    def _match(
        self, gains: FloatArray, is_open: BoolArray, takes_any: BoolArray, worth_of_unit: FloatArray
    ) -> list[tuple[int, int]]:
        """Pairs (class, feature) with the largest sum of worths, the most promising first."""
        from disjoint_centroids.panels.drafting import kernels

        may_pick = np.flatnonzero((self._sizes() < self.rules.per_class) & self.known)
        if not may_pick.size:
            return []
        # As many features per class as there are classes suffice: a class is pushed down its list by the others only.
        found = np.empty((self.known.size, may_pick.size), dtype=np.intp)
        kernels.best_features(gains, SAME, self.preference, worth_of_unit, is_open, self.least_gain, takes_any, found)
        best = np.unique(found[may_pick])
        best = best[best >= 0]
        if not best.size:
            return []
        own_gains = gains[np.ix_(may_pick, best)]
        worth = np.maximum(own_gains, 0.0) * worth_of_unit[best]
        is_wanted = ((own_gains > self.least_gain) | takes_any[may_pick, None]) & (own_gains >= 0.0)
        # Of two features of equal gain the preferred one goes to the class that gains more, whatever their order.
        most = worth.max(axis=1)
        rank = np.unique(few_digits(most), return_inverse=True)[1] / most.size
        tilted = worth + SAME * np.outer(most * rank, self.preference[best])
        # An unwanted pair is worth a little less than no pair.
        tilted = np.where(is_wanted, tilted, -_NOTHING * (worth.max() or 1.0))
        rows, at = linear_sum_assignment(tilted, maximize=True)
        pairs = [
            (worth[r, c], int(may_pick[r]), int(best[c])) for r, c in zip(rows, at, strict=True) if is_wanted[r, c]
        ]
        return [(j, f) for _, j, f in sorted(pairs, key=lambda pair: (-pair[0], *pair[1:]))]

    def _reserving(
        self, gains: FloatArray, is_open: BoolArray, takes_any: BoolArray, worth_of_unit: FloatArray
    ) -> list[tuple[int, int]]:
        """Match classes with features such that every class can still reach the number that it is promised.

        Changes ``gains``: a pair after which that is impossible is forbidden, and classes are matched again.
        """
        if not (self.rules.promised and self._needs([]).any() and self._leaves_enough([])):
            return self._match(gains, is_open, takes_any, worth_of_unit)
        while True:
            kept: list[tuple[int, int]] = []
            refused: list[tuple[int, int]] = []
            for pair in self._match(gains, is_open, takes_any, worth_of_unit):
                (kept if self._leaves_enough([*kept, pair]) else refused).append(pair)
            if not refused:
                return kept
            for j, feature in refused:
                needs = self._needs(kept)
                # Of a class that needs nothing more, it is the feature that cannot be spared, whoever takes it.
                gains[needs == 0 if needs[j] == 0 else j, feature] = _FORBIDDEN

    def _needs(self, pairs: list[tuple[int, int]]) -> IntArray:
        """Number of features that each class lacks to what it is promised, once some pairs are entered."""
        sizes = np.bincount([*self.owners, *(j for j, _ in pairs)], minlength=self.known.size)
        return np.where(self.known, np.maximum(self.rules.least - sizes, 0), 0)

    def _leaves_enough(self, pairs: list[tuple[int, int]]) -> bool:
        """True if every class can still reach what it is promised, within the bounds, once some pairs are entered."""
        needs, features = self._needs(pairs), [feature for _, feature in pairs]
        if len(self.features) + len(pairs) + needs.sum() > self.rules.in_all:
            return False
        free = self.free.copy()
        free[features] = False
        may_own = np.broadcast_to(free, (needs.size, free.size)) if self.may_own is None else self.may_own & free
        left = self.left_to_spend - float(self.costs[features].sum())
        costs = self.costs if np.isfinite(left) else np.zeros(free.size)
        cost = least_cost(needs, may_own, costs)
        return cost is not None and cost <= left

    def _affordable(self, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Pairs that budget and bound leave room for, the most promising first."""
        kept: list[tuple[int, int]] = []
        left = self.left_to_spend
        for j, feature in pairs:
            if self.costs[feature] <= left and len(self.features) + len(kept) < self.rules.in_all:
                kept.append((j, feature))
                left -= self.costs[feature]
        return kept

    def _enter(self, pairs: list[tuple[int, int]]) -> None:
        """Give features to classes; their columns are entered together with those of other drafts."""
        if not pairs:
            return
        owners, features = (np.array(column, dtype=np.intp) for column in zip(*pairs, strict=True))
        self.free[features] = False
        self.left_to_spend -= float(self.costs[features].sum())
        self.features += features.tolist()
        self.owners += owners.tolist()
        self.new = self._columns(features, owners)

    def refit(self) -> None:
        """Fit the scores of all classes again, after the new columns were entered."""
        assert self.new is not None
        m = self.new.features.size
        owners = np.array(self.owners[-(m // self.plan.per_feature) :], dtype=np.intp)
        gram, right = self.picked.gram[:, -m:], self.picked.right[-m:]
        self.ridge.add(gram, right, np.repeat(owners, self.plan.per_feature))
        self.new = None

    def _columns(self, features: IntArray, owners: IntArray) -> NewColumns:
        """Columns of features in the hands of their owners: z, the standardised squared gap, or both in turn."""
        ones, zeros = np.ones(features.size), np.zeros(features.size)
        if self.plan.terms == "linear":
            return NewColumns(features, ones, zeros)
        assert self.source.gaps is not None
        scales = self.source.gaps[self.plan.part].scales[owners, features]
        on_z = -2.0 * self.standard.centroids[owners, features] / scales
        if self.plan.terms == "squared":
            return NewColumns(features, on_z, 1.0 / scales)
        in_turn = (np.stack(pair, axis=1).ravel() for pair in ((ones, on_z), (zeros, 1.0 / scales)))
        return NewColumns(np.repeat(features, 2), *in_turn)


def _preference(source: Source, part: int) -> FloatArray:
    """Number between 0 and a half for every feature, which orders features of equal gain by the data.

    Two features may gain the same and still differ: on other samples of the same class, in sign or in unit. Neither
    the order of the columns nor that of the samples or classes enters: the feature that goes more with the sum of all
    features comes first, then that of the larger scale, then that of the larger centre. Features that are equal in all
    of this are copies of each other, and the first of them comes first.
    """
    standard = source.standards[part]
    # Where every column has its mirror image, such as both categories of a mutation, the features sum to rounding.
    spread = np.sqrt(standard.variance)
    together = few_digits(source.sum_products(part), CANCELLED * standard.total * spread.max() * spread.sum())
    order = np.lexsort((-few_digits(standard.center), -few_digits(standard.scale), -together))
    preference = np.empty(order.size)
    preference[order] = np.linspace(0.5, 0.0, order.size, endpoint=False)
    return preference
