"""Our results beside the paper's figures: one row per cell of a table, with a verdict."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
from settings import AUTO_METHODS, REAL_SETS

from disjoint_centroids.evaluation import PAPER_METHODS

DATA = Path(__file__).parent / "data"
SILENT_STANDARD_ERROR = 0.003
"""Standard error of cells for which the paper prints none; it says that most of them are below this."""

TOLERATED = 3.0
"""Combined standard errors."""

AGREES, BETTER, WORSE, DIFFERS = "agrees", "better", "worse", "differs"


def paper_figures() -> pd.DataFrame:
    """The paper's cells, with the names of our settings."""
    figures = pd.read_csv(DATA / "tables.csv")
    figures["setting"] = [
        f"{row.experiment} d={row.d:.0f} r={row.r:.0f} {row.parameter}={row.value}"
        if row.parameter == row.parameter
        else ""
        for row in figures.itertuples()
    ]
    return figures


def r_runs() -> pd.DataFrame:
    """Errors of R's own packages on cells of the real sets: a range where they depend on a choice within R."""
    return pd.read_csv(DATA / "r_runs.csv", dtype={"version": str}, keep_default_na=False)


def published_name(method: str) -> str:
    """The paper's name of a method: init="auto" is held against the same figures."""
    return method.removesuffix(" auto")


def simulation_cells(results: pd.DataFrame) -> pd.DataFrame:
    """Tables 1 to 5: our mean and standard error, the paper's, and whether they agree."""
    figures = paper_figures()
    figures = figures[figures["experiment"].str.startswith("simulation")]
    ours = _summary(results)
    rows = []
    for method in (*PAPER_METHODS, *AUTO_METHODS):
        cells = figures[figures["method"] == published_name(method)].assign(method=method)
        rows.append(cells.merge(ours, on=["experiment", "setting", "method", "metric"], how="inner"))
    cells = pd.concat(rows, ignore_index=True).rename(columns={"mean": "paper", "standard_error": "paper_se"})
    cells["difference"] = cells["ours"] - cells["paper"]
    spread = np.hypot(cells["se"], cells["paper_se"].fillna(SILENT_STANDARD_ERROR))
    cells["in_errors"] = cells["difference"] / np.maximum(spread, 1e-12)
    cells["verdict"] = [
        _verdict(row.metric, row.difference, abs(row.difference) <= TOLERATED * wide + 1e-9)
        for row, wide in zip(cells.itertuples(), spread, strict=True)
    ]
    return cells


def _verdict(metric: str, difference: float, close: bool) -> str:
    if close:
        return AGREES
    if metric != "error":
        return DIFFERS
    return BETTER if difference < 0 else WORSE


def _summary(results: pd.DataFrame) -> pd.DataFrame:
    """Mean and standard error over repetitions, long in the metric."""
    long = results.melt(
        id_vars=["experiment", "setting", "method"], value_vars=["error", "features"], var_name="metric"
    ).dropna(subset="value")
    grouped = long.groupby(["experiment", "setting", "method", "metric"], observed=True)["value"]
    return grouped.agg(ours="mean", se="sem", repetitions="size").fillna({"se": 0.0}).reset_index()


def real_cells(results: pd.DataFrame) -> pd.DataFrame:
    """Tables 6 to 11: our mean and 5-95 % range over splits, and whether the paper's one split lies inside."""
    figures = paper_figures()
    rows = []
    real = results[results["experiment"].isin(REAL_SETS)]
    for (name, scale, method), group in real.groupby(["experiment", "setting", "method"], observed=True):
        for metric in ("error", "features"):
            at = (figures["experiment"] == name) & (figures["metric"] == metric)
            paper = figures[at & (figures["method"] == published_name(method))].iloc[0]
            low, high = np.percentile(group[metric], [5, 95])
            rows.append(
                {
                    "experiment": name,
                    "scale": scale,
                    "method": method,
                    "metric": metric,
                    "ours": group[metric].mean(),
                    "low": low,
                    "high": high,
                    "splits": len(group),
                    "paper": paper["mean"],
                    "paper_se": paper["standard_error"],
                    # The paper prints three decimals.
                    "inside": low - 0.0005 <= paper["mean"] <= high + 0.0005,
                }
            )
    return pd.DataFrame(rows)


def selected_lists(results: pd.DataFrame, column: str) -> pd.Series:
    """The genes that each fit selected."""
    runs = results.loc[results["experiment"] == "selection", column]
    return runs.str.split("|").explode().str.split()


def selection_frequencies(results: pd.DataFrame, column: str = "selected") -> pd.Series:
    """Share of the fits in which each gene was selected, highest first (ties by name)."""
    lists = selected_lists(results, column)
    counts = lists.explode().value_counts().rename_axis("gene").reset_index(name="fits")
    counts = counts.sort_values(["fits", "gene"], ascending=[False, True])
    return counts.set_index("gene")["fits"] / len(lists)


def paper_genes() -> pd.DataFrame:
    """The paper's five genes; one lacks its first letter there."""
    genes = pd.read_csv(DATA / "selection_frequency.csv")
    genes["gene"] = genes["gene"].replace({"29610_s_at": "M29610_s_at"})
    return genes


def paper_genes_and_below(results: pd.DataFrame) -> pd.DataFrame:
    """The paper's five genes, and the gene in the row below each in the file."""
    below = json.loads(results.loc[results["experiment"] == "selection", "row_below"].iloc[0])
    genes = paper_genes()
    return genes.assign(below=genes["gene"].map(below))
