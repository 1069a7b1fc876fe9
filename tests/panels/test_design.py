"""What laboratories ask of a panel: bounds, costs, features that must or must not be in it."""

import itertools
import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_digits

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.panels.drafting import crowded_classes, least_cost
from labelled import names_of, pandas_frame, table

pytestmark = [
    pytest.mark.filterwarnings("error"),
    pytest.mark.filterwarnings("ignore:.*own no feature:UserWarning"),
]

SEEDS = st.integers(0, 10**6)
FEW = hypothesis_settings(max_examples=15)


def fitted(X, y, **options):
    return DisjointPanelClassifier(**{"rounds": 4, "terms": "linear", "cv": 2, "random_state": 0, **options}).fit(X, y)


def sizes(model):
    return [panel.size for panel in model.feature_sets_]


def used(model):
    return set(np.flatnonzero(model.owner_ >= 0).tolist())


def named():
    """A frame, its class names, and its column names."""
    X, y = table()
    return pandas_frame(X), np.array(["AML", "ALL", "CLL"])[y], names_of(X)


def test_bounds():
    X, y = table()
    assert sizes(fitted(X, y)) == [4, 4, 4]
    assert sizes(fitted(X, y, max_features_per_class=3)) == [3, 3, 3]
    assert sum(sizes(fitted(X, y, max_features=7))) == 7
    assert sum(sizes(fitted(X, y, max_features=7, max_features_per_class=2))) == 6
    assert sum(sizes(fitted(X, y, rounds="auto", max_features=5))) <= 5


def test_a_bound_lets_the_most_promising_pick():
    """With one feature in all, it is the one with the largest gain; the classes without any are named."""
    X, y = table()
    free = fitted(X, y, rounds=1)
    with pytest.warns(UserWarning, match=r"2 of 3 classes own no feature.* Raise max_features=\."):
        model = fitted(X, y, max_features=1)
    assert used(model) < used(free)


@FEW
@given(
    seed=SEEDS,
    kind=st.sampled_from(["linear", "squared", "both"]),
    per_class=st.sampled_from([None, 1, 2, 5]),
    in_all=st.sampled_from([None, 1, 4, 9]),
    priced=st.booleans(),
    rounds=st.sampled_from(["auto", 3, 50]),
)
def test_nothing_is_ever_exceeded(seed, kind, per_class, in_all, priced, rounds):
    rng = np.random.default_rng(seed)
    X, y = table(seed=seed)
    costs = rng.choice([0.0, 0.1, 0.7, 1.0, 3.0], size=24)
    budget = float(rng.uniform(0.0, 6.0))
    excluded = rng.choice(24, size=5, replace=False)
    model = fitted(
        X,
        y,
        rounds=rounds,
        terms=kind,
        max_features_per_class=per_class,
        max_features=in_all,
        excluded=excluded,
        **({"feature_costs": costs, "budget": budget} if priced else {}),
    )
    assert max(sizes(model)) <= (per_class or 24)
    assert sum(sizes(model)) <= (in_all or 24)
    assert not used(model) & set(excluded.tolist())
    if rounds != "auto":
        assert max(sizes(model)) <= rounds
    if priced:
        assert math.fsum(costs[model.owner_ >= 0]) <= budget * (1 + 1e-9)


def cheapest(may_own, m, costs):
    """Least cost of disjoint sets of m features for every class, by trying all; infinite if there are none."""

    def below(label, free):
        if label == len(may_own):
            return 0.0
        sets = itertools.combinations([f for f in free if may_own[label, f]], m)
        return min((sum(costs[f] for f in some) + below(label + 1, free - set(some)) for some in sets), default=np.inf)

    return below(0, frozenset(range(may_own.shape[1])))


def test_the_least_cost_of_what_classes_need_is_that_of_trying_all():
    rng = np.random.default_rng(0)
    for _ in range(300):
        may_own, m = rng.random((3, 7)) < 0.5, int(rng.integers(1, 3))
        costs = rng.integers(0, 5, 7) * 1.0 * rng.integers(0, 2)
        found = least_cost(np.full(3, m), may_own, costs)
        assert (np.inf if found is None else found) == cheapest(may_own, m, costs)


