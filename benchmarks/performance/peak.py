"""The most memory that a process holds, told by the system and not sampled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BENCHMARKS = Path(__file__).parents[1]
_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_START_PEAK_ANEW = "5"


@contextmanager
def peak_memory() -> Iterator[list[int]]:
    """The most memory in use during the block above what was in use before it, in bytes: the list's only entry."""
    forget_peak()
    before, above = _status("VmRSS"), [0]
    yield above
    above[0] = max(peak_bytes() - before, 0)


def peak_bytes() -> int:
    """The most memory in use since the process began or ``forget_peak`` was called."""
    return _status("VmHWM")


def forget_peak() -> None:
    """Let the peak begin again at what is in use now."""
    _CLEAR.write_text(_START_PEAK_ANEW)


def _status(name: str) -> int:
    for line in _STATUS.read_text().splitlines():
        if line.startswith(f"{name}:"):
            return 1024 * int(line.split()[1])
    raise RuntimeError(f"{_STATUS} has no {name}: memory is measured on Linux only.")


def in_a_fresh_process(module: str, **question: Any) -> Any:
    """The answer of ``python -m module QUESTION``, both as JSON: what other work left behind in memory is not there."""
    paths = [str(BENCHMARKS), str(BENCHMARKS.parent / "paper"), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-m", module, json.dumps(question)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{module} failed on {question}:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])
