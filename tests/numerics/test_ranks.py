"""Weights in order of distance, against a count of pairs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from disjoint_centroids.numerics.ranks import rank_weights


def test_by_hand():
    #                        alone  a tie of two  alone, however little farther
    found = rank_weights(np.array([[1.0, 2.0, 2.0, 2.1]]), np.array([[3.0, 1.0, 0.5, 2.0]]))
    np.testing.assert_array_equal(found.before, [[0.0, 3.0, 3.0, 4.5]])
    np.testing.assert_array_equal(found.through, [[3.0, 4.5, 4.5, 6.5]])


def test_rounding_is_no_difference_and_nothing_is_nearer_than_itself():
    found = rank_weights(np.array([[0.0, 0.0, 1.0, 1.0 + 1e-12, np.inf, np.inf]]), np.ones((1, 6)))
    np.testing.assert_array_equal(found.before, [[0, 0, 2, 2, 4, 4]])
    np.testing.assert_array_equal(found.through, [[2, 2, 4, 4, 6, 6]])


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=12))
def test_counts_what_is_nearer_and_what_is_as_near(entries):
    entries = sorted(entries)
    values, weights = np.array(entries, float).T
    found = rank_weights(values[None], weights[None])
    for at, value in enumerate(values):
        assert found.before[0, at] == weights[values < value].sum()
        assert found.through[0, at] == weights[values <= value].sum()
