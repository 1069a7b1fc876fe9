"""Different rows, first found first."""

import numpy as np
import pytest

from disjoint_centroids.centroids.search.distinct import distinct_rows


def test_worked_example():
    found = distinct_rows(np.array([[3, 1], [0, 2], [3, 1], [2, 0], [0, 2]], np.int8))
    np.testing.assert_array_equal(found.first, [0, 1, 3])
    np.testing.assert_array_equal(found.index, [0, 1, 0, 2, 1])
    np.testing.assert_array_equal(found.counts, [2, 2, 1])


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.intp])
def test_first_and_index_give_the_rows_back(dtype):
    rows = np.random.default_rng(0).integers(-2, 2, size=(300, 4)).astype(dtype)
    for given in (rows, rows[::2], np.asfortranarray(rows)):
        found = distinct_rows(given)
        np.testing.assert_array_equal(given[found.first][found.index], given)
        assert len(found.first) == len(np.unique(given, axis=0)) < len(given)
        assert (np.diff(found.first) > 0).all()


def test_nothing_is_nothing():
    found = distinct_rows(np.empty((0, 5), np.int8))
    assert found.first.size == found.index.size == found.counts.size == 0
