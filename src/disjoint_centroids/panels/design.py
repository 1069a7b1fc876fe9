"""Rules for panels from the user's parameters: features that may or must be used, bounds on their number, costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from disjoint_centroids._listed import listed
from disjoint_centroids._plain_number import plain_number
from disjoint_centroids.panels import drafting
from disjoint_centroids.rows.features import feature_indices, shown_names

_NO_BOUND = 2**31 - 1
_ROUNDING = 1e-12  # share of the budget: three features for 0.1 each cost no more than 0.3


def read_rules(estimator: Any, classes: np.ndarray, n_features: int) -> drafting.Rules:
    """Read the rules of the draft from the parameters of an estimator."""
    allowed = _allowed(estimator, n_features)
    forced, shared_out = _forced(estimator, classes, n_features)
    _check_no_contradictions(estimator, allowed, forced, shared_out)
    least = _least(estimator, len(classes), int(allowed.sum()))
    per_class = estimator.max_features_per_class or _NO_BOUND
    in_all = estimator.max_features or _NO_BOUND
    n_forced = sum(map(len, forced)) + len(shared_out)
    if n_forced > min(in_all, per_class * len(classes)) or any(len(given) > per_class for given in forced):
        raise ValueError(
            f"forced names {n_forced} features, more than max_features={estimator.max_features} or "
            f"max_features_per_class={estimator.max_features_per_class} leave room for. Force fewer, or raise it."
        )
    costs = _costs(estimator, allowed)
    budget = np.inf if estimator.budget is None else float(estimator.budget) * (1.0 + _ROUNDING)
    if costs is not None:
        spent = float(costs[[*shared_out, *(f for given in forced for f in given)]].sum())
        if spent > budget:
            raise ValueError(
                f"the forced features alone cost {spent:g}, more than budget={budget:g}. Force fewer, or raise it."
            )
    return drafting.Rules(
        allowed,
        forced,
        shared_out,
        per_class,
        in_all,
        costs,
        budget,
        least,
        estimator.min_features_per_class is not None,
        estimator.direction == "up",
        _window(estimator.detection),
    )


def _allowed(estimator: Any, n_features: int) -> np.ndarray:
    """Mask of the features that may be picked."""
    allowed = np.full(n_features, estimator.allowed is None)
    allowed[feature_indices(estimator, estimator.allowed, n_features, "allowed")] = True
    if not allowed.any():
        raise ValueError("allowed names no feature: none is left to pick. Name some, or leave it out.")
    excluded = feature_indices(estimator, estimator.excluded, n_features, "excluded")
    allowed[excluded] = False
    if not allowed.any():
        raise ValueError(
            f"excluded names all {n_features} features"
            + (
                ": none is left to pick. Exclude fewer."
                if estimator.allowed is None
                else " that are allowed: none is left to pick. Exclude fewer, or allow more."
            )
        )
    return allowed


def _least(estimator: Any, n_classes: int, n_allowed: int) -> int:
    """Features that every class takes at least, after a check that the bounds leave room for them."""
    least = estimator.min_features_per_class
    if least is None:
        return 1
    asked = f"min_features_per_class={least}"
    rounds = estimator.rounds if estimator.rounds != "auto" else None
    for name, bound in (("rounds", rounds), ("max_features_per_class", estimator.max_features_per_class)):
        if bound is not None and bound < least:
            raise ValueError(f"{asked} is more than {name}={bound} allows. Lower the one, or raise the other.")
    if estimator.max_features is not None and estimator.max_features < least * n_classes:
        raise ValueError(
            f"{asked} for {n_classes} classes makes {least * n_classes} features, more than "
            f"max_features={estimator.max_features}. Lower the one, or raise the other."
        )
    if n_allowed < least * n_classes:
        raise ValueError(
            f"{asked} for {n_classes} classes makes {least * n_classes} features, and only {n_allowed} may be used. "
            "Lower it, or allow more features."
        )
    return int(least)


def _pair(detection: Any) -> str:
    """Window as messages show it."""
    return "None" if detection is None else f"({', '.join(map(plain_number, np.ravel(detection)))})"


def _window(detection: Any) -> tuple[float, float]:
    """Smallest and largest mean of a feature in its own class."""
    if detection is None:
        return -np.inf, np.inf
    try:
        given = np.asarray(detection, dtype=np.float64)
        shown = _pair(given)
    except (TypeError, ValueError):  # text, or something of uneven shape
        given, shown = np.empty(0), str(detection)
    if given.shape != (2,) or np.isnan(given).any() or given[0] > given[1]:
        raise ValueError(
            f"detection={shown} is no window: it needs two numbers, the lower one first, in the units of "
            "the table. For a bound on one side give -inf or inf for the other."
        )
    return float(given[0]), float(given[1])


def check_ownable(estimator: Any, classes: np.ndarray, rules: drafting.Rules, standard: drafting.Standard) -> None:
    """Raise an error if the class means leave a class without features, or forbid a forced one."""
    if not rules.asks_means:
        return
    may_own = rules.may_own(standard)
    names = shown_names(estimator, may_own.shape[1])
    asked = " and ".join(
        [
            *([f"direction={estimator.direction!r}"] if rules.upward else []),
            *([f"detection={_pair(estimator.detection)}"] if estimator.detection is not None else []),
        ]
    )
    for label, given, own in zip(classes, rules.forced, may_own, strict=True):
        wrong = [str(names[f]) for f in given if not own[f]]
        if wrong:
            raise ValueError(
                f"{listed(wrong, 5)} forced into the panel of class {str(label)!r}, which may not own it by {asked}. "
                "Leave it out, or change these."
            )
    nobody = [str(names[f]) for f in rules.shared_out if not may_own[:, f].any()]
    if nobody:
        raise ValueError(f"no class may own the forced {listed(nobody, 5)} by {asked}. Leave it out, or change these.")
    poor = [f"{label} ({own.sum()})" for label, own in zip(classes, may_own, strict=True) if own.sum() < rules.least]
    if poor:
        raise ValueError(
            f"{asked} would leave too few of the {int(rules.allowed.sum())} features that may be used to some classes, "
            f"which need {rules.least}: {listed(poor, 5)}.{_levels(estimator, rules, standard)} "
            f"{_wider(estimator, rules)}"
        )


def _levels(estimator: Any, rules: drafting.Rules, standard: drafting.Standard) -> str:
    """Sentence on the class means that a window was too narrow for; none if the table was divided by a unit."""
    if estimator.detection is None or rules.window != _window(estimator.detection):
        return ""
    means = standard.measured[standard.known][:, rules.allowed]
    low, high = plain_number(means.min()), plain_number(means.max())
    return f" Their class means run from {low} to {high} (after a transform, if there is one)."


def _wider(estimator: Any, rules: drafting.Rules) -> str:
    """Sentence that names the rules to loosen."""
    ways = [
        *(["widen detection="] if estimator.detection is not None else []),
        *(["give direction='any'"] if rules.upward else []),
        *(["allow more features"] if not rules.allowed.all() else []),
        *(["lower min_features_per_class="] if estimator.min_features_per_class is not None else []),
    ]
    sentence = ", or ".join(ways)
    return f"{sentence[0].upper()}{sentence[1:]}."


def check_reachable(estimator: Any, classes: np.ndarray, rules: drafting.Rules, standard: drafting.Standard) -> None:
    """Raise an error if no disjoint panels have ``min_features_per_class`` features each within the rules."""
    if not rules.promised:
        return
    asked = f"min_features_per_class={rules.least} cannot be had"
    given = [feature for own in rules.forced for feature in own]
    may_own = rules.may_own(standard)
    may_own[:, given] = False
    needs = np.array([max(rules.least - len(own), 0) for own in rules.forced])
    if len(given) + needs.sum() > rules.in_all:
        raise ValueError(
            f"{asked} within max_features={rules.in_all}: with the {len(given)} features that are forced into panels "
            f"it takes {len(given) + needs.sum()}. Lower it, raise max_features=, or force fewer."
        )
    crowd = drafting.crowded_classes(needs, may_own)
    if crowd is not None:
        raise ValueError(
            f"{asked}: {listed(classes[crowd], 5)} need {needs[crowd].sum()} features, and all that the rules "
            f"({_keeping_rules(estimator, rules)}) let them own are {may_own[crowd].any(axis=0).sum()}. "
            f"{_wider(estimator, rules)}"
        )
    if rules.costs is None or not np.isfinite(rules.budget):
        return
    given += rules.shared_out  # paid for in any case
    costs = rules.costs.copy()
    costs[given] = 0.0
    cost = drafting.least_cost(needs, may_own, costs)
    assert cost is not None  # no class is crowded
    cost += float(rules.costs[given].sum())
    if cost > rules.budget:
        raise ValueError(
            f"{asked} within budget={estimator.budget:g}: the cheapest such panels cost {cost:g}. Lower it, or raise "
            "budget=."
        )


def _keeping_rules(estimator: Any, rules: drafting.Rules) -> str:
    """Names of the parameters that keep features from classes, whatever their cost and number."""
    names = ("direction", "detection", "forced", "allowed", "excluded")
    return ", ".join(f"{name}=" for name in _bounds_given(estimator, rules) if name in names)


def check_enough(estimator: Any, rules: drafting.Rules) -> None:
    """Raise an error if a class of a fitted model has fewer features than ``min_features_per_class``."""
    sizes = [len(panel) for panel in estimator.feature_sets_]
    short = [f"{label} ({n})" for label, n in zip(estimator.classes_, sizes, strict=True) if n < rules.least]
    if not rules.promised or not short:
        return
    asked = f"min_features_per_class={rules.least}"
    if rules.upward:
        more = "" if estimator.rounds == "auto" else ", raise rounds="
        raise ValueError(
            f"{asked} was not reached: {listed(short, 5)} have fewer, because with direction='up' a feature gives way "
            f"whose coefficient turns out negative beside the others. Lower it{more}, or give direction='any'."
        )
    ways = ", ".join(f"{name}=" for name in _bounds_given(estimator, rules))
    raise ValueError(f"{asked} cannot be had within {ways}: {listed(short, 5)} have fewer. Lower it, or loosen these.")


def why_no_more(estimator: Any) -> str:
    """Reason why the classes of a fitted estimator own no more features, in a few words."""
    rules = read_rules(estimator, estimator.classes_, estimator.n_features_in_)
    is_left = rules.allowed & (estimator.owner_ < 0)
    if not is_left.any():
        return "no other may be used" if is_left.size > rules.allowed.sum() else "the table has no other"
    sizes = [len(panel) for panel in estimator.feature_sets_]
    if min(sizes) >= rules.per_class:
        return f"every class has the max_features_per_class={rules.per_class} that it may have"
    if rules.costs is not None:
        spent = float(rules.costs[estimator.owner_ >= 0].sum())
        if spent + rules.costs[is_left].min() > rules.budget:
            return f"no other can be had within budget={estimator.budget:g}"
    ways = [f"{name}=" for name in _bounds_given(estimator, rules) if name in ("direction", "detection")]
    return f"no other that {' and '.join(ways)} allow adds anything" if ways else "no other adds anything to the scores"


def _bounds_given(estimator: Any, rules: drafting.Rules) -> list[str]:
    """Names of the parameters that keep features from classes."""
    given = {
        "budget": np.isfinite(rules.budget),
        "direction": rules.upward,
        **{
            name: getattr(estimator, name) is not None
            for name in ("max_features", "max_features_per_class", "detection", "forced", "allowed", "excluded")
        },
    }
    return [name for name, is_given in given.items() if is_given]


def _forced(
    estimator: Any, classes: np.ndarray, n_features: int
) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Features forced into the panel of each class, and those forced into any panel."""
    given = estimator.forced
    if not isinstance(given, Mapping):
        wanted = feature_indices(estimator, given, n_features, "forced")
        return tuple(() for _ in classes), tuple(int(f) for f in wanted)
    unknown = [label for label in given if label not in set(classes.tolist())]
    if unknown:
        raise ValueError(
            f"forced names classes that y does not have: {unknown[:5]!r}. The classes are {classes.tolist()!r}."
        )
    by_class = {
        label: tuple(int(f) for f in feature_indices(estimator, features, n_features, f"forced[{label!r}]"))
        for label, features in given.items()
    }
    return tuple(by_class.get(label, ()) for label in classes.tolist()), ()


