"""The page ``docs/real-data.md``: everything on it is computed from a results file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from machine import PACKAGES
from markdown_tables import wrapped

from real_data_study import answer, rounds_rules, simulations, tables
from real_data_study.answer import DEFAULT, joined
from real_data_study.equal_size.picture import AT_SIZES, draw_at_sizes
from real_data_study.equal_size.section import section
from real_data_study.methods import INNER_FOLDS, METHODS, N_INIT, OUTER_FOLDS, REPEATS
from real_data_study.pictures import draw_all, picture_name
from real_data_study.sets import ALL, AS_DISTRIBUTED, GROUPS, LEAST_CLASS, LOG2, SCALES
from real_data_study.summaries import (
    ALPHA,
    BETTER,
    CLEAR,
    EQUAL,
    WORSE,
    Difference,
    by_set,
    friedman,
    summary,
    wall_minutes,
)

RESULTS, SIMULATED, MACHINE = "real_data.parquet", "real_data_simulations.parquet", "real_data_machine.json"
SIZED, RULES = "real_data_sizes.parquet", "real_data_rules.parquet"
GROUP_TITLES = {
    "all": "all {n} sets",
    "design": "the {n} sets used in design",
    "apart": "the {n} sets not used in design",
}


@dataclass(frozen=True, slots=True)
class Page:
    """A run's results, turned into Markdown beside a folder of images.

    ``sized`` are the results at equal size, ``rules`` those of rules for the number of features; as long as there are
    none, the page lacks their sections.
    """

    results: pd.DataFrame
    simulated: pd.DataFrame
    machine: dict[str, str]
    sized: pd.DataFrame | None = None
    rules: pd.DataFrame | None = None

    def text(self, images: str) -> str:
        """The page; ``images`` is the folder of the pictures, seen from the page."""
        parts = [
            f"# On real data: {self.results['set'].nunique()} gene expression sets",
            answer.opening(self.results),
            answer.answer_table(self.results),
            self._reading(),
            "## Further results",
            f"{answer.remarks(self.results)}\n- {self._scale_words()}\n- {self._simulated_words()}",
            "## How it was measured",
            self._measured(),
            *([] if self.sized is None else section(self.sized, f"{images}/{AT_SIZES}")),
            *([] if self.rules is None else rounds_rules.section(self.rules)),
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
        return wrapped("\n\n".join(parts)) + "\n"

    def _reading(self) -> str:
        n_sets = self.results["set"].nunique()
        studies = self.results["set"].str.replace(r"-v\d+$", "", regex=True).nunique()
        return f"""*Error* is the share of held-out samples that are assigned to the wrong class, on log2 values,
