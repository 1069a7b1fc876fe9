import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from disjoint_centroids.tables import raw_intensities
from disjoint_centroids.tables.scale import mixed_units, scale_advice


def test_positive_values_over_more_than_two_decades_are_to_be_logged():
    advice = raw_intensities(pd.DataFrame({"a": [10.0, 16000.0], "b": [np.nan, 30.0]}))
    assert "from 10 to 16000" in advice
    assert "the scale matters more than the method" in advice
    assert advice.endswith("transform='log2'.")


def test_zeros_call_for_log1p():
    assert "transform='log1p'" in raw_intensities(np.array([[0.0, 1.0], [5.0, 101.0]]))


@pytest.mark.parametrize(
    "values",
    [[[1.0, 100.0]], [[-0.001, 5000.0]], [[0.0, 0.0]], [[np.nan, np.nan]], [[3.0, 14.5]], np.empty((0, 2))],
    ids=["exactly two decades", "a negative value", "zeros only", "missing only", "log scale", "no samples"],
)
def test_other_values_give_no_advice(values):
    assert raw_intensities(values) is None
    assert mixed_units(values) is None


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_columns_in_different_units_are_to_be_standardised_not_logged(load):
    values = load(as_frame=True).data
    assert values.to_numpy().max() > 100 * values.to_numpy()[values.to_numpy() > 0].min()
    assert raw_intensities(values) is None
    assert scale_advice(values).endswith("Give transform='standardize'.")
    middle = values.where(values > 0).median()
    assert f"medians from {middle.min():.4g} to {middle.max():.4g}" in scale_advice(values)


def test_no_advice_for_iris():
    assert scale_advice(load_iris().data) is None


def intensities(n=40, p=300, floor=10.0, seed=0):
    """Expression as an array measures it: genes on levels of their own, samples that differ as much, a floor."""
    rng = np.random.default_rng(seed)
    return np.clip(np.exp(rng.normal(5.0, 1.1, size=p) + rng.normal(0.0, 1.0, size=(n, p))), floor, 16000.0)


@pytest.mark.parametrize("floor", [10.0, 1e-3])
def test_intensities_are_to_be_logged_and_their_logarithms_are_not(floor):
    values = intensities(floor=floor)
    assert scale_advice(values) == raw_intensities(values)
    assert raw_intensities(values).endswith("transform='log2'.")
    if floor > 1:  # the logarithm of a small intensity is negative
        assert scale_advice(np.log2(values)) is None


def test_counts_are_to_be_logged_with_their_zeros():
    rng = np.random.default_rng(0)
    counts = rng.poisson(np.exp(rng.normal(2.0, 1.0, size=80) + rng.normal(0.0, 1.0, size=(50, 80))))
    assert "transform='log1p'" in scale_advice(counts)


def test_spectra_are_on_levels_of_their_own_along_the_axis():
    """Absorbance at 400 wavelengths: peaks are a thousand times the baseline, samples differ by a tenth."""
    rng = np.random.default_rng(0)
    axis = np.linspace(0, 1, 400)
    peaks = sum(np.exp(-((axis - at) ** 2) / 0.002) for at in (0.2, 0.5, 0.8)) + 1e-3
    spectra = peaks * np.exp(rng.normal(0.0, 0.1, size=(30, 400)))
    assert scale_advice(spectra).endswith("Give transform='standardize'.")


def test_one_column_has_one_unit():
    assert scale_advice(np.array([[1.0], [500.0], [20.0]])).endswith("transform='log2'.")
