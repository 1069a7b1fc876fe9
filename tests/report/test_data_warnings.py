import numpy as np
import pandas as pd
import pytest

from disjoint_centroids.report.data_warnings import data_warnings


def plain(n=24, p=6, seed=0):
    """A table with nothing to say about."""
    values = (
        pd.DataFrame(np.random.default_rng(seed).normal(size=(n, p))).rename(str, axis=0).rename("f{}".format, axis=1)
    )
    return values, pd.Series(["A", "B"] * (n // 2), values.index)


def kinds(values, labels, **options):
    return [found["kind"] for found in data_warnings(values, labels, **options)]


def only(values, labels, **options):
    found = data_warnings(values, labels, **options)
    assert len(found) == 1
    return found[0]


def test_a_plain_table_gives_none():
    assert data_warnings(*plain()) == []


@pytest.mark.parametrize(("sign", "expected"), [(1, ["scale"]), (-1, [])])
def test_raw_intensities_get_advice_unless_they_are_transformed(sign, expected):
    values, labels = plain()
    values = np.exp(3 * values)
    values.iloc[0, 0] *= sign
    assert kinds(values, labels) == expected
    assert kinds(values, labels, transformed=True) == []


def test_missing_values_are_counted():
    values, labels = plain()
    values.iloc[[0, 0, 3], [0, 1, 1]] = np.nan
    assert only(values, labels)["text"].startswith("4 values are missing, in 2 features and 2 samples")


def test_imbalance_names_the_error_of_always_answering_the_largest():
    values, _ = plain(n=40)
    labels = pd.Series(["big"] * 30 + ["small"] * 10, values.index)
    assert "errs on only 25.0 %" in only(values, labels)["text"]
    assert kinds(values, pd.Series(["big"] * 29 + ["small"] * 11, values.index)) == []


def test_equal_samples_are_named_and_their_labels_compared():
    values, labels = plain()
    values.iloc[4] = values.iloc[2]
    assert "2 = 4: samples with" in only(values, labels)["text"]
    assert "different labels" not in only(values, labels)["text"]
    values.iloc[4], values.iloc[5] = values.iloc[4] + 1, values.iloc[2]
    assert "different labels" in only(values, labels)["text"]


def test_equal_and_constant_features_are_named():
    values, labels = plain()
    values["copy"], values["flat"], values["flat too"] = values["f1"], 1.0, 2.0
    found = {warning["kind"]: warning["text"] for warning in data_warnings(values, labels)}
    assert set(found) == {"duplicate features", "constant features"}
    assert "1 feature repeats an earlier column exactly: copy." in found["duplicate features"]
    assert "2 features have the same value in every sample: flat, flat too." in found["constant features"]


@pytest.mark.parametrize(("few", "folds"), [(9, False), (5, False), (4, True)])
def test_few_samples_and_fewer_than_folds(few, folds):
    values, _ = plain(n=2 * few)
    labels = pd.Series(["A", "B"] * few, values.index)
    warning = only(values, labels, inner_folds=5)
    assert warning["kind"] == "few samples"
    assert f"“A” has {few}" in warning["text"]
    assert ("fewer folds are used" in warning["text"]) == folds


def test_a_long_list_of_names_is_cut():
    values, labels = plain()
    for f in range(30):
        values[f"flat {f}"] = 0.0
    assert "flat 4 and 25 more" in only(values, labels)["text"]
