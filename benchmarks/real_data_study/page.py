"""The page ``docs/real-data.md``: everything on it is computed from a results file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from machine import PACKAGES

from real_data_study import simulations, tables
from real_data_study.methods import INNER_FOLDS, METHODS, N_INIT, OUTER_FOLDS, REPEATS
from real_data_study.pictures import draw_all, picture_name
from real_data_study.reach import L1, NSC, PANEL, PANEL_10, SVM, Goal, goals
from real_data_study.sets import ALL, AS_DISTRIBUTED, GROUPS, LEAST_CLASS, LOG2, SCALES
from real_data_study.summaries import by_set, friedman, summary

PAUSE = 300.0
"""Seconds without a finished job that mean the run was interrupted, not slow."""

RESULTS, SIMULATED, MACHINE = "real_data.parquet", "real_data_simulations.parquet", "real_data_machine.json"
GROUP_TITLES = {"all": "all {n} sets", "design": "the {n} sets used in design", "apart": "the {n} sets apart"}


@dataclass(frozen=True, slots=True)
class Page:
    """A run's results, turned into Markdown beside a folder of images."""

    results: pd.DataFrame
    simulated: pd.DataFrame
    machine: dict[str, str]

    def goals(self) -> list[Goal]:
        """What was to be reached, and whether it was."""
        return goals(self.results, self.simulated)

    def text(self, images: str) -> str:
        """The page; ``images`` is the folder of the pictures, seen from the page."""
        parts = [
            self._head(),
            "## What was to be reached",
            tables.goal_table(self.goals()),
            "`±` is the standard error of a paired difference over sets (simulations: over draws).",
            "## In words",
            self._words(),
            *(part for scale in SCALES for part in self._scale(scale, images)),
            *(part for scale in SCALES for part in self._set_by_set(scale)),
            "## The simulations",
            self._simulations(),
            "## The methods",
            self._methods(),
            "## The sets",
            self._sets(),
            "## Time, machine, and how to run it again",
            self._again(),
        ]
        return "\n\n".join(parts) + "\n"

    def _head(self) -> str:
        n_sets, n_methods = self.results["set"].nunique(), self.results["method"].nunique()
        return f"""# On real data: {n_sets} gene expression sets

{n_methods} classifiers on all {n_sets} CompCancer sets (de Souto et al. 2008), on two scales: stratified
{OUTER_FOLDS}-fold cross-validation, {REPEATS} times; what is tuned is tuned on the training part with {INNER_FOLDS}
inner folds; every method sees the same splits. Classes with fewer than {LEAST_CLASS} samples are left out. Made by
`python benchmarks/real_data.py`, not by hand."""

    def _words(self) -> str:
        table = summary(self.results, LOG2, ALL)
        place = list(table.index).index(PANEL) + 1
        share = table["features"][PANEL] / table["features"][NSC]
        few = table["features"][PANEL_10]
        sentences = [
            f"On log2 the lowest mean error is {table['error'].iloc[0]:.3f}, by {table.index[0]}; {PANEL} comes "
            f"{_ordinal(place)} of {len(table)} with {table['error'][PANEL]:.3f}.",
            f"It looks at {table['features'][PANEL]:.0f} features on average, {share:.2f} times as many as {NSC} "
            f"({table['error'][NSC]:.3f}), and each of them speaks for one class only. {SVM} "
            f"({table['error'][SVM]:.3f}) looks at all {table['features'][SVM]:.0f}.",
            f"With 10 features a class and nothing tuned ({few:.0f} features) the error is "
            f"{table['error'][PANEL_10]:.3f}; {L1} has {table['error'][L1]:.3f} with {table['features'][L1]:.0f}.",
            f"The classifiers of the paper are at {table['error']['NDC']:.3f} (NDC) and {table['error']['NDC-S']:.3f} "
            f"(NDC-S), nearest centroid at {table['error']['Nearest centroid']:.3f}.",
            self._scale_words(table["error"]),
        ]
        return "\n".join(f"- {sentence}" for sentence in sentences)

    def _scale_words(self, on_log2: pd.Series) -> str:
        distributed = summary(self.results, AS_DISTRIBUTED, ALL)["error"]
        gain = (distributed - on_log2).reindex(on_log2.index)
        worse = [name for name, by in gain.items() if by <= 0]
        sentence = (
            f"The logarithm lowers the mean error by {gain.mean():.3f} on average over methods, most for "
            f"{gain.idxmax()} ({gain.max():.3f})"
        )
        return sentence + (f", and not for {', '.join(worse)}." if worse else ", and for every one of them.")

    def _scale(self, scale: str, images: str) -> list[str]:
        ranked = friedman(by_set(self.results, scale, "error", ALL))
        verdict = "do" if ranked.p_value < 0.05 else "do not"
        parts = [f"## {scale}: errors, ranks, features, time"]
        for group, title in GROUP_TITLES.items():
            parts += [
                f"### {scale}, {title.format(n=len(GROUPS[group]))}",
                tables.method_table(summary(self.results, scale, GROUPS[group])),
            ]
        return [
            *parts,
            f"""Means over sets of the mean over splits; ours in bold. Seconds are those to tune, fit and predict once,
on one core. Over all sets the methods {verdict} differ in rank (Friedman's test in Iman and Davenport's form:
F = {ranked.statistic:.1f}, p = {ranked.p_value:.1g}). Two of them differ if their mean ranks are more than
{ranked.critical_difference:.2f} apart (Nemenyi, 5 %); bars join those that are not.""",
            f"![mean ranks, {scale}]({images}/{picture_name('ranks', scale)})",
            f"![errors against features, {scale}]({images}/{picture_name('features', scale)})",
        ]

    def _set_by_set(self, scale: str) -> list[str]:
        groups = {name: GROUPS[name] for name in ("design", "apart")}
        return [f"## {scale}: set by set", tables.set_table(self.results, scale, groups)]

    def _simulations(self) -> str:
        return f"""{PANEL} on the paper's simulated tables, {simulations.REPETITIONS} draws of each
setting: the draws on which [the paper's methods](paper.md) were run.

{tables.simulation_table(self.simulated)}"""

    def _methods(self) -> str:
        repeats = self.results.groupby("method")["repeat"].nunique()
        lines = []
        for name, method in METHODS.items():
            if name in repeats.index:
                fewer = "" if repeats[name] == REPEATS else f" ({repeats[name]} of the {REPEATS} repeats)"
                lines.append(f"- *{name}*: {method.about}{fewer}")
        return "\n".join(lines) + f"\n\nNDC and what is built on it starts from {N_INIT} restarts (the paper: 100)."

    def _sets(self) -> str:
        return f"""Designs were chosen on {len(GROUPS["design"])} sets, fixed before any design was made: the names
whose SHA-256 digest sorts first. The other {len(GROUPS["apart"])} are reported apart. Two things were changed after
figures of all sets had been seen, both judged on the design sets or on other tables: {PANEL_10} is cut back from a
longer draft (a first run without that missed its goal by a little), and in tables that are not wide {PANEL} takes the
rounds of least loss (of these sets only chen-2002 is such a table). *log2* takes logarithms where the
values are raw intensities and all positive; the other sets are as distributed on both scales, and are run once.

{tables.facts_table(self.results)}"""

    def _again(self) -> str:
        versions = ", ".join(f"{name} {self.machine[name]}" for name in PACKAGES)
        return f"""{len(self.results)} fits, {self.minutes():.0f} minutes on {self.machine["cores"]} cores
({self.machine["processor"]}). Python {self.machine["Python"]}; {versions}.

```
python benchmarks/real_data.py                # runs, or goes on where it was stopped; prints the tables
python benchmarks/real_data.py --quick        # two small sets, one repeat
python benchmarks/real_data.py simulations    # the panel classifier on the paper's simulations
python benchmarks/real_data.py publish        # takes finished runs over, writes this page
```

The first run fetches the sets. `--sets`, `--scale`, `--methods` and `--repeats` choose a part, `--redo` forgets what is
there of it."""

    def minutes(self) -> float:
        """Wall clock time of the run, without interruptions."""
        gaps = np.diff(np.sort(self.results["finished"]))
        return float(gaps[gaps < PAUSE].sum()) / 60


def _ordinal(place: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(place, f"{place}th")


def read_page(folder: Path) -> Page:
    """The page of a folder with results."""
    ours = pd.read_parquet(folder / SIMULATED)
    cells = simulations.cells(ours, pd.read_parquet(simulations.PUBLISHED))
    machine = json.loads((folder / MACHINE).read_text(encoding="utf-8"))
    return Page(pd.read_parquet(folder / RESULTS), cells, machine)


def write_page(folder: Path, page: Path, images: Path) -> Page:
    """Write the page and its pictures; everything is computed before anything is written."""
    made = read_page(folder)
    text = made.text(images.relative_to(page.parent).as_posix())
    draw_all(made.results, images)
    page.write_text(text, encoding="utf-8")
    return made
