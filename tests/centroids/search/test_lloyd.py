"""The engine's one loop against the plain one, and against itself cut up in other ways."""

import numpy as np
import pytest

import awkward_tables as tables
import oracle
from agreement import assert_equal_runs, assert_same_ends, engine_runs, every_lam
from disjoint_centroids.centroids.search.lloyd import features_at_once, lloyd
from disjoint_centroids.centroids.search.supports import k_means_clusters
from disjoint_centroids.numerics.sizes import sizes_context
from disjoint_centroids.numerics.types import owner_dtype

pytestmark = pytest.mark.filterwarnings("error")

AWKWARD = ("some classes with more samples than features", "zeros and ones", "half the columns offset")


def owners_of(*rows):
    return np.array(rows, np.int8)


#   samples of class 0 | of class 1          f0  f1  f2  f3
ON_PAPER = tables.labelled([[0, 0, 4, 8], [0, 2, 8, 2], [0, 4, 1, 1], [6, 0, 1, 3]], [0, 0, 1, 1])


def test_worked_example_of_algorithm_1(form):
    # Start I_0 = {f0, f3}, I_1 = {f1, f2}: m_0 = (4, 1) on class 0's samples, m_1 = (2.5, 0.5) on class 1's.
    #   d²(f, 0):  f0 (16+1)/2 = 8.5     f1 (16+1)/2 = 8.5      f2 (0+49)/2 = 24.5     f3 (16+1)/2 = 8.5
    #   d²(f, 1):  f0 18.25              f1 (2.25+.25)/2 = 1.25 f2 (2.25+.25)/2 = 1.25 f3 (2.25+6.25)/2 = 4.25
    # so f3 changes hands: m_0 = f0 = (0, 0), m_1 = (2, 4/3).
    #   f1: (0+4)/2 = 2 against (4+16/9)/2 = 2.9, so f1 changes hands; the others stay: m_0 = (0, 1), m_1 = (1, 2).
    #   d²(f, own) = 0.5 for all four, every other distance is 6.5 or more: the third step changes nothing.
    runs = engine_runs(ON_PAPER, owners_of([0, 1, 1, 0]))
    np.testing.assert_array_equal(runs.owner, [[0, 0, 1, 1]])
    assert (runs.n_iter[0], runs.alive[0], runs.converged[0]) == (3, True, True)


@pytest.mark.parametrize(
    ("lam", "owner", "n_iter"),
    [
        # f1 is at squared distance (4+0+4+4)/4 = 3 from f4: 0.09 * 3 = 0.27 < 0.5, it joins f4 (0.3 * 3 would not).
        # f0, f2 and f3 are at 7, 10.5 and 9.5: 0.63 or more, they stay. The second step changes nothing.
        (0.3, [1, 0, 2, 2, 0], 2),
        (1.0, [1, 1, 2, 2, 0], 1),
        # I_0 is closed to f4 although it is its centre: 2.5 from m_1, (1+0)/2 from m_2.
        (np.inf, [1, 1, 2, 2, 2], 2),
    ],
)
def test_worked_example_of_algorithm_2(form, lam, owner, n_iter):
    # The sets that the example above ends in, each at 0.5 from its members, and I_0 = {f4}, f4 = (2, 2, 2, 2).
    with_f4 = tables.labelled(np.hstack([ON_PAPER.X, np.full((4, 1), 2.0)]), ON_PAPER.y)
    runs = engine_runs(with_f4, owners_of([1, 1, 2, 2, 0]), np.array([lam]))
    np.testing.assert_array_equal(runs.owner, [owner])
    assert (runs.n_iter[0], runs.alive[0]) == (n_iter, True)


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(tables.TABLES))
def test_algorithm_1_ends_where_the_oracle_does(name, variant, form):
    table = tables.table(name, variant)
    assert_same_ends(table, tables.starting_owners(table, 6, has_pool=False))


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(tables.TABLES))
def test_algorithm_2_ends_where_the_oracle_does(name, variant, form):
    table = tables.table(name, variant)
    assert_same_ends(table, *every_lam(tables.starting_owners(table, 4, has_pool=True)))


