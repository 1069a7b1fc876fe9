"""How partitions classify, against one sample and one class at a time."""

import numpy as np
import pytest

import awkward_tables as tables
import oracle
from disjoint_centroids.centroids.search import own_distances, prepare
from disjoint_centroids.numerics.sizes import sizes_context

pytestmark = pytest.mark.filterwarnings("error")


def class_numbers(table):
    """Partitions in class numbers: complete, with features of nobody, without a class, and with nothing at all."""
    complete = tables.starting_owners(table, 5, has_pool=False, seed=2)
    with_pool = tables.starting_owners(table, 6, has_pool=True, seed=3) - np.int8(1)
    without_class = np.where(complete[:1] == 0, -1, complete[:1])
    return np.vstack([complete, with_pool, without_class, np.full_like(complete[:1], -1)]).astype(np.int8)


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(tables.TABLES))
def test_errors_are_the_oracles(name, variant):
    table = tables.table(name, variant)
    owners = class_numbers(table)
    expected = [oracle.training_error(table.X, table.y, owner, **table.options) for owner in owners]
    np.testing.assert_allclose(table.problem().errors(owners, n_threads=1), expected, rtol=1e-12)


def test_the_errors_are_of_every_kind():
    tried = [tables.table(name) for name in tables.TABLES]
    errors = np.concatenate([table.problem().errors(class_numbers(table), n_threads=1) for table in tried])
    assert np.unique(errors.round(6)).size > 30


def test_worked_example():
    # Class means (0, 1) on f0, f1 and (1, 2) on f2, f3. Squared distances of the samples to the two centroids:
    #   (0, 0, 4, 8)  0.5 and 22.5     (0, 2, 8, 2)  0.5 and 24.5
    #   (0, 4, 1, 1)  4.5 and 0.5      (6, 0, 1, 3)  18.5 and 0.5
    table = tables.labelled([[0, 0, 4, 8], [0, 2, 8, 2], [0, 4, 1, 1], [6, 0, 1, 3]], [0, 0, 1, 1])
    problem = table.problem()
    owner = np.array([0, 0, 1, 1])
    found = own_distances(table.X, problem.moments.means, owner, shared=-2, divided=True)
    np.testing.assert_allclose(found, [[0.5, 22.5], [0.5, 24.5], [4.5, 0.5], [18.5, 0.5]])
    np.testing.assert_array_equal(problem.errors(owner[None].astype(np.int8), n_threads=1), [0.0])


def test_a_tied_sample_goes_to_the_lowest_class():
    # Both centroids are (0): the samples are as far from the one as from the other.
    table = tables.labelled([[1.0, 1.0], [-1.0, -1.0], [2.0, 2.0], [-2.0, -2.0]], [0, 0, 1, 1])
    np.testing.assert_array_equal(table.problem().errors(np.array([[0, 1], [1, 0]], np.int8), n_threads=1), [0.5, 0.5])


def test_samples_at_both_centroids_go_to_the_lowest_class():
    owners = np.array([[0, 1, 0, 1]], np.int8)
    for value in (5.0, 0.1, 1 / 3):
        for n_first in range(3, 13):
            y = np.array([0] * n_first + [1] * 3)
            problem = tables.labelled(np.full((y.size, 4), value), y).problem()
            np.testing.assert_allclose(problem.errors(owners, n_threads=1), [3 / y.size])


@pytest.mark.parametrize("divided", [True, False])
def test_own_distances_are_the_oracles(divided):
    table = tables.table("few samples a class")
    means = oracle.class_means(table.X, table.y)
    for owner in class_numbers(table).astype(int):
        owner[::7] = oracle.SHARED
        found = own_distances(table.X, means, owner, shared=oracle.SHARED, divided=divided)
        np.testing.assert_allclose(found, oracle.sample_distances(table.X, means, owner, divided))


@pytest.mark.parametrize("variant", tables.VARIANTS)
def test_shared_features_count_for_every_class(variant):
    table = tables.table("unbalanced", variant)
    is_shared = np.arange(table.n_features) % 5 == 0
    problem = prepare(
        table.X[:, ~is_shared],
        table.y,
        table.weights,
        table.n_classes,
        divided=table.divided,
        shared_values=table.X[:, is_shared],
    )
    owners = class_numbers(table)
    # Also when features are shared and nothing is owned there are distances, and a risk.
    whole = np.where(is_shared, oracle.SHARED, owners)
    errors = [oracle.training_error(table.X, table.y, owner, **table.options) for owner in whole]
    risks = [oracle.risk(table.X, table.y, owner, **table.options) for owner in whole]
    np.testing.assert_allclose(problem.errors(owners[:, ~is_shared], n_threads=1), errors, rtol=1e-12)
    np.testing.assert_allclose(problem.risks(owners[:, ~is_shared]), risks, rtol=1e-9)


@pytest.mark.parametrize("variant", tables.VARIANTS)
def test_tiles_and_chunks_change_nothing(variant):
    table = tables.table("more samples than features", variant)
    wide = tables.labelled(np.tile(table.X, (1, 10)), table.y, table.weights, table.divided)
    owners = class_numbers(wide)
    expected = wide.problem().errors(owners, n_threads=1)
    with sizes_context(judged_distances=1, judged_gaps=1):  # chunks of 64 samples, tiles of 64 features
        found = wide.problem().errors(owners, n_threads=1)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("n_threads", [2, 4])
def test_threads_change_nothing(n_threads, eager_threads):
    table = tables.table("twelve classes", "weighted")
    owners = class_numbers(table)
    problem = table.problem()
    np.testing.assert_array_equal(problem.errors(owners, n_threads), problem.errors(owners, 1))
