"""The draft: by hand, against a version that tries every matching, and what always holds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import awkward_tables as tables
import oracle_panel as oracle
from disjoint_centroids.panels.drafting import TERMS, Plan, run_drafts
from disjoint_centroids.panels.drafting.products import Left
from panel_parts import FORMS, engine_rules, parts_of

pytestmark = pytest.mark.filterwarnings("error")

SEEDS = st.integers(0, 10**6)
READS = ("all", "own")


def plan_of(part, kind, reads, penalty, n_rounds):
    return Plan(part, kind, reads == "own" or kind == "squared", penalty, n_rounds)


def drafted(
    X, y, kind="linear", n_rounds=2, penalty=1.0, weights=None, *, reads="all", form="rows", train=None, **rules
):
    """The package's draft of a table, or of some of its rows."""
    folds = [] if train is None else [(train, np.setdiff1d(np.arange(y.size), train))]
    source = parts_of(X, y, weights, folds, form=form).source
    rules = engine_rules(y.max() + 1, X.shape[1], **rules)
    (found,) = run_drafts(source, [plan_of(0, kind, reads, penalty, n_rounds)], rules)
    return found


def pairs(found):
    """Picks as pairs of a class and a feature, in the order of entry."""
    return list(zip(found.owners.tolist(), found.features.tolist(), strict=True))


def panels(found, n_classes=3):
    return [[f for j, f in pairs(found) if j == label] for label in range(n_classes)]


def assert_is_the_oracles(
    X, y, kind="linear", n_rounds=2, penalty=1.0, weights=None, *, reads="all", form="rows", train=None, **rules
):
    """The same picks in the same order, round by round; returns them for further questions."""
    found = drafted(X, y, kind, n_rounds, penalty, weights, reads=reads, form=form, train=train, **rules)
    terms = oracle.Terms(kind, oracle.Part(X, y, weights, train))
    picks, counts = oracle.Draft(terms, reads, penalty, **rules).play(n_rounds)
    assert pairs(found) == picks
    assert found.counts.tolist() == counts
    return picks