averaged over the {n_sets} sets; *genes used* is averaged in the same way. Our methods are in bold (*Panel*: [drafted
panels](method.md#drafted-panels)); [all methods](#the-methods) are described below. A method gives a list of genes for
every class or none; *disjoint* lists have no gene in common. Two methods are compared set by set: the last columns
have the mean difference of their errors ± its standard error over the sets. The method of the row is called *better* or
*worse* if the difference is larger than {CLEAR:g} standard errors. Otherwise the two are called *equal*: these sets do
not tell them apart. Some sets come from the same study ({n_sets} sets, {studies} studies), so that the standard errors
are rather too small."""

    def _measured(self) -> str:
        n_sets, n_methods = self.results["set"].nunique(), self.results["method"].nunique()
        return f"""{n_methods} classifiers were run on the {n_sets} CompCancer sets (de Souto et al. 2008), on two
scales. A set is divided into {OUTER_FOLDS} parts that keep the shares of the classes, and each part is predicted by a
model fitted to the others; this is done {REPEATS} times, with the same divisions for every method. Parameters are
chosen within the training part, by {INNER_FOLDS}-fold cross-validation. Classes with fewer than {LEAST_CLASS} samples
are left out. `python benchmarks/real_data.py` makes all figures and this page."""

    def _scale_words(self) -> str:
        on_log2, distributed = (summary(self.results, scale, ALL)["error"] for scale in (LOG2, AS_DISTRIBUTED))
        gain = (distributed - on_log2).reindex(on_log2.index)
        not_lower = [str(name) for name, by in gain.items() if by <= 0]
        whom = f"all methods but {joined(not_lower)}" if not_lower else "every method"
        return (
            f"Taking logarithms of raw intensities lowers the mean error of {whom}: by {gain.mean():.3f} on average "
            f"over the methods, and most for {gain.idxmax()} ({gain.max():.3f})."
        )

    def _simulated_words(self) -> str:
        cells = self.simulated
        verdicts = [Difference(cell.difference, cell.se).verdict for cell in cells.itertuples()]
        counted = joined(f"{verdict} in {verdicts.count(verdict)}" for verdict in (BETTER, EQUAL, WORSE))
        worst = cells.loc[cells["difference"].idxmax()]
        return (
            f"On the {len(cells)} settings of the paper's [simulations](#the-simulations), *{DEFAULT}* is {counted} of "
            f"them, compared with the best of {joined(simulations.PAPERS)}. Where it does worst, the difference of the "
            f"errors is {Difference(worst['difference'], worst['se'])} ({worst['setting'].replace(' r=0', '')})."
        )

    def _scale(self, scale: str, images: str) -> list[str]:
        ranked = friedman(by_set(self.results, scale, "error", ALL))
        rejected = "rejects" if ranked.p_value < ALPHA else "does not reject"
        n_methods = len(ranked.mean_ranks)
        parts = [f"## {scale}: errors, ranks, genes, time"]
        for group, title in GROUP_TITLES.items():
            parts += [
                f"### {scale}, {title.format(n=len(GROUPS[group]))}",
                tables.method_table(summary(self.results, scale, GROUPS[group])),
            ]
        return [
            *parts,
            f"""Each figure is a mean over sets, and within a set over its splits. *Balanced error* gives every class
the same weight. *Mean rank*: on each set the methods are ranked by error, 1 is the lowest. *Seconds per fit* is the
time to choose the parameters, fit and predict once, on one core.

Friedman's test (in Iman and Davenport's form) {rejected} that all methods rank alike (F = {ranked.statistic:.1f},
p = {ranked.p_value:.1g}). In the first figure a bar joins methods whose mean ranks differ by less than
{ranked.critical_difference:.2f}, the critical difference of Nemenyi's test at {100 * ALPHA:.0f} %. That test allows for
all {n_methods * (n_methods - 1) // 2} pairs of methods, and is therefore stricter than the comparison of two methods
in the first table.""",
            f"![mean ranks, {scale}]({images}/{picture_name('ranks', scale)})",
            f"![errors against genes used, {scale}]({images}/{picture_name('features', scale)})",
        ]

    def _set_by_set(self, scale: str) -> list[str]:
        return [
            f"## {scale}: set by set",
            "The table shows errors. The lowest error of each set is in bold.",
            tables.set_table(self.results, scale),
        ]

    def _simulations(self) -> str:
        return f"""The table compares *{DEFAULT}* with the best of {joined(simulations.PAPERS)}, on
{simulations.REPETITIONS} draws of each setting of the [paper's simulations](paper.md) (the same draws for all methods).
Every class has *d* features of its own, and *r* more features carry no information. The larger *a* (Simulation 1:
differences in level), *b* (2: in spread) or *c* (3 and 4: in both), the more the classes differ. The *lowest possible
error* is that of the rule that knows the distribution (Bayes' rule).

{tables.simulation_table(self.simulated)}"""

    def _methods(self) -> str:
        repeats = self.results.groupby("method")["repeat"].nunique()
        lines = []
        for name, method in METHODS.items():
            if name in repeats.index:
                fewer = "" if repeats[name] == REPEATS else f" (run in {repeats[name]} of the {REPEATS} repeats)"
                lines.append(f"- *{name}*: {method.about}{fewer}")
        restarts = f"NDC and the methods built on it use {N_INIT} restarts; the paper uses 100."
        return "\n".join(lines) + f"\n\n{restarts}"

    def _sets(self) -> str:
        return f"""The panel classifier was designed on {len(GROUPS["design"])} of the sets, which were fixed beforehand
(the names whose SHA-256 digest sorts first). The other {len(GROUPS["apart"])} are reported separately. Some
decisions were made after the results on all sets had been seen, each on the evidence of the design sets or of other
tables: short panels are cut back from longer ones; on tables with few columns (of these sets, only chen-2002)
*{DEFAULT}* takes the number of rounds with the lowest held-out loss; all classes are solved together, so that their
order decides nothing; and every class has an intercept fitted to held-out scores, for the sake of rare classes.

*log2*: logarithms are taken of sets whose values are raw intensities, all of them positive. The other sets are the same
on both scales, and are run once.

{tables.facts_table(self.results)}"""

    def _again(self) -> str:
        versions = ", ".join(f"{name} {self.machine[name]}" for name in PACKAGES if name in self.machine)
        return f"""{len(self.results)} fits, {wall_minutes(self.results):.0f} minutes on {self.machine["cores"]} cores
({self.machine["processor"]}). Python {self.machine["Python"]}; {versions}.

```
python benchmarks/real_data.py                # run everything, or continue a run that was stopped; print the tables
python benchmarks/real_data.py --quick        # two small sets, one repeat
python benchmarks/real_data.py simulations    # the panel classifier on the paper's simulations
python benchmarks/real_data.py sizes          # methods that select features, all with the same number of them
python benchmarks/real_data.py rules          # rules for the number of features per class, on the design sets
python benchmarks/real_data.py publish        # publish finished runs: write this page
python benchmarks/real_data.py page           # write this page again from the published results
```

The first run fetches the sets. `--sets`, `--scale`, `--methods` and `--repeats` choose a part; `--redo` runs
it again."""


def read_page(folder: Path) -> Page:
    """The page of a folder with results."""
    ours = pd.read_parquet(folder / SIMULATED)
    cells = simulations.cells(ours, pd.read_parquet(simulations.PUBLISHED))
    machine = json.loads((folder / MACHINE).read_text(encoding="utf-8"))
    further = (pd.read_parquet(folder / name) if (folder / name).exists() else None for name in (SIZED, RULES))
    return Page(pd.read_parquet(folder / RESULTS), cells, machine, *further)


def write_page(folder: Path, page: Path, images: Path) -> Page:
    """Write the page and its pictures; everything is computed before anything is written."""
    made = read_page(folder)
    text = made.text(images.relative_to(page.parent).as_posix())
    draw_all(made.results, images)
    if made.sized is not None:
        draw_at_sizes(made.sized, images)
    page.write_text(text, encoding="utf-8")
    return made