def test_classes_are_crowded_if_the_least_number_cannot_be_had():
    """What is named is an obstacle: these classes need more features than they may own together."""
    rng, n_crowded = np.random.default_rng(2), 0
    for _ in range(300):
        may_own, m = rng.random((3, 7)) < 0.45, int(rng.integers(1, 3))
        crowd = crowded_classes(np.full(3, m), may_own)
        assert (crowd is None) == np.isfinite(cheapest(may_own, m, np.zeros(7)))
        if crowd is not None:
            assert may_own[crowd].any(axis=0).sum() < m * crowd.size
            n_crowded += crowd.size > 1
    assert n_crowded


@pytest.mark.parametrize("bound", [{}, {"rounds": 2}, {"max_features": 6}, {"budget": 9.0}])
def test_the_minimum_is_reached_whenever_it_can_be(bound):
    """Class means decide who may own what: those of forbidden pairs are outside of the window."""
    rng = np.random.default_rng(1)
    y, outcomes = np.repeat([0, 1, 2], 12), set()
    for _ in range(40):
        may_own, costs = rng.random((3, 7)) < 0.55, rng.integers(0, 4, 7) * 1.0
        X = np.where(may_own, rng.normal(1.0, 0.3, (3, 7)), 5.0)[y] + rng.normal(0, 0.3, (36, 7))
        may_own = np.array([X[y == label].mean(axis=0) for label in range(3)]) <= 2.5
        possible = np.isfinite(cheapest(may_own, 2, costs)) and cheapest(may_own, 2, costs) <= bound.get("budget", 99)
        given = {"rounds": "auto", **bound, **({"feature_costs": costs} if "budget" in bound else {})}
        outcomes.add(possible)
        if not possible:
            with pytest.raises(ValueError, match=r"cannot be had|leave too few"):
                fitted(X, y, **given, detection=(-np.inf, 2.5), min_features_per_class=2)
            continue
        model = fitted(X, y, **given, detection=(-np.inf, 2.5), min_features_per_class=2)
        assert min(sizes(model)) >= 2
        assert all(may_own[label, panel].all() for label, panel in enumerate(model.feature_sets_))
    assert outcomes == {True, False}


def test_a_minimum_that_negative_coefficients_stand_in_the_way_of_was_not_reached():
    refused = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = np.repeat([0, 1, 2], 12)
        X = rng.normal(size=(36, 8)) @ (np.eye(8) + 0.8 * rng.normal(size=(8, 8)))
        try:
            fitted(X, y, rounds=2, penalty=0.01, overdraft=1, direction="up", min_features_per_class=2)
        except ValueError as error:
            refused.append(str(error))
    assert any(re.search(r"was not reached: .*, raise rounds=, or give direction='any'\.", text) for text in refused)


def test_upward_panels_hold_only_what_is_higher_in_their_class():
    X, y = table()
    model = fitted(X, y, direction="up", rounds=6)
    for label, panel in enumerate(model.feature_sets_):
        others = np.delete(model.centroids_, label, axis=0).mean(axis=0)
        assert (model.centroids_[label] > others)[panel].all()
        assert panel.size
        assert (model.margin_[panel] > 0).all()
    free = fitted(X, y, rounds=6)
    assert any(
        (free.centroids_[label] < np.delete(free.centroids_, label, axis=0).mean(axis=0))[panel].any()
        for label, panel in enumerate(free.feature_sets_)
    )


