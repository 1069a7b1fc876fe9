"""Run the paper's experiments: ``python paper/run.py quick|full``. Stops and goes on at any point."""

from __future__ import annotations

import argparse
from pathlib import Path

from joblib import Parallel, delayed
from jobs import KEY, do, jobs
from settings import STUDIES

from disjoint_centroids.datasets import fetch_compcancer
from disjoint_centroids.progress import Progress
from disjoint_centroids.results_file import ResultsFile

HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("--jobs", type=int, default=-1, help="processes (default: all cores)")
    arguments = parser.parse_args()
    study = STUDIES[arguments.study]
    fetch_compcancer("west-2001", verbose=1)  # once, before many processes would
    results = ResultsFile(HERE / "results" / f"{study.name}.parquet", KEY)
    done = results.done()
    todo = [job for job in jobs(study) if job.key not in done]
    pool = Parallel(n_jobs=arguments.jobs, return_as="generator_unordered")
    with Progress(f"{study.name} study, {len(done)} done before", len(todo), enabled=True) as bar:
        try:
            for row in pool(delayed(do)(job) for job in todo):
                results.add(row)
                bar.tick()
        finally:
            results.write()


if __name__ == "__main__":
    main()
