"""The answer with which the page opens: the errors compared, in sentences and in one table, all from the results."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
from markdown_tables import markdown
from settings import PAPER

from real_data_study.methods import METHODS, PANELS, RIVALS
from real_data_study.sets import ALL, APART, LOG2
from real_data_study.summaries import BETTER, EQUAL, WORSE, Difference, by_set, difference, summary
from real_data_study.tables import shown_name

DEFAULT = PANELS[0]
PAPERS = ("NDC", "NDC-S")
CLASSIC = "Nearest centroid"
THAN = {WORSE: "worse than that of", EQUAL: "equal to that of", BETTER: "better than that of"}


def opening(results: pd.DataFrame) -> str:
    """The answer in a few sentences."""
    errors, table = by_set(results, LOG2, "error", ALL), summary(results, LOG2, ALL)
    genes = results.drop_duplicates("set")["genes"].mean()
    paragraphs = []
    for panel in _panels(results):
        error, used = _percent(table["error"][panel]), table["features"][panel]
        if panel == DEFAULT:
            said = (
                f"On {len(errors)} public gene expression sets the default method of `ndc fit`, *{panel}*, assigns "
                f"{error} of the held-out samples to the wrong class, on average over the sets. It uses {used:.0f} of "
                f"{genes:.0f} genes, and no gene is on the lists of two classes."
            )
        else:
            said = f"*{panel}* ({METHODS[panel].gives}) uses {used:.0f} genes and has an error of {error}."
        paragraphs.append(f"{said} Its error is {_compared(errors, panel)}.")
    return "\n\n".join(paragraphs)


def _panels(results: pd.DataFrame) -> list[str]:
    there = set(results["method"])
    if DEFAULT not in there:
        raise ValueError(f"The page compares all methods with {DEFAULT}, which was not run.")
    return [name for name in PANELS if name in there]


def _percent(error: float) -> str:
    return f"{100 * error:.1f} %"


def _compared(errors: pd.DataFrame, ours: str) -> str:
    return compared(errors, ours, (*RIVALS, DEFAULT))


def compared(errors: pd.DataFrame, ours: str, others: Iterable[str]) -> str:
    """Methods that one of ours is worse than, equal to and better than, as far as they are there."""
    means = errors[[name for name in others if name in errors.columns and name != ours]].mean()
    groups: dict[str, list[str]] = {}
    for other in means.sort_values(kind="stable").index:
        groups.setdefault(difference(errors, ours, other).verdict, []).append(f"*{other}*")
    return "; ".join(f"{than} {joined(groups[verdict])}" for verdict, than in THAN.items() if verdict in groups)


def joined(names: Iterable[str]) -> str:
    """Names as a sentence lists them."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def answer_table(results: pd.DataFrame) -> str:
    """One row per method: what it gives, its error, the genes it uses, and how it compares with our panels."""
    errors, table, panels = by_set(results, LOG2, "error", ALL), summary(results, LOG2, ALL), _panels(results)
    rows = []
    for name, row in table.iterrows():
        method = str(name)
        gaps = ["" if method == panel else gap_cell(difference(errors, method, panel)) for panel in panels]
        rows.append([shown_name(method), METHODS[method].gives, f"{row['error']:.3f}", f"{row['features']:.0f}", *gaps])
    text = markdown(
        ["method", "what it gives", "error", "genes used", *(f"compared with {panel}" for panel in panels)], rows
    )
    sides = "|:--|--:|--:|--:|" + "--:|" * len(panels)
    return text.replace(sides, "|:--|:--|--:|--:|" + ":--|" * len(panels), 1)  # words to the left


def gap_cell(gap: Difference) -> str:
    """Verdict and figures, for a cell of a table."""
    return f"{gap.verdict} ({str(gap).replace(' ', chr(160))})"  # a figure and its standard error stay in one line


def remarks(results: pd.DataFrame) -> str:
    """Further findings, one per line."""
    errors, apart = (by_set(results, LOG2, "error", sets) for sets in (ALL, APART))
    lines = [
        f"On the {len(apart)} sets that were not used to design it, *{panel}* has an error of "
        f"{_percent(apart[panel].mean())}. It is {_compared(apart, panel)}."
        for panel in _panels(results)
    ]
    return "\n".join(f"- {line}" for line in [*lines, *_papers(errors)])


def _papers(errors: pd.DataFrame) -> list[str]:
    """The paper's classifiers beside the nearest centroid, one sentence for each verdict."""
    groups: dict[str, list[str]] = {}
    for name in PAPERS:
        if name in errors.columns:
            verdict = difference(errors, name, CLASSIC).verdict
            groups.setdefault(verdict, []).append(f"*{name}* ({_percent(errors[name].mean())})")
    beside = f"*{CLASSIC}* ({_percent(errors[CLASSIC].mean())})"
    return [
        f"Of the classifiers of the [paper]({PAPER}), the error of {joined(names)} is {THAN[verdict]} {beside}."
        for verdict, names in groups.items()
    ]
