"""The draft: by hand, against a version that tries every matching, and what always holds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import awkward_tables as tables
import oracle_panel as oracle
from disjoint_centroids.panels.drafting import TERMS, Rules, columns_of, draft, panel_columns

pytestmark = pytest.mark.filterwarnings("error")

SEEDS = st.integers(0, 10**6)


def rules_for(n_classes, n_features, **rules):
    """Rules in the engine's words from what the oracle is told."""
    allowed = np.ones(n_features, dtype=bool) if rules.get("allowed") is None else np.asarray(rules["allowed"])
    given = rules.get("forced") or [()] * n_classes
    rest = {name: value for name, value in rules.items() if name not in ("allowed", "forced") and value is not None}
    if "costs" in rest:
        rest["costs"] = np.asarray(rest["costs"], dtype=float)
    return Rules(allowed, tuple(map(tuple, given)), **rest)


def drafted(X, y, kind="linear", n_rounds=2, penalty=1.0, weights=None, **rules):
    """The package's draft of a table, dense or sparse."""
    weights = oracle.weights_or_ones(y, weights)
    columns = columns_of(X, y, weights)
    heavy = oracle.balanced(y, weights)
    terms = panel_columns(kind, columns, heavy)
    rules = rules_for(y.max() + 1, X.shape[1], **rules)
    return draft(columns, terms, y, heavy, rules=rules, n_rounds=n_rounds, penalty=penalty)


def lists(found):
    return [panel.tolist() for panel in found.picks]


def assert_is_the_oracles(X, y, kind="linear", n_rounds=2, penalty=1.0, weights=None, **rules):
    """The same picks in the same order, round by round; returns them for further questions."""
    found = drafted(X, y, kind, n_rounds, penalty, weights, **rules)
    dense = X.toarray() if sparse.issparse(X) else X
    terms = oracle.Terms(kind, dense, y, weights)
    panels, counts = oracle.Draft(terms, y, penalty, **rules).play(n_rounds)
    assert lists(found) == panels
    assert found.counts.tolist() == counts
    return panels


def random_table(seed, n_classes=3, n_features=7):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 8, size=n_classes)
    table = tables.blocks(tuple(sizes), n_features, seed)
    return table.X, table.y, rng.uniform(0.3, 2.0, size=table.y.size)


def test_by_hand():
    """Standardised by 1.5, feature 0 is 2 in the first class and -2 in the second, feature 2 is -1 and 1.

    Feature 0 gains 144 / (58/27 + 1) for either class, feature 2 gains 36 / (35/54 + 1), feature 1 nothing; a feature
    goes where it is high. Then w = 12 / (170/9) = 54/85 for the first class, which leaves 6 - 27/85 · 92/9 = 234/85
    for the second along feature 2, so that w = (234/85) / (89/9) = 2106/7565 there. Of the first class 8/9 · (2106/7565
    - 54/85) is left along feature 1, which is negative: in the second round the second class has it.
    """
    within = np.array([-1.0, 0.0, 1.0, -1.0, 0.0, 1.0])
    y = np.repeat([0, 1], 3)
    sign = np.where(y == 0, 1.0, -1.0)
    X = np.column_stack([3 * sign + within, within, -1.5 * sign + within])
    columns = columns_of(X, y, np.ones(6))
    terms = panel_columns("linear", columns, np.ones(6))
    gains = terms.gains(columns, np.column_stack([sign, -sign]), 1.0)
    expected = [144 / (58 / 27 + 1), 0.0, 36 / (35 / 54 + 1)]
    np.testing.assert_allclose(gains, [expected, expected], rtol=2e-6, atol=1e-12)
    z = columns.dense(np.arange(3))
    first, second = 54 / 85 * z[:, 0], 2106 / 7565 * z[:, 2]
    left = sign - (first - second) / 2
    assert z[:, 1] @ left == pytest.approx(8 / 9 * (2106 / 7565 - 54 / 85))
    found = drafted(X, y, n_rounds=2)
    assert lists(found) == [[0], [2, 1]]
    assert found.counts.tolist() == [[0, 0], [1, 1], [1, 2]]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", TERMS)
