"""Who gets a feature that two classes want equally: the lower index, whatever rounding says."""

import numpy as np
import pytest

import awkward_tables as tables
import oracle
from agreement import assert_same_ends, engine_runs, every_lam
from disjoint_centroids.centroids.search import lloyd as lloyd_module
from disjoint_centroids.centroids.search import ties as ties
from disjoint_centroids.numerics.types import AMBIGUOUS, TIE, ZERO

pytestmark = pytest.mark.filterwarnings("error")


def between_two(gap):
    """Feature 2 is at distance 1 from class 0's only feature and 1 - gap (squared, relative) from class 1's."""
    return tables.labelled([[0.0, 5.0, 1.0], [5.0, 0.0, np.sqrt(1.0 - gap)]], [0, 1])


UNOWNED = np.array([[0, 1, -1]], np.int8)


@pytest.mark.parametrize(
    ("gap", "owner"),
    [
        (0.0, 0),
        (1e-13, 0),
        (-1e-13, 0),
        (1e-10, 0),
        (1e-8, 1),
        (-1e-8, 0),
        (0.1, 1),
    ],
)
def test_a_tie_goes_to_the_lower_class(form, gap, owner):
    runs = assert_same_ends(between_two(gap), UNOWNED, max_iter=1)
    assert runs.owner[0, 2] == owner


def test_a_tie_with_the_pool_goes_to_the_pool(form):
    # Feature 3 alone in I_0, feature 2 as far from it (over both samples) as from class 1's feature.
    table = tables.labelled([[0.0, 9.0, 1.0, 2.0], [9.0, 0.0, 1.0, 2.0]], [0, 1])
    start = np.array([[1, 2, -1, 0]], np.int8)
    assert assert_same_ends(table, start, np.array([1.0]), max_iter=1).owner[0, 2] == 0
    assert assert_same_ends(table, start, np.array([1.001]), max_iter=1).owner[0, 2] == 1


def test_a_large_lambda_magnifies_rounding_too(form):
    # Features 1e-4 from I_0's centre and, in class 0's samples, 1 from class 0's: a tie at lambda = 1e4. (The signs of
    # the small steps add up to zero there, so squared it is 1 + 1e-8.)
    rng = np.random.default_rng(0)
    signs = np.array([[1, 1, -1, -1, 1, -1], [1, -1, 1, -1, 1, 1], [-1, 1, 1, -1, -1, -1]]).T
    pool = rng.normal(size=(6, 1))
    columns = [pool, pool - 1.0, pool + 9.0, pool + 1e-4 * signs]
    table = tables.labelled(np.hstack(columns), [0, 0, 0, 0, 1, 1])
    start = np.array([[0, 1, 2, -1, -1, -1]], np.int8)
    tie = 1e4 * np.sqrt(1.0 + 1e-8)
    for lam, owner in ((tie * 0.999, 0), (tie, 0), (tie * 1.001, 1)):
        runs = assert_same_ends(table, start, np.array([lam]), max_iter=1)
        np.testing.assert_array_equal(runs.owner[0, 3:], owner)


def test_features_equal_to_two_centres_go_to_the_lower(form):
    # The mean of seven equal columns may be off by a rounding, the mean of two is not: still both distances are zero.
    rng = np.random.default_rng(0)
    for _ in range(5):
        column, other = rng.normal(size=(2, 6, 1))
        table = tables.labelled(np.hstack([np.repeat(column, 9, axis=1), other]), [0, 0, 0, 1, 1, 1])
        runs = assert_same_ends(table, np.array([[0] * 7 + [1] * 2 + [-1]], np.int8), max_iter=1)
        np.testing.assert_array_equal(runs.owner[0, :9], 0)


@pytest.mark.parametrize("name", ["small integers", "zeros and ones", "half the columns offset"])
def test_what_rounding_could_decide_is_computed_exactly(name, form, monkeypatch):
    n_ambiguous = []
    resolve = ties.resolve

    def counting(table, clusters, old, new, factor):
        n_ambiguous.append(np.count_nonzero(new == AMBIGUOUS))
        resolve(table, clusters, old, new, factor)

    monkeypatch.setattr(lloyd_module, "resolve", counting)
    table = tables.table(name)
    runs = engine_runs(table, *every_lam(tables.starting_owners(table, 4, has_pool=True)))
    assert sum(n_ambiguous) > 0
    assert (runs.owner >= 0).all()


@pytest.mark.parametrize("name", ["few samples a class", "offset"])
def test_plain_data_need_no_exact_distances(name, form, monkeypatch):
    def forbidden(*args):
        raise AssertionError("nothing here is close to a tie")

    monkeypatch.setattr(lloyd_module, "resolve", forbidden)
    table = tables.table(name)
    engine_runs(table, *every_lam(tables.starting_owners(table, 4, has_pool=True)))


@pytest.mark.parametrize("name", tables.TABLES)
@pytest.mark.parametrize("has_pool", [False, True])
def test_exact_distances_are_the_oracles(name, has_pool):
    table = tables.table(name, "weighted")
    problem = table.problem()
    owner = tables.starting_owners(table, 1, has_pool=has_pool)[0]
    found = ties.exact_distances(problem.table, problem.clusters(has_pool=has_pool), owner, np.arange(table.n_features))
    expected = oracle.distances(table.X, oracle.supports_of(table.y, has_pool), owner, table.weights)
    # Values of a million leave differences of one nine digits.
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-12)


def test_lowest_nearest():
    least = 4.0
    distances = np.array([[least * (1 + 2 * TIE), 3.0, np.inf, 0.5 * ZERO], [least, 2.0, 5.0, 0.0]])
    distances = np.vstack([distances, [least * (1 + TIE / 2), 2.0, np.inf, 0.0]])
    np.testing.assert_array_equal(ties.lowest_nearest(distances, np.array([0.0, 0.0, 0.0, 1.0])), [1, 1, 1, 0])
