"""Figures as Markdown tables; the same text is what a terminal shows."""

from __future__ import annotations

import numpy as np
import pandas as pd
from markdown_tables import markdown

from real_data_study.methods import METHODS, OURS
from real_data_study.reach import Goal
from real_data_study.simulations import PAPERS
from real_data_study.summaries import by_set


def method_table(table: pd.DataFrame) -> str:
    """A row a method, the lowest error first."""
    rows = [
        [
            _name(str(method)),
            f"{row['error']:.3f}",
            f"{row['balanced_error']:.3f}",
            f"{row['rank']:.2f}",
            f"{row['features']:.0f}",
            f"{row['median_features']:.0f}",
            f"{row['seconds']:.2f}",
        ]
        for method, row in table.iterrows()
    ]
    header = ["method", "error", "balanced error", "mean rank", "features, mean", "features, median", "seconds a fit"]
    return markdown(header, rows)


def _name(method: str) -> str:
    return f"**{method}**" if method in OURS else method


def set_table(results: pd.DataFrame, scale: str, groups: dict[str, tuple[str, ...]]) -> str:
    """Error of every method on every set; the lowest of a row in bold."""
    rows = []
    for group, sets in groups.items():
        errors = by_set(results, scale, "error", sets)
        for name, row in errors.iterrows():
            lowest = row.round(12).min()
            cells = [f"**{error:.3f}**" if np.round(error, 12) == lowest else f"{error:.3f}" for error in row]
            rows.append([str(name), group, *cells])
    there = set(results["method"])
    methods = [name for name in METHODS if name in there]
    return markdown(["set", "group", *methods], rows)


def facts_table(results: pd.DataFrame) -> str:
    """What each set is, after small classes were left out."""
    facts = results.drop_duplicates("set").set_index("set").sort_index()
    rows = [
        [str(name), str(row["samples"]), str(row["genes"]), str(row["classes"]), "yes" if row["has_log2"] else "no"]
        for name, row in facts.iterrows()
    ]
    return markdown(["set", "samples", "genes", "classes", "logarithms taken"], rows)


def goal_table(goals: list[Goal]) -> str:
    """What was asked, what was measured."""
    rows = [
        [
            goal.what,
            f"{goal.must}: {_verdict(goal.must_reached)}",
            f"{goal.aim}: {_verdict(goal.aim_reached)}" if goal.aim_reached is not None else "",
            goal.measured,
        ]
        for goal in goals
    ]
    return markdown(["", "must", "aim", "measured"], rows).replace("--:|", ":--|")  # words, not figures


def _verdict(reached: bool) -> str:
    return "**reached**" if reached else "**not reached**"


def simulation_table(cells: pd.DataFrame) -> str:
    """A row a setting: ours, the best of the paper's on the same draws, the Bayes rule's."""
    rows = [
        [
            cell.setting.replace(" r=0", ""),
            f"{cell.panel:.3f}",
            f"{cell.theirs:.3f} ({cell.best})",
            f"{cell.difference:+.3f} ± {cell.se:.3f}",
            f"{cell.bayes:.3f}",
            f"{cell.features:.1f}",
        ]
        for cell in cells.itertuples()
    ]
    header = ["setting", "Panel", f"best of {', '.join(PAPERS)}", "difference", "Bayes error", "features of Panel"]
    return markdown(header, rows)
