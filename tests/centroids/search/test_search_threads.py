"""Threads: the cut of the restarts into slices changes no answer."""

from dataclasses import asdict, replace

import numpy as np
import pytest

import awkward_tables as tables
from disjoint_centroids.centroids.search import KINDS, fit_partitions
from disjoint_centroids.numerics import threads

pytestmark = pytest.mark.filterwarnings("error")

LAMS = np.array([0.7, 1.0, np.inf])


@pytest.fixture
def pools(monkeypatch):
    """How many threads each pool that was asked for has."""
    asked = []
    pool_of = threads._pool

    def recorded(n_threads):
        asked.append(n_threads)
        return pool_of(n_threads)

    monkeypatch.setattr(threads, "_pool", recorded)
    return asked


@pytest.mark.parametrize("lams", [None, LAMS], ids=["algorithm 1", "algorithm 2"])
@pytest.mark.parametrize(("kind", "name"), tables.in_turn(KINDS, ("few samples a class", "zeros and ones")))
def test_the_number_of_threads_changes_nothing(name, kind, lams, form, eager_threads, pools):
    problem = tables.table(name).problem()
    pools.clear()  # of the Gram matrices, which have threads of their own
    search = tables.settings(kind, n_init=6)
    expected = fit_partitions(problem, lams, search)
    assert not pools
    for n_threads in (2, 4):
        found = fit_partitions(problem, lams, replace(search, n_threads=n_threads))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one.owner, other.owner)
            assert asdict(replace(one, owner=None)) == asdict(replace(other, owner=None))
    assert max(pools) >= 2
