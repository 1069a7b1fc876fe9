"""Run the paper's experiments and write the page: ``python paper/run.py quick|full``.

It can be stopped and started again at any point.
``python paper/run.py publish`` takes the full run over into the documentation.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

import real_sets
from job import KEY
from jobs import do, jobs
from machine import describe
from page import summary, write_page
from settings import STUDIES, Study

from disjoint_centroids.datasets import fetch_compcancer
from disjoint_centroids.evaluation.results_file import ResultsFile
from disjoint_centroids.evaluation.resumable import remaining, run_jobs

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
PUBLISHED = HERE / "published"
"""The results that docs/paper.md shows."""


def output(study: str) -> Path:
    """Folder with the results and the page of a study."""
    return HERE / "output" / study


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", choices=[*STUDIES, "publish", "page"])
    parser.add_argument("--jobs", type=int, default=-1, help="processes (default: all cores)")
    arguments = parser.parse_args()
    if arguments.study == "publish":
        publish()
    if arguments.study in {"publish", "page"}:
        print(summary(write_page(PUBLISHED, DOCS / "paper.md", DOCS / "images", "full")))
        return
    try:
        run(STUDIES[arguments.study], arguments.jobs)
    except KeyboardInterrupt:
        sys.exit("\nInterrupted. Nothing is lost: the same command goes on from here.")
    folder = output(arguments.study)
    print(summary(write_page(folder, folder / "paper.md", folder / "images", arguments.study)))
    print(f"The page: {folder / 'paper.md'}")


def run(study: Study, n_jobs: int) -> None:
    """Do what is not done yet; results are on disk at any moment."""
    folder = output(study.name)
    results = ResultsFile(folder / "results.parquet", KEY)
    n_done = len(results)
    todo = remaining(jobs(study), results)
    if any(job.experiment in real_sets.EXPERIMENTS for job in todo):
        fetch_compcancer(real_sets.SELECTION_SET, verbose=1)  # once, before many processes would
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "machine.json").write_text(json.dumps(describe(), indent=1))
    run_jobs(todo, do, results, label=f"{study.name} study ({n_done} jobs done before)", n_jobs=n_jobs)


def publish() -> None:
    """Take the finished full run over; an unfinished one is refused."""
    folder = output("full")
    done = ResultsFile(folder / "results.parquet", KEY).done()
    missing = sum(job.key not in done for job in jobs(STUDIES["full"]))
    if missing:
        sys.exit(f"The full study lacks {missing} jobs: run `make paper-full` first (it goes on where it stopped).")
    PUBLISHED.mkdir(exist_ok=True)
    for name in ("results.parquet", "machine.json"):
        shutil.copy(folder / name, PUBLISHED / name)


if __name__ == "__main__":
    main()
