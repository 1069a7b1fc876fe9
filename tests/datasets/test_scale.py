import numpy as np
import pandas as pd
import pytest

from disjoint_centroids.datasets import raw_intensities


def test_positive_values_over_more_than_two_decades_are_to_be_logged():
    advice = raw_intensities(pd.DataFrame({"a": [10.0, 16000.0], "b": [np.nan, 30.0]}))
    assert "from 10 to 16000" in advice
    assert "the scale matters more than the method" in advice
    assert advice.endswith("--transform log2.")


def test_zeros_call_for_log1p():
    assert "--transform log1p" in raw_intensities(np.array([[0.0, 1.0], [5.0, 101.0]]))


@pytest.mark.parametrize(
    "values",
    [[[1.0, 100.0]], [[-0.001, 5000.0]], [[0.0, 0.0]], [[np.nan, np.nan]], [[3.0, 14.5]], np.empty((0, 2))],
    ids=["exactly two decades", "a negative value", "zeros only", "missing only", "log scale", "no samples"],
)
def test_other_values_give_no_advice(values):
    assert raw_intensities(values) is None
