"""Runs that are being worked on, each in a process of its own that can be killed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from disjoint_centroids.app.runs import STARTED, RunFolder, new_id, write_json

AT_ONCE = 2
"""Runs that are worked on at the same time; others wait."""
_LINE = 2**20


@dataclass(slots=True)
class Job:
    """A run that is waiting, running, done, failed or cancelled.

    Attributes
    ----------
    id : str
        Name of the run.
    facts : dict
        What ``job.json`` says.
    state : str
        One of those words.
    progress : dict
        Stage, share of the work that is done, seconds, seconds left.
    errors : list of str
        Why it failed.
    began : bool
        True once it has its turn: from then on its folder may be there.
    """

    id: str
    facts: dict[str, Any]
    state: str = "waiting"
    progress: dict[str, Any] = field(default_factory=lambda: {"stage": "Starting", "share": 0.0, "left": None})
    errors: list[str] = field(default_factory=list)
    began: bool = False
    process: asyncio.subprocess.Process | None = None
    task: asyncio.Task[None] | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def ended(self) -> bool:
        """True if nothing will change any more."""
        return self.state in ("done", "failed", "cancelled")

    def told(self) -> dict[str, Any]:
        """State for the page."""
        return {"state": self.state, "errors": self.errors, **self.progress}

    def change(self, **values: Any) -> None:
        """Set attributes, and wake those who wait for a change."""
        for name, value in values.items():
            setattr(self, name, value)
        self.changed.set()
        self.changed = asyncio.Event()


class Jobs:
    """All runs of this server that were started and are not on disk, and their processes.

    Parameters
    ----------
    folder : RunFolder
        Where finished runs go.
    """

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self.known: dict[str, Job] = {}
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._closing = False

    def start(self, files: dict[str, Path], facts: dict[str, Any]) -> Job:
        """Start a run; ``files`` are copied into its folder under the names given."""
        job = Job(new_id(), facts)
        self.known[job.id] = job
        job.task = asyncio.create_task(self._run(job, files))
        return job

    async def cancel(self, job: Job) -> None:
        """Stop a run at once, and leave nothing of it behind."""
        if job.ended:
            return
        job.change(state="cancelled")
        _kill(job.process)
        if job.task is not None:
            if not job.began:
                job.task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await job.task
        await asyncio.to_thread(self.folder.discard, job.id)

    def end_following(self) -> None:
        """End what :meth:`follow` yields: pages that wait for news must not hold up the end of the server."""
        self._closing = True
        for job in self.known.values():
            job.change()

    async def close(self) -> None:
        """Stop all runs."""
        self.end_following()
        for job in list(self.known.values()):
            await self.cancel(job)

    async def follow(self, job: Job) -> AsyncIterator[dict[str, Any]]:
        """Yield the state now, and after every change, until the run has ended."""
        while True:
            changed, ended = job.changed, job.ended
            yield job.told()
            if ended or self._closing:
                return
            await changed.wait()

    async def _run(self, job: Job, files: dict[str, Path]) -> None:
        async with self._turns:
            if job.ended:
                return
            job.began = True
            try:
                folder = await asyncio.to_thread(self._prepare, job, files)
                if not job.ended:  # it may have been cancelled meanwhile
                    job.change(state="running")
                    await self._work(job, folder)
            except OSError as error:
                job.change(state="failed", errors=[f"The run could not be started: {error.strerror or error}."])
            if job.state == "done":
                return
            await asyncio.to_thread(self.folder.discard, job.id)

    def _prepare(self, job: Job, files: dict[str, Path]) -> Path:
        folder = self.folder.begin(job.id)
        for name, path in files.items():
            shutil.copyfile(path, folder / name)
        write_json(folder / "job.json", job.facts)
        return folder

    async def _work(self, job: Job, folder: Path) -> None:
        """Start the process, read what it tells, and put the finished run into its place."""
        with (folder / "worker.log").open("wb") as log:
            job.process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "disjoint_centroids.app.worker", str(folder)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                limit=_LINE,
                start_new_session=True,
            )
        if job.state == "cancelled":
            _kill(job.process)
        job.change(progress=job.progress | {"share": STARTED})
        assert job.process.stdout is not None
        finished = False
        async for line in job.process.stdout:
            told = json.loads(line)
            finished = finished or bool(told.get("done"))
            if "error" in told:
                job.errors = told["error"]
            elif "share" in told:
                job.change(progress=told)
        await job.process.wait()
        if job.state == "cancelled":
            return
        if not finished:
            job.change(state="failed", errors=job.errors or [_unexpected(folder, job.process.returncode)])
            return
        for name in ("job.json", "worker.log"):
            (folder / name).unlink(missing_ok=True)
        self.folder.finish(job.id)
        job.change(state="done", progress=job.progress | {"share": 1.0, "left": 0})


def _kill(process: asyncio.subprocess.Process | None) -> None:
    """Kill a process and all that it has started."""
    if process is None or process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _unexpected(folder: Path, code: int | None) -> str:
    """Sentence for a process that ended without a word."""
    log = (folder / "worker.log").read_text(encoding="utf-8", errors="replace").strip().splitlines()
    if code is not None and code < 0:
        return (
            "The run was ended by the system, most likely because memory ran out. Close other programs, or leave "
            "features out."
        )
    return f"The run ended unexpectedly ({log[-1] if log else f'exit code {code}'}). Please report this."