def random_table(seed, n_classes=3, n_features=7, share=1.0):
    """Classes of two to seven samples; of the cells, only some are not zero if a share is given."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 8, size=n_classes)
    table = tables.blocks(tuple(sizes), n_features, seed)
    X = np.where(rng.uniform(size=table.X.shape) < share, table.X, 0.0)
    return X, table.y, rng.uniform(0.3, 2.0, size=table.y.size)


def by_hand():
    """Standardised by 1.5, feature 0 is 2 in the first class and -2 in the second, feature 2 is -1 and 1."""
    within = np.array([-1.0, 0.0, 1.0, -1.0, 0.0, 1.0])
    y = np.repeat([0, 1], 3)
    sign = np.where(y == 0, 1.0, -1.0)
    return np.column_stack([3 * sign + within, within, -1.5 * sign + within]), y


@pytest.mark.parametrize("form", FORMS)
def test_by_hand_with_own_panels(form):
    """Feature 0 gains 144 / (58/27 + 1) for either class, feature 2 gains 36 / (35/54 + 1), feature 1 nothing.

    A feature goes where it is high. Then 170 a + 46 b = 108 and 46 a + 89 b = 54. What is left along feature 1 is
    4 (b - a) / 1.5² for the first class, which is negative: in the second round the second class has it.
    """
    X, y = by_hand()
    found = drafted(X, y, n_rounds=2, reads="own", form=form)
    assert pairs(found) == [(0, 0), (1, 2), (1, 1)]
    assert found.counts.tolist() == [0, 2, 3]
    a, b = 7128 / 13014, 4212 / 13014
    np.testing.assert_allclose(found.ridge.coefficients(2), [[a, 0], [0, b]])


@pytest.mark.parametrize("form", FORMS)
def test_by_hand_with_all_panels(form):
    """The classes are the two signs of one regression.

    The squared norms of z are 232/9 and 70/9, their product is -92/9, the penalty is 6, and the products with the
    indicators, less their mean, are 12 and -6: 286 a - 92 b = 108 and 92 a - 124 b = 54 (the second turned).
    """
    X, y = by_hand()
    found = drafted(X, y, n_rounds=1, form=form)
    assert pairs(found) == [(0, 0), (1, 2)]
    a, b = np.linalg.solve([[286.0, -92.0], [-92.0, 124.0]], [108.0, -54.0])
    np.testing.assert_allclose(found.ridge.coefficients(), [[a, -a], [b, -b]])
    np.testing.assert_allclose(found.picked.gram, np.array([[232, -92], [-92, 70]]) / 9)
    np.testing.assert_allclose(found.picked.right, [[12, -12], [-6, 6]])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", TERMS)
@pytest.mark.parametrize("reads", READS)
@given(seed=SEEDS, form=st.sampled_from(FORMS))
def test_picks_are_the_oracles(reads, kind, n_classes, seed, form):
    X, y, weights = random_table(seed, n_classes, share=0.6 if "sparse" in form else 1.0)
    penalty = np.random.default_rng(seed).choice([0.01, 0.3, 1.0])
    assert_is_the_oracles(X, y, kind, 3, penalty, weights, reads=reads, form=form)


@given(seed=SEEDS, form=st.sampled_from(FORMS), reads=st.sampled_from(READS), kind=st.sampled_from(TERMS))
def test_picks_in_a_fold_are_the_oracles(seed, form, reads, kind):
    """Some rows, some of them twice, perhaps without a class; the classes are balanced by the whole table."""
    X, y, weights = random_table(seed)
    rng = np.random.default_rng(seed)
    train = np.flatnonzero(y != 2) if seed % 3 == 0 else np.arange(y.size)
    train = np.concatenate([[np.flatnonzero(y == j)[0] for j in range(2)], rng.choice(train, size=12)])
    assert_is_the_oracles(X, y, kind, 2, weights=weights, reads=reads, form=form, train=np.sort(train))


@given(seed=SEEDS, reads=st.sampled_from(READS))
def test_picks_under_rules_are_the_oracles(seed, reads):
    X, y, weights = random_table(seed, n_features=8)
    rng = np.random.default_rng(seed)
    forced = [[0, 1], [], [2]] if rng.integers(2) else None
    assert_is_the_oracles(
        X,
        y,
        rng.choice(TERMS),
        4,
        weights=weights,
        reads=reads,
        form=rng.choice(FORMS),
        allowed=np.arange(8) != 5,
        forced=forced,
        shared_out=() if forced else (3, 6, 4, 1),
        per_class=rng.integers(2, 4),
        in_all=rng.integers(4, 8),
    )


@given(seed=SEEDS, reads=st.sampled_from(READS))
def test_picks_within_a_budget_are_the_oracles(seed, reads):
    X, y, weights = random_table(seed, n_features=8)
    rng = np.random.default_rng(seed)
    costs = rng.uniform(0.5, 3.0, size=8) * (rng.uniform(size=8) > 0.2)
    picks = assert_is_the_oracles(
        X, y, rng.choice(TERMS), 4, weights=weights, reads=reads, costs=costs, budget=rng.uniform(1.0, 8.0)
    )
    assert len({f for _, f in picks}) == len(picks)


@pytest.mark.parametrize("kind", TERMS)
@pytest.mark.parametrize("reads", READS)
def test_features_that_gain_the_same_go_by_their_place_in_the_table(reads, kind):
    """Columns that another sample of the class has the one of, mirrored ones, other units: the data order them."""
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1, 2], 4)
    base = np.zeros((12, 3))
    base[[0, 4, 8], [0, 1, 2]] = 1.0
    moved = np.zeros((12, 3))
    moved[[2, 5, 11], [0, 1, 2]] = 1.0
    X = np.hstack([base, 7.0 - 3.0 * moved, rng.integers(0, 2, size=(12, 2))])
    assert_is_the_oracles(X, y, kind, 2, reads=reads)


def test_more_classes_than_features():
    X, y, _ = random_table(1, n_classes=4, n_features=3)
    picks = assert_is_the_oracles(X, y, n_rounds=3)
    assert len({j for j, _ in picks}) == len(picks) == 3


@pytest.mark.parametrize("reads", READS)
def test_four_classes(reads):
    X, y, weights = random_table(5, n_classes=4, n_features=8)
    assert_is_the_oracles(X, y, "both", 2, weights=weights, reads=reads)


@pytest.mark.parametrize("kind", TERMS)
@given(seed=SEEDS, form=st.sampled_from(FORMS))
def test_many_features(kind, seed, form):
    """Disjoint, as many as rounds (squared gaps may have nothing to say), nested in the rounds, whatever the order."""
    table = tables.blocks((6, 5, 7, 4), 60, seed)
    short, long = (drafted(table.X, table.y, kind, n_rounds, form=form) for n_rounds in (2, 5))
    assert np.unique(long.features).size == long.features.size
    if kind == "linear":
        assert long.counts.tolist() == [4 * r for r in range(6)]
        assert np.bincount(long.owners).tolist() == [5] * 4
    assert pairs(long)[: long.n_picks(2)] == pairs(short)
    assert long.n_picks(99) == long.features.size == long.counts[-1]
    order = np.random.default_rng(seed).permutation(60)
    moved = drafted(table.X[:, order], table.y, kind, 5, form=form)
    assert [(j, order[f]) for j, f in pairs(moved)] == pairs(long)


@given(seed=SEEDS, factor=st.sampled_from([1e-3, 7.0, 1e6]), shift=st.sampled_from([0.0, -40.0, 1e5]))
def test_units_do_not_matter(seed, factor, shift):
    table = tables.blocks((6, 5, 7), 30, seed)
    expected = drafted(table.X, table.y, "both", 4)
    for form in FORMS[:2]:
        assert pairs(drafted(factor * table.X + shift, table.y, "both", 4, form=form)) == pairs(expected)


@given(seed=SEEDS, unit=st.sampled_from([1e-9, 1e-2, 1e9]))
def test_units_of_costs_and_of_weights_do_not_matter(seed, unit):
    """Picks that nobody wants must not be traded for worths in some unit."""
    X, y, _ = random_table(seed, n_features=6)
    costs = np.random.default_rng(seed).uniform(0.5, 2.0, size=6)
    expected = drafted(X, y, "squared", 3, costs=costs, budget=4.0)
    assert pairs(drafted(X, y, "squared", 3, costs=unit * costs, budget=unit * 4.0)) == pairs(expected)


# Many drafts side by side


def folds_with_and_without(y, rng):
    """Folds of a table: two that know all classes, one that lacks the last, one that repeats samples."""
    test = rng.permutation(y.size) % 2
    both = [(np.flatnonzero(test != at), np.flatnonzero(test == at)) for at in range(2)]
    lacking = np.flatnonzero(y != y.max()), np.flatnonzero(y == y.max())
    again = np.sort(rng.choice(y.size, size=y.size)), np.arange(3)
    return [*both, lacking, again]


RULES = {
    "free": {},
    "bounds": {"per_class": 2, "in_all": 7, "allowed": np.arange(15) % 4 != 1},
    "forced": {"forced": [(0, 3), (), (5,)]},
    "shared out": {"shared_out": (2, 4, 6, 7)},
    "budget": {"costs": np.linspace(0.0, 3.0, 15), "budget": 6.5},
}


def mixed_table(seed):
    """Counts and zeros, a column without zeros, one that is far from zero, one that is constant."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1, 2], [9, 8, 10]))
    X = rng.poisson(rng.uniform(0.2, 2.0, size=(3, 15))[y]) * rng.uniform(0.5, 1.0, size=(27, 15))
    X[:, 3] = rng.normal(size=27) + 20.0 + y
    X[:, 7] = np.round(rng.normal(size=27) - y, 4) + 1e6
    X[:, 11] = 4.7
    return X, y, rng.uniform(0.5, 2.0, size=27)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("reads", READS)
