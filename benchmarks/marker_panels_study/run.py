"""The command: run what is not done yet, print the tables, publish."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
from joblib import parallel_config
from machine import describe

from disjoint_centroids._whole_file import write_whole
from disjoint_centroids.evaluation.results_file import ResultsFile
from disjoint_centroids.evaluation.resumable import remaining, run_jobs
from marker_panels_study import jobs, sets
from marker_panels_study.asking import PROBES, RIVALS_PYTHON
from marker_panels_study.methods import METHODS, RIVALS
from marker_panels_study.summaries import errors_by_size
from real_data_study.run import FROM_PUBLISHED, begin_with_published

BENCHMARKS = Path(__file__).parents[1]
PUBLISHED, DOCS = BENCHMARKS / "published", BENCHMARKS.parent / "docs"
COMMAND = "python benchmarks/marker_panels.py"


def main(arguments: list[str] | None = None) -> None:
    """Do what is asked for."""
    asked = _parser().parse_args(arguments)
    try:
        if asked.command == "run":
            run(asked)
            return
        if asked.command == "publish":
            publish(asked.sets, asked.methods, partial=asked.partial)
        from marker_panels_study.page import write_page

        write_page(PUBLISHED, DOCS / "markers.md", DOCS / "images")
    except KeyboardInterrupt:
        sys.exit("\nInterrupted. Nothing is lost: the same command goes on from here.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=COMMAND, description="Lists of markers, ours and those of others.")
    parser.add_argument(
        "command",
        nargs="?",
        default="run",
        choices=["run", "publish", "page"],
        help="run (default): do what is not done yet and print the errors; publish: take a finished run over into "
        "docs/markers.md; page: write docs/markers.md again from the published results",
    )
    parser.add_argument("--sets", nargs="+", choices=sets.ALL, default=list(sets.ALL), metavar="SET")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS), metavar="METHOD")
    parser.add_argument("--limit", type=float, default=jobs.LIMIT, help="processor seconds that a fit may take")
    parser.add_argument("--n-jobs", type=int, default=-1, help="processes (default: all cores)")
    parser.add_argument("--quick", action="store_true", help="one small set")
    parser.add_argument("--partial", action="store_true", help="publish what is done; the page says what is not")
    parser.add_argument("--from-published", action="store_true", help=FROM_PUBLISHED)
    parser.add_argument("--redo", action="store_true", help="forget what was done of this before")
    return parser


def run(asked: argparse.Namespace) -> None:
    """Do the jobs asked for, set by set, and print errors."""
    path = sets.OUTPUT / jobs.RESULTS
    path.parent.mkdir(parents=True, exist_ok=True)
    chosen = sets.QUICK if asked.quick else tuple(asked.sets)
    if asked.from_published:
        begin_with_published(path, PUBLISHED)
    if asked.redo:
        forget(path, chosen, asked.methods)
    (path.parent / jobs.MACHINE).write_text(json.dumps(machine(), indent=1), encoding="utf-8")
    rows = jobs.Rows(path)
    run_sets(chosen, asked.methods, rows, asked.limit, asked.n_jobs)
    frame = rows.file.frame()
    frame = frame[frame["set"].isin(chosen) & frame["method"].isin(asked.methods)]
    for reading in jobs.READERS:
        print(f"\n{reading}: mean error over {len(chosen)} sets, as far as done")
        table = pd.DataFrame({size: errors.mean() for size, errors in errors_by_size(frame, reading).items()})
        print(table.to_string(float_format="{:.3f}".format))


def run_sets(names: Iterable[str], methods: list[str], rows: jobs.Rows, limit: float, n_jobs: int) -> None:
    """Do what is not done yet, set by set."""
    todo = remaining([jobs.Job(name, method, limit) for name in names for method in methods], rows)
    there = list(dict.fromkeys(job.set for job in todo))
    for name in there:
        prepare(name)
    # One thread per process: programs are compared by processor time.
    with parallel_config(backend="loky", inner_max_num_threads=1):
        run_jobs(todo, jobs.do, rows, label="marker lists", n_jobs=n_jobs, verbose=bool(todo))
    for name in there:
        for fold in range(jobs.FOLDS):
            shutil.rmtree(jobs.folder_of(name, fold), ignore_errors=True)


def prepare(name: str) -> None:
    """Write what probes read of a set."""
    if name == sets.PBMC and not sets.BLOOD.exists():
        command = [str(RIVALS_PYTHON), str(PROBES / "blood_cells.py"), str(sets.BLOOD)]
        subprocess.run(command, check=True, capture_output=True)
    jobs.write_parts(name)


def machine() -> dict[str, str]:
    """Facts about the machine, and the versions of the programs of others."""
    packages = sorted({method.package for method in RIVALS.values()})
    code = "import importlib.metadata as m, json, sys; print(json.dumps({p: m.version(p) for p in sys.argv[1:]}))"
    done = subprocess.run([str(RIVALS_PYTHON), "-c", code, *packages], capture_output=True, text=True, check=False)
    return describe() | {"rivals": json.loads(done.stdout) if done.returncode == 0 else {}}


def forget(path: Path, names: Iterable[str], methods: Iterable[str]) -> None:
    """Take rows of these sets and programs out of a results file."""
    if path.exists():
        rows = ResultsFile(path, jobs.KEY).frame()
        kept = rows[~(rows["set"].isin(list(names)) & rows["method"].isin(list(methods)))]
        write_whole(path, lambda part: kept.to_parquet(part, index=False))


def publish(names: list[str], methods: list[str], *, partial: bool) -> None:
    """Take a finished run of these programs on these sets over; an unfinished one is refused unless asked for."""
    rows = jobs.Rows(sets.OUTPUT / jobs.RESULTS)
    done = rows.done()
    missing = {(name, method) for name in names for method in methods} - done
    if missing and not partial:
        sys.exit(
            f"The run lacks {len(missing)} jobs: run `{COMMAND}` first, choose `--sets` that are finished, or publish "
            "what is done with `--partial`."
        )
    frame = rows.file.frame()
    PUBLISHED.mkdir(exist_ok=True)
    of_done = pd.MultiIndex.from_frame(frame[["set", "method"]]).isin(list(done))
    chosen = frame["set"].isin(names) & frame["method"].isin(methods)
    ended = of_done | (frame["failure"] != "")
    frame[chosen & ended].to_parquet(PUBLISHED / jobs.RESULTS, index=False)
    shutil.copy(sets.OUTPUT / jobs.MACHINE, PUBLISHED / jobs.MACHINE)