@pytest.mark.parametrize("form", ["dense", "sparse", "dask", "batches", "tiny"])
def test_upward_panels_hold_nothing_that_is_off_more_often_in_its_class(form):
    """Outliers raise the mean of a feature in a class in which it is mostly zero."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [24, 18, 12])
    X = rng.poisson(0.8, (54, 20)).astype(float)
    X[-12:, :4] *= rng.random((12, 4)) < 0.4
    X[-2:, :4] += 30.0
    higher = [X[y == label].mean(axis=0) > X[y != label].mean(axis=0) for label in range(3)]
    off_more = [(X[y == label] == 0).mean(axis=0) > (X[y != label] == 0).mean(axis=0) for label in range(3)]
    assert (higher[2] & off_more[2])[:4].all()
    given = {"sparse": sparse.csr_array, "tiny": lambda X: X / 1e40}
    if form == "dask":
        given[form] = lambda X: pytest.importorskip("dask.array").from_array(X, chunks=(10, 20))
    options = {"batch": np.arange(54) % 3} if form == "batches" else {}
    model = DisjointPanelClassifier(rounds=6, direction="up", cv=2, terms="linear", random_state=0)
    model.fit(given.get(form, np.asarray)(X), y, **options)
    assert not any(off_more[label][panel].any() for label, panel in enumerate(model.feature_sets_))
    assert min(sizes(model)) >= 3
    if form != "batches":
        plain = fitted(X, y, rounds=6, direction="up")
        np.testing.assert_array_equal(model.owner_, plain.owner_)
        assert (plain.owner_ != fitted(X + 1.0, y, rounds=6, direction="up").owner_).any()  # no zeros, no such rule


@pytest.mark.parametrize(
    "options",
    [
        {"regression": "ridge", "reads": "own", "overdraft": 1},
        {"regression": "ridge", "overdraft": 1},
        {"regression": "logistic", "reads": "all", "overdraft": 1},
        {"terms": "both"},
    ],
    ids=str,
)
def test_upward_panels_hold_only_what_raises_the_score_of_their_class(options):
    """On nearly all pixels of digits, some coefficients would be negative beside those of the other pixels."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:300], y[:300]
    options = {"rounds": 6, "cv": 2, "penalty": 0.1, **options}
    model = fitted(X, y, direction="up", **options)
    raised = model.coef_[model.owner_, np.arange(64)] - model.coef_.mean(axis=0)
    assert (raised[sorted(used(model))] > 0).all()
    fixed = {label: panel for label, panel in enumerate(model.feature_sets_)}
    assert len(used(fitted(X, y, **options))) > len(used(model))
    forced = fitted(X, y, **options, forced=fixed, direction="up")
    assert used(model) <= used(forced)


def test_with_two_classes_a_feature_belongs_to_the_class_in_which_it_is_higher():
    X, y = table()
    X, y = X[y < 2], y[y < 2]
    model = fitted(X, y, direction="up", rounds=8)
    used = model.owner_ >= 0
    assert used.any()
    np.testing.assert_array_equal(model.owner_[used], np.argmax(model.centroids_[:, used], axis=0))


@pytest.mark.parametrize("unit", [1.0, 1e40])
def test_means_of_owned_features_lie_in_the_window(unit):
    X, y = table()
    means = np.array([X[y == label].mean(axis=0) for label in range(3)])
    low, high = np.quantile(means, [0.3, 0.9])
    model = fitted(X * unit, y, detection=(low * unit, high * unit), rounds=6)
    owned = model.centroids_[model.owner_[sorted(used(model))], sorted(used(model))] / unit
    assert ((owned >= low) & (owned <= high)).all()
    assert used(model) < used(fitted(X * unit, y, rounds=8)) | set(range(24))


def test_every_class_gets_the_least_number_even_if_it_gains_nothing():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 8)
    X = np.column_stack([np.eye(3)[y] * 4 + rng.normal(0, 0.1, (24, 3)), np.ones((24, 9))])
    assert max(sizes(fitted(X, y, rounds=4, overdraft=1))) < 4
    assert sizes(fitted(X, y, rounds=4, min_features_per_class=4, overdraft=1)) == [4, 4, 4]
    model = fitted(X, y, rounds="auto", min_features_per_class=3)
    assert min(sizes(model)) >= 3
    assert min(model.cv_results_["rounds"]) >= 3