def test_the_tables_lead_to_every_kind_of_end():
    ends = [engine_runs(t, tables.starting_owners(t, 6, has_pool=False)) for t in map(tables.table, tables.TABLES)]
    alive, n_iter = np.concatenate([e.alive for e in ends]), np.concatenate([e.n_iter for e in ends])
    assert alive.any()
    assert not alive.all()
    assert n_iter[alive].max() >= 6


def digit_eater(seed):
    """Classes 0 and 2 begin with a giant each, which leaves at once for class 1; its rounding must not stay behind.

    Then features "between" are as far from the one class's centre as from the other's: a tie, if the sums have
    forgotten the giants. Row by row the giants add up to zero, or taking out the samples' means would make giants of
    all features.
    """
    rng = np.random.default_rng(seed)
    giant, far, centre = 1e8, 1e9, 0.3
    classes = np.repeat(np.arange(4), 3)
    leaves_0 = np.array([giant, 0.0, 3 * giant, 0.0])[classes]
    leaves_2 = np.array([3 * giant, 0.0, giant, 0.0])[classes]
    host = np.array([far, giant, far, giant])[classes]
    counterweight = -(leaves_0 + leaves_2 + host)
    around = 0.1 * rng.normal(size=(12, 3))
    both_sides = np.hstack([around, -around])
    of_0 = centre + both_sides - 5.0 * (classes == 2)[:, None]
    of_2 = centre + both_sides - 5.0 * (classes == 0)[:, None]
    same_in_every_class = np.tile(rng.normal(size=(3, 2)), (4, 1))
    between = centre + np.hstack([same_in_every_class, -same_in_every_class])
    columns = [leaves_0, leaves_2, host, counterweight, of_0, of_2, between]
    return tables.labelled(np.column_stack(columns), classes), owners_of([0, 2, 1, 3, *[0] * 6, *[2] * 6, *[1] * 4])


def test_sums_forget_a_giant_that_left(form):
    for seed in range(6):
        runs = assert_same_ends(*digit_eater(seed))
        np.testing.assert_array_equal(runs.owner, owners_of([1, 1, 1, 3, *[0] * 6, *[2] * 6, *[0] * 4]))


@pytest.mark.parametrize("max_iter", [1, 2, 3])
def test_max_iter_ends_a_run(form, max_iter):
    table = tables.table("few samples a class")
    runs = assert_same_ends(table, tables.starting_owners(table, 6, has_pool=False), max_iter=max_iter)
    assert not runs.converged.all()
    assert (runs.n_iter <= max_iter).all()


def test_a_start_without_a_class_is_abandoned_at_once(form):
    table = tables.table("few samples a class")
    start = np.zeros((1, table.n_features), np.int8)
    runs = assert_same_ends(table, start)
    assert (runs.n_iter[0], runs.alive[0], runs.converged[0]) == (0, False, False)
    np.testing.assert_array_equal(runs.owner, start)


def test_an_empty_pool_stays_empty_and_is_no_reason_to_abandon(form):
    table = tables.table("few samples a class")
    without_pool = tables.starting_owners(table, 4, has_pool=False)
    runs = engine_runs(table, without_pool + np.int8(1), np.full(4, 0.1))
    expected = engine_runs(table, without_pool)
    assert (runs.owner > 0).all()
    np.testing.assert_array_equal(runs.owner - 1, expected.owner)
    np.testing.assert_array_equal(runs.alive, expected.alive)


def test_with_fewer_features_than_classes_sets_may_be_empty(form):
    table = tables.blocks((3, 4, 3, 5, 2), 3, seed=20)
    runs = assert_same_ends(table, owners_of([0, 3, 4], [1, 1, 1], [4, 2, 0]))
    assert runs.alive.all()
    assert_same_ends(table, owners_of([0, 3, 5], [1, 1, 0], [0, 0, 0]), np.array([0.5, 1.0, 2.0]))


def test_more_clusters_than_a_byte_can_count():
    table = tables.blocks((1,) * 130, 140, seed=21, noise=0.1)
    assert owner_dtype(130) is np.int16
    assert_same_ends(table, tables.starting_owners(table, 1, has_pool=False), max_iter=2)


