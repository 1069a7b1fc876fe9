"""The command: run what is not done yet, print the tables, publish."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import parallel_config
from machine import describe

from disjoint_centroids._whole_file import write_whole
from disjoint_centroids.datasets import fetch_compcancer
from disjoint_centroids.evaluation.results_file import ResultsFile
from disjoint_centroids.evaluation.resumable import remaining, run_jobs
from real_data_study import jobs, rounds_rules, simulations
from real_data_study.answer import opening
from real_data_study.equal_size import jobs as equal_size
from real_data_study.equal_size.methods import METHODS as SIZED_METHODS
from real_data_study.equal_size.section import mean_errors
from real_data_study.methods import METHODS, REPEATS
from real_data_study.page import MACHINE, RESULTS, RULES, SIMULATED, SIZED, write_page
from real_data_study.sets import ALL, GROUPS, QUICK, SCALES
from real_data_study.summaries import summary

BENCHMARKS = Path(__file__).parents[1]
OUTPUT = BENCHMARKS / "output"
PUBLISHED = BENCHMARKS / "published"
"""The results that docs/real-data.md shows."""

DOCS = BENCHMARKS.parent / "docs"

COMMAND = "python benchmarks/real_data.py"
FROM_PUBLISHED = "begin with the published results where nothing is done yet: only what they lack is run"


def main(arguments: list[str] | None = None) -> None:
    asked = _parser().parse_args(arguments)
    try:
        if asked.command == "publish":
            publish()
            write_docs()
        elif asked.command == "page":
            write_docs()
        elif asked.command == "simulations":
            run_simulations(asked.n_jobs)
        elif asked.command == "sizes":
            run_sizes(asked)
        elif asked.command == "rules":
            run_rules(asked)
        else:
            run_sets(asked)
    except KeyboardInterrupt:
        sys.exit("\nInterrupted. Nothing is lost: the same command goes on from here.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=COMMAND, description="Classifiers on the 35 CompCancer sets.")
    parser.add_argument(
        "command",
        nargs="?",
        default="run",
        choices=["run", "simulations", "sizes", "rules", "publish", "page"],
        help="run (default): do what is not done yet and print the tables; simulations: the panel classifier on the "
        "paper's; sizes: methods that select features, all with the same number of them; rules: choices of the "
        "number of rounds, on the design sets; publish: take finished runs "
        "over into docs/real-data.md; page: write docs/real-data.md again from the published results",
    )
    parser.add_argument("--sets", nargs="+", default=["all"], help="design, apart, all (default), or names")
    parser.add_argument("--scale", choices=SCALES, help="one scale only (sizes: always log2)")
    parser.add_argument("--methods", nargs="+", metavar="METHOD", help="by name (default: all)")
    parser.add_argument(
        "--repeats",
        type=int,
        help=f"how many of the {REPEATS} repeats (default: all; sizes: {equal_size.REPEATS})",
    )
    parser.add_argument("--n-jobs", type=int, default=-1, help="processes (default: all cores)")
    parser.add_argument("--quick", action="store_true", help="two small sets, one repeat")
    parser.add_argument("--from-published", action="store_true", help=FROM_PUBLISHED)
    parser.add_argument("--redo", action="store_true", help="forget what was done of this before")
    return parser


def run_sets(asked: argparse.Namespace) -> None:
    """Do the jobs asked for and print their tables."""
    sets, methods, repeats = _choice(asked, METHODS, REPEATS)
    scales = [asked.scale] if asked.scale else list(SCALES)
    wanted = list(jobs.jobs(sets, scales, methods, repeats))
    rows = run_asked(OUTPUT / RESULTS, wanted, jobs.do, asked)
    for scale in scales:
        for group, members in (GROUPS if set(sets) == set(ALL) else {"chosen": tuple(sets)}).items():
            print(f"\n{scale}, {group}: {_terminal_table(_good(rows), scale, members)}")
    tell_failures(rows)


def run_sizes(asked: argparse.Namespace) -> None:
    """Do the jobs of the comparison at equal size and print the mean error of every method at every size."""
    sets, methods, repeats = _choice(asked, SIZED_METHODS, equal_size.REPEATS)
    wanted = list(equal_size.jobs(sets, methods, repeats))
    rows = run_asked(OUTPUT / SIZED, wanted, equal_size.do, asked)
    print(f"\nerror by features per class, {len(sets)} sets:")
    print(mean_errors(_good(rows), sets).to_string(float_format="{:.3f}".format))
    tell_failures(rows)


def run_rules(asked: argparse.Namespace) -> None:
    """Compare rules for the number of rounds on the design sets, and print their mean errors."""
    sets, repeats = (QUICK[:1], 1) if asked.quick else (GROUPS["design"], asked.repeats or rounds_rules.REPEATS)
    fetch_compcancer(sets[0], verbose=1)
    rows = run_asked(OUTPUT / RULES, list(rounds_rules.jobs(sets, repeats)), rounds_rules.do, asked)
    print(rounds_rules.summary(_good(rows)).to_string(float_format="{:.4f}".format))
    tell_failures(rows)


def _choice(asked: argparse.Namespace, there: Iterable[str], most: int) -> tuple[list[str], list[str], int]:
    """Sets, methods and number of repeats that are asked for; the sets have been fetched."""
    there = list(there)
    methods = asked.methods or there
    if unknown := [name for name in methods if name not in there]:
        raise SystemExit(f"There is no method {unknown[0]!r} here. Give some of: {', '.join(there)}.")
    sets, repeats = (list(QUICK), 1) if asked.quick else (named_sets(asked.sets), asked.repeats or most)
    fetch_compcancer(sets[0], verbose=1)  # once, before many processes would
    return sets, methods, repeats


def run_asked(
    path: Path, wanted: list[jobs.Job], do: Callable[[jobs.Job], dict[str, Any]], asked: argparse.Namespace
) -> pd.DataFrame:
    """Do what is not done yet of the jobs wanted; their rows."""
    if asked.from_published:
        begin_with_published(path, PUBLISHED)
    forget(path, {job.key for job in wanted} if asked.redo else set())
    table = run(path, jobs.KEY, wanted, do, asked.n_jobs)
    return table.merge(pd.DataFrame([job.key for job in wanted], columns=list(jobs.KEY)), on=list(jobs.KEY))


def begin_with_published(path: Path, published: Path) -> None:
    """Copy the results of the same name that are published, unless there are some already."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(published / path.name, path)