def test_only_what_is_allowed_is_used():
    X, y, names = named()
    model = fitted(X, y, allowed=names[:9], excluded=names[:1])
    assert used(model) <= set(range(1, 9))
    assert used(fitted(X, y, allowed=np.arange(24) < 9)) <= set(range(9))


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"allowed": []}, r"allowed names no feature: none is left to pick\. Name some"),
        (
            {"allowed": [1, 2], "excluded": [1, 2]},
            r"that are allowed: none is left to pick\. Exclude fewer, or allow more",
        ),
        (
            {"allowed": [1, 2], "forced": [3]},
            r"forced= names what allowed= does not: 3\. Add it to allowed=, or leave it out of forced=\.",
        ),
        ({"allowed": [99]}, r"allowed as indices must lie"),
        ({"detection": (3, 1)}, r"detection=\(3, 1\) is no window: it needs two numbers, the lower one first"),
        ({"detection": (1, 2, 3)}, r"detection=\(1, 2, 3\) is no window"),
        ({"detection": 5}, r"detection=\(5\) is no window: it needs two numbers, the lower one first"),
        ({"detection": ("low", "high")}, r"detection=\('low', 'high'\) is no window: it needs two numbers"),
        (
            {"detection": (1e6, 2e6)},
            r"leave too few .* need 1: 0 \(0\), 1.* class means run from -[0-9.]+ to [0-9.]+ .*Widen detection=\.",
        ),
        (
            {"direction": "up", "allowed": [0, 1, 2], "min_features_per_class": 1, "detection": (9, 99)},
            r"direction='up' and detection=\(9, 99\) would leave too few of the 3 features that may be used to some "
            r"classes, which need 1: 0 \(0\).*\. Widen detection=, or give direction='any', or allow more features, or "
            r"lower min_features_per_class=\.",
        ),
        ({"min_features_per_class": 5}, r"min_features_per_class=5 is more than rounds=4 allows"),
        (
            {"min_features_per_class": 3, "max_features_per_class": 2},
            r"min_features_per_class=3 is more than max_features_per_class=2 allows",
        ),
        ({"min_features_per_class": 3, "max_features": 8}, r"makes 9 features, more than max_features=8"),
        ({"min_features_per_class": 3, "allowed": np.arange(8)}, r"makes 9 features, and only 8 may be used"),
        (
            {"min_features_per_class": 2, "feature_costs": np.ones(24), "budget": 4.0},
            r"=2 cannot be had within budget=4: the cheapest such panels cost 6\. Lower it, or raise budget=\.",
        ),
        (
            {"min_features_per_class": 2, "feature_costs": np.ones(24), "budget": 7.0, "forced": {0: [1, 2, 3, 4]}},
            r"within budget=7: the cheapest such panels cost 8\.",
        ),
        (
            {"min_features_per_class": 2, "feature_costs": np.arange(24.0), "budget": 17.0, "forced": [10]},
            r"within budget=17: the cheapest such panels cost 20\.",
        ),
        (
            {"min_features_per_class": 2, "max_features": 7, "forced": {0: [1, 2, 3, 4]}},
            r"=2 cannot be had within max_features=7: with the 4 features that are forced into panels it takes 8\. "
            r"Lower it, raise max_features=, or force fewer\.",
        ),
        (
            {"min_features_per_class": 2, "allowed": [1, 2, 3, 4, 5, 6], "forced": {0: [1, 2, 3]}},
            r"=2 cannot be had: 1, 2 need 4 features, and all that the rules \(forced=, allowed=\) let them own are 3"
            r"\. Allow more features, or lower min_features_per_class=\.",
        ),
    ],
)
def test_rules_that_leave_no_panel_are_refused_with_the_cure(rules, message):
    X, y = table()
    with pytest.raises(ValueError, match=message):
        fitted(X, y, **rules)