@pytest.mark.parametrize("name", tables.TABLES)
def test_k_means_from_seeds_ends_where_the_oracle_does(name, form):
    table = tables.table(name, "weighted")
    problem = table.problem()
    seeds = tables.seed_features(4, table.n_features, 4, seed=1)
    runs = lloyd(problem.table, k_means_clusters(problem.supports, 4), seeds, None, 300)
    everyone = [np.arange(len(table.X))] * 4
    for run, start in enumerate(seeds):
        owner, n_iter, alive = oracle.lloyd(table.X, everyone, start, weights=table.weights)
        np.testing.assert_array_equal(runs.owner[run], owner)
        assert (runs.n_iter[run], runs.alive[run]) == (n_iter, alive)


@pytest.fixture(params=AWKWARD)
def batch(request):
    """A table with starts and lambdas for a batch of runs that end at different times."""
    table = tables.table(request.param)
    return table, *every_lam(tables.starting_owners(table, 4, has_pool=True))


def part_of(runs, index):
    return type(runs)(*(getattr(runs, name)[index] for name in ("owner", "n_iter", "alive", "converged")))


def test_block_size_changes_nothing(batch, form):
    table, owners, lams = batch
    expected = engine_runs(table, owners, lams)
    with sizes_context(distance_bytes=1):  # sixteen features at once, fewer at the end
        assert features_at_once(len(owners), table.n_features) < table.n_features
        assert_equal_runs(engine_runs(table, owners, lams), expected)


def test_order_of_the_batch_changes_nothing(batch, form):
    table, owners, lams = batch
    order = np.random.default_rng(0).permutation(len(owners))
    assert_equal_runs(engine_runs(table, owners[order], lams[order]), part_of(engine_runs(table, owners, lams), order))


def test_size_of_the_batch_changes_nothing(batch, form):
    table, owners, lams = batch
    together = engine_runs(table, owners, lams)
    for run in range(len(owners)):
        alone = slice(run, run + 1)
        assert_equal_runs(engine_runs(table, owners[alone], lams[alone]), part_of(together, alone))


@pytest.mark.parametrize("name", ["few samples a class", "zeros and ones"])
def test_form_of_the_supports_changes_nothing(name):
    table = tables.table(name)
    starts = every_lam(tables.starting_owners(table, 4, has_pool=True))
    expected = engine_runs(table, *starts)
    with sizes_context(gram_features=0):
        assert_equal_runs(engine_runs(table, *starts), expected)


def cancelling(seed):
    """Class 1 owns three giants that add up to nothing, and features ten thousand million times smaller."""
    rng = np.random.default_rng(seed)
    classes = np.array([0, 0, 0, 1, 1, 1])
    giants = rng.normal(size=(6, 2)) * np.where(classes == 0, 1e7, 1e6)[:, None]
    small = rng.normal(size=(6, 10)) * 1e-3
    small -= small.mean(axis=1, keepdims=True)
    table = tables.labelled(np.column_stack([giants, small, -giants.sum(axis=1)]), classes)
    return table, owners_of([1, 1, *rng.permutation(np.arange(10) % 2), 1])


def test_giants_that_cancel_do_not_decide_over_small_features(form):
    for seed in range(10):
        assert_same_ends(*cancelling(seed))


def tied_beside_giants(seed, giant):
    """Features as far from the one class's centre as from the other's, which has giants that add up to nothing."""
    rng = np.random.default_rng(seed)
    classes = np.array([0, 0, 0, 1, 1, 1])
    giants = rng.normal(size=(6, 2)) * np.where(classes == 0, 10 * giant, giant)[:, None]
    centre = rng.normal(size=3)
    of_0 = np.concatenate([centre, 50 + centre])
    of_1 = np.concatenate([50 + centre, 4 * centre])  # one of four, the giants are the others: the mean is the centre
    between = np.tile(rng.normal(size=(3, 8)), (2, 1))
    columns = [giants, of_0, of_1, -giants.sum(axis=1), between]
    return tables.labelled(np.column_stack(columns), classes), owners_of([1, 1, 0, 1, 1, *[-1] * 8])


@pytest.mark.parametrize("giant", [1e2, 1e3, 1e5])
def test_giants_that_cancel_do_not_decide_ties(giant, form):
    for seed in range(20):
        runs = assert_same_ends(*tied_beside_giants(seed, giant), max_iter=1)
        np.testing.assert_array_equal(runs.owner[0, 5:], 0)