@given(seed=SEEDS)
def test_picks_are_the_oracles(kind, n_classes, seed):
    X, y, weights = random_table(seed, n_classes)
    assert_is_the_oracles(X, y, kind, 3, np.random.default_rng(seed).choice([0.01, 0.3, 1.0]), weights)


@pytest.mark.parametrize("form", [sparse.csc_array, sparse.csc_matrix])
@pytest.mark.parametrize("kind", TERMS)
@given(seed=SEEDS)
def test_picks_of_sparse_tables_are_the_oracles(form, kind, seed):
    X, y, weights = random_table(seed)
    X = np.where(np.random.default_rng(seed).uniform(size=X.shape) < 0.5, X, 0.0)
    assert_is_the_oracles(form(X), y, kind, 2, 0.5, weights)


@given(seed=SEEDS)
def test_picks_under_rules_are_the_oracles(seed):
    X, y, weights = random_table(seed, n_features=8)
    rng = np.random.default_rng(seed)
    forced = [[0, 1], [], [2]] if rng.integers(2) else None
    assert_is_the_oracles(
        X,
        y,
        rng.choice(TERMS),
        4,
        weights=weights,
        allowed=np.arange(8) != 5,
        forced=forced,
        shared_out=() if forced else (3, 6, 4, 1),
        per_class=rng.integers(2, 4),
        in_all=rng.integers(4, 8),
    )


@given(seed=SEEDS)
def test_picks_within_a_budget_are_the_oracles(seed):
    X, y, weights = random_table(seed, n_features=8)
    rng = np.random.default_rng(seed)
    costs = rng.uniform(0.5, 3.0, size=8) * (rng.uniform(size=8) > 0.2)
    panels = assert_is_the_oracles(
        X, y, rng.choice(TERMS), 4, weights=weights, costs=costs, budget=rng.uniform(1.0, 8.0), shared_out=()
    )
    assert len({f for panel in panels for f in panel}) == sum(map(len, panels))


def test_more_classes_than_features():
    X, y, _ = random_table(1, n_classes=4, n_features=3)
    panels = assert_is_the_oracles(X, y, n_rounds=3)
    assert sorted(map(len, panels)) == [0, 1, 1, 1]


def test_four_classes():
    X, y, weights = random_table(5, n_classes=4, n_features=8)
    assert_is_the_oracles(X, y, "both", 2, weights=weights)


@pytest.mark.parametrize("kind", TERMS)
@given(seed=SEEDS)
def test_many_features(kind, seed):
    """Disjoint, as many as rounds (squared gaps may have nothing to say), nested in the rounds, whatever the order."""
    table = tables.blocks((6, 5, 7, 4), 60, seed)
    short, long = (drafted(table.X, table.y, kind, n_rounds) for n_rounds in (2, 5))
    picked = np.concatenate(long.picks)
    assert np.unique(picked).size == picked.size
    if kind == "linear":
        assert long.counts.tolist() == [[r] * 4 for r in range(6)]
    assert long.counts.max() <= 5
    for a, b in zip(short.picks, long.panels(2), strict=True):
        np.testing.assert_array_equal(a, b)
    assert [panel.size for panel in long.panels(99)] == long.counts[-1].tolist()
    order = np.random.default_rng(seed).permutation(60)
    moved = drafted(table.X[:, order], table.y, kind, 5)
    assert [order[panel].tolist() for panel in moved.picks] == lists(long)