def test_a_forced_feature_that_its_class_may_not_own_is_refused():
    X, y, names = named()
    lowest = names[int(np.argmin(X[y == "AML"].mean() - X[y != "AML"].mean()))]
    with pytest.raises(
        ValueError, match=rf"{lowest} forced into the panel of class 'AML', which may not own it by direction='up'"
    ):
        fitted(X, y, forced={"AML": [lowest]}, direction="up")
    with pytest.raises(ValueError, match=rf"no class may own the forced {lowest} by detection="):
        fitted(X, y, forced=[lowest], detection=(X[lowest].max() + 1, np.inf))


def test_budgets_buy_what_they_can():
    """Three features for 0.1 each cost 0.3, whatever the rounding; nobody stops while something can be bought."""
    X, y = table()
    for budget, count in ((0.3, 3), (0.7, 7), (0.95, 9), (1.2, 12)):
        assert sum(sizes(fitted(X, y, feature_costs=np.full(24, 0.1), budget=budget))) == count
    costs = np.arange(1.0, 25.0)
    bought = costs[sorted(used(fitted(X, y, rounds=24, feature_costs=costs, budget=60.0)))]
    left = np.setdiff1d(costs, bought)
    assert bought.sum() + left.min() > 60.0


def test_what_a_feature_brings_for_its_cost():
    """The dearest of the features that a free choice would take is left for others, unless money is no matter."""
    X, y = table()
    free = fitted(X, y, rounds=2, overdraft=1)
    dear = free.feature_sets_[0][0]
    costs = np.ones(24)
    costs[dear] = 50.0
    assert dear not in used(fitted(X, y, rounds=2, feature_costs=costs, budget=60.0))
    assert used(fitted(X, y, rounds=2, overdraft=1, feature_costs=costs)) == used(free)
    assert used(fitted(X, y, rounds=2, feature_costs=np.ones(24), budget=6.0)) == used(free)


def test_a_budget_of_nothing():
    X, y = table()
    costs = np.ones(24)
    costs[[3, 8, 9, 11]] = 0.0
    assert used(fitted(X, y, feature_costs=costs, budget=0.0)) == {3, 8, 9, 11}
    np.testing.assert_array_equal(
        fitted(X, y, feature_costs=np.zeros(24), budget=0.0).owner_, fitted(X, y, overdraft=1).owner_
    )
    with pytest.warns(UserWarning, match="3 of 3 classes own no feature"):
        nothing = fitted(X, y, feature_costs=np.ones(24), budget=0.5)
    assert nothing.predict_proba(X) == pytest.approx(1 / 3)


def test_costs_by_name():
    X, y, names = named()
    costs = {name: 1.0 + at for at, name in enumerate(names)}
    by_name = fitted(X, y, feature_costs=costs, budget=30.0)
    by_place = fitted(X, y, feature_costs=np.arange(1.0, 25.0), budget=30.0)
    np.testing.assert_array_equal(by_name.owner_, by_place.owner_)
    by_number = fitted(X.to_numpy(), y, feature_costs=dict(enumerate(np.arange(1.0, 25.0))), budget=30.0)
    np.testing.assert_array_equal(by_number.owner_, by_place.owner_)


@pytest.mark.parametrize(
    "forced",
    [
        [3, 17, 5],
        np.array([3, 17, 5]),
        [-21, 17, 5],
        np.isin(np.arange(24), [3, 5, 17]),
        (3, 17, 5),
        pd.Index([3, 17, 5]),
    ],
    ids=["list", "array", "from the end", "mask", "tuple", "index"],
)
def test_forced_on_anybody(forced):
    X, y = table()
    for rounds in (1, 4):
        model = fitted(X, y, rounds=rounds, forced=forced)
        assert {3, 17, 5} <= used(model)
        # Three classes share the three out, and pick on.
        assert sizes(model) == [rounds + 1] * 3


def test_forced_by_name():
    X, y, names = named()
    model = fitted(X, y, forced=[names[3], names[5]], excluded=[names[0]])
    assert {3, 5} <= used(model)
    assert 0 not in used(model)
    by_class = fitted(X, y, forced={"CLL": [names[3], names[5]], "ALL": [names[7]]})
    assert by_class.classes_.tolist() == ["ALL", "AML", "CLL"]
    assert by_class.feature_sets_[0][0] == 7
    assert by_class.feature_sets_[2][:2].tolist() == [3, 5]
    assert sizes(by_class) == [5, 4, 6]


