"""The page: the answer first, what differs next, then every table with our figure beside the paper's."""

from __future__ import annotations

import json
from pathlib import Path

import findings
import markdown_tables as tables
import numpy as np
import pandas as pd
import reasons
from cells import (
    AGREES,
    BETTER,
    DIFFERS,
    SILENT_STANDARD_ERROR,
    TOLERATED,
    WORSE,
    real_cells,
    simulation_cells,
)
from figures import draw_all
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

    def minutes(self, prefix: str = "") -> float:
        """Wall clock time of the jobs whose experiment starts with ``prefix``, without interruptions."""
        chosen = self.results["experiment"].str.startswith(prefix)
        gaps = np.diff(np.sort(self.results.loc[chosen, "finished"]))
        return float(gaps[gaps < PAUSE].sum()) / 60

    def text(self, images: str) -> str:
        """The page; ``images`` is the folder of the pictures, seen from the page."""
        parts = [
            self._head(),
            "## Where we differ and why",
            reasons.text(self.results, self.cells, self.real),
            findings.auto(self.cells),
            f"![ours against the paper's]({images}/paper-agreement.png)",
            self._differing(),
            *self._simulations(images),
            *self._real_sets(images),
            self._genes(images),
            self._ablation(images),
            self._theory(images),
            self._time(),
        ]
        return tables.wrapped("\n\n".join(parts)) + "\n"

    def _head(self) -> str:
        command = "make paper-full" if self.study.name == "full" else "make paper"
        return f"""# Every table of the paper, beside ours

{findings.opening(self.cells, self.real)}

{findings.counts_table(self.cells, self.real)}

*Agree*: our mean and the paper's differ by at most {TOLERATED:g} combined standard errors. *Better* and *worse*: ours
is lower or higher by more than that. A number of features that is further away *differs*. On the gene expression sets
the paper has a single split, and the table counts how many of its figures lie between the 5th and the 95th percentile
of ours.

## How to read the tables

*NDC* and *NDC-S* are run as published: k-means starts, the restart with the lowest training error, lambda chosen by
cross-validation. *NDC auto* and *NDC-S auto* choose the kind of start by cross-validated error (`init="auto"`), and are
compared with the paper's NDC and NDC-S. In Tables 1 to 5 each cell has our mean ± its standard error, below it the
paper's figure, and a mark: ✓ the two agree, ▲ ours is better, ✗ ours is worse, or the number of features differs. Where
the paper prints no standard error, {SILENT_STANDARD_ERROR} is taken, since it says that most are smaller.

The simulated tables have four classes. Every class has *d* features of its own, and in Simulation 4 there are *r* more
that carry no information. The larger *a*, *b* or *c*, the more the classes differ: *a* in level, *b* in spread, *c* in
both.

`{command}` makes all figures and this page: {self.study.repetitions} repetitions of each simulated setting,
{self.study.splits} splits of each gene expression set, 100 restarts. The {len(self.results)} jobs took {self.minutes():.0f} minutes on {self.machine["cores"]} cores
({self.machine["processor"]})."""

    def _differing(self) -> str:
        parts = ["## Cells that disagree"]
        published = self.cells[~self.cells["method"].str.endswith("auto")]
        auto = self.cells[self.cells["method"].str.endswith("auto")]
        for cells, verdicts, title in (
            (
                published,
                (WORSE, DIFFERS),
                "The paper's eight methods: ours is worse, or the number of features differs",
            ),
            (published, (BETTER,), "The paper's eight methods: ours is better"),
            (auto, (WORSE, DIFFERS), '`init="auto"`: ours is worse, or the number of features differs'),
            (auto, (BETTER,), '`init="auto"`: ours is better'),
        ):
            count = int(cells["verdict"].isin(verdicts).sum())
            parts.append(f"### {title}: {count} of {len(cells)} cells")
            if count:
                parts.append(tables.differing_cells(cells, verdicts))
        compared = (self.real["scale"] == "as distributed") & ~self.real["method"].str.endswith("auto")
        n_real, outside = int(compared.sum()), self.real[compared & ~self.real["inside"]]
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
        parts.append(
            f"### Gene expression sets: the paper's figure lies outside our 5-95 % range in {len(shown)} of {n_real} cells"
        )
        if shown:
            parts.append(tables.markdown(["cell", "method", "ours", "paper"], shown))
        return "\n\n".join(parts)

    def _simulations(self, images: str) -> list[str]:
        parts = []
        names = (
            "means differ, variances do not",
            "variances differ, means do not",
            "both differ",
            "both differ, and r features carry no information; d = 5",
        )
        for number, name in enumerate(names, 1):
            experiment = f"simulation-{number}"
            parts += [
                f"## Table {number}: Simulation {number}, error ({name})",
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
            f"""The paper's figures come from a single 3-fold split; with 49 samples, such a figure varies by about ±0.05
from split to split. Ours are means over {self.study.splits} splits (`init="auto"`: {self.study.auto_splits}, on the paper's scale), with the
range from the 5th to the 95th percentile in brackets; ✓ means that the paper's figure lies within this range. *As
distributed* is the paper's scale (values from 10 to 16000), *log2* is what is usual today. *Plain folds* do not keep the
shares of the classes.

{reasons.scale_sentence(self.real)}""",
            f"![real sets]({images}/paper-real.png)",
        ]
        for name, numbers in REAL_TABLES.items():
            for table, metric in zip(numbers, ("error", "features"), strict=True):
                what = "error" if metric == "error" else "number of features in use"
                parts += [f"### Table {table}: {name}, {what}", tables.real_table(self.real, name, metric)]
        return [
            *parts,
            "### Error and number of features along lambda",
            f"""Each dot is one value of lambda: the held-out error of NDC-S (3 folds, mean over splits) against the
number of features that it uses, on the values as distributed. The diamond is the paper's figure.

![along lambda]({images}/paper-lambda.png)""",
        ]

    def _genes(self, images: str) -> str:
        runs = int((self.results["experiment"] == "selection").sum())
        return f"""## Table 12: genes selected most often on west-2001

In each of {runs} runs NDC-S was fitted to the three training parts of another split, on the values as distributed.
{reasons.genes(self.results)}

{tables.gene_table(self.results)}

![selected genes]({images}/paper-genes.png)

The ten genes that we select most often by the 1-SE rule:

{tables.top_genes(self.results)}"""

    def _ablation(self, images: str) -> str:
        return f"""## The norm: divided by the dimension, or Euclidean

NDC divides every squared distance by the number of values it is measured on: by samples when features are assigned to
classes, by features when samples are classified (the *dn* norm). The paper mentions the Euclidean norm, which does not
divide, but shows no results. Here are some: four classes, d = 5, the means and variances of Simulation 3. Each
cell has the error ± its standard error, with the balanced error in brackets. The last column is the share of tables on
which, in the Euclidean norm, every restart of NDC left some class without a feature.

![norms]({images}/paper-ablation.png)

{tables.ablation_table(self.results)}

{reasons.norm(self.results)}"""

    def _theory(self, images: str) -> str:
        four, two = THEORY_BLOCKS[1].name, THEORY_BLOCKS[3].name
        return f"""## The theory as experiments

Tables with blocks of features, whose distribution is known ({self.study.repetitions} of each size). First row of the figure:
how often the feature sets found are exactly the true blocks (Corollary 3). Second row: the risk W(I, c, µ) of the
fitted model minus the optimum W* = σ₁² (Theorem 1), on log axes. Third row: δ, the empirical risk minus that of the
exact minimiser `optimal_partition(X, y)`, which can be computed for two classes. Fourth row: the error on new samples.

![theory]({images}/paper-theory.png)

{reasons.theory(self.results)}

W − W* for {four}:

{tables.theory_table(self.results, four, "excess_risk", ".4f")}

Test error for {two}:

{tables.theory_table(self.results, two, "error", ".3f")}"""

    def _time(self) -> str:
        versions = ", ".join(f"{name} {value}" for name, value in self.machine.items() if name[0].islower())
        return f"""## Time, machine and versions

The simulations took {self.minutes("simulation"):.0f} minutes, everything {self.minutes():.0f} minutes on
{self.machine["cores"]} cores. Time of each method to fit and predict, summed over processes (on gene expression sets a job is
three folds):

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
    """Text for the terminal at the end."""
    verdicts = page.cells.groupby("verdict").size()
    counted = ", ".join(f"{verdicts.get(v, 0)} {v}" for v in (AGREES, BETTER, WORSE, DIFFERS))
    return f"Tables 1-5, {len(page.cells)} cells: {counted}.\n\n{findings.opening(page.cells, page.real)}"