@pytest.mark.parametrize("seed", range(2))
def test_rows_and_products_dense_and_sparse_give_the_same_drafts(seed, reads, rules):
    """All parts and kinds of terms at once, in four forms: the same picks, the same coefficients to 12 digits."""
    X, y, weights = mixed_table(seed)
    folds = folds_with_and_without(y, np.random.default_rng(seed))
    plans = [plan_of(part, kind, reads, 1.0, 4) for kind in TERMS for part in range(len(folds) + 1)]
    found = {}
    for form in FORMS:
        source = parts_of(X, y, weights, folds, form=form).source
        found[form] = run_drafts(source, plans, engine_rules(3, 15, **RULES[rules]))
    for at, plan in enumerate(plans):
        (expected,) = run_drafts(parts_of(X, y, weights, folds).source, [plan], engine_rules(3, 15, **RULES[rules]))
        for form in FORMS:
            draft = found[form][at]
            assert pairs(draft) == pairs(expected), (plan, form)
            assert draft.counts.tolist() == expected.counts.tolist()
            np.testing.assert_allclose(draft.ridge.coefficients(), expected.ridge.coefficients(), atol=1e-11)
            np.testing.assert_allclose(draft.picked.gram, expected.picked.gram, rtol=1e-8, atol=1e-8)