def test_forced_beside_bounds_and_budget():
    X, y = table()
    forced = {0: [1, 2], 2: [4]}
    bounded = fitted(X, y, forced=forced, max_features_per_class=2)
    assert sizes(bounded) == [2, 2, 2]
    assert bounded.feature_sets_[0].tolist() == [1, 2]
    assert bounded.feature_sets_[2][0] == 4
    assert sum(sizes(fitted(X, y, forced=forced, max_features=5))) == 5
    costs = np.ones(24)
    costs[[1, 2, 4]] = 10.0
    paid = fitted(X, y, forced=forced, feature_costs=costs, budget=33.0)
    assert {1, 2, 4} <= used(paid)
    assert len(used(paid)) == 6
    assert used(fitted(X, y, forced=forced, feature_costs=costs, budget=30.0)) == {1, 2, 4}
    anybody = fitted(X, y, forced=[1, 2, 4, 5], max_features_per_class=2, feature_costs=costs, budget=32.0)
    assert {1, 2, 4, 5} <= used(anybody)
    assert len(used(anybody)) == 5
    everything = fitted(X, y, forced=np.arange(6), max_features_per_class=2, max_features=6)
    assert used(everything) == set(range(6))


def test_three_forced_for_a_tenth_each_cost_no_more_than_three_tenths():
    X, y = table()
    model = fitted(X, y, forced=[0, 1, 2], feature_costs=np.full(24, 0.1), budget=0.3)
    assert used(model) == {0, 1, 2}


def test_nothing_forced_and_nothing_excluded():
    X, y = table()
    expected = fitted(X, y).owner_
    for options in (
        {"forced": []},
        {"forced": {}},
        {"excluded": []},
        {"forced": {1: []}},
        {"excluded": np.zeros(24, bool)},
    ):
        np.testing.assert_array_equal(fitted(X, y, **options).owner_, expected)


def test_forced_on_a_class_that_a_fold_does_not_know():
    """Class 2 has one sample: the fold that holds it out plays without it, and its features are free there."""
    X, y = table(sizes=(9, 8, 1))
    model = fitted(X, y, forced={2: [0, 1], 0: [2]}, cv=3)
    assert model.feature_sets_[2][:2].tolist() == [0, 1]
    assert sorted(fold.known.size for fold in model.fold_models_) == [2, 3, 3]


ERRORS = {
    "classes": ({"forced": {"ALM": [0]}}, r"forced names classes that y does not have: \['ALM'\]. The classes are \["),
    "names": ({"forced": ["gene 99"]}, "forced not among the columns of X: gene 99"),
    "names by class": ({"forced": {"ALL": ["gene 99"]}}, r"forced\['ALL'\] not among the columns of X: gene 99"),
    "places": ({"excluded": [0, 24]}, "excluded as indices must lie from -24 to 23, the features of X; got 24"),
    "mask": ({"excluded": [True] * 23}, "excluded as a mask needs 24 entries, one per feature; got 23"),
    "shape": ({"excluded": [[0, 1]]}, r"excluded must be one-dimensional; got an array of shape \(1, 2\)"),
    "both": (
        {"forced": [1, 2], "excluded": [2, 3]},
        r"forced= and excluded= both name gene 22\. Leave what must be used out of excluded=",
    ),
    "twice": (
        {"forced": {"ALL": [1], "AML": [2, 1]}},
        r"forced= names features more than once: gene 23\. A feature belongs",
    ),
    "twice from the end": ({"forced": [23, -1]}, r"forced= names features more than once: gene 1\."),
    "all": ({"excluded": list(range(24))}, "excluded names all 24 features: none is left to pick. Exclude fewer"),
    "too many": (
        {"forced": [1, 2, 3], "max_features": 2},
        "forced names 3 features, more than max_features=2 .* Force fewer, or raise",
    ),
    "too many for a class": (
        {"forced": {"ALL": [1, 2, 3]}, "max_features_per_class": 2},
        "forced names 3 features, more than .* max_features_per_class=2 leave room for. Force fewer, or raise",
    ),
    "too many for all classes": (
        {"forced": list(range(7)), "max_features_per_class": 2},
        "forced names 7 features, more than .* max_features_per_class=2 leave room for. Force fewer, or raise",
    ),
    "no costs": ({"budget": 3.0}, "budget=3 needs feature_costs: .* give max_features"),
    "too dear": (
        {"forced": [1, 2], "feature_costs": [2.0] * 24, "budget": 3.0},
        "the forced features alone cost 4, more than budget=3. Force fewer, or raise it",
    ),
    "too few costs": ({"feature_costs": [1.0, 2.0]}, r"feature_costs must be 24 numbers.* got shape \(2,\)"),
    "no costs at all": ({"feature_costs": []}, r"feature_costs must be 24 numbers.* got shape \(0,\)"),
    "negative": ({"feature_costs": [-1.0, *[1.0] * 23]}, "none negative, one per feature; .* values from -1 to 1"),
    "missing": ({"feature_costs": [np.nan, *[1.0] * 23]}, r"no cost for 1 feature\(s\) that may be used: gene 24\."),
    "unnamed": (
        {"feature_costs": {"gene 24": 1.0}},
        "no cost for 23 feature.* gene 23, .* Name their costs; 0 is allowed. Or leave these features out with",
    ),
}


