"""Backward steps: with strengths known by hand, and against a plain version."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import oracle_panel as oracle
from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.panels.drafting import TERMS, Plan, columns_of, cut_back, run_drafts
from panel_parts import FORMS, engine_rules, parts_of

pytestmark = pytest.mark.filterwarnings("error")

SEEDS = st.integers(0, 10**6)
READS = ("all", "own")


def random_table(seed, n_features=16):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1, 2], [12, 14, 10]))
    X = rng.normal(size=(36, n_features)) + 0.7 * rng.normal(size=(3, n_features))[y]
    return X, y, rng.uniform(0.5, 2.0, size=36)


def drafted(X, y, weights=None, kind="linear", reads="all", n_rounds=4, form="rows", **rules):
    source = parts_of(X, y, weights, form=form).source
    plan = Plan(0, kind, reads == "own" or kind == "squared", 1.0, n_rounds)
    (found,) = run_drafts(source, [plan], engine_rules(y.max() + 1, X.shape[1], **rules))
    return found, source.standards[0].total


def pairs(draft, at):
    return list(zip(draft.owners[at].tolist(), draft.features[at].tolist(), strict=True))


def test_the_weakest_go_first_and_the_order_of_picking_stays():
    """Features that are orthogonal within and between classes: the strength is that of each alone."""
    y = np.repeat([0, 1], 8)
    sign = np.where(y == 0, 1.0, -1.0)
    within = np.array([[1, -1, 1, -1, 1, -1, 1, -1], [1, 1, -1, -1, 1, 1, -1, -1], [1, 1, 1, 1, -1, -1, -1, -1]])
    levels = np.array([0.5, 2.0, 1.0])
    X = levels * sign[:, None] + np.tile(within.T, (2, 1))
    draft, total = drafted(X, y, n_rounds=2)
    assert draft.features.size == 3
    found = cut_back(draft, {1: np.array([2, 1]), 0: np.array([1, 0])}, total)
    assert set(draft.features[found[1]]) >= {1, 2}
    assert draft.features[found[0]].tolist() == [1]
    for at in found.values():
        assert at.tolist() == sorted(at)


@pytest.mark.parametrize("kind", TERMS)
@pytest.mark.parametrize("reads", READS)
@hypothesis_settings(max_examples=8)
@given(seed=SEEDS, form=st.sampled_from(FORMS))
def test_cuts_are_the_plain_ones(reads, kind, seed, form):
    """Nested sizes; a class may have fewer than asked for, and what was forced stays."""
    X, y, weights = random_table(seed)
    rules = {"forced": [(3, 5), (), (1,)]} if seed % 2 else {}
    draft, total = drafted(X, y, weights, kind, reads, form=form, **rules)
    sizes = {1: np.array([3, 1, 2]), 2: np.array([4, 2, 3]), 3: np.array([4, 9, 3])}
    found = cut_back(draft, sizes, total)
    terms = oracle.Terms(kind, oracle.Part(X, y, weights))
    expected = pairs(draft, slice(None))
    for n_rounds in (3, 2, 1):
        expected = oracle.cut_back(terms, expected, int(draft.counts[0]), sizes[n_rounds], reads)
        assert pairs(draft, found[n_rounds]) == expected
        assert set(found[1]) <= set(found[n_rounds])
        assert set(range(draft.counts[0])) <= set(found[n_rounds])


def test_more_forced_than_a_panel_may_have():
    """A part without some class: the others took what was to be shared out, and all of it stays."""
    X, y, _ = random_table(0)
    draft, total = drafted(X, y, shared_out=tuple(range(9)), n_rounds=2)
    assert np.bincount(draft.owners[: draft.counts[0]]).tolist() == [3, 3, 3]
    found = cut_back(draft, {1: np.array([2, 2, 2])}, total)
    assert found[1].tolist() == list(range(9))


def test_forced_features_are_shared_out_among_the_classes_that_a_fold_knows():
    """The last class has one sample, so that in one fold two classes have nine features to take."""
    X, y, _ = random_table(1)
    y = np.where(y == 2, 0, y)
    y[-1] = 2
    model = DisjointPanelClassifier(
        rounds=2, terms="linear", cv=3, random_state=0, forced=list(range(9)), max_features_per_class=3
    ).fit(X, y)
    assert [panel.size for panel in model.feature_sets_] == [3, 3, 3]
    for fold in model.fold_models_:
        assert set(fold.model.features) >= set(range(9))


def test_columns_of_two_terms():
    np.testing.assert_array_equal(columns_of(np.array([0, 3]), 2), [0, 1, 6, 7])
    np.testing.assert_array_equal(columns_of(np.array([0, 3]), 1), [0, 3])


@pytest.mark.parametrize("reads", READS)
@pytest.mark.parametrize("seed", range(3))
def test_overdraft_is_the_plain_cut_of_a_longer_draft(seed, reads):
    X, y, _ = random_table(seed, n_features=40)
    options = {"terms": "linear", "reads": reads, "penalty": 0.5, "random_state": 0}
    longer = DisjointPanelClassifier(rounds=9, overdraft=1, **options).fit(X, y)
    short = DisjointPanelClassifier(rounds=3, overdraft=3, **options).fit(X, y)
    picks = [(j, int(f)) for j, panel in enumerate(longer.feature_sets_) for f in panel]
    expected = oracle.cut_back(oracle.Terms("linear", oracle.Part(X, y)), picks, 0, [3, 3, 3], reads)
    assert [(j, f) for j, panel in enumerate(short.feature_sets_) for f in panel] == expected


def test_a_bound_on_the_panels_holds_after_the_cut():
    X, y, _ = random_table(2)
    model = DisjointPanelClassifier(
        rounds=4, overdraft=2, terms="linear", max_features_per_class=3, forced={0: [7]}, random_state=0
    ).fit(X, y)
    assert [panel.size for panel in model.feature_sets_] == [3, 3, 3]
    assert 7 in model.feature_sets_[0]


@pytest.mark.parametrize("reads", READS)
@pytest.mark.parametrize("terms", ["squared", "both"])
def test_panels_of_an_overdraft_have_the_size_asked_for(terms, reads):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 15)
    X = rng.normal(size=(45, 30)) * (1.0 + y[:, None])
    model = DisjointPanelClassifier(rounds=2, overdraft=4, terms=terms, reads=reads, penalty=0.5, random_state=0).fit(
        X, y
    )
    assert [panel.size for panel in model.feature_sets_] == [2, 2, 2]
    assert len(set(np.concatenate(model.feature_sets_))) == 6