def test_ticks_once_per_round_however_many_drafts():
    X, y, weights = mixed_table(0)
    folds = folds_with_and_without(y, np.random.default_rng(0))
    ticks = []
    plans = [plan_of(part, "linear", "all", 1.0, 3) for part in range(5)]
    run_drafts(parts_of(X, y, weights, folds).source, plans, engine_rules(3, 15), lambda: ticks.append(1))
    assert len(ticks) == 3
    longer = [plan_of(0, "linear", "all", 1.0, 30)]  # features run out long before
    run_drafts(parts_of(X, y, weights).source, longer, engine_rules(3, 15), lambda: ticks.append(1))
    assert len(ticks) == 33


# Ties, and tables with nothing in them


class OtherMachine:
    """A source whose products are off in the last digits, as on another machine."""

    def __init__(self, source, seed):
        self.source, self.standards, self.gaps = source, source.standards, source.gaps
        self.rng = np.random.default_rng(seed)
        self.open, self.enter = source.open, source.enter

    def _off(self, numbers):
        return None if numbers is None else numbers * (1.0 + 1e-14 * self.rng.normal(size=numbers.shape))

    def left(self, fits):
        return [Left(self._off(found.linear), self._off(found.squared)) for found in self.source.left(fits)]

    def sum_products(self, part):
        return self._off(self.source.sum_products(part))


@pytest.mark.parametrize("kind", TERMS)
@pytest.mark.parametrize("reads", READS)
def test_equal_columns_go_by_index(reads, kind):
    """Which of them is best would be decided by rounding otherwise, and so by the machine."""
    table = tables.blocks((7, 5, 6), 30, seed=10)
    single = drafted(table.X, table.y, kind, 1, reads=reads)
    thrice = np.hstack([table.X] * 3)
    for seed, form in enumerate(FORMS):
        source = OtherMachine(parts_of(thrice, table.y, form=form).source, seed)
        (found,) = run_drafts(source, [plan_of(0, kind, reads, 1.0, 1)], engine_rules(3, 90))
        assert pairs(found) == pairs(single)


def test_no_class_goes_without_though_nothing_gains():
    """A table of equal numbers: everybody gets one feature, and nobody wants a second."""
    X, y = np.full((9, 7), 4.2), np.repeat([0, 1, 2], 3)
    for form in FORMS:
        found = drafted(X, y, "both", 5, form=form)
        assert np.bincount(found.owners).tolist() == [1, 1, 1]
        assert found.n_rounds == 1


@pytest.mark.parametrize("kind", TERMS)
@pytest.mark.parametrize("form", FORMS)
def test_constant_columns_are_left_where_others_still_gain(form, kind):
    """Their gain is rounding, and the preference among equal gains must not make something of it."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y = np.repeat([0, 1, 2], 10)
        X = np.hstack([rng.normal(size=(30, 4)) + rng.normal(size=(3, 4))[y], np.zeros((30, 5))])
        X[:, 4:] = [0.1, 1 / 3, 1e7 + 0.1, -0.7, 3.3]
        for reads in READS:
            assert drafted(X, y, kind, 5, reads=reads, form=form).features.max() < 4


def test_all_features_for_free():
    """A budget and costs of nothing: as without."""
    X, y, _ = random_table(3)
    assert pairs(drafted(X, y, n_rounds=2, costs=np.zeros(7), budget=0.0)) == pairs(drafted(X, y, n_rounds=2))


def test_more_rounds_than_features_need_no_room():
    """A matrix of (rounds x rounds) would not fit into any machine."""
    X, y, _ = random_table(2)
    for form in FORMS:
        assert sorted(drafted(X, y, n_rounds=10**9, form=form).features) == list(range(7))


def test_what_nobody_has_room_for_stays_out():
    """Folds without some class: the others cannot take all that must be in."""
    X, y, _ = random_table(4)
    found = drafted(X, y, n_rounds=2, shared_out=(0, 1, 2, 3, 4, 5, 6), per_class=2)
    assert [len(panel) for panel in panels(found)] == [2, 2, 2]
    lacking = np.flatnonzero(y != 1)
    found = drafted(X, y, n_rounds=2, shared_out=(0, 1, 2, 3, 4, 5), per_class=2, train=lacking)
    assert [len(panel) for panel in panels(found)] == [2, 0, 2]


def test_a_class_that_the_part_lacks_has_no_features_and_its_forced_ones_are_free():
    X, y, _ = random_table(6)
    found = drafted(X, y, n_rounds=3, forced=[(), (0, 1), (2,)], train=np.flatnonzero(y != 1))
    assert set(found.owners) == {0, 2}
    assert {0, 1} <= set(found.features.tolist())
    assert pairs(found)[0] == (2, 2)
