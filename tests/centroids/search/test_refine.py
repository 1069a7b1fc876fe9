"""Single-feature moves that lower the training loss."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import awkward_tables as tables
import oracle
from disjoint_centroids.centroids.search import fit_partitions, prepare
from disjoint_centroids.centroids.search.refine import Refinement

pytestmark = pytest.mark.filterwarnings("error")


def refined(table, owner, *, has_pool, seed=0, max_iter=300):
    """The engine's end from one start in class numbers."""
    return Refinement(table.problem(), has_pool=has_pool, max_iter=max_iter, seed=seed).from_owner(owner)


def starts(table, n_starts, *, has_pool, seed=0):
    """Starting owners in class numbers, every class with a feature."""
    return tables.starting_owners(table, n_starts, has_pool=has_pool, seed=seed).astype(int) - has_pool


def profile_loss(table, owner):
    """The loss at the best temperature for a partition."""
    gaps = oracle.squared_gaps(table.X, table.y, table.weights)
    targets = oracle.platt_targets(table.y, table.weights)
    d2 = oracle.owned_distances(gaps, owner, table.divided)
    temperature = oracle.best_temperature(d2, targets, table.weights)
    return table.weights @ oracle.cross_entropies(d2, targets, temperature)


# Two classes of three samples. Feature 0 is steady in class 0 and wild in class 1, feature 1 the other way round, both
# with mean 0 everywhere: class 0 should own feature 0. Feature 2 is the same number everywhere.
STEADY, WILD = [-1.0, 0.0, 1.0], [-9.0, 0.0, 9.0]
BY_HAND = tables.labelled(np.column_stack([STEADY + WILD, WILD + STEADY, [5.0] * 6]), [0, 0, 0, 1, 1, 1])


def test_gaps_leave_the_sample_out():
    gaps = oracle.squared_gaps(BY_HAND.X, BY_HAND.y, BY_HAND.weights)
    # Without the sample at 1, the mean of -1 and 0 is -1/2: its gap is 3/2. The other class's mean is 0.
    assert gaps[2, 0, 0] == pytest.approx(1.5**2)
    assert gaps[2, 1, 0] == 1.0
    assert (gaps[:, :, 2] == 0).all()


def test_one_fall_by_hand():
    """Two samples, two classes: the first class's distances of 1 and 2 become 3 and 1, temperature 1, targets 2/3."""
    from disjoint_centroids.centroids.kernels import refine as refine_kernels

    logits = -np.array([[1.0, 2.0], [2.0, 2.0]])
    state = (logits, np.empty((2, 2)), np.empty(2), np.empty(2))
    samples = (np.array([0, 1]), np.array([1.0, 3.0]), np.full(2, 2 / 3), np.full(2, 1 / 3))
    refine_kernels.weigh(state, samples)

    def loss(d0, d1, label):
        own, other = (d0, d1) if label == 0 else (d1, d0)
        return np.log(np.exp(-d0) + np.exp(-d1)) + own * 2 / 3 + other / 3

    before = np.array([loss(1, 2, 0), loss(2, 2, 1)])
    np.testing.assert_allclose(state[3], before)
    given = -np.array([3.0, 1.0])
    left = np.exp(given - state[2])
    fall, error = refine_kernels.fall(state, samples, 0, given, left, -1, given)
    falls = before - [loss(3, 2, 0), loss(1, 2, 1)]
    assert fall == pytest.approx(falls[0] + 3 * falls[1])
    assert error == pytest.approx(np.sqrt(4 * np.cov(falls, aweights=[1, 3], ddof=0)))


@pytest.mark.parametrize("far", [1.0, 1e3, 1e5])
def test_falls_of_any_size(far):
    """Where every share of a sample vanishes, or outgrows all others, the loss is still finite and right."""
    from disjoint_centroids.centroids.kernels import refine as refine_kernels

    rng = np.random.default_rng(0)
    d2 = far * rng.gamma(1.0, size=(40, 3))
    codes, weights = np.arange(40) % 3, rng.uniform(0.5, 2, size=40)
    targets = oracle.platt_targets(codes, weights)
    totals = np.bincount(codes, weights)
    samples = (codes, weights, (totals + 1) / (totals + 3), 1 / (totals + 3))
    state = (-d2.T.copy(), np.empty((3, 40)), np.empty(40), np.empty(40))
    refine_kernels.weigh(state, samples)
    changed = d2.copy()
    changed[:, :2] = far * rng.gamma(1.0, size=(40, 2))[:, ::-1]
    given, taken = -changed[:, 0].copy(), -changed[:, 1].copy()
    with np.errstate(over="ignore", under="ignore"):
        fall, _ = refine_kernels.fall(state, samples, 0, given, np.exp(given - state[2]), 1, taken)
    expected = weights @ (oracle.cross_entropies(d2, targets, 1.0) - oracle.cross_entropies(changed, targets, 1.0))
    assert fall == pytest.approx(expected, rel=1e-9)