@given(seed=SEEDS, factor=st.sampled_from([1e-3, 7.0, 1e6]), shift=st.sampled_from([0.0, -40.0, 1e5]))
def test_units_do_not_matter(seed, factor, shift):
    table = tables.blocks((6, 5, 7), 30, seed)
    expected = drafted(table.X, table.y, "both", 4)
    assert lists(drafted(factor * table.X + shift, table.y, "both", 4)) == lists(expected)


@given(seed=SEEDS, unit=st.sampled_from([1e-9, 1e-2, 1e9]))
def test_units_of_costs_and_of_weights_do_not_matter(seed, unit):
    """Picks that nobody wants must not be traded for worths in some unit."""
    X, y, weights = random_table(seed, n_features=6)
    costs = np.random.default_rng(seed).uniform(0.5, 2.0, size=6)
    expected = drafted(X, y, "squared", 3, costs=costs, budget=4.0)
    assert lists(drafted(X, y, "squared", 3, costs=unit * costs, budget=unit * 4.0)) == lists(expected)
    columns = columns_of(X, y, weights)
    heavy = oracle.balanced(y, weights)
    terms = panel_columns("squared", columns, heavy)
    rules = rules_for(3, 6)
    light, dense = (draft(columns, terms, y, w, rules=rules, n_rounds=2, penalty=1.0) for w in (heavy, heavy / unit))
    assert lists(light) == lists(dense)


class OtherMachine:
    """Columns whose products are off in the last digits, as on another machine."""

    def __init__(self, columns, seed):
        self.columns, self.standard, self.rng = columns, columns.standard, np.random.default_rng(seed)
        self.powers, self.dense, self.squared_norms = columns.powers, columns.dense, columns.squared_norms

    def _off(self, numbers):
        return numbers * (1.0 + 1e-14 * self.rng.normal(size=numbers.shape))

    def products(self, vectors):
        return self._off(self.columns.products(vectors))

    def square_products(self, vectors):
        return self._off(self.columns.square_products(vectors))


@pytest.mark.parametrize("kind", TERMS)
def test_equal_columns_go_by_index(kind):
    """Which of them is best would be decided by rounding otherwise, and so by the machine."""
    table = tables.blocks((7, 5, 6), 30, seed=10)
    heavy = oracle.balanced(table.y)
    single = drafted(table.X, table.y, kind, 1)
    thrice = np.hstack([table.X] * 3)
    for seed, form in enumerate((np.asarray, sparse.csc_array, np.asfortranarray)):
        columns = columns_of(form(thrice), table.y, table.weights)
        terms = panel_columns(kind, columns, heavy)
        rules = rules_for(3, 90)
        found = draft(OtherMachine(columns, seed), terms, table.y, heavy, rules=rules, n_rounds=1, penalty=1.0)
        assert lists(found) == lists(single)


def test_no_class_goes_without_though_nothing_gains():
    """A table of equal numbers: everybody gets one feature, and nobody wants a second."""
    X, y = np.full((9, 7), 4.2), np.repeat([0, 1, 2], 3)
    found = drafted(X, y, "both", 5)
    assert [panel.size for panel in found.picks] == [1, 1, 1]
    assert found.n_rounds == 1


def test_all_features_for_free():
    """A budget and costs of nothing: as without."""
    X, y, _ = random_table(3)
    assert lists(drafted(X, y, n_rounds=2, costs=np.zeros(7), budget=0.0)) == lists(drafted(X, y, n_rounds=2))


def test_more_rounds_than_features_need_no_room():
    """A matrix of (rounds x rounds) would not fit into any machine."""
    X, y, _ = random_table(2)
    assert sorted(np.concatenate(drafted(X, y, n_rounds=10**9).picks)) == list(range(7))


def test_what_nobody_has_room_for_stays_out():
    """Folds without some class: the others cannot take all that must be in."""
    X, y, _ = random_table(4)
    found = drafted(X, y, n_rounds=2, shared_out=(0, 1, 2, 3, 4, 5, 6), per_class=2)
    assert [panel.size for panel in found.picks] == [2, 2, 2]
