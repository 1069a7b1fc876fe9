"""Figures of the study as Markdown tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
from markdown_tables import markdown

from marker_panels_study import sets
from marker_panels_study.jobs import OWN, READERS, column
from marker_panels_study.methods import DEFAULT, METHODS, OURS, SIZES
from marker_panels_study.summaries import by_set, errors_by_size, mean_ranks
from real_data_study.answer import gap_cell
from real_data_study.summaries import difference

NONE = ""
"""Cell of what was not finished."""


def shown(method: str) -> str:
    """Ours in bold."""
    return f"**{method}**" if method in OURS else method


def _cell(value: float, lowest: float = np.nan, form: str = ".3f") -> str:
    if np.isnan(value):
        return NONE
    text = format(value, form)
    return f"**{text}**" if round(value, 12) == round(lowest, 12) else text


def _sized(words: str) -> list[str]:
    return [f"{words}, {size}" if at == 0 else str(size) for at, size in enumerate(SIZES)]


def mean_table(rows: pd.DataFrame, methods: list[str], names: list[str], measure: str = "error") -> str:
    """Means over sets by both readings: one row per program, the lowest mean first; the best of a column in bold."""
    means = pd.DataFrame(
        {
            (reading, size): table.loc[names, methods].mean()
            for reading in READERS
            for size, table in errors_by_size(rows, reading, measure).items()
        }
    )
    rising = measure != "F-beta"
    best = means.min() if rising else means.max()
    order = means.mean(axis=1).sort_values(kind="stable", ascending=rising).index
    lines = [[shown(str(name)), *map(_cell, means.loc[name], best)] for name in order]
    return markdown(["program", *(word for reading in READERS for word in _sized(reading))], lines)


def difference_table(rows: pd.DataFrame, ours: str, reading: str) -> str:
    """Error of every other program minus that of one of ours, over the sets that it finished."""
    errors = errors_by_size(rows, reading)
    lines = []
    for name in (name for name in METHODS if name in errors[SIZES[0]] and name != ours):
        cells, counts = [], []
        for table in errors.values():
            both = table[[name, ours]].dropna()
            counts.append(len(both))
            cells.append(gap_cell(difference(both, name, ours)) if len(both) > 1 else NONE)
        lines.append([shown(name), str(max(counts)), *cells])
    return markdown([f"compared with {ours}", "sets", *(f"{size} per class" for size in SIZES)], lines)


def rank_table(rows: pd.DataFrame) -> str:
    """Mean rank of every program, at each size by both readings."""
    ranked = {(reading, size): mean_ranks(rows, reading, size) for reading in READERS for size in SIZES}
    means = pd.DataFrame({key: found.mean_ranks for key, found in ranked.items()})
    order = means.mean(axis=1).sort_values(kind="stable").index
    lines = [
        [shown(str(name)), *(_cell(rank, low, ".1f") for rank, low in zip(means.loc[name], means.min(), strict=True))]
        for name in order
    ]
    return markdown(["program", *(word for reading in READERS for word in _sized(reading))], lines)


def list_table(rows: pd.DataFrame, methods: list[str], names: list[str]) -> str:
    """On-target fractions, and the share of markers that are off in their class."""
    names = [name for name in names if name in sets.EXPRESSION]
    what = {"on target": "on-target fraction", "on target by means": "by means", "off in its class": "off in its class"}
    lines = []
    for name in methods:
        cells = [by_set(rows, column(size, key))[name].loc[names].mean() for key in what for size in SIZES]
        lines.append([shown(name), *(_cell(cell, form=".2f") for cell in cells)])
    # The same for every program: it is a fact about the samples.
    most = [by_set(rows, column(size, "most on target"))[DEFAULT].loc[names].mean() for size in SIZES]
    lines.append(["*the most that is possible*", *(_cell(cell, form=".2f") for cell in most), *[NONE] * 2 * len(SIZES)])
    return markdown(["program", *(word for words in what.values() for word in _sized(words))], lines)


def own_table(rows: pd.DataFrame) -> str:
    """The scores of our model beside the two readings of its list, over all sets."""
    lines = []
    for ours in (name for name in OURS if name in set(rows["method"])):
        for reading in (*READERS, OWN):
            errors = errors_by_size(rows, reading).values()
            lines.append([shown(ours), reading, *(_cell(table[ours].mean()) for table in errors)])
    return markdown(["program", "read by", *(f"{size} per class" for size in SIZES)], lines)


def cost_table(rows: pd.DataFrame, methods: list[str], names: list[str]) -> str:
    """Processor seconds of a fit and peak memory: mean over sets, and the largest of a set."""
    lines = []
    for name in methods:
        seconds = by_set(rows, column(SIZES[-1], "seconds"))[name]
        peak = by_set(rows, "peak")[name] / 1e6
        figures = (seconds.loc[names].mean(), seconds.max(), peak.loc[names].mean(), peak.max())
        lines.append([shown(name), *(f"{value:.1f}" if at < 2 else f"{value:.0f}" for at, value in enumerate(figures))])
    header = ["program", "seconds, mean", "seconds, most", "peak memory in MB, mean", "most"]
    return markdown(header, lines)


def set_table(rows: pd.DataFrame, size: int) -> str:
    """Errors of a size, set by set: nearest centroid / logistic regression; the lowest of a row and reading in bold."""
    tables = [errors_by_size(rows, reading)[size] for reading in READERS]
    lines = []
    for name in tables[0].index:
        pairs = zip(*(table.loc[name] for table in tables), strict=True)
        lowest = [table.loc[name].min() for table in tables]
        lines.append([sets.TITLES[name], *(" / ".join(map(_cell, pair, lowest)) for pair in pairs)])
    return markdown(["set", *map(shown, tables[0].columns)], lines)


def facts_table(rows: pd.DataFrame) -> str:
    """The sets: size, source, and whether designs were chosen on them."""
    facts = rows.drop_duplicates("set").set_index("set")
    lines = [
        [
            sets.TITLES[name],
            *(str(facts.loc[name, what]) for what in ("samples", "features", "classes")),
            sets.source(name),
            "yes" if sets.used_in_design(name) else "no",
        ]
        for name in sets.ALL
        if name in facts.index
    ]
    return markdown(["set", "samples", "features", "classes", "from", "used in design"], lines)