def given_features(estimator: Any) -> np.ndarray:
    """Mask of the features that a fitted estimator was given to use, (n_features,)."""
    forced, shared_out = _forced(estimator, estimator.classes_, estimator.n_features_in_)
    given = np.zeros(estimator.n_features_in_, dtype=bool)
    given[[*shared_out, *(feature for own in forced for feature in own)]] = True
    return given


def _check_no_contradictions(
    estimator: Any, allowed: np.ndarray, forced: tuple[tuple[int, ...], ...], shared_out: tuple[int, ...]
) -> None:
    wanted = [*shared_out, *(feature for given in forced for feature in given)]
    both = [feature for feature in wanted if not allowed[feature]]
    twice = sorted({feature for feature in wanted if wanted.count(feature) > 1})
    names = shown_names(estimator, allowed.size)
    if both:
        excluded = feature_indices(estimator, estimator.excluded, allowed.size, "excluded")
        twofold = [str(names[f]) for f in both if f in set(excluded.tolist())]
        if twofold:
            raise ValueError(
                f"forced= and excluded= both name {listed(twofold, 5)}. Leave what must be used out of excluded=."
            )
        raise ValueError(
            f"forced= names what allowed= does not: {listed([str(names[f]) for f in both], 5)}. Add it to allowed=, or "
            "leave it out of forced=."
        )
    if twice:
        raise ValueError(
            f"forced= names features more than once: {listed([str(names[f]) for f in twice], 5)}. A feature belongs to "
            "one class only: leave out the others."
        )


