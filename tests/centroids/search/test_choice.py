"""The best partition of many restarts, and the one that is made when there is none."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import awkward_tables as tables
import oracle
from agreement import LAMS
from disjoint_centroids.centroids.search import KINDS, fit_partitions, prepare
from disjoint_centroids.centroids.search.repair import repair

pytestmark = pytest.mark.filterwarnings("error")


def assert_is_oracles_best(found, best):
    np.testing.assert_array_equal(found.owner, best.owner)
    np.testing.assert_allclose(found.train_error, best.error, rtol=1e-12)
    np.testing.assert_allclose(found.risk, best.risk, rtol=1e-8, atol=1e-20)
    assert (found.n_iter, found.n_restarts, found.converged) == (best.n_iter, best.n_alive, True)


CHOSEN_FROM = [name for name in tables.TABLES if name != "equal columns"]  # there no restart survives


@pytest.mark.parametrize("by_error", [True, False], ids=["error", "risk"])
@pytest.mark.parametrize(("name", "variant"), tables.in_turn(CHOSEN_FROM))
def test_algorithm_1_picks_the_oracles_restart(name, variant, by_error):
    table = tables.table(name, variant)
    starts = tables.starting_owners(table, 10, has_pool=False, seed=9)
    best = oracle.best_restart(table.X, table.y, starts, by_error=by_error, **table.options)
    (found,) = fit_partitions(table.problem(), None, tables.settings(starts.astype(int), n_init=10, by_error=by_error))
    if best is None:
        assert found.n_restarts == 0
    else:
        assert_is_oracles_best(found, best)


@pytest.mark.parametrize(
    ("name", "variant"), tables.in_turn(["few samples a class", "unbalanced", "zeros and ones", "offset"])
)
def test_algorithm_2_picks_the_oracles_restart_at_every_lambda(name, variant):
    table = tables.table(name, variant)
    starts = tables.starting_owners(table, 6, has_pool=True, seed=9)
    partitions = fit_partitions(table.problem(), LAMS, tables.settings(starts.astype(int) - 1, n_init=6))
    for lam, found in zip(LAMS, partitions, strict=True):
        best = oracle.best_restart(table.X, table.y, starts, lam, **table.options)
        if best is None:
            assert found.n_restarts == 0
        else:
            assert_is_oracles_best(found, best)


def test_the_restarts_differ_enough_to_choose_from():
    table = tables.table("unbalanced")
    starts = tables.starting_owners(table, 10, has_pool=False, seed=9)
    ends = [oracle.ndc(table.X, table.y, start)[0] for start in starts]
    errors = [oracle.training_error(table.X, table.y, end) for end in ends]
    assert len({end.tobytes() for end in ends}) > 3
    assert len(set(errors)) > 1


def test_of_equally_good_restarts_the_first_is_kept():
    # The table is its own mirror image with the classes exchanged, and so are the two ends: same error, same risk.
    one, other = np.array([[2, 3, 4], [5, 0, 0], [4, 5, 1]]), np.array([[1, 5, 2], [1, 4, 1], [2, 3, 3]])
    table = tables.labelled(np.block([[one, other], [other, one]]), [0, 0, 0, 1, 1, 1])
    ends = np.array([[1, 1, 1, 1, 0, 0], [0, 1, 1, 0, 0, 0]])
    for starts in (ends, ends[::-1]):
        (found,) = fit_partitions(table.problem(), None, tables.settings(starts, n_init=2))
        np.testing.assert_array_equal(found.owner, starts[0])
        assert (found.n_restarts, found.n_iter) == (2, 1)


@pytest.mark.parametrize("lam", [None, 0.2, 1.0, np.inf])
@pytest.mark.parametrize("name", ["equal columns", "zeros and ones"])
def test_without_survivors_the_partition_is_repaired(name, lam):
    table = tables.table(name, "euclidean")
    starts = np.zeros((2, table.n_features), int)  # everything to class 0: abandoned at once
    lams = None if lam is None else np.array([lam])
    (found,) = fit_partitions(table.problem(), lams, tables.settings(starts, n_init=2))
    assert found.n_restarts == 0
    assert set(range(table.n_classes)) <= set(found.owner)
    np.testing.assert_allclose(found.risk, oracle.risk(table.X, table.y, found.owner, **table.options), atol=1e-16)


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_of_equal_columns_has_an_answer(kind):
    table = tables.table("equal columns")
    for lams in (None, np.array([0.5, np.inf])):
        for found in fit_partitions(table.problem(), lams, tables.settings(kind)):
            assert set(range(table.n_classes)) <= set(found.owner)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_features", [1, 2, 4])
def test_fewer_features_than_classes_have_an_answer(kind, n_features):
    table = tables.blocks((4, 3, 5, 2, 3), n_features, seed=50)
    for lams in (None, np.array([0.5, 2.0])):
        for found in fit_partitions(table.problem(), lams, tables.settings(kind)):
            assert found.owner.shape == (n_features,)
            assert (found.owner >= -1).all()
            assert found.n_restarts > 0


def cheapest_repair(risk_of, owner, n_classes):
    """By brute force: for one empty class after the other, the one feature that raises the risk least."""
    owner = owner.copy()
    for label in range(n_classes):
        if (owner == label).any():
            continue
        sizes = np.bincount(owner[owner >= 0], minlength=n_classes)
        tried = []
        for f in range(owner.size):
            given = owner.copy()
            given[f] = label
            only_one = owner[f] >= 0 and sizes[owner[f]] == 1
            tried.append(np.inf if only_one else risk_of(given))
        owner[int(np.argmin(tried))] = label
    return owner


INCOMPLETE = {
    "all to one class": lambda p: np.zeros(p, int),
    "all to nobody": lambda p: np.full(p, -1),
    "one class missing": lambda p: np.where(np.arange(p) % 3 == 0, 0, 2),
    "a class with one feature": lambda p: np.where(np.arange(p) == 0, 1, 2),
    "some of nobody": lambda p: np.where(np.arange(p) % 2 == 0, -1, 1),
}


@pytest.mark.parametrize("incomplete", INCOMPLETE)
@pytest.mark.parametrize(("name", "variant"), tables.in_turn(["few samples a class", "offset", "wild scales"]))
def test_repair_takes_the_feature_of_least_added_risk(name, variant, incomplete):
    table = tables.table(name, variant)
    owner = INCOMPLETE[incomplete](table.n_features)

    def risk_of(owner):
        return oracle.risk(table.X, table.y, owner, **table.options)

    found = repair(table.problem(), owner.astype(np.int8))
    np.testing.assert_array_equal(found, cheapest_repair(risk_of, owner, table.n_classes))


@pytest.mark.parametrize("incomplete", INCOMPLETE)
@pytest.mark.parametrize("variant", tables.VARIANTS)
def test_repair_reckons_with_shared_features(variant, incomplete):
    table = tables.table("few samples a class", variant)
    free = table.X[:, 6:]
    problem = prepare(
        free, table.y, table.weights, table.n_classes, divided=table.divided, shared_values=table.X[:, :6]
    )
    owner = INCOMPLETE[incomplete](free.shape[1])

    def risk_of(owner):
        return oracle.risk(table.X, table.y, np.r_[[oracle.SHARED] * 6, owner], **table.options)

    found = repair(problem, owner.astype(np.int8))
    np.testing.assert_array_equal(found, cheapest_repair(risk_of, owner, table.n_classes))


def test_repair_leaves_a_complete_partition_alone():
    table = tables.table("few samples a class")
    owner = tables.starting_owners(table, 1, has_pool=False)[0]
    np.testing.assert_array_equal(repair(table.problem(), owner), owner)


@st.composite
def small_tables(draw, whole_numbers=False):
    """Random tables of two to five classes; whole numbers are full of ties."""
    n_classes = draw(st.integers(2, 5))
    sizes = draw(st.lists(st.integers(1, 7), min_size=n_classes, max_size=n_classes))
    table = tables.blocks(sizes, draw(st.integers(n_classes, 20)), seed=draw(st.integers(0, 10**6)))
    return tables.labelled(np.round(table.X), table.y) if whole_numbers else table


lambdas = st.sampled_from([None, 0.3, 0.8, 1.0, 1.5, np.inf])


def fit(table, lam, init, n_init=5):
    lams = None if lam is None else np.array([lam])
    return fit_partitions(table.problem(), lams, tables.settings(init, n_init=n_init))[0]


def given_starts(table, lam, seed=0):
    return tables.starting_owners(table, 5, has_pool=lam is not None, seed=seed).astype(int) - (lam is not None)


@given(table=st.one_of(small_tables(), small_tables(whole_numbers=True)), lam=lambdas, kind=st.sampled_from(KINDS))
def test_every_class_has_a_feature_and_every_feature_at_most_one_class(table, lam, kind):
    found = fit(table, lam, kind)
    assert found.owner.shape == (table.n_features,)
    assert set(range(table.n_classes)) <= set(found.owner)
    assert found.owner.min() >= (0 if lam is None or lam == np.inf else -1)
    assert 0 <= found.n_restarts <= 5
    assert 0.0 <= found.train_error <= 1.0


@given(table=small_tables(), lam=lambdas, data=st.data())
def test_classes_by_another_name_give_the_same_sets(table, lam, data):
    renamed = np.array(data.draw(st.permutations(range(table.n_classes))))
    starts = given_starts(table, lam)
    expected = fit(table, lam, starts)
    if expected.n_restarts == 0:  # repair goes through the classes in order
        return
    other = tables.labelled(table.X, renamed[table.y])
    found = fit(other, lam, np.where(starts < 0, -1, renamed[starts]))
    np.testing.assert_array_equal(found.owner, np.where(expected.owner < 0, -1, renamed[expected.owner]))


@given(
    table=st.one_of(small_tables(), small_tables(whole_numbers=True)),
    lam=lambdas,
    seed=st.integers(0, 1000),
)
def test_order_of_the_samples_changes_nothing(table, lam, seed):
    order = np.random.default_rng(seed).permutation(table.y.size)
    starts = given_starts(table, lam, seed)
    expected, found = fit(table, lam, starts), fit(table.rows(order), lam, starts)
    np.testing.assert_array_equal(found.owner, expected.owner)
    assert (found.n_restarts, found.n_iter) == (expected.n_restarts, expected.n_iter)


@given(table=small_tables(), kind=st.sampled_from(KINDS), seed=st.integers(0, 1000))
def test_order_of_the_samples_changes_no_start_of_untied_data(table, kind, seed):
    order = np.random.default_rng(seed).permutation(table.y.size)
    np.testing.assert_array_equal(fit(table.rows(order), None, kind).owner, fit(table, None, kind).owner)


@given(table=small_tables(), lam=lambdas, seed=st.integers(0, 1000))
def test_order_of_the_features_changes_nothing(table, lam, seed):
    order = np.random.default_rng(seed).permutation(table.n_features)
    starts = given_starts(table, lam, seed)
    expected = fit(table, lam, starts)
    found = fit(tables.labelled(table.X[:, order], table.y), lam, starts[:, order])
    np.testing.assert_array_equal(found.owner, expected.owner[order])


@given(table=small_tables(), lam=lambdas, shift=st.sampled_from([-1e5, 7.3, 1e6]), scale=st.sampled_from([0.01, 1e3]))
def test_units_of_the_table_change_nothing(table, lam, shift, scale):
    starts = given_starts(table, lam)
    expected = fit(table, lam, starts)
    found = fit(tables.labelled(shift + scale * table.X, table.y), lam, starts)
    np.testing.assert_array_equal(found.owner, expected.owner)
    assert found.n_restarts == expected.n_restarts


def test_the_best_of_all_partitions_of_a_tiny_table():
    # With every partition as a start, the best end is the best fixed point of Algorithm 1 there is.
    table = tables.blocks((4, 5), 6, seed=60)
    starts = np.array(list(itertools.product(range(2), repeat=6)))
    best = oracle.best_restart(table.X, table.y, starts)
    assert_is_oracles_best(fit(table, None, starts, n_init=len(starts)), best)
