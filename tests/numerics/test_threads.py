"""Threads: how work is cut up and run."""

import os
import signal
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoint_centroids.numerics import default_threads, threads
from disjoint_centroids.numerics.sizes import Sizes

pytestmark = pytest.mark.filterwarnings("error")


@given(
    n_items=st.integers(0, 300),
    n_threads=st.integers(1, 8),
    at_most=st.integers(1, 64),
    cost=st.sampled_from([1.0, 1e6, 1e8]),
)
def test_slices_cover_everything_once(n_items, n_threads, at_most, cost):
    parts = threads.slices(n_items, n_threads, at_most, cost)
    covered = [item for part in parts for item in range(n_items)[part]]
    assert covered == list(range(n_items))
    lengths = [part.stop - part.start for part in parts]
    assert all(0 < length <= at_most for length in lengths)
    assert max(lengths, default=0) - min(lengths, default=0) <= 1


def test_little_work_wakes_no_threads():
    assert len(threads.slices(100, 4, at_most=200, cost=1.0)) == 1
    assert len(threads.slices(100, 4, at_most=200, cost=Sizes().thread_operations)) == 4


def test_results_come_in_the_order_of_the_tasks():
    assert threads.run_all(lambda task: task**2, range(20), 4) == [task**2 for task in range(20)]
    assert threads.run_all(lambda task: task**2, [], 4) == []


def test_tasks_run_side_by_side():
    meeting = threading.Barrier(2, timeout=30)  # passes only if two tasks are under way at once
    assert len(threads.run_all(lambda task: meeting.wait(), range(2), 2)) == 2


def test_one_thread_is_the_callers():
    assert threads.run_all(lambda task: threading.current_thread(), range(3), 1) == [threading.current_thread()] * 3


def test_large_products_have_all_threads():
    outside = default_threads()
    with threads.one_thread_a_product():
        assert default_threads() == 1
        with threads.threads_for(Sizes().thread_operations / 2):
            assert default_threads() == 1
        with threads.one_thread_a_product(), threads.threads_for(Sizes().thread_operations):
            assert default_threads() == outside
        assert default_threads() == 1
    with threads.threads_for(Sizes().thread_operations):
        assert default_threads() == outside


def test_there_is_always_a_thread():
    assert default_threads() >= 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    """A pool from before the fork has no threads after it, and would wait for ever."""
    assert threads.run_all(abs, [-1, -2], 2) == [1, 2]
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # ends the child, not the test, should it wait
        os._exit(0 if threads.run_all(abs, [-1, -2], 2) == [1, 2] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
