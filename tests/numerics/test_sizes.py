"""Sizes of blocks: they change for the time of a ``with`` block, for all threads, and then are what they were."""

import pytest

from disjoint_centroids.numerics import threads
from disjoint_centroids.numerics.sizes import Sizes, get_sizes, sizes_context

pytestmark = pytest.mark.filterwarnings("error")


def test_changes_last_as_long_as_the_block():
    with sizes_context(distance_bytes=1) as outer:
        with sizes_context(samples_at_once=2):
            assert get_sizes() == Sizes(distance_bytes=1, samples_at_once=2)
        assert get_sizes() is outer
    assert get_sizes() == Sizes()


def test_an_error_ends_them_too():
    with pytest.raises(ZeroDivisionError), sizes_context(distance_bytes=1):
        raise ZeroDivisionError
    assert get_sizes() == Sizes()


def test_threads_that_ran_before_see_them():
    threads.run_all(abs, [-1, -2], 2)
    with sizes_context(distance_bytes=1):
        assert threads.run_all(lambda _: get_sizes().distance_bytes, range(4), 2) == [1] * 4


def test_unknown_names_are_an_error():
    with pytest.raises(TypeError, match="blok_bytes"), sizes_context(blok_bytes=1):
        pass
    assert get_sizes() == Sizes()
