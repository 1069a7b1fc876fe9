"""Figures as Markdown tables; the same text is what a terminal shows."""

from __future__ import annotations

import numpy as np
import pandas as pd
from markdown_tables import markdown

from real_data_study.methods import METHODS, OURS
from real_data_study.sets import APART, DESIGN
from real_data_study.simulations import METHOD, PAPERS
from real_data_study.summaries import Difference, by_set


def method_table(table: pd.DataFrame) -> str:
    """One row per method, the lowest error first."""
    rows = [
        [
            shown_name(str(method)),
            f"{row['error']:.3f}",
            f"{row['balanced_error']:.3f}",
            f"{row['rank']:.2f}",
            f"{row['features']:.0f}",
            f"{row['median_features']:.0f}",
            f"{row['seconds']:.2f}",
        ]
        for method, row in table.iterrows()
    ]
    header = [
        "method",
        "error",
        "balanced error",
        "mean rank",
        "genes used, mean",
        "genes used, median",
        "seconds per fit",
    ]
    return markdown(header, rows)


def shown_name(method: str) -> str:
    """Ours in bold."""
    return f"**{method}**" if method in OURS else method


def set_table(results: pd.DataFrame, scale: str) -> str:
    """Error of every method on every set, those used in design first; the lowest of a row in bold."""
    rows = []
    for used, sets in (("yes", DESIGN), ("no", APART)):
        errors = by_set(results, scale, "error", sets)
        for name, row in errors.iterrows():
            lowest = row.round(12).min()
            cells = [f"**{error:.3f}**" if np.round(error, 12) == lowest else f"{error:.3f}" for error in row]
            rows.append([str(name), used, *cells])
    there = set(results["method"])
    methods = [name for name in METHODS if name in there]
    return markdown(["set", "used in design", *methods], rows)


def facts_table(results: pd.DataFrame) -> str:
    """Size of each set after small classes were left out."""
    facts = results.drop_duplicates("set").set_index("set").sort_index()
    rows = [
        [str(name), str(row["samples"]), str(row["genes"]), str(row["classes"]), "yes" if row["has_log2"] else "no"]
        for name, row in facts.iterrows()
    ]
    return markdown(["set", "samples", "genes", "classes", "logarithms taken"], rows)


def simulation_table(cells: pd.DataFrame) -> str:
    """One row per setting: ours, the best of the paper's methods on the same draws, the Bayes rule's."""
    rows = []
    for cell in cells.itertuples():
        gap = Difference(cell.difference, cell.se)
        rows.append(
            [
                cell.setting.replace(" r=0", ""),
                f"{cell.panel:.3f}",
                f"{cell.theirs:.3f} ({cell.best})",
                f"{gap.verdict} ({gap})",
                f"{cell.bayes:.3f}",
                f"{cell.features:.1f}",
            ]
        )
    best = f"best of {', '.join(PAPERS)}"
    return markdown(["setting", METHOD, best, f"{METHOD} is", "lowest possible error", f"features of {METHOD}"], rows)
