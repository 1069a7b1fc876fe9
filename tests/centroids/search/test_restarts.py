"""Many restarts: what is abandoned is replaced, what is found twice is kept once and counted twice."""

from dataclasses import replace

import numpy as np
import pytest

import awkward_tables as tables
from agreement import engine_runs
from disjoint_centroids.centroids.search import fit_partitions, restarts
from disjoint_centroids.centroids.search.restarts import ROUNDS, run_restarts
from disjoint_centroids.centroids.search.starts import Starts

pytestmark = pytest.mark.filterwarnings("error")

CROWDED = tables.blocks((3,) * 5, 11, seed=42)
"""So few features for five classes that many restarts lose one."""


def restart(table, lams, search, **options):
    problem = table.problem()
    return run_restarts(problem, problem.clusters(has_pool=lams is not None), lams, search, **options)


def survivors(table, lams, search, **options):
    return restart(table, lams, search, **options).survived


def as_set(owners):
    return {owner.tobytes() for owner in owners}


@pytest.mark.parametrize("kind", ["k-means", "random"])
def test_abandoned_restarts_are_replaced(kind):
    search = tables.settings(kind, n_init=30, seed=1)  # by which some starts of either kind lose a class
    (once,) = survivors(CROWDED, None, search, rounds=1)
    assert 0 < once.n_survived < 30
    (usual,) = survivors(CROWDED, None, search)
    assert once.n_survived < usual.n_survived <= 30
    assert fit_partitions(CROWDED.problem(), None, search)[0].n_restarts == usual.n_survived
    assert survivors(CROWDED, None, search, rounds=20)[0].n_survived == 30


def test_every_lambda_gets_what_it_misses():
    lams = np.array([0.5, 1.0, np.inf])
    search = tables.settings("k-means", n_init=30)
    once = [ends.n_survived for ends in survivors(CROWDED, lams, search, rounds=1)]
    assert len(set(once)) > 1  # small lambdas lose more classes
    assert max(once) < 30
    assert [ends.n_survived for ends in survivors(CROWDED, lams, search, rounds=20)] == [30, 30, 30]


def test_replacing_has_an_end():
    # Where all columns are equal every tie goes to the first class: no restart can survive.
    table = tables.table("equal columns")
    found = restart(table, None, tables.settings("random", n_init=7))
    assert found.survived[0].n_survived == 0
    assert len(found.survived[0].owner) == 0
    assert len(found.abandoned[0].owner) > 0
    assert ROUNDS > 1


def test_given_starts_are_not_replaced():
    starts = tables.even_owners(6, CROWDED.n_features, 5, seed=1)
    alive = engine_runs(CROWDED, starts).alive
    assert 0 < alive.sum() < 6
    (ends,) = survivors(CROWDED, None, tables.settings(starts.astype(int), n_init=6))
    assert ends.n_survived == alive.sum()


def test_equal_ends_are_one_end_that_counts_every_time():
    table = tables.table("two classes")
    starts = np.repeat(tables.even_owners(2, table.n_features, 2, seed=0), 5, axis=0).astype(int)
    (ends,) = survivors(table, None, tables.settings(starts, n_init=10))
    assert ends.n_survived == 10
    assert 1 <= len(ends.owner) <= 2


def test_every_lambda_gets_the_same_starts():
    table = tables.table("few samples a class")
    search = tables.settings("k-means", n_init=10)
    twice = survivors(table, np.array([1.0, 1.0]), search)
    np.testing.assert_array_equal(twice[0].owner, twice[1].owner)
    (alone,) = survivors(table, np.array([1.0]), search)
    np.testing.assert_array_equal(twice[0].owner, alone.owner)


@pytest.mark.parametrize("lam", [0.3, 1.0, np.inf])
def test_ends_of_given_starts_are_the_runs_themselves(lam, form):
    table = tables.table("unbalanced")
    starts = tables.starting_owners(table, 6, has_pool=True)
    runs = engine_runs(table, starts, np.full(6, lam))
    found = restart(table, np.array([lam]), tables.settings(starts.astype(int) - 1, n_init=6))
    (ends,) = found.survived
    assert as_set(ends.owner) == as_set(runs.owner[runs.alive])
    assert ends.n_survived == runs.alive.sum()
    assert runs.alive.any()
    assert not len(found.abandoned[0].owner)


def test_ends_come_in_the_order_in_which_they_were_found(form):
    table = tables.table("unbalanced")
    starts, lams = tables.starting_owners(table, 20, has_pool=True), np.array([0.7, 1.0, np.inf])
    for lam, ends in zip(lams, survivors(table, lams, tables.settings(starts.astype(int) - 1, n_init=20)), strict=True):
        runs = engine_runs(table, starts, np.full(20, lam))
        first = {}
        for run in np.flatnonzero(runs.alive):
            first.setdefault(runs.owner[run].tobytes(), run)
        assert len(first) > 1
        np.testing.assert_array_equal(ends.owner, runs.owner[list(first.values())])
        np.testing.assert_array_equal(ends.n_iter, runs.n_iter[list(first.values())])


def test_abandoned_ends_are_kept_where_nothing_survived_and_not_too_many():
    starts = tables.even_owners(12, CROWDED.n_features, 5, seed=1)
    dead = starts[~engine_runs(CROWDED, starts).alive]
    search = tables.settings(dead.astype(int), n_init=12)
    ends = engine_runs(CROWDED, dead).owner
    different = list(dict.fromkeys(owner.tobytes() for owner in ends))
    assert len(different) > 2
    (all_of_them,) = restart(CROWDED, None, search).abandoned
    assert [owner.tobytes() for owner in all_of_them.owner] == different
    (some,) = restart(CROWDED, None, replace(search, n_repaired=2)).abandoned
    assert [owner.tobytes() for owner in some.owner] == different[:2]


def test_starts_in_which_k_means_lost_a_cluster_are_not_run(monkeypatch):
    # The first lost I_0: run all the same, it would survive and count.
    table = tables.table("few samples a class")
    without_pool = tables.starting_owners(table, 1, has_pool=False) + np.int8(1)
    with_pool = tables.starting_owners(table, 1, has_pool=True)
    drawn = Starts(np.vstack([without_pool, with_pool]), np.array([False, True]))

    class Drawn:
        is_endless = depends_on_lam = False

        def draw(self, n_starts, lam):
            return drawn

    monkeypatch.setattr(restarts, "start_source", lambda *args: Drawn())
    (ends,) = survivors(table, np.array([1.0]), tables.settings(n_init=2))
    runs = engine_runs(table, with_pool, np.array([1.0]))
    assert ends.n_survived == 1
    np.testing.assert_array_equal(ends.owner, runs.owner[:1])
