"""Jobs that may be interrupted: results are kept as they come, and a job that is done is not done again."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from joblib import Parallel, delayed

from disjoint_centroids.progress import Progress

Key = tuple[Any, ...]


class Job(Protocol):
    """One piece of work, named by a key."""

    @property
    def key(self) -> Key:
        """Values that name the job in a results file."""


class Results(Protocol):
    """Keeper of results, such as :class:`disjoint_centroids.evaluation.results_file.ResultsFile`."""

    def done(self) -> Collection[Key]:
        """Keys of the jobs that are done."""

    def add(self, result: Any, /) -> None:
        """Keep the result of one job."""

    def write(self) -> None:
        """Write all results to disk, if they are kept there."""


JobType = TypeVar("JobType", bound=Job)


def remaining(jobs: Iterable[JobType], results: Results) -> list[JobType]:
    """Jobs whose results are not kept yet, in the order given."""
    done = results.done()
    return [job for job in jobs if job.key not in done]


def run_jobs(
    jobs: Sequence[JobType],
    do: Callable[[JobType], Any],
    results: Results,
    *,
    label: str,
    n_jobs: int | None = None,
    verbose: bool = True,
    kind: Callable[[JobType], str] = lambda job: "",
) -> None:
    """Do jobs in parallel, keep each result as it comes, and write them even if the run is interrupted.

    Parameters
    ----------
    jobs : sequence
        Jobs that are not done yet; see :func:`remaining`.
    do : callable
        Takes a job, returns what ``results.add`` takes.
    results : Results
        Keeper of the results.
    label : str
        Words before the progress bar.
    n_jobs : int, default=None
        Processes, as joblib understands it.
    verbose : bool, default=True
        True: show a progress bar on standard error.
    kind : callable, default=all jobs are of one kind
        Kind of a job: the time that is left is estimated from the jobs of each kind.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from disjoint_centroids.evaluation.results_file import ResultsFile
    >>> from disjoint_centroids.evaluation.resumable import remaining, run_jobs
    >>> jobs = [SimpleNamespace(key=(number,)) for number in range(3)]
    >>> kept = ResultsFile(None, ["number"])
    >>> kept.add({"number": 1, "square": 1})
    >>> square = lambda job: {"number": job.key[0], "square": job.key[0] ** 2}
    >>> run_jobs(remaining(jobs, kept), square, kept, label="squares", verbose=False)
    >>> kept.frame()["square"].tolist()
    [0, 1, 4]
    """
    # One job at a time: an interruption loses no finished one.
    pool = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    with Progress(label, Counter(map(kind, jobs)), enabled=verbose) as bar:
        try:
            for of_kind, result, seconds in pool(delayed(_timed)(do, job, kind(job)) for job in jobs):
                results.add(result)
                bar.tick(of_kind, seconds)
        finally:
            results.write()


def _timed(do: Callable[[JobType], Any], job: JobType, kind: str) -> tuple[str, Any, float]:
    began = time.perf_counter()
    result = do(job)
    return kind, result, time.perf_counter() - began