def _costs(estimator: Any, allowed: np.ndarray) -> np.ndarray | None:
    """Cost of each feature, 0 for one without a cost that may not be picked; None if costs were not given."""
    given = estimator.feature_costs
    if given is None:
        if estimator.budget is not None:
            raise ValueError(
                f"budget={estimator.budget:g} needs feature_costs: what each feature costs. To bound the number of "
                "features instead, give max_features."
            )
        return None
    names = shown_names(estimator, allowed.size)
    if isinstance(given, Mapping):
        given = [given.get(name, np.nan) for name in names]
    costs = np.asarray(given, dtype=np.float64)
    if costs.shape == allowed.shape:
        missing = np.isnan(costs)
        if (missing & allowed).any():
            without = [str(name) for name in names[missing & allowed]]
            raise ValueError(
                f"feature_costs has no cost for {len(without)} feature(s) that may be used: {listed(without, 5)}. Name "
                "their costs; 0 is allowed. Or leave these features out with allowed= or excluded=."
            )
        costs = np.where(missing, 0.0, costs)
    if costs.shape != allowed.shape or not np.isfinite(costs).all() or (costs < 0).any():
        raise ValueError(
            f"feature_costs must be {allowed.size} numbers, none negative, one per feature; got shape {costs.shape}"
            f"{'' if costs.size == 0 else f' with values from {costs.min():g} to {costs.max():g}'}."
        )
    return costs
