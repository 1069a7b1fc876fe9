"""The page ``docs/markers.md``: everything on it is computed from a results file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from machine import PACKAGES
from markdown_tables import wrapped

from marker_panels_study import findings, sets, tables
from marker_panels_study.jobs import BETA, CENTROID, FOLDS, LOGISTIC, MACHINE, READERS, RESULTS
from marker_panels_study.methods import DEFAULT, METHODS, OURS, SIZES
from marker_panels_study.picture import PICTURE, draw
from marker_panels_study.summaries import common_sets, compared_programs, mean_ranks
from real_data_study.answer import joined
from real_data_study.summaries import ALPHA, CLEAR, wall_minutes

MILLION = "million_cells.json"


@dataclass(frozen=True, slots=True)
class Page:
    """A run's results, turned into Markdown beside a folder of images."""

    rows: pd.DataFrame
    machine: dict[str, Any]
    million: dict[str, Any] | None = None

    @property
    def programs(self) -> list[str]:
        """Programs in the tables of means."""
        return compared_programs(self.rows)

    @property
    def names(self) -> list[str]:
        """Sets in the tables of means."""
        return common_sets(self.rows, self.programs)

    def text(self, images: str) -> str:
        """The page; ``images`` is the folder of the picture, seen from the page."""
        parts = [
            "# Marker lists: ours and those of other programs",
            self._introduction(),
            findings.opening(self.rows),
            f"![error against markers per class]({images}/{PICTURE})",
            self._means(),
            "## Program by program",
            self._differences(),
            "## Ranks",
            self._ranks(),
            "## The lists by themselves",
            self._lists(),
            "## Errors that count classes alike",
            self._balanced(),
            "## Our scores, and the same list read by others",
            self._own(),
            "## Time and memory",
            self._cost(),
            *([] if self.million is None else ["### A million cells", self._million()]),
            "## What was not finished",
            findings.not_finished(self.rows),
            "## Set by set",
            self._set_by_set(),
            "## The programs",
            self._programs(),
            "## The sets",
            self._sets(),
            "## How to run it again",
            self._again(),
        ]
        return wrapped("\n\n".join(parts)) + "\n"

    def _introduction(self) -> str:
        return f"""Which genes should be stained, if there is room for two, five or ten per cell type? This page
compares the panels of this package with {self.rows["method"].nunique() - len(OURS)} other ways to choose, on
{self.rows["set"].nunique()} tables of others. Every program chooses {joined(map(str, SIZES))} markers per class from
two thirds of the samples. Its list is then read by two simple classifiers that are the same for all: nearest centroid
and logistic regression, both on standardised columns. The error is the share of the other third that they classify
wrongly ({FOLDS} folds). Lists that overlap are read further down until all programs have the same number of different
markers."""

    def _means(self) -> str:
        return f"""Mean errors over {self._over()} with {joined(map(str, SIZES))} markers per class, the lowest in bold:

{tables.mean_table(self.rows, self.programs, self.names)}"""

    def _over(self) -> str:
        if len(self.names) == self.rows["set"].nunique():
            return f"all {len(self.names)} sets"
        return f"the {len(self.names)} sets that all programs of the table finished"

    def _differences(self) -> str:
        both = "\n\n".join(
            f"Read by {reading}:\n\n{tables.difference_table(self.rows, DEFAULT, reading)}" for reading in READERS
        )
        return f"""The tables have the error of each program minus that of *{DEFAULT}*, with its standard error over
sets, on the sets that the program finished. A difference of more than {CLEAR:g} standard errors is called *better* or
*worse*.

{both}"""

    def _ranks(self) -> str:
        found = mean_ranks(self.rows, CENTROID, SIZES[0])
        return f"""Mean ranks over {found.n_sets} sets (1 is the lowest error); a program that did not finish a set is
ranked last there. By Nemenyi's test at level {ALPHA:g}, two programs differ if their mean ranks are more than
{found.critical_difference:.1f} apart.

{tables.rank_table(self.rows)}"""

    def _lists(self) -> str:
        cells = [name for name in self.names if name in sets.EXPRESSION]
        return f"""On the sets of single cells ({joined(sets.TITLES[name] for name in cells)}). The *on-target
fraction* is NS-Forest's: the median of a marker in its class, divided by the sum of its medians in all classes; then
the median over the markers of a class, and the mean over classes. *By means*: with means in place of medians. Both are
of the samples that were held out. *Off in its class* is the share of markers that are above zero in a smaller part of
their class than of the other samples. Where a program names no classes, a marker counts for the class in which its mean
is highest. *The most that is possible* is the fraction of lists that are chosen for it alone, by the held-out samples
themselves: no program can exceed it on these sets.

{tables.list_table(self.rows, self.programs, self.names)}

{findings.of_direction(self.rows)}"""

    def _balanced(self) -> str:
        return f"""Balanced error: the mean over classes of the share of a class that is classified wrongly.

{tables.mean_table(self.rows, self.programs, self.names, "balanced error")}

F-beta with beta = {BETA:g}, mean over classes (higher is better):

{tables.mean_table(self.rows, self.programs, self.names, "F-beta")}"""

    def _own(self) -> str:
        return f"""A panel classifier has scores of its own. By default they count all classes alike, so that their
share of wrong samples can be larger than that of {LOGISTIC}, which favours frequent classes.

{tables.own_table(self.rows)}"""

    def _cost(self) -> str:
        limit = self.rows["limit"].max()
        return f"""Processor seconds of a fit on one thread (with {SIZES[-1]} markers per class, or all sizes where one
fit gives them all), and the most memory that its process held, the table and the libraries included. Means are over
{self._over()}. A fit was stopped after {limit:g} seconds of processor time: {FOLDS * limit / 60:g} minutes for the
folds of a set.

{tables.cost_table(self.rows, self.programs, self.names)}"""

    def _million(self) -> str:
        found = self.million or {}
        size = f"{found['cells']:,} cells and {found['genes']:,} genes".replace(",", " ")
        return f"""`disjoint_markers` takes an AnnData whose matrix is a dask array, and does not load it. For simulated
cells in sparse blocks on disk, {size} with {found["stored"]:.0%} of the values stored
({found["bytes"] / 1e9:.1f} GB), {found["types"]} types with genes of their own, the {found["markers"]} markers took
{found["seconds"]:.0f} seconds of processor time and {found["peak"] / 1e9:.1f} GB of memory at the peak, the libraries
included. {found["right"]} of them are genes of their type (`python benchmarks/million_cells.py`)."""

    def _set_by_set(self) -> str:
        parts = [f"With {size} markers per class:\n\n{tables.set_table(self.rows, size)}" for size in SIZES]
        return (
            "Errors read by nearest centroid / by logistic regression; the lowest of each in bold.\n\n"
            + "\n\n".join(parts)
        )

    def _programs(self) -> str:
        there = set(self.rows["method"])
        versions: dict[str, str] = self.machine.get("rivals", {})
        lines = []
        for name, method in METHODS.items():
            if name in there:
                version = f" ({method.package} {versions[method.package]})" if method.package in versions else ""
                lines.append(f"- *{name}*{version}: {method.about}")
        return "\n".join(lines)

    def _sets(self) -> str:
        return f"""Counts of Baron and Li are divided by the total of the cell and multiplied by {sets.PER_CELL:.0f}; of
these, and of the values of CITE-seq and Pollen, log(1 + value) is taken. Zeisel and PBMC are distributed as logarithms,
the CompCancer sets (those with five classes or more) are read as on the page [On real data](real-data.md). Classes with
fewer than {sets.LEAST_CLASS} samples are left out. Nothing was chosen on the sets that were not used in design.

{tables.facts_table(self.rows)}"""

    def _again(self) -> str:
        versions = ", ".join(f"{name} {self.machine[name]}" for name in PACKAGES if name in self.machine)
        return f"""{len(self.rows)} jobs, {wall_minutes(self.rows):.0f} minutes on a shared machine with
{self.machine["cores"]} cores ({self.machine["processor"]}). Python {self.machine["Python"]}; {versions}.

```
make marker-panels                                   # install the other programs, run everything or go on
python benchmarks/marker_panels.py --quick           # one small set
python benchmarks/marker_panels.py --from-published  # run only what the published results lack
python benchmarks/marker_panels.py publish           # publish a finished run: write this page
python benchmarks/marker_panels.py page              # write this page again from the published results
```

`--sets`, `--methods` and `--limit` choose a part; `--redo` runs it again."""


def read_page(folder: Path) -> Page:
    """The page of a folder with results."""
    machine = json.loads((folder / MACHINE).read_text(encoding="utf-8"))
    million = folder / MILLION
    found = json.loads(million.read_text(encoding="utf-8")) if million.exists() else None
    return Page(pd.read_parquet(folder / RESULTS), machine, found)


def write_page(folder: Path, page: Path, images: Path) -> Page:
    """Write the page and its picture; everything is computed before anything is written."""
    made = read_page(folder)
    text = made.text(images.relative_to(page.parent).as_posix())
    images.mkdir(parents=True, exist_ok=True)
    draw(made.rows, made.programs, made.names, images)
    page.write_text(text, encoding="utf-8")
    return made
