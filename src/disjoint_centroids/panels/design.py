"""Rules for panels from the user's parameters: forced and excluded features, bounds on their number, and costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from disjoint_centroids._listed import listed
from disjoint_centroids.panels import drafting
from disjoint_centroids.rows.features import feature_indices

_NO_BOUND = 2**31 - 1
_ROUNDING = 1e-12  # share of the budget: three features for 0.1 each cost no more than 0.3


def read_rules(estimator: Any, classes: np.ndarray, n_features: int) -> drafting.Rules:
    """Read the rules of the draft from the parameters of an estimator."""
    excluded = np.zeros(n_features, dtype=bool)
    excluded[feature_indices(estimator, estimator.excluded, n_features, "excluded")] = True
    forced, shared_out = _forced(estimator, classes, n_features)
    _refuse_contradictions(estimator, excluded, forced, shared_out)
    per_class = estimator.max_features_per_class or _NO_BOUND
    in_all = estimator.max_features or _NO_BOUND
    n_forced = sum(map(len, forced)) + len(shared_out)
    if n_forced > min(in_all, per_class * len(classes)) or any(len(given) > per_class for given in forced):
        raise ValueError(
            f"forced names {n_forced} features, more than max_features={estimator.max_features} or "
            f"max_features_per_class={estimator.max_features_per_class} leave room for. Force fewer, or raise it."
        )
    costs = _costs(estimator, n_features)
    budget = np.inf if estimator.budget is None else float(estimator.budget) * (1.0 + _ROUNDING)
    if costs is not None:
        spent = float(costs[[*shared_out, *(f for given in forced for f in given)]].sum())
        if spent > budget:
            raise ValueError(
                f"the forced features alone cost {spent:g}, more than budget={budget:g}. Force fewer, or raise it."
            )
    return drafting.Rules(~excluded, forced, shared_out, per_class, in_all, costs, budget)


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


def _refuse_contradictions(
    estimator: Any, excluded: np.ndarray, forced: tuple[tuple[int, ...], ...], shared_out: tuple[int, ...]
) -> None:
    wanted = [*shared_out, *(feature for given in forced for feature in given)]
    both = [feature for feature in wanted if excluded[feature]]
    twice = sorted({feature for feature in wanted if wanted.count(feature) > 1})
    names = getattr(estimator, "feature_names_in_", np.arange(excluded.size))
    if both:
        raise ValueError(f"forced and excluded at once: {[str(names[f]) for f in both[:5]]}. Drop one of the two.")
    if twice:
        raise ValueError(
            f"forced more than once: {[str(names[f]) for f in twice[:5]]}. A feature belongs to one class only."
        )
    if excluded.all():
        raise ValueError(f"excluded names all {excluded.size} features: none is left to pick. Exclude fewer.")


def _costs(estimator: Any, n_features: int) -> np.ndarray | None:
    """Cost of each feature, or None if costs were not given."""
    given = estimator.feature_costs
    if given is None:
        if estimator.budget is not None:
            raise ValueError(
                f"budget={estimator.budget:g} needs feature_costs: what each feature costs. To bound the number of "
                "features instead, give max_features."
            )
        return None
    if isinstance(given, Mapping):
        names = getattr(estimator, "feature_names_in_", np.arange(n_features))
        missing = [str(name) for name in names if name not in given]
        if missing:
            raise ValueError(
                f"feature_costs has no cost for {len(missing)} feature(s): {listed(missing, 5)}. Name the cost of "
                "every feature; 0 is allowed."
            )
        given = [given[name] for name in names]
    costs = np.asarray(given, dtype=np.float64)
    if costs.shape != (n_features,) or not np.isfinite(costs).all() or (costs < 0).any():
        raise ValueError(
            f"feature_costs must be {n_features} numbers, none negative, one per feature; got shape {costs.shape}"
            f"{'' if costs.size == 0 else f' with values from {costs.min():g} to {costs.max():g}'}."
        )
    return costs
