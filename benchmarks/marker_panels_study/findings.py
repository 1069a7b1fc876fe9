"""The results in sentences."""

from __future__ import annotations

import pandas as pd

from marker_panels_study import sets
from marker_panels_study.jobs import CENTROID, READERS, column
from marker_panels_study.methods import DEFAULT, RIVALS, SIZES, UP
from marker_panels_study.summaries import by_set, common_sets, compared_programs, errors_by_size, failures
from real_data_study.answer import joined
from real_data_study.summaries import BETTER, WORSE, difference

WHY = (
    "Panels are drafted for scores that weigh all markers together. Nearest centroid gives every marker the same "
    "weight: it is at its best with markers that are strong one by one, as tests of single genes choose them, and "
    "gains less from markers that complement each other."
)
"""The reason why a program can be ahead by one reading and behind by the other."""

WHY_ON_TARGET = (
    "A marker is on target if the other classes have none of it. NS-Forest and COSG rank genes by that. Panels pick "
    "what tells a class from the others beside the markers picked before, and a gene that two similar classes have at "
    "different levels can do this without being on target."
)
"""The reason why other programs can have the higher on-target fraction."""


def opening(rows: pd.DataFrame) -> str:
    """Sentences on the errors of our lists beside those of others, and by how much they differ."""
    programs = compared_programs(rows)
    names = common_sets(rows, programs)
    lines = [_of_reading(rows, reading, programs, names) for reading in READERS]
    return "\n".join(f"- {line}" for line in [*lines, *_worse_than_ours(rows), WHY])


def _of_reading(rows: pd.DataFrame, reading: str, programs: list[str], names: list[str]) -> str:
    said = []
    for size, errors in errors_by_size(rows, reading).items():
        means = errors.loc[names, programs].mean()
        others = means[[name for name in programs if name in RIVALS]]
        lower = others[others < means[DEFAULT]].sort_values(kind="stable")
        beside = f"the best of the others is *{others.idxmin()}* with {others.min():.3f}"
        if len(lower):
            gaps = [f"*{name}* ({difference(errors.loc[names], str(name), DEFAULT)})" for name in lower.index]
            beside = f"lower are {joined(gaps)}"
        said.append(f"{means[DEFAULT]:.3f} with {size} per class ({beside})")
    return f"Read by {reading}, the mean error of *{DEFAULT}* is {joined(said)}."


def _worse_than_ours(rows: pd.DataFrame) -> list[str]:
    """Count, over readings and sizes, the programs that are worse than ours and those that are better."""
    verdicts: dict[str, list[str]] = {BETTER: [], WORSE: []}
    total = 0
    for reading in READERS:
        for size, errors in errors_by_size(rows, reading).items():
            for name in (name for name in RIVALS if name in errors):
                both = errors[[name, DEFAULT]].dropna()
                if len(both) > 1:
                    total += 1
                    verdict = difference(both, name, DEFAULT).verdict
                    if verdict in verdicts:
                        verdicts[verdict].append(f"*{name}* with {size} per class, read by {reading}")
    better = f" Better: {joined(verdicts[BETTER])}." if verdicts[BETTER] else ""
    return [
        f"Of {total} comparisons of another program with *{DEFAULT}* (by reading and size), the other is worse in "
        f"{len(verdicts[WORSE])} and better in {len(verdicts[BETTER])}; else they do not differ clearly.{better}"
    ]


def of_direction(rows: pd.DataFrame) -> str:
    """Error that ``direction="up"`` costs, and the program with the highest on-target fraction beside it."""
    gaps = [
        f"{difference(errors, UP, DEFAULT)} with {size} per class ({reading})"
        for reading in READERS
        for size, errors in errors_by_size(rows, reading).items()
    ]
    names = _cells(rows)
    off = max(by_set(rows, column(size, "off in its class")).loc[names, UP].max() for size in SIZES)
    share = "no marker is" if off == 0 else f"at most {off:.1%} of the markers of a set are"
    return (
        f'With `direction="up"` the error changes by {joined(gaps)}, on all sets; on those of single cells {share} off '
        f"in its class. The following figures are means over all {len(names)} sets of single cells. "
        f"{' '.join(_most_on_target(rows, names, size) for size in SIZES)} {WHY_ON_TARGET}"
    )


def _most_on_target(rows: pd.DataFrame, names: list[str], size: int) -> str:
    fractions = by_set(rows, column(size, "on target")).loc[names].dropna(axis=1).mean()
    errors = errors_by_size(rows, CENTROID)[size].loc[names].mean()
    best = fractions.idxmax()
    said = f"With {size} per class, *{best}* has the highest on-target fraction ({fractions[best]:.2f})"
    if best == UP:
        return f"{said}."
    return (
        f"{said} and an error of {errors[best]:.3f} by {CENTROID}; *{UP}* has {fractions[UP]:.2f} and {errors[UP]:.3f}."
    )


def _cells(rows: pd.DataFrame) -> list[str]:
    there = set(rows["set"])
    return [name for name in sets.ALL if name in sets.EXPRESSION and name in there]


def not_finished(rows: pd.DataFrame) -> str:
    """Programs that failed, ran out of time or were not run, with their sets and sizes."""
    told = failures(rows)
    lines = []
    for (method, why), group in told.groupby(["method", "failure"], sort=False):
        where = [f"{sets.TITLES[row.set]} ({joined(map(str, row.missing))} per class)" for row in group.itertuples()]
        lines.append(f"- *{method}*, {why}: {joined(where)}")
    names = [name for name in sets.ALL if name in set(rows["set"])]
    for method, group in rows.groupby("method", sort=False):
        missing = [sets.TITLES[name] for name in names if name not in set(group["set"])]
        if missing:
            lines.append(f"- *{method}*, not run for want of time: {joined(missing)}")
    return "\n".join(lines) or "Every program finished every set."
