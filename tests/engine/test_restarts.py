"""Many restarts: what is abandoned is replaced, what is found twice is kept once and counted twice."""

import numpy as np
import pytest

import tables
from agreement import engine_runs
from disjoint_centroids.engine import fit_partitions, restarts
from disjoint_centroids.engine.restarts import ROUNDS, run_restarts
from disjoint_centroids.engine.starts import Starts

pytestmark = pytest.mark.filterwarnings("error")

CROWDED = tables.blocks((3,) * 5, 11, seed=42)
"""So few features for five classes that many restarts lose one."""


def restart(table, lams, search, **options):
    problem = table.problem()
    return run_restarts(problem, problem.clusters(has_pool=lams is not None), lams, search, **options)


@pytest.mark.parametrize("kind", ["k-means", "random"])
def test_abandoned_restarts_are_replaced(kind):
    search = tables.settings(kind, n_init=30, seed=1)  # by which some starts of either kind lose a class
    (once,) = restart(CROWDED, None, search, rounds=1)
    assert once.abandoned
    assert 0 < once.n_survived < 30
    (usual,) = restart(CROWDED, None, search)
    assert once.n_survived < usual.n_survived <= 30
    assert fit_partitions(CROWDED.problem(), None, search)[0].n_restarts == usual.n_survived
    assert restart(CROWDED, None, search, rounds=20)[0].n_survived == 30


def test_every_lambda_gets_what_it_misses():
    lams = np.array([0.5, 1.0, np.inf])
    search = tables.settings("k-means", n_init=30)
    once = [ends.n_survived for ends in restart(CROWDED, lams, search, rounds=1)]
    assert len(set(once)) > 1  # small lambdas lose more classes
    assert max(once) < 30
    assert [ends.n_survived for ends in restart(CROWDED, lams, search, rounds=20)] == [30, 30, 30]


def test_replacing_has_an_end():
    # Where all columns are equal every tie goes to the first class: no restart can survive.
    table = tables.table("equal columns")
    (ends,) = restart(table, None, tables.settings("random", n_init=7))
    assert ends.n_survived == 0
    assert ends.abandoned
    assert ROUNDS > 1


def test_given_starts_are_not_replaced():
    starts = tables.even_owners(6, CROWDED.n_features, 5, seed=1)
    alive = engine_runs(CROWDED, starts).alive
    assert 0 < alive.sum() < 6
    (ends,) = restart(CROWDED, None, tables.settings(starts.astype(int), n_init=6))
    assert ends.n_survived == alive.sum()


def test_equal_ends_are_one_end_that_counts_every_time():
    table = tables.table("two classes")
    starts = np.repeat(tables.even_owners(2, table.n_features, 2, seed=0), 5, axis=0).astype(int)
    (ends,) = restart(table, None, tables.settings(starts, n_init=10))
    assert ends.n_survived == 10
    assert 1 <= len(ends.survived) <= 2


def test_every_lambda_gets_the_same_starts():
    table = tables.table("few samples a class")
    search = tables.settings("k-means", n_init=10)
    twice = restart(table, np.array([1.0, 1.0]), search)
    assert list(twice[0].survived) == list(twice[1].survived)
    alone = restart(table, np.array([1.0]), search)
    assert list(twice[0].survived) == list(alone[0].survived)


@pytest.mark.parametrize("lam", [0.3, 1.0, np.inf])
def test_ends_of_given_starts_are_the_runs_themselves(lam, form):
    table = tables.table("unbalanced")
    starts = tables.starting_owners(table, 6, has_pool=True)
    runs = engine_runs(table, starts, np.full(6, lam))
    (ends,) = restart(table, np.array([lam]), tables.settings(starts.astype(int) - 1, n_init=6))
    assert set(ends.survived) == {owner.tobytes() for owner in runs.owner[runs.alive]}
    assert set(ends.abandoned) == {owner.tobytes() for owner in runs.owner[~runs.alive]}
    assert ends.n_survived == runs.alive.sum()


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
    (ends,) = restart(table, np.array([1.0]), tables.settings(n_init=2))
    runs = engine_runs(table, with_pool, np.array([1.0]))
    assert ends.n_survived == 1
    assert list(ends.survived) == [runs.owner[0].tobytes()]
