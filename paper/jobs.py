"""All experiments: what there is to do, and who does it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import ablation
import lambda_grid
import real_sets
import simulations
import theory
from job import Job
from settings import Study

PARTS = (simulations, lambda_grid, ablation, theory, real_sets)
_PART_OF = {experiment: part for part in PARTS for experiment in part.EXPERIMENTS}


def jobs(study: Study) -> Iterator[Job]:
    """The jobs of a study, in the order in which they are done."""
    for part in PARTS:
        yield from part.jobs(study)


def do(job: Job) -> dict[str, Any]:
    """Run a job. When it was finished is noted, so that the time a study took can be read off its rows."""
    outcome = _PART_OF[job.experiment].do(job)
    key = {"experiment": job.experiment, "setting": job.setting, "method": job.method, "repetition": job.repetition}
    return key | outcome | {"finished": time.time()}