def test_features_go_to_the_class_in_which_they_are_steady():
    """Entries of 1 where a class is steady and 3 where it is not, signs in turn: every mean is zero, and no sample
    differs from the others of its class. If each class has the other's features, every feature moves once."""
    y, right = np.repeat([0, 1], 8), np.repeat([0, 1], 6)
    table = tables.labelled(np.where(y[:, None] == right, 1.0, 3.0) * np.tile([1.0, -1.0], 8)[:, None], y)
    found = refined(table, 1 - right, has_pool=False)
    np.testing.assert_array_equal(found.owner, right)
    assert (found.n_moves, found.converged) == (12, True)


def test_nothing_is_gained_by_being_certain():
    """In the same table with two features exchanged every sample is as near its own class as the smoothed labels ask
    for, at some temperature: nothing moves."""
    y, right = np.repeat([0, 1], 8), np.repeat([0, 1], 6)
    table = tables.labelled(np.where(y[:, None] == right, 1.0, 3.0) * np.tile([1.0, -1.0], 8)[:, None], y)
    start = right.copy()
    start[[0, 7]] = [1, 0]
    assert refined(table, start, has_pool=False).n_moves == 0


@pytest.mark.parametrize("has_pool", [False, True], ids=["Algorithm 1", "Algorithm 2"])
@pytest.mark.parametrize(("name", "variant"), tables.in_turn(tables.TABLES))
def test_ends_where_the_oracle_ends(name, variant, has_pool):
    table = tables.table(name, variant)
    n_moves = 0
    # With an I_0: one start in which it is empty, and one in which it holds nearly everything.
    for seed, owner in enumerate(starts(table, 4 if table.n_classes < 6 else 2, has_pool=has_pool)[1::2]):
        found = refined(table, owner, has_pool=has_pool, seed=seed)
        expected = oracle.refine(table.X, table.y, owner, has_pool=has_pool, seed=seed, **table.options)
        np.testing.assert_array_equal(found.owner, expected.owner)
        assert (found.n_moves, found.converged) == (expected.n_moves, expected.converged)
        n_moves += found.n_moves
    assert n_moves > 0 or variant == "euclidean" or name in ("equal columns", "one sample a class")


@pytest.mark.parametrize("has_pool", [False, True], ids=["Algorithm 1", "Algorithm 2"])
@pytest.mark.parametrize("variant", tables.VARIANTS)
def test_shared_features_count_and_stay(variant, has_pool):
    table = tables.table("more samples than features", variant)
    shared = np.arange(table.n_features) % 5 == 4
    problem = prepare(
        np.ascontiguousarray(table.X[:, ~shared]),
        table.y,
        table.weights,
        table.n_classes,
        divided=table.divided,
        shared_values=table.X[:, shared],
    )
    search = Refinement(problem, has_pool=has_pool, max_iter=300, seed=3)
    n_moves = 0
    for owner in starts(table, 4, has_pool=has_pool):
        owner = np.where(shared, oracle.SHARED, owner)
        expected = oracle.refine(table.X, table.y, owner, has_pool=has_pool, seed=3, **table.options)
        found = search.from_owner(owner[~shared])
        np.testing.assert_array_equal(found.owner, expected.owner[~shared])
        assert (expected.owner[shared] == oracle.SHARED).all()
        n_moves += found.n_moves
    assert n_moves > 0


@st.composite
def tables_and_starts(draw):
    """A small table, a partition of it in which every class has a feature, and whether there is an I_0."""
    sizes = draw(st.lists(st.integers(1, 7), min_size=2, max_size=4))
    n_features = draw(st.integers(len(sizes) + 1, 12))
    table = tables.blocks(sizes, n_features, seed=draw(st.integers(0, 2**16)), noise=draw(st.sampled_from([0.3, 3.0])))
    if draw(st.booleans()):
        weights = draw(st.lists(st.sampled_from([0.1, 0.5, 1.0, 2.5]), min_size=sum(sizes), max_size=sum(sizes)))
        table = tables.labelled(table.X, table.y, weights, divided=draw(st.booleans()))
    has_pool = draw(st.booleans())
    return table, starts(table, 2, has_pool=has_pool, seed=draw(st.integers(0, 99)))[-1], has_pool


@given(tables_and_starts())
def test_what_always_holds(drawn):
    table, start, has_pool = drawn
    found = refined(table, start, has_pool=has_pool)
    assert set(range(table.n_classes)) <= set(found.owner) <= set(range(-1 if has_pool else 0, table.n_classes))
    before, after = profile_loss(table, start), profile_loss(table, found.owner)
    if found.n_moves:
        assert after < before
    else:
        np.testing.assert_array_equal(found.owner, start)
    assert found.converged
    assert refined(table, found.owner, has_pool=has_pool, seed=7).n_moves == 0  # whatever the order


