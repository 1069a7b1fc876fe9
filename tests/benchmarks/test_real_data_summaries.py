"""Means, ranks and what they must differ by."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from real_data_study.summaries import (
    Difference,
    alike,
    at_scale,
    by_set,
    critical_difference,
    difference,
    friedman,
    ranks,
    summary,
)


def test_a_set_without_logarithms_answers_for_both_scales(results):
    table = results(sets=("alizadeh-2000-v1", "alizadeh-2000-v2"))  # the first has logarithms
    scales = at_scale(table, "log2").groupby("set")["scale"].unique().map(list).to_dict()
    assert scales == {"alizadeh-2000-v1": ["log2"], "alizadeh-2000-v2": ["as distributed"]}
    assert set(at_scale(table, "as distributed")["scale"]) == {"as distributed"}
    assert at_scale(table, "as distributed")["set"].nunique() == 2


def test_means_are_over_the_same_sets_for_all(results):
    table = results(sets=("alizadeh-2000-v1", "alizadeh-2000-v2"))
    lacking = table[(table["set"] != "alizadeh-2000-v2") | (table["method"] != "NSC")]
    errors = by_set(lacking, "log2", "error", ("alizadeh-2000-v1", "alizadeh-2000-v2"))
    assert list(errors.index) == ["alizadeh-2000-v1"]
    assert errors["NSC"].tolist() == pytest.approx([0.14])


def test_the_summary_by_hand(results):
    """Set 1 has 0.001 more than set 0, the folds' differences cancel."""
    table = summary(
        results(sets=("alizadeh-2000-v1", "alizadeh-2000-v2")), "log2", ("alizadeh-2000-v1", "alizadeh-2000-v2")
    )
    assert list(table.index[:3]) == ["Panel", "Linear SVM", "Panel 10"]
    assert table.loc["Panel", "error"] == pytest.approx(0.1005)
    assert table.loc["Panel", "rank"] == 1.0
    others = len(table) - 5  # all at 0.2: ranks 6 … last, shared
    assert table.loc["NDC", "rank"] == pytest.approx(5 + (1 + others) / 2)
    assert table.loc["NSC", ["features", "median_features"]].tolist() == [600, 600]


def test_ranks_share_ties_in_spite_of_rounding():
    errors = pd.DataFrame({"a": [0.1 + 0.2], "b": [0.3], "c": [0.1]})
    assert ranks(errors).iloc[0].to_dict() == {"a": 2.5, "b": 2.5, "c": 1.0}


def test_differences_are_paired():
    errors = pd.DataFrame({"ours": [0.1, 0.2, 0.3], "theirs": [0.12, 0.24, 0.30]})
    found = difference(errors, "ours", "theirs")
    assert found.mean == pytest.approx(-0.02)
    assert found.standard_error == pytest.approx(np.std([0.02, 0.04, 0.0], ddof=1) / np.sqrt(3))
    assert str(found) == "-0.020 ± 0.012"
    assert str(difference(errors, "theirs", "ours")) == "+0.020 ± 0.012"
    assert str(difference(errors, "ours", "ours")) == "0.000 ± 0.000"


@pytest.mark.parametrize(
    ("mean", "standard_error", "verdict"),
    [
        (-0.021, 0.01, "better"),
        (-0.019, 0.01, "equal"),
        (0.0004, 0.008, "equal"),
        (0.019, 0.01, "equal"),
        (0.021, 0.01, "worse"),
        (1e-17, 0.0, "equal"),
        (0.01, 0.0, "worse"),
        (0.3, np.nan, "equal"),
    ],
)
def test_a_method_is_better_or_worse_from_two_standard_errors_on(mean, standard_error, verdict):
    assert Difference(mean, standard_error).verdict == verdict


@pytest.mark.parametrize(("k", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
def test_the_critical_difference_is_nemenyis(k, q):
    """Critical values of Demšar's Table 5(a)."""
    assert critical_difference(k, 30) == pytest.approx(q * np.sqrt(k * (k + 1) / 180), abs=5e-4)


@pytest.mark.parametrize("seed", range(4))
def test_friedmans_test_is_scipys_with_ties(seed):
    rng = np.random.default_rng(seed)
    errors = pd.DataFrame(rng.integers(0, 4, size=(9, 5)) / 10, columns=list("abcde"))
    chi2 = stats.friedmanchisquare(*errors.to_numpy().T).statistic
    found = friedman(errors)
    assert found.statistic == pytest.approx(8 * chi2 / (9 * 4 - chi2))
    assert found.p_value == pytest.approx(stats.f.sf(found.statistic, 4, 32))
    assert found.mean_ranks.is_monotonic_increasing


def test_friedmans_ends():
    same = friedman(pd.DataFrame(0.1, index=range(4), columns=list("abc")))
    assert (same.statistic, same.p_value) == (0.0, 1.0)
    sure = friedman(pd.DataFrame({"a": [0.1] * 4, "b": [0.2] * 4, "c": [0.3] * 4}))
    assert (sure.statistic, sure.p_value) == (np.inf, 0.0)
    with pytest.raises(ValueError, match="at least two sets"):
        friedman(pd.DataFrame({"a": [0.1], "b": [0.2]}))


def test_bars_join_what_is_not_told_apart():
    mean_ranks = pd.Series({"d": 6.0, "a": 1.0, "b": 2.0, "c": 3.5})
    assert alike(mean_ranks, 1.6) == [("a", "b"), ("b", "c")]
    assert alike(mean_ranks, 0.5) == []
    assert alike(mean_ranks, 9.0) == [("a", "d")]


@pytest.mark.parametrize("seed", range(5))
def test_bars_are_the_longest_runs(seed):
    """Held against trying every pair."""
    rng = np.random.default_rng(seed)
    mean_ranks = pd.Series(rng.uniform(1, 8, 9).round(1), index=list("abcdefghi"))
    ordered = mean_ranks.sort_values(kind="stable")
    runs = [(i, j) for i in range(9) for j in range(i + 1, 9) if ordered.iloc[j] - ordered.iloc[i] <= 2.0]
    longest = [r for r in runs if not any(o != r and o[0] <= r[0] and r[1] <= o[1] for o in runs)]
    assert alike(mean_ranks, 2.0) == [(ordered.index[i], ordered.index[j]) for i, j in longest]
