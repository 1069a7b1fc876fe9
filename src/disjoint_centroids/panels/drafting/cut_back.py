"""Backward steps after a draft: a panel that was drafted too long is cut back to size, the weakest features first.

A greedy pick depends on what was unexplained at that time; later picks may make it superfluous.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from disjoint_centroids.numerics.ranks import few_digits
from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray
from disjoint_centroids.panels.drafting.draft import Draft
from disjoint_centroids.panels.drafting.ridge import RidgeSolver, own_coefficients

_SHARE = 5  # a fifth of a panel goes at a time


def cut_back(
    draft: Draft, sizes: Mapping[int, IntArray], total: float, *, upward: bool = False, refused: BoolArray | None = None
) -> dict[int, IntArray]:
    """Cut panels back to size: positions of the picks that are kept, for each number of rounds.

    Smaller panels lie within larger ones. The weakest feature, which goes first, is the one whose contributions to the
    scores of all classes vary least over the samples, in sum.

    Parameters
    ----------
    draft : Draft
        The longer draft.
    sizes : mapping of int to array of shape (n_classes,)
        Number of picks that every class keeps, by number of rounds. Those forced always stay, even if they are more.
    total : float
        Weight of the samples.
    upward : bool
        True if a feature must have a positive coefficient in the score of its class: those that have not go first.
    refused : boolean array of shape (n_picks,), default=None
        Picks that go before all others, whatever they add.
    """
    kept: IntArray = np.arange(draft.features.size) if refused is None else np.flatnonzero(~refused)
    found: dict[int, IntArray] = {}
    for n_rounds in sorted(sizes, reverse=True):
        # In a part that lacks a class, the others may have been forced to take more than a panel may have.
        n_forced = np.bincount(draft.owners[: draft.counts[0]], minlength=sizes[n_rounds].size)
        wanted = np.maximum(sizes[n_rounds], n_forced)
        while (np.bincount(draft.owners[kept], minlength=wanted.size) > wanted).any():
            spread = _spread(draft, kept, total, upward=upward)
            stay = [_stronger(draft, kept, spread, j, int(size)) for j, size in enumerate(wanted)]
            kept = np.sort(np.concatenate(stay))
        found[n_rounds] = kept
    return found


def columns_of(picks: IntArray, per_feature: int) -> IntArray:
    """Positions of the columns of some picks."""
    columns: IntArray = (picks[:, None] * per_feature + np.arange(per_feature)).ravel()
    return columns


def _spread(draft: Draft, kept: IntArray, total: float, *, upward: bool) -> FloatArray:
    """Variance over the samples of the contributions of each pick, summed over the classes.

    With ``upward`` zero for picks whose linear coefficient is negative in the score of their class.
    """
    plan = draft.plan
    columns = columns_of(kept, plan.per_feature)
    gram = draft.picked.gram[np.ix_(columns, columns)]
    owners, known = draft.column_owners()[columns], draft.ridge.known
    solver = RidgeSolver(gram, draft.picked.right[columns], owners, known, plan.penalty, total, own=plan.own)
    found = solver.coefficients()
    by_pick = found.reshape(kept.size, plan.per_feature, -1)
    blocks = gram.reshape(kept.size, plan.per_feature, kept.size, plan.per_feature)
    own = blocks[np.arange(kept.size), :, np.arange(kept.size)]
    spread: FloatArray = np.einsum("paj,pab,pbj->p", by_pick, own, by_pick)
    if upward and plan.terms != "squared":
        spread[own_coefficients(by_pick[:, 0], draft.owners[kept], known) < 0.0] = 0.0
    return spread


def _stronger(draft: Draft, kept: IntArray, spread: FloatArray, label: int, size: int) -> IntArray:
    """Picks of a class that one cut leaves; those forced stay, and ties go to the earlier pick."""
    own = np.flatnonzero(draft.owners[kept] == label)
    is_forced = kept[own] < draft.counts[0]
    forced, free = own[is_forced], own[~is_forced]
    to_keep = max(size - forced.size, free.size - max(1, free.size // _SHARE), 0)
    best = np.argsort(-few_digits(spread[free]), kind="stable")[:to_keep]
    left: IntArray = kept[np.concatenate([forced, free[best]])]
    return left