def _good(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["failure"] == ""]


def tell_failures(rows: pd.DataFrame) -> None:
    """Say which jobs failed, if any did, and end with an exit code that says so."""
    failed = rows[rows["failure"] != ""]
    for (method, why), group in failed.groupby(["method", "failure"]):
        row = group.iloc[0]
        where = f"{row['set']}, {row['scale']}, repeat {row['repeat']}, fold {row['fold']}"
        print(f"failed: {method}, {len(group)} times, first on {where}: {why}")
    if len(failed):
        sys.exit(f"{len(failed)} of {len(rows)} jobs failed; the next run tries them again.")


def named_sets(words: Iterable[str]) -> list[str]:
    """Sets by name, or by the name of a group."""
    chosen: list[str] = []
    for word in words:
        if word not in GROUPS and word not in ALL:
            raise SystemExit(f"There is no set {word!r}. Give design, apart, all, or names: {', '.join(ALL)}.")
        chosen += [name for name in GROUPS.get(word, (word,)) if name not in chosen]
    return chosen


def run(
    path: Path, key: tuple[str, ...], wanted: Iterable[Any], do: Callable[[Any], dict[str, Any]], n_jobs: int
) -> pd.DataFrame:
    """Do what is not in the file yet; results are on disk at any moment. All rows of the file."""
    results = ResultsFile(path, key)
    todo = remaining(wanted, results)
    path.parent.mkdir(parents=True, exist_ok=True)
    if todo:
        (path.parent / MACHINE).write_text(json.dumps(describe(), indent=1), encoding="utf-8")
    label = f"{path.stem} ({len(results)} done before)"
    # One thread per process: jobs are many, and threads of one would wait for those of another.
    with parallel_config(backend="loky", inner_max_num_threads=1):
        run_jobs(todo, do, results, label=label, n_jobs=n_jobs, verbose=bool(todo))
    return results.frame()


