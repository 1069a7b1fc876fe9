"""The page: every table, our figure beside the paper's, what differs first."""

from __future__ import annotations

import json
from pathlib import Path

import markdown_tables as tables
import numpy as np
import pandas as pd
import reasons
from cells import AGREES, BETTER, DIFFERS, WORSE, real_cells, simulation_cells
from figures import draw_all
from reach import Goal, goals
from settings import REAL_SETS, STUDIES, THEORY_BLOCKS

PAUSE = 300.0
"""Seconds without a finished job that mean the run was interrupted, not slow."""

REAL_TABLES = dict(zip(REAL_SETS, ((6, 7), (8, 9), (10, 11)), strict=True))


class Page:
    """A study's results, turned into Markdown beside a folder of images."""

    def __init__(self, results: pd.DataFrame, machine: dict[str, str], study: str) -> None:
        self.results = results
        self.machine = machine
        self.study = STUDIES[study]
        self.cells = simulation_cells(results)
        self.real = real_cells(results)

    def goals(self) -> list[Goal]:
        """What was to be reached, and whether it was."""
        complete = self.study.name == "full"
        return goals(self.cells, self.real, self.minutes("simulation"), complete)

    def minutes(self, prefix: str = "") -> float:
        """Wall clock time of the jobs whose experiment starts with ``prefix``, without interruptions."""
        chosen = self.results["experiment"].str.startswith(prefix)
        gaps = np.diff(np.sort(self.results.loc[chosen, "finished"]))
        return float(gaps[gaps < PAUSE].sum()) / 60

    def text(self, images: str) -> str:
        """The page; ``images`` is the folder of the pictures, seen from the page."""
        parts = [
            self._head(),
            self._differing(),
            "## Where we differ and why",
            reasons.text(self.results, self.cells, self.real),
            f"![ours against the paper's]({images}/paper-agreement.png)",
            *self._simulations(images),
            *self._real_sets(images),
            self._genes(images),
            self._ablation(images),
            self._theory(images),
            self._time(),
        ]
        return "\n\n".join(parts) + "\n"

    def _head(self) -> str:
        command = "make paper-full" if self.study.name == "full" else "make paper"
        reached = "\n".join(f"- {'reached' if g.reached else '**not reached**'}: {g.text}" for g in self.goals())
        return f"""# Every table of the paper, beside ours

Made by `{command}`, not by hand: {self.study.repetitions} repetitions of each simulated setting,
{self.study.splits} splits of each real set, 100 restarts. {len(self.results)} jobs, {self.minutes():.0f} minutes on
{self.machine["cores"]} cores ({self.machine["processor"]}).

**How to read it.** In Tables 1 to 5 each cell has our mean ± its standard error, below it the paper's figure, and a
mark: ✓ the difference is at most three combined standard errors (0.003 for the paper where it prints none), ▲ ours is
better by more, ✗ ours is worse, or a number of features differs. *NDC* and *NDC-S* are as published
(`init="k-means"`, the restart with the lowest training error, lambda by cross-validation); *NDC auto* and *NDC-S auto*
choose the kind of start by cross-validated error (`init="auto"`) and are held against the same figures.

## What was to be reached

{reached}"""

    def _differing(self) -> str:
        parts = ["## Cells that disagree"]
        published = self.cells[~self.cells["method"].str.endswith("auto")]
        auto = self.cells[self.cells["method"].str.endswith("auto")]
        for cells, verdicts, title in (
            (published, (WORSE, DIFFERS), "As published and peers: ours is worse, or the number of features differs"),
            (published, (BETTER,), "As published and peers: ours is better"),
            (auto, (WORSE, DIFFERS), '`init="auto"`: ours is worse, or the number of features differs'),
            (auto, (BETTER,), '`init="auto"`: ours is better'),
        ):
            count = int(cells["verdict"].isin(verdicts).sum())
            parts.append(f"### {title}: {count} of {len(cells)} cells")
            if count:
                parts.append(tables.differing_cells(cells, verdicts))
        outside = self.real[
            ~self.real["inside"] & (self.real["scale"] == "as distributed") & ~self.real["method"].str.endswith("auto")
        ]
        shown = [
            [
                f"{cell.experiment}, {cell.metric}",
                cell.method,
                f"{tables.number(cell.ours, cell.metric)} [{tables.number(cell.low, cell.metric)}, "
                f"{tables.number(cell.high, cell.metric)}]",
                f"{cell.paper:g}",
            ]
            for cell in outside.itertuples()
        ]
        parts.append(f"### Real sets: the paper's split lies outside our 5-95 % range in {len(shown)} of 48 cells")
        if shown:
            parts.append(tables.markdown(["cell", "method", "ours", "paper"], shown))
        return "\n\n".join(parts)

    def _simulations(self, images: str) -> list[str]:
        parts = []
        names = (
            "means differ, variances do not",
            "variances differ, means do not",
            "both differ",
            "both differ, and r features say nothing (d = 5)",
        )
        for number, name in enumerate(names, 1):
            experiment = f"simulation-{number}"
            parts += [
                f"## Table {number}: Simulation {number}, misclassification ({name})",
                f"![Simulation {number}]({images}/paper-{experiment}.png)",
                tables.simulation_table(self.cells, experiment, "error"),
            ]
        return [
            *parts,
            "## Table 5: Simulation 4, number of features in use",
            tables.simulation_table(self.cells, "simulation-4", "features"),
        ]

    def _real_sets(self, images: str) -> list[str]:
        parts = [
            "## Tables 6 to 11: three gene expression sets",
            f"""The paper's figures are of one 3-fold split, which for 49 samples moves by ±0.05. Ours are the mean over
{self.study.splits} splits (`init="auto"`: {self.study.auto_splits}, on the paper's scale) with the 5-95 % range; ✓ means that the paper's
figure lies inside. *As distributed* is the paper's scale (10 to 16000); *log2* is what one would do today; *plain folds* do not keep
the shares of the classes.

{reasons.scale_sentence(self.real)}""",
            f"![real sets]({images}/paper-real.png)",
        ]
        for name, numbers in REAL_TABLES.items():
            for table, metric in zip(numbers, ("error", "features"), strict=True):
                what = "misclassification" if metric == "error" else "number of features in use"
                parts += [f"### Table {table}: {name}, {what}", tables.real_table(self.real, name, metric)]
        return [
            *parts,
            "### Error and number of features along lambda",
            f"""Each dot is a lambda: held-out error (3 folds, mean over splits) against the features that NDC-S uses
there, on the values as distributed. The diamond is the paper's cell.

![along lambda]({images}/paper-lambda.png)""",
        ]

    def _genes(self, images: str) -> str:
        runs = int((self.results["experiment"] == "selection").sum())
        return f"""## Table 12: genes selected most often on west-2001

{runs} runs, each on the three training parts of another split, values as distributed. {reasons.genes(self.results)}

{tables.gene_table(self.results)}

![selected genes]({images}/paper-genes.png)

Our ten most frequent by the 1-SE rule:

{tables.top_genes(self.results)}"""

    def _ablation(self, images: str) -> str:
        return f"""## The norm: divided by the dimension, or Euclidean

Mentioned in the paper, not shown there. Four classes, d = 5, the means and variances of Simulation 3. Error ± standard
error, balanced error in brackets; the last column is the share of tables on which, in the Euclidean norm, every restart
of NDC left some class without a feature.

![norms]({images}/paper-ablation.png)

{tables.ablation_table(self.results)}

{reasons.norm(self.results)}"""

    def _theory(self, images: str) -> str:
        four, two = THEORY_BLOCKS[1].name, THEORY_BLOCKS[3].name
        return f"""## The theory as experiments

Block tables whose distribution is known ({self.study.repetitions} of each size). First row: how often the fitted sets
are exactly the true blocks (Corollary 3). Second: the risk W(I, c, µ) of what was fitted minus the optimum W* = σ₁²
(Theorem 1), on log axes. Third: δ, the empirical risk minus that of the exact minimiser `optimal_partition(X, y)`, which
can be found for two classes. Fourth: the error on new samples.

![theory]({images}/paper-theory.png)

{reasons.theory(self.results)}

W − W* for {four}:

{tables.theory_table(self.results, four, "excess_risk", ".4f")}

Test error for {two}:

{tables.theory_table(self.results, two, "error", ".3f")}"""

    def _time(self) -> str:
        versions = ", ".join(f"{name} {value}" for name, value in self.machine.items() if name[0].islower())
        return f"""## Time, machine and versions

Wall clock: simulations {self.minutes("simulation"):.0f} minutes, everything {self.minutes():.0f} minutes on
{self.machine["cores"]} cores. Time of each method, fit and test, summed over processes (a real job is three folds):

{tables.time_table(self.results)}

Python {self.machine["Python"]}; {versions}."""


def write_page(folder: Path, page: Path, images: Path, study: str) -> Page:
    """Write the page and its pictures from a folder with results; everything is computed before anything is written."""
    results = pd.read_parquet(folder / "results.parquet")
    made = Page(results, json.loads((folder / "machine.json").read_text()), study)
    text = made.text(images.relative_to(page.parent).as_posix())
    draw_all(results, made.cells, made.real, images)
    page.write_text(text)
    return made


def summary(page: Page) -> str:
    """What a terminal shows at the end."""
    verdicts = page.cells.groupby("verdict").size()
    counted = ", ".join(f"{verdicts.get(v, 0)} {v}" for v in (AGREES, BETTER, WORSE, DIFFERS))
    lines = [f"Tables 1-5, {len(page.cells)} cells: {counted}."]
    lines += [f"  [{'x' if goal.reached else ' '}] {goal.text}" for goal in page.goals()]
    return "\n".join(lines)
