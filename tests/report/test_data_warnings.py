import numpy as np
import pandas as pd
import pytest

from disjoint_centroids.report.data_warnings import data_warnings, guessing_warnings


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
    assert "errs on 25.0 % of the samples" in only(values, labels)["text"]
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
    assert ("some folds hold out none of them" in warning["text"]) == folds


@pytest.mark.parametrize(
    ("n_classes", "said"),
    [
        (2, "“k0” has 4 samples, “k1” has 4 samples. With"),
        (6, "“k4” has 4 samples and 1 more class has fewer than 10. With"),
        (9, "“k4” has 4 samples and 4 more classes have fewer than 10. With"),
    ],
)
def test_many_small_classes_are_counted(n_classes, said):
    values, _ = plain(n=4 * n_classes)
    labels = pd.Series([f"k{j}" for j in range(n_classes)] * 4, values.index)
    assert said in only(values, labels, inner_folds=4)["text"]


def test_a_long_list_of_names_is_cut():
    values, labels = plain()
    for f in range(30):
        values[f"flat {f}"] = 0.0
    assert "flat 4 and 25 more" in only(values, labels)["text"]


def test_classes_alone_of_a_table_that_is_not_in_memory():
    values, _ = plain(n=40)
    labels = pd.Series(["big"] * 37 + ["small"] * 3, values.index)
    assert data_warnings(None, labels) == data_warnings(values, labels)
    assert kinds(None, labels) == ["imbalance", "few samples"]


@pytest.mark.parametrize(
    ("sizes", "error", "balanced", "warned"),
    [
        ((20, 20), 0.5, 0.5, True),
        ((20, 20), 0.4, 0.4, True),  # two standard errors are 0.16
        ((20, 20), 0.3, 0.3, False),
        ((20, 20), 0.4, None, True),
        ((20, 20), None, None, False),
        ((90, 10), 0.12, 0.12, False),  # more errors than by always answering the larger, but both classes are found
        ((90, 10), 0.10, 0.50, True),
        ((90, 10), 0.02, 0.10, False),
        ((20, 20, 20), 0.62, 0.62, True),
        ((20, 20, 20), 0.5, 0.5, False),
    ],
)
def test_an_error_no_better_than_guessing(sizes, error, balanced, warned):
    labels = pd.Series(np.repeat([f"c{at}" for at in range(len(sizes))], sizes))
    found = guessing_warnings(error, balanced, labels)
    assert [warning["kind"] for warning in found] == ["guessing"] * warned
    if warned:
        assert "not clearly better than guessing: always answering “c0” errs on" in found[0]["text"]


def test_an_error_that_was_chosen_must_be_lower_still():
    labels = pd.Series(["A", "B"] * 20)
    assert guessing_warnings(0.3, 0.3, labels) == []
    assert guessing_warnings(0.3, 0.3, labels, chosen=True) != []
    assert guessing_warnings(0.2, 0.2, labels, chosen=True) == []


def test_columns_with_gaps_are_constant_if_what_they_have_is():
    values, labels = plain()
    values["flat"], values["also"], values["empty"] = 1.0, 1.0, np.nan
    values.loc[values.index[:3], "flat"] = np.nan
    found = {warning["kind"]: warning["text"] for warning in data_warnings(values, labels)}
    assert "3 features have the same value in every sample: flat, also, empty." in found["constant features"]
    assert "duplicate features" not in found
