"""The page's section "At equal size": tables and sentences, all from the results."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
from markdown_tables import markdown

from real_data_study.answer import compared, gap_cell, joined
from real_data_study.equal_size.jobs import SIZES, by_size
from real_data_study.equal_size.methods import METHODS, OURS, RIVALS
from real_data_study.methods import OUTER_FOLDS
from real_data_study.sets import ALL, APART, GROUPS, LOG2
from real_data_study.summaries import BETTER, CLEAR, by_set, difference, wall_minutes

DEFAULT = next(iter(OURS))
FULL = 0.95
"""Share of the features allowed below which a method is said to use fewer."""


def section(rows: pd.DataFrame, picture: str) -> list[str]:
    """Parts of the section; ``picture`` is the address of its figure."""
    errors = errors_at(rows, ALL)
    there = [name for name in METHODS if name in set(rows["method"])]
    return [
        "## At equal size",
        _introduction(rows),
        _findings(rows),
        f"![error against features per class]({picture})",
        "The table shows mean errors over all sets, and in brackets over the sets used in design / not used in design. "
        "The lowest error of each size is in bold.",
        error_table(rows),
        *(part for name in OURS if name in there for part in _against(errors, name)),
        "The methods:",
        "\n".join(f"- *{name}*: {METHODS[name].about}" for name in there),
        *_fewer(rows),
    ]


def errors_at(rows: pd.DataFrame, sets: Iterable[str]) -> dict[int, pd.DataFrame]:
    """Errors at each size: one row per set, one column per method."""
    sets = list(sets)
    return {size: by_set(part, LOG2, "error", sets, METHODS) for size, part in by_size(rows).items()}


def mean_errors(rows: pd.DataFrame, sets: Iterable[str]) -> pd.DataFrame:
    """Mean error over sets: one row per method, the lowest mean over sizes first, and one column per size."""
    table = pd.DataFrame({size: errors.mean() for size, errors in errors_at(rows, sets).items()})
    return table.loc[table.mean(axis=1).sort_values(kind="stable").index]


def _introduction(rows: pd.DataFrame) -> str:
    return f"""How good are panels as a way to select features? Here every method uses the same number of them:
{joined(map(str, SIZES))} per class, or as many in all where a method selects without regard to classes. They are
selected within the training part, on log2 values, with the divisions of the first {rows["repeat"].nunique()} repeats
into {OUTER_FOLDS} parts. Where a set has too few genes for a size, every method gets as many per class as there are.
Methods are compared set by set as above: a difference of more than {CLEAR:g} standard errors is called *better* or
*worse*. {len(rows)} jobs, each with all sizes, took {wall_minutes(rows):.0f} minutes."""


def _findings(rows: pd.DataFrame) -> str:
    """Where other methods are better than ours, over all sets and those apart, then size by size."""
    over_all = errors_at(rows, ALL)
    groups = {
        f"On all {len(GROUPS['all'])} sets": over_all,
        f"On the {len(GROUPS['apart'])} sets that were not used in design": errors_at(rows, APART),
    }
    lines = [
        f"{where}, {leaders(errors, ours)}"
        for where, errors in groups.items()
        for ours in OURS
        if ours in errors[SIZES[0]]
    ]
    for size, errors in over_all.items():
        others = [name for name in METHODS if name in errors]
        mean = errors[DEFAULT].mean()
        lines.append(
            f"With {size} features per class the error of *{DEFAULT}* ({mean:.3f}, all sets) is "
            f"{compared(errors, DEFAULT, others)}."
        )
    return "\n".join(f"- {line}" for line in lines)


def leaders(errors: dict[int, pd.DataFrame], ours: str) -> str:
    """End of a sentence that names the rivals that are better than one of ours, and those whose mean is lower."""
    better: dict[int, list[str]] = {}
    lower: dict[int, list[str]] = {}
    for size, table in errors.items():
        for name in (name for name in RIVALS if name in table):
            gap = difference(table, name, ours)
            if gap.mean < 0:
                (better if gap.verdict == BETTER else lower).setdefault(size, []).append(f"*{name}* ({gap})")
    said = f"no other method is better than *{ours}*."
    if better:
        said = f"other methods are better than *{ours}*: {_by_size(better)}."
    if lower:
        said += f" The mean error of others is lower by less than {CLEAR:g} standard errors: {_by_size(lower)}."
    return said


def _by_size(named: dict[int, list[str]]) -> str:
    return "; ".join(f"with {size} per class {joined(names)}" for size, names in named.items())


def error_table(rows: pd.DataFrame) -> str:
    """One row per method, one column per size: mean error over all sets, those used in design, and the others."""
    means = {group: mean_errors(rows, sets) for group, sets in GROUPS.items()}
    lowest = means["all"].round(12).min()
    lines = []
    for name, row in means["all"].iterrows():
        cells = []
        for size, error in row.items():
            shown = f"**{error:.3f}**" if round(error, 12) == lowest[size] else f"{error:.3f}"
            design, apart = (means[group].loc[name, size] for group in ("design", "apart"))
            cells.append(f"{shown} ({design:.3f} / {apart:.3f})")
        lines.append([_shown(str(name)), *cells])
    return markdown(["method", *(f"{size} per class" for size in SIZES)], lines)


def _shown(name: str) -> str:
    return f"**{name}**" if name in OURS else name


def _against(errors: dict[int, pd.DataFrame], ours: str) -> list[str]:
    """Table of the differences of all other methods to one of ours."""
    others = [name for name in METHODS if name in errors[SIZES[0]] and name != ours]
    lines = [[_shown(name), *(gap_cell(difference(table, name, ours)) for table in errors.values())] for name in others]
    header = [f"compared with {ours}", *(f"{size} per class" for size in SIZES)]
    return [f"Differences to *{ours}*, over all sets:", markdown(header, lines)]


def _fewer(rows: pd.DataFrame) -> list[str]:
    """A sentence on methods that use fewer features than they may, if there are any."""
    used = pd.concat(by_size(rows), names=["size"]).groupby(["method", "size"])["features"].mean().unstack()
    most = used.max()
    few = {
        name: [f"{row[size]:.0f} of {most[size]:.0f} with {size}" for size in SIZES if row[size] < FULL * most[size]]
        for name, row in used.iterrows()
    }
    told = [f"*{name}* ({joined(sizes)} per class)" for name, sizes in few.items() if sizes]
    return [f"Fewer features than allowed are used, on average over the sets, by {joined(told)}."] if told else []
