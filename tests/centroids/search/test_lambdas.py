"""The lambdas worth trying."""

import numpy as np
import pytest

import awkward_tables as tables
from agreement import engine_runs
from disjoint_centroids.centroids.search import KINDS, fit_partitions, lam_range, smallest_lam
from disjoint_centroids.centroids.search.lambdas import LARGEST, SMALLEST

pytestmark = pytest.mark.filterwarnings("error")

RANGED = ("few samples a class", "more samples than features", "two classes", "offset", "wild scales", "small integers")


def fit_at(table, lam, search):
    return fit_partitions(table.problem(), np.array([lam]), search)[0]


@pytest.mark.parametrize(("name", "kind"), tables.in_turn(RANGED, KINDS))
def test_at_the_smallest_lambda_every_class_keeps_a_feature(name, kind):
    table = tables.table(name)
    search = tables.settings(kind, n_init=8)
    found = lam_range(table.problem(), search)
    assert SMALLEST <= found.smallest <= found.largest <= LARGEST
    assert fit_at(table, found.smallest, search).n_restarts > 0


@pytest.mark.parametrize("name", RANGED)
def test_at_the_largest_lambda_half_of_the_restarts_drop_nothing(name):
    table = tables.table(name)
    starts = tables.even_owners(16, table.n_features, table.n_classes + 1, seed=0)
    found = lam_range(table.problem(), tables.settings(starts.astype(int) - 1, n_init=16))
    if found.largest == LARGEST:
        pytest.skip("no lambda up to the limit drops nothing")
    runs = engine_runs(table, starts, np.full(16, found.largest))
    assert np.mean((runs.owner[runs.alive] > 0).all(axis=1)) >= 0.5


def test_the_range_is_not_wider_than_need_be():
    # Half the smallest lambda costs some class its last feature in every restart; at half the largest some is dropped.
    table = tables.table("few samples a class")
    search = tables.settings(n_init=8)
    found = lam_range(table.problem(), search)
    assert fit_at(table, found.smallest / 2, search).n_restarts == 0
    assert (fit_at(table, found.largest / 2, search).owner == -1).any()


def test_the_same_search_gives_the_same_range():
    problem = tables.table("few samples a class").problem()
    search = tables.settings(n_init=8, seed=3)
    assert lam_range(problem, search) == lam_range(problem, search)


def test_where_classes_keep_a_feature_at_any_lambda_the_range_starts_where_more_are_kept():
    # Each class's own feature is far from everything else: no lambda is small enough to take it away.
    rng = np.random.default_rng(0)
    classes = np.repeat(np.arange(2), 6)
    X = 0.01 * rng.normal(size=(12, 12))
    X[:, 0] = np.where(classes == 0, 1e3, 1e5 * rng.normal(size=12))
    X[:, 1] = np.where(classes == 1, -1e3, 1e5 * rng.normal(size=12))
    X[:, 2:] += rng.normal(size=(12, 1))
    table = tables.labelled(X, classes)
    starts = np.array([[0, 1] + [-1] * 10])
    search = tables.settings(starts, n_init=1)
    assert fit_at(table, SMALLEST, search).n_restarts == 1
    found = lam_range(table.problem(), search)
    assert found.smallest >= SMALLEST
    n_kept = [np.count_nonzero(fit_at(table, lam, search).owner >= 0) for lam in (SMALLEST, found.smallest)]
    assert n_kept[0] == n_kept[1]


def test_the_range_does_not_start_in_a_gap():
    table = tables.labelled([[1, 4, 0], [0, 4, 0], [1, 1, 0]], [0, 0, 1])
    search = tables.settings("variance", n_init=1)
    assert fit_at(table, 0.5, search).n_restarts == 1
    assert fit_at(table, lam_range(table.problem(), search).smallest, search).n_restarts == 1


@pytest.mark.parametrize(("name", "kind"), tables.in_turn(RANGED, KINDS))
def test_some_restart_survives_at_the_smallest_lam(name, kind):
    table = tables.table(name)
    search = tables.settings(kind, n_init=8)
    found = smallest_lam(table.problem(), search)
    assert SMALLEST <= found <= LARGEST
    assert fit_at(table, found, search).n_restarts > 0
    assert float(f"{found:.5g}") == found  # as shown, so used


def test_there_may_be_no_smallest_lam():
    assert smallest_lam(tables.table("equal columns").problem(), tables.settings(n_init=4)) is None
