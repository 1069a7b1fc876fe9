"""Sites that do not go together: refused, or told."""

import warnings

import numpy as np
import pandas as pd
import pytest

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.panels import TableSums
from disjoint_centroids.panels.sites import pool_sites

OPTIONS = {"rounds": 1, "penalty": 0.5, "reads": "all"}


def table(seed=0, labels=("ALL", "AML"), n=80):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % len(labels)
    X = 6.0 + rng.normal(size=(n, 5)) + codes[:, None]
    return pd.DataFrame(X, columns=[f"g{c}" for c in range(5)]), np.array(labels)[codes]


def pooled(*tables):
    return pool_sites(tables, [f"{letter}.sums" for letter in "abcdef"[: len(tables)]])


def test_sites_that_go_together_raise_no_doubts():
    whole, doubts = pooled(TableSums.of(*table(0)), TableSums.of(*table(1)), TableSums.of(*table(2)))
    assert doubts == []
    assert whole.counts.sum() == 240
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DisjointPanelClassifier(**OPTIONS).fit_sums([TableSums.of(*table(0)), TableSums.of(*table(1))])


@pytest.mark.parametrize("options", [{}, {"random_state": 1}, {"n_folds": 2}, {"smallest": 20}], ids=str)
def test_the_same_samples_are_not_pooled_however_they_were_divided(options):
    X, y = table()
    other = TableSums.of(X.iloc[::-1, ::-1], y[::-1], **options)
    with pytest.raises(ValueError, match=r"a.sums and c.sums hold sums of the same samples.*count twice.*once"):
        pooled(TableSums.of(X, y), TableSums.of(*table(1)), other)
    assert pooled(TableSums.of(X, y), TableSums.of(X[:-1], y[:-1]))[1] == []  # which nobody can tell from new samples


def test_spellings_of_a_class_are_refused_as_in_one_table():
    here, there = TableSums.of(*table(0)), TableSums.of(*table(1, labels=("ALL", "aml ")))
    with pytest.raises(ValueError, match=r"'AML' \(a.sums\) and 'aml ' \(b.sums\).*one spelling at all sites"):
        pooled(here, there)
    with pytest.raises(ValueError, match=r"'AML' \(site 1\)"):
        DisjointPanelClassifier(**OPTIONS).fit_sums([here, there])
    both = TableSums.of(*table(2, labels=("ALL", "AML", "aml")))  # where they are evidently different classes
    assert len(pooled(here, both)[0].classes) == 3


def test_classes_of_one_site_are_told():
    here, there = TableSums.of(*table(0)), TableSums.of(*table(1, labels=("ALL", "1")))
    (doubt,) = pooled(here, there)[1]
    assert "2 of 3 classes are of one site only: AML (a.sums), 1 (b.sums)." in doubt
    with pytest.warns(UserWarning, match=r"AML \(site 1\)"):
        DisjointPanelClassifier(**OPTIONS).fit_sums([here, there])
    assert pooled(here)[1] == []


def test_other_scales_are_told():
    X, y = table(0)
    raw, _ = table(1)
    (doubt,) = pooled(TableSums.of(X, y), TableSums.of(np.exp2(raw), y))[1]
    assert "the values of b.sums vary" in doubt
    assert "as much as those of a.sums" in doubt
    assert "raw values and the other like logarithms" in doubt
    assert pooled(TableSums.of(X, y), TableSums.of(2 * raw + 3, y))[1] == []
