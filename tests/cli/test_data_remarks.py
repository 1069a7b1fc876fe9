"""`ndc fit` says on standard error what the report knows of a table and of an error."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from disjoint_centroids.report.data_warnings import data_warnings
from disjoint_centroids.tables import read_table


def noise(sizes, p=30, seed=0):
    labels = np.repeat(["case", "control", "other"][: len(sizes)], sizes)
    values = np.random.default_rng(seed).normal(size=(labels.size, p))
    return pd.DataFrame(values, columns=[f"g{f}" for f in range(p)]).assign(kind=labels)


@pytest.fixture
def fit(ndc, here):
    def run(frame, *arguments):
        frame.rename("s{}".format).to_csv(here / "table.csv", index_label="sample")
        result = ndc("fit", "table.csv", "-t", "kind", "--force", "--json", *arguments)
        assert result.exit_code == 0, result.output
        return [found["kind"] for found in json.loads(result.stdout)["warnings"]], result.stderr

    return run


def test_few_samples_imbalance_and_guessing(fit, here):
    kinds, said = fit(noise((40, 4)), "--rounds", 3, "--terms", "linear")
    assert kinds == ["imbalance", "few samples", "guessing"]
    read = read_table(here / "table.csv", target="kind")
    for found in data_warnings(read.values, read.labels):  # what the report shows of the same table
        assert found["text"] in said
    assert "“control” has 4 samples" in said
    assert "not clearly better than guessing: always answering “case”" in said


@pytest.mark.parametrize("method", ["panel", "ndc-s"])
def test_noise_is_no_better_than_guessing_and_a_signal_is(fit, method):
    restarts = () if method == "panel" else ("--restarts", 3)
    table = noise((20, 20, 20))
    assert fit(table, "--method", method, *restarts)[0] == ["guessing"]
    table.loc[table["kind"] == "case", ["g0", "g1"]] += 6.0
    table.loc[table["kind"] == "other", ["g2", "g3"]] += 6.0
    kinds, said = fit(table, "--method", method, *restarts)
    assert kinds == []
    assert "guessing" not in said


def test_copies_and_constants_are_named(fit):
    table = noise((12, 12))
    table["flat"] = 1.0
    table.iloc[5, :-2] = table.iloc[3, :-2]
    kinds, said = fit(table, "--method", "ndc", "--restarts", 2)
    assert kinds == ["duplicate samples", "constant features"]
    assert "s3 = s5" in said
    assert "flat" in said


def test_different_units_are_to_be_standardised(fit):
    wine = load_wine(as_frame=True)
    _, said = fit(wine.data.assign(kind=wine.target_names[wine.target]), "--rounds", 2, "--terms", "linear")
    assert "--transform standardize" in said
    assert "log2" not in said
    _, said = fit(wine.data.assign(kind=wine.target_names[wine.target]), "--rounds", 2, "--transform", "standardize")
    assert "--transform" not in said