@pytest.mark.parametrize("name", ["few samples a class", "more samples than features", "unbalanced"])
@pytest.mark.parametrize("has_pool", [False, True])
def test_order_of_samples_and_names_of_classes_do_not_matter(name, has_pool):
    table = tables.table(name, "weighted")
    rng = np.random.default_rng(0)
    renamed = rng.permutation(table.n_classes)
    order = rng.permutation(table.y.size)
    other = tables.labelled(table.X[order], renamed[table.y[order]], table.weights[order])
    for start in starts(table, 3, has_pool=has_pool):
        found = refined(table, start, has_pool=has_pool).owner
        again = refined(other, np.where(start < 0, -1, renamed[start]), has_pool=has_pool).owner
        np.testing.assert_array_equal(again, np.where(found < 0, -1, renamed[found]))


@pytest.mark.parametrize("has_pool", [False, True])
def test_whole_weights_are_repetition(has_pool):
    table = tables.table("more samples than features")
    times = np.arange(table.y.size) % 3 + 1
    weighted = tables.labelled(table.X, table.y, times)
    repeated = table.rows(np.repeat(np.arange(table.y.size), times))
    for start in starts(table, 3, has_pool=has_pool):
        found = refined(weighted, start, has_pool=has_pool)
        expected = refined(repeated, start, has_pool=has_pool)
        np.testing.assert_array_equal(found.owner, expected.owner)
        assert found.n_moves == expected.n_moves > 0


def test_few_moves_where_labels_say_nothing():
    """Twenty samples and a thousand features of noise: about as many features move as two standard errors let pass."""
    rng = np.random.default_rng(0)
    table = tables.labelled(rng.normal(size=(20, 1000)), np.arange(20) % 2)
    found = refined(table, np.arange(1000) % 2, has_pool=False)
    assert 0 < found.n_moves < 100


def test_sweeps_are_bounded():
    table = tables.table("more samples than features")
    start = starts(table, 1, has_pool=True)[0]
    once = refined(table, start, has_pool=True, max_iter=1)
    assert once.n_moves > 0
    assert not once.converged
    expected = oracle.refine(table.X, table.y, start, has_pool=True, max_iter=1, **table.options)
    np.testing.assert_array_equal(once.owner, expected.owner)


def test_too_few_features_stay_where_they_are():
    table = tables.blocks((5, 5, 5), 2, seed=0)
    found = refined(table, np.array([1, 1]), has_pool=True)
    np.testing.assert_array_equal(found.owner, [1, 1])
    assert (found.n_moves, found.converged) == (0, True)


LAMS = np.array([0.7, 0.9, 1.1, np.inf])


@pytest.mark.parametrize("lams", [None, LAMS], ids=["Algorithm 1", "Algorithm 2"])
@pytest.mark.parametrize("variant", tables.VARIANTS)
def test_the_best_restart_is_what_is_refined(variant, lams):
    table = replace(tables.table("more samples than features", variant), X=tables.blocks((40, 30, 35), 14, 2, 3.0).X)
    problem = table.problem()
    plain = fit_partitions(problem, lams, tables.settings(seed=5))
    settings = replace(tables.settings(seed=5), refine=True)
    n_moves = 0
    for before, after in zip(plain, fit_partitions(problem, lams, settings), strict=True):
        expected = oracle.refine(table.X, table.y, before.owner, has_pool=lams is not None, seed=5, **table.options)
        np.testing.assert_array_equal(after.owner, expected.owner)
        assert (after.n_moves, after.converged) == (expected.n_moves, True)
        assert after.train_error == pytest.approx(oracle.training_error(table.X, table.y, after.owner, **table.options))
        assert after.risk == pytest.approx(oracle.risk(table.X, table.y, after.owner, **table.options))
        assert (after.n_iter, after.n_restarts) == (before.n_iter, before.n_restarts)
        assert before.n_moves == 0
        n_moves += after.n_moves
    assert n_moves > 0


def test_threads_do_not_matter(eager_threads):
    problem = tables.table("more samples than features").problem()
    one, two = (fit_partitions(problem, LAMS, replace(tables.settings(n_threads=n), refine=True)) for n in (1, 2))
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a.owner, b.owner)


def test_sweeps_that_ran_out_are_told():
    problem = tables.table("more samples than features").problem()
    settings = replace(tables.settings("variance", max_iter=1), refine=True)
    (found,) = fit_partitions(problem, np.array([np.inf]), settings)
    assert not found.converged
