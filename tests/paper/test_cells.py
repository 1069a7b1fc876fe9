"""Verdicts on cells, on results made up so that each verdict is known."""

import json

import findings
import numpy as np
import pandas as pd
import pytest
from cells import (
    paper_figures,
    paper_genes,
    paper_genes_and_below,
    r_runs,
    real_cells,
    selection_frequencies,
    simulation_cells,
)
from settings import AUTO_METHODS, REAL_SETS

from disjoint_centroids.datasets import SIMULATIONS
from disjoint_centroids.evaluation import PAPER_METHODS

CELL = "simulation-1 d=3 r=0 a=0.3"  # the paper: NC 0.611, NDC 0.736, no standard errors


def rows(method, errors, setting=CELL, features=12):
    return [
        {
            "experiment": setting.split()[0],
            "setting": setting,
            "method": method,
            "repetition": repetition,
            "error": error,
            "features": features,
        }
        for repetition, error in enumerate(errors)
    ]


def verdict(method, errors):
    return simulation_cells(pd.DataFrame(rows(method, errors))).set_index("method").loc[method, "verdict"]


def test_all_cells_of_the_paper_are_there_and_named_like_our_settings():
    figures = paper_figures()
    assert len(figures) == 408
    assert set(figures["setting"]) - {""} == {setting.name for setting in SIMULATIONS}
    assert set(figures["method"]) == set(PAPER_METHODS)


@pytest.mark.parametrize(
    ("ours", "expected"),
    [(0.611, "agrees"), (0.6195, "agrees"), (0.6205, "worse"), (0.6025, "agrees"), (0.6015, "better")],
)
def test_three_times_the_silent_standard_error(ours, expected):
    """Ours has no spread, so the bar is 3 * 0.003 = 0.009."""
    assert verdict("NC", [ours, ours]) == expected


def test_our_own_spread_counts():
    errors = np.array([0.64, 0.60, 0.64, 0.66])
    mean, se = errors.mean(), errors.std(ddof=1) / 2
    assert abs(mean - 0.611) > 0.009
    assert abs(mean - 0.611) < 3 * np.hypot(se, 0.003)
    assert verdict("NC", errors) == "agrees"


def test_a_printed_standard_error_is_used_and_features_have_no_better():
    setting = "simulation-4 d=5 r=80 c=0.3"  # NDC-S: 80 (5) features
    for features, expected in ((94.9, "agrees"), (95.1, "differs"), (64.9, "differs")):
        cells = simulation_cells(pd.DataFrame(rows("NDC-S", [0.6, 0.6], setting, features)))
        assert cells.set_index("metric").loc["features", "verdict"] == expected


def test_auto_is_held_against_the_published_method():
    cells = simulation_cells(pd.DataFrame(rows("NDC auto", [0.7, 0.7])))
    assert cells["paper"].tolist() == [0.736]
    assert cells["difference"].iloc[0] == pytest.approx(-0.036)


def test_the_range_over_splits():
    errors = np.linspace(0.0, 0.4, 21)  # 5 % is 0.02, 95 % is 0.38
    for method, inside in (("SVM", False), ("NC", True)):  # the paper: 0.384 and 0.206
        table = pd.DataFrame(rows(method, errors)).assign(experiment="west-2001", setting="as distributed")
        cell = real_cells(table).set_index("metric").loc["error"]
        assert (cell["low"], cell["high"]) == pytest.approx((0.02, 0.38))
        assert cell["inside"] == inside


def test_selection_frequencies_and_the_row_below():
    below = json.dumps({gene: f"below {gene}" for gene in paper_genes()["gene"]})
    results = pd.DataFrame({"experiment": "selection", "selected": ["a b|a", "a c|"], "row_below": [below, below]})
    assert selection_frequencies(results).to_dict() == {"a": 0.75, "b": 0.25, "c": 0.25}
    genes = paper_genes_and_below(results)
    assert "M29610_s_at" in set(genes["gene"])
    assert genes["below"].tolist() == [f"below {gene}" for gene in genes["gene"]]


def everything(change=lambda method, error: error):
    """Cells of results that repeat the paper's figures, changed by ``change(method, error)``."""
    figures = paper_figures()
    table = []
    for method in (*PAPER_METHODS, *AUTO_METHODS):
        of_method = figures[figures["method"] == method.removesuffix(" auto")]
        for (experiment, setting), group in of_method.groupby(["experiment", "setting"]):
            by = group.set_index("metric")["mean"]
            for scale in ("as distributed", "log2") if experiment in REAL_SETS else (setting,):
                row = {"experiment": experiment, "setting": scale, "method": method}
                table += [row | {"error": change(method, by["error"]), "features": by.get("features", np.nan)}] * 2
    results = pd.DataFrame(table)
    return simulation_cells(results), real_cells(results)


def said(change=lambda method, error: error):
    return " ".join(findings.opening(*everything(change)).split())


def test_the_opening_of_a_perfect_reproduction():
    text = said()
    assert "all 72 errors of NDC and NDC-S agree with the paper's or are better (0 are better)" in text
    assert "all 216 errors of the 6 other methods agree" in text
    assert "all 24 errors lie within the range of ours over repeated splits." in text
    assert "runs of R" not in text


@pytest.mark.parametrize(
    ("method", "change", "expected"),
    [
        ("NDC", 0.02, "36 of 72 errors of NDC and NDC-S agree with the paper's or are better (0 are better)"),
        ("NDC", -0.02, "all 72 errors of NDC and NDC-S agree with the paper's or are better (36 are better)"),
        ("SVM", -0.02, "180 of 216 errors of the 6 other methods agree"),
        ("NDC-S", 0.002, "21 of 24 errors lie within"),
        ("NDC-S", 0.002, "show the reason for 0 of the other 3"),
        ("SVM", 0.002, "show the reason for 1 of the other 3"),
    ],
)
def test_the_opening_counts(method, change, expected):
    assert expected in said(lambda m, error: error + change * (m == method))


def test_the_table_of_counts_has_every_table_of_the_paper():
    cells, real = everything(lambda m, error: error + 0.05 * (m == "NC") - 0.05 * (m == "NDC-S auto"))
    rows = [line.strip("| ").split(" | ") for line in findings.counts_table(cells, real).splitlines()[2:]]
    assert [row[0] for row in rows] == [str(table) for table in range(1, 12)]
    assert rows[0][2:] == ["18 agree", "45 agree, 9 worse", "9 agree, 9 better"]
    assert rows[4][2:] == ["18 agree", "54 agree", "18 agree"]
    assert rows[5][2:4] == ["2 of 2 within our range", "5 of 6 within our range"]


def test_init_auto_beside_the_paper():
    cells, _ = everything(lambda m, error: error - 0.05 * (m == "NDC auto") + 0.02 * (m == "NDC-S auto"))
    text = " ".join(findings.auto(cells).split())
    assert "Of 72 errors 36 are better than the paper's and 36 worse; the least favourable difference is +0.020" in text
    assert "6 of 12 errors are better, and the mean difference from the paper's is -0.015" in text


def test_runs_of_r_are_of_cells_of_the_paper():
    cells = set(paper_figures()[["experiment", "method"]].itertuples(index=False, name=None))
    runs = r_runs()
    assert set(runs[["experiment", "method"]].itertuples(index=False, name=None)) <= cells
    assert (runs["lowest"] <= runs["highest"]).all()
