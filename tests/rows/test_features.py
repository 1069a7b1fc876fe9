"""Features by name, by index and by mask."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator

from disjoint_centroids.rows.features import feature_indices

pytestmark = pytest.mark.filterwarnings("error")

N = 6


class Named(BaseEstimator):
    """An estimator that has learned column names."""

    def __init__(self):
        self.feature_names_in_ = np.array(["b", "a", "d", "c", "f", "e"], dtype=object)


def of(chosen, estimator=None):
    return feature_indices(estimator or BaseEstimator(), chosen, N, "forced").tolist()


@given(st.lists(st.integers(0, N - 1)))
def test_every_way_of_saying_the_same(wanted):
    """Order and repetitions are kept, except by a mask, which has neither."""
    named = Named()
    names = named.feature_names_in_[wanted] if wanted else []
    for chosen in (wanted, np.array(wanted, dtype=np.uint8), [f - N for f in wanted], pd.Series(wanted, dtype=int)):
        assert of(chosen) == wanted
    for chosen in (list(names), np.array(names, dtype=str), np.array(names, dtype=object), pd.Index(names)):
        assert of(chosen, named) == wanted
    mask = np.isin(np.arange(N), wanted)
    assert of(mask) == of(list(mask)) == sorted(set(wanted))


def test_none_is_none():
    found = feature_indices(BaseEstimator(), None, N, "forced")
    assert found.size == 0
    assert np.arange(N)[found].size == 0  # an index, not a list of floats


def test_places_come_before_names():
    """Numbers are places even if columns have names."""
    assert of([0, 5], Named()) == [0, 5]


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ([0, 6], "forced as indices must lie from -6 to 5, the features of X; got 6"),
        ([-7, 0], "forced as indices must lie from -6 to 5, the features of X; got -7"),
        ([True, False], "forced as a mask needs 6 entries, one per feature; got 2"),
        ([[0, 1]], "forced must be one-dimensional; got an array of shape"),
        ("a", "forced must be one-dimensional"),
        ([0.0, 1.5], r"forced must be names, indices \(whole numbers\) or a mask; got the numbers \[0.0, 1.5\]"),
        (["a", "z", "y"], "forced not among the columns of X: z, y"),
    ],
)
def test_errors_speak_of_the_parameter(chosen, message):
    with pytest.raises(ValueError, match=message):
        of(chosen, Named())


def test_names_for_a_table_without():
    with pytest.raises(
        ValueError, match=r"\['a', 'b'\] are names, but X has no column names. Give X as a data frame, or"
    ):
        of(["a", "b"])