@pytest.mark.parametrize("kind", ["by name", "in order"])
def test_costs_are_needed_for_what_may_be_picked_only(kind):
    X, y, _ = named()
    stock = list(X.columns[:9])
    dear = {name: float(1 + at % 3) for at, name in enumerate(X.columns)}
    given = {name: dear[name] for name in stock[:-1]}
    costs = given if kind == "by name" else [given.get(name, np.nan) for name in X.columns]
    rules = {"allowed": stock, "excluded": stock[-1:], "budget": 5.0, "rounds": 3}
    model = fitted(X, y, feature_costs=costs, **rules)
    np.testing.assert_array_equal(model.owner_, fitted(X, y, feature_costs=dear, **rules).owner_)
    assert sum(given[name] for name in X.columns[model.owner_ >= 0]) <= 5
    with pytest.raises(ValueError, match=rf"may be used: {stock[-1]}\."):
        fitted(X, y, feature_costs=costs, **rules | {"excluded": None})


@pytest.mark.parametrize("case", ERRORS)
def test_errors_name_the_cure(case):
    X, y, _ = named()
    options, message = ERRORS[case]
    with pytest.raises(ValueError, match=message):
        fitted(X, y, **options)


def test_names_need_names():
    X, y = table()
    with pytest.raises(ValueError, match=r"forced=.* are names, but X has no column names. Give X as a data frame, or"):
        fitted(X, y, forced=["gene 3"])


@pytest.mark.parametrize(
    "options",
    [
        {"rounds": 0},
        {"rounds": "many"},
        {"terms": "cubic"},
        {"reads": "none"},
        {"regression": "lasso"},
        {"overdraft": 0},
        {"penalty": 0.0},
        {"budget": -1.0},
        {"max_features": 0},
        {"cv": 1},
        {"rule": "best"},
        {"feature_costs": 3.0},
    ],
    ids=str,
)
def test_parameters_that_make_no_sense(options):
    X, y = table()
    (name,) = options
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        fitted(X, y, **options)


def test_levels_are_written_as_people_write_numbers():
    X, y = table()
    with pytest.raises(ValueError, match=r"Their class means run from \d+ to 1\d{3} \(after"):
        fitted(np.abs(X) * 1000 / np.abs(X).max() + 990, y, detection=(5000, 9000))
    with pytest.raises(ValueError, match=r"run from 0 to [\d.]+ \(after"):
        fitted(np.abs(np.hstack([X, np.full((len(y), 1), -8.7e-19)])), y, detection=(5000, np.inf))