def forget(path: Path, keys: set[tuple[Any, ...]]) -> None:
    """Take rows out of a results file: those with these keys, and those of jobs that failed."""
    if not path.exists():
        return
    table = ResultsFile(path, jobs.KEY).frame()
    named = pd.MultiIndex.from_frame(table[list(jobs.KEY)]).isin(keys) if keys else False
    kept = table[~(named | (table["failure"] != ""))]
    if len(kept) < len(table):
        write_whole(path, lambda part: kept.to_parquet(part, index=False))


def _terminal_table(rows: pd.DataFrame, scale: str, sets: tuple[str, ...]) -> str:
    table = summary(rows, scale, sets) if len(rows) else pd.DataFrame()
    if table.empty or table["error"].isna().all():
        return "no set yet on which every method was run"
    shown = {
        "error": "{:.3f}".format,
        "balanced_error": "{:.3f}".format,
        "rank": "{:.2f}".format,
        "features": "{:.0f}".format,
        "median_features": "{:.0f}".format,
        "seconds": "{:.2f}".format,
    }
    return "\n" + table.to_string(formatters=shown)


def run_simulations(n_jobs: int) -> None:
    """The panel classifier on the paper's draws, beside what the paper's methods reached on them."""
    table = run(OUTPUT / SIMULATED, simulations.KEY, list(simulations.jobs()), simulations.do, n_jobs)
    cells = simulations.cells(table, pd.read_parquet(simulations.PUBLISHED))
    print(cells.to_string(index=False, float_format="{:.3f}".format))


def publish() -> None:
    """Take finished runs over; unfinished ones are refused.

    The comparisons at equal size and of rules are published if they were run, on their own if nothing else was.
    """
    sized, ruled = (OUTPUT / SIZED).exists(), (OUTPUT / RULES).exists()
    main = (OUTPUT / RESULTS).exists() or not (sized or ruled)
    finished: dict[str, pd.DataFrame] = {}
    if main:
        finished[RESULTS] = finished_rows(RESULTS, jobs.jobs(ALL, SCALES, METHODS, REPEATS), COMMAND)
        drawn = ResultsFile(OUTPUT / SIMULATED, simulations.KEY).done()
        missing = sum(job.key not in drawn for job in simulations.jobs())
        if missing:
            sys.exit(f"The simulations lack {missing} jobs: run `{COMMAND} simulations` first.")
    if sized:
        wanted = equal_size.jobs(ALL, SIZED_METHODS, equal_size.REPEATS)
        finished[SIZED] = finished_rows(SIZED, wanted, f"{COMMAND} sizes")
    if ruled:
        wanted = rounds_rules.jobs(GROUPS["design"], rounds_rules.REPEATS)
        finished[RULES] = finished_rows(RULES, wanted, f"{COMMAND} rules")
    PUBLISHED.mkdir(exist_ok=True)
    for name, rows in finished.items():
        rows.to_parquet(PUBLISHED / name, index=False)
    for name in (SIMULATED, MACHINE) if main else ():
        shutil.copy(OUTPUT / name, PUBLISHED / name)


def finished_rows(name: str, wanted: Iterable[jobs.Job], command: str) -> pd.DataFrame:
    """Rows of a run in which every job is done. Rows of methods that are no longer there stay behind."""
    done = ResultsFile(OUTPUT / name, jobs.KEY)
    table = done.frame()
    failed = int((table["failure"] != "").sum()) if len(table) else 0
    keys = {job.key for job in wanted}
    missing = len(keys - done.done())
    if missing or failed:
        sys.exit(f"The run lacks {missing} jobs and {failed} failed: run `{command}` first.")
    return table[pd.MultiIndex.from_frame(table[list(jobs.KEY)]).isin(keys)]


def write_docs() -> None:
    """Write the documentation's page from the published results, and print the answer with which it opens."""
    page = write_page(PUBLISHED, DOCS / "real-data.md", DOCS / "images")
    print(opening(page.results))
