"""Time and errors of Tables 1 to 5 of the paper, compared with the published ones: ``python benchmarks/paper_time.py``.

Runs a sample of the study's simulation jobs (every setting and method), compares each error with the published row of
the same job, and scales the time to all jobs. Machines differ from day to day, so ``--against PATH`` runs the same jobs
with another version too (the ``src`` folder of another checkout, with its own ``paper``), job by job in turns.
Seconds are processor time of one process with one thread, after a job of each method to warm up, and contain the
drawing of the tables; the published ones are what fitting and predicting took on the clock, compiling included.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import astuple
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
PAPER = ROOT / "paper"
PUBLISHED = PAPER / "published" / "results.parquet"
KEY = ["experiment", "setting", "method", "repetition"]
NOW, OTHER = "now", "other"
_ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")}


class Version:
    """A process that does jobs with one version of the package."""

    def __init__(self, source: Path) -> None:
        study = source.resolve().parent / "paper"  # of the same checkout: its modules have the names that it imports
        path = os.pathsep.join([str(source), str(study if study.is_dir() else PAPER)])
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), "--worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | _ONE_THREAD | {"PYTHONPATH": path},
        )
        package = Path(self._answer())
        if not package.is_relative_to(source.resolve()):
            self._end()
            raise ValueError(f"{source} holds no disjoint_centroids ({package} was imported). Give a checkout's src.")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end()

    def _end(self) -> None:
        with self._process:  # closes its ends of the pipes, at which the process ends, and waits for it
            pass

    def do(self, key: tuple[str, str, str, int]) -> dict[str, Any]:
        """The job's error and the seconds it took."""
        assert self._process.stdin is not None
        print(json.dumps(key), file=self._process.stdin, flush=True)
        return dict(json.loads(self._answer()))

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"The process that does the jobs ended with code {self._process.wait()}.")
        return line.strip()


def work() -> None:
    """Do the jobs that come in, with the version that is on the path."""
    import disjoint_centroids

    print(
        Path(disjoint_centroids.__file__).resolve(), flush=True
    )  # before the study, which another version may not fit
    from job import Job
    from simulations import do

    for line in sys.stdin:
        began = time.process_time()
        outcome = do(Job(*json.loads(line)))
        print(json.dumps({"error": outcome["error"], "seconds": time.process_time() - began}), flush=True)


def sample(repetitions: int, methods: Iterable[str], every: int = 1) -> list[tuple[str, str, str, int]]:
    """Keys of the study's jobs: its first repetitions, in every so many-th setting."""
    sys.path.insert(0, str(PAPER))
    from settings import ALL_METHODS, Study
    from simulations import jobs

    wanted = set(methods) or set(ALL_METHODS)
    if wanted - set(ALL_METHODS):
        raise ValueError(f"No such methods: {sorted(wanted - set(ALL_METHODS))}. There are: {', '.join(ALL_METHODS)}.")
    study = Study("sample", repetitions, splits=0, auto_splits=0, selection_runs=0)
    every_job = [job for job in jobs(study) if job.method in wanted]
    settings = list(dict.fromkeys(job.setting for job in every_job))[::every]
    return [astuple(job) for job in every_job if job.setting in settings]


def measure(keys: list[tuple[str, str, str, int]], versions: dict[str, Version]) -> pd.DataFrame:
    """Every job with every version: the key, then ``error_…`` and ``seconds_…`` of each."""
    for method in dict.fromkeys(key[2] for key in keys):
        for version in versions.values():
            version.do(next(key for key in keys if key[2] == method))
    rows = []
    for at, key in enumerate(keys):
        row: dict[str, Any] = dict(zip(KEY, key, strict=True))
        # Whoever goes first may find the processor cold: take turns.
        for name in list(versions)[:: 1 if at % 2 else -1]:
            row |= {f"{what}_{name}": value for what, value in versions[name].do(key).items()}
        rows.append(row)
    return pd.DataFrame(rows)


def summarise(measured: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """One row per method: time, its ratio to the published time, and differences from the published errors."""
    simulated = published[published["experiment"].str.startswith("simulation")]
    both = measured.merge(simulated[[*KEY, "error"]], on=KEY, validate="one_to_one")
    if len(both) != len(measured):
        raise ValueError(f"{len(measured) - len(both)} of {len(measured)} jobs are not among the published ones.")
    then = simulated.groupby(["method", "setting"])["seconds"].agg(["sum", "size"])
    rows = {}
    for method, jobs in both.groupby("method", sort=False):
        apart = jobs[f"error_{NOW}"] - jobs["error"]
        a_job = jobs.groupby("setting")[f"seconds_{NOW}"].mean()
        same_settings = then.loc[method].loc[a_job.index]
        ratio = (a_job * same_settings["size"]).sum() / same_settings["sum"].sum()
        row = {
            "jobs": len(jobs),
            "seconds": jobs[f"seconds_{NOW}"].sum(),
            "of published": ratio,
            "all jobs, s": then.loc[method]["sum"].sum() * ratio,
            "same error": (apart == 0).mean(),
            "difference": apart.mean(),
            "standard error": apart.std() / len(apart) ** 0.5,
        }
        if f"seconds_{OTHER}" in jobs:
            row["of other"] = jobs[f"seconds_{NOW}"].sum() / jobs[f"seconds_{OTHER}"].sum()
            row["same as other"] = (jobs[f"error_{NOW}"] == jobs[f"error_{OTHER}"]).mean()
        rows[method] = row
    return pd.DataFrame.from_dict(rows, orient="index")


def verdict(summary: pd.DataFrame, published: pd.DataFrame) -> str:
    """The whole: all jobs of the methods looked at, beside what they took when they were published."""
    jobs = published[published["experiment"].str.startswith("simulation") & published["method"].isin(summary.index)]
    then, now = jobs["seconds"].sum(), summary["all jobs, s"].sum()
    text = f"All {len(jobs)} jobs: {now:.0f} s of processor time now, {then:.0f} s as published ({now / then:.2f})."
    if "of other" in summary:
        # Both sides scaled alike, so that the day's machine cancels.
        other = (summary["all jobs, s"] / summary["of other"]).sum()
        text += f"\nSide by side: {now / other:.2f} of the other version's time."
    return text


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=1, help="of every setting (default: 1)")
    parser.add_argument("--methods", nargs="+", default=(), help="(default: all)")
    parser.add_argument(
        "--against", type=Path, help="the src folder of another checkout, to run in turns with this one"
    )
    parser.add_argument("--quick", action="store_true", help="two settings only: to see that it works")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.worker:
        work()
        return
    keys = sample(given.repetitions, given.methods, every=18 if given.quick else 1)
    published = pd.read_parquet(PUBLISHED)
    with Version(ROOT / "src") as now:
        if given.against is None:
            measured = measure(keys, {NOW: now})
        else:
            with Version(given.against) as other:
                measured = measure(keys, {NOW: now, OTHER: other})
    summary = summarise(measured, published)
    print(summary.to_string(float_format="{:.4f}".format))
    print(verdict(summary, published))


if __name__ == "__main__":
    main()
