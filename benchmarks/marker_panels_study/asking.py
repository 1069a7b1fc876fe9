"""A probe is asked for lists: in a process of its own, in its environment, on one thread."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from marker_panels_study.methods import Method
from marker_panels_study.probes.probe import ANSWER

REPOSITORY = Path(__file__).parents[2]
RIVALS_PYTHON = REPOSITORY / ".venv-markers" / "bin" / "python"
PROBES = Path(__file__).parent / "probes"

ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "NUMEXPR", "VECLIB_MAXIMUM", "POLARS")
}
PATIENCE, AT_LEAST = 6, 1800.0
"""Wall clock time over processor time after which a process that waits for something is ended, at the earliest."""

ERROR = re.compile(r"[\w.]*(Error|Exception)\b")

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers of a probe, and why some are missing (empty: none are)."""

    given: list[Answer]
    failure: str = ""

    def of(self, fold: int) -> list[Answer]:
        """Answers of one fold."""
        return [answer for answer in self.given if answer["fold"] == fold]


def python_of(method: Method) -> Path:
    """The interpreter that has the program."""
    return Path(sys.executable) if method.is_ours else RIVALS_PYTHON


def ask(method: Method, folders: Sequence[Path], sizes: tuple[int, ...], seed: int, limit: float) -> Answers:
    """Run a probe on the training parts of all folds; every fit may take ``limit`` seconds of processor time."""
    python = python_of(method)
    if not python.exists():
        return Answers([], "not installed: run make marker-panels")
    question = {
        "folders": [str(folder) for folder in folders],
        "sizes": sizes,
        "seed": seed,
        "limit": limit,
        "options": method.options,
    }
    command = [str(python), str(PROBES / method.probe), json.dumps(question)]
    environment = {**os.environ, **ONE_THREAD, "MPLBACKEND": "agg", "PYTHONWARNINGS": "ignore"}
    patience = max(PATIENCE * limit * len(sizes) * len(folders), AT_LEAST)
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=patience, check=False)
        printed, code, said = done.stdout, done.returncode, done.stderr
    except subprocess.TimeoutExpired as stopped:
        printed, code, said = _text(stopped.stdout), -signal.SIGXCPU, ""
    answers = [json.loads(line.removeprefix(ANSWER)) for line in printed.splitlines() if line.startswith(ANSWER)]
    given = [answer for answer in answers if "lists" in answer]
    if len(given) < len(answers) or code in (-signal.SIGXCPU, -signal.SIGKILL):
        return Answers(given, f"more than {limit:g} seconds")
    if code:
        return Answers(given, _error(said) or f"ended with code {code}")
    return Answers(given)


def _error(said: str) -> str:
    """The line of a traceback that names the error, whose message may have more lines; else the last line."""
    lines = [line for line in said.splitlines() if line.strip()]
    named = [line for line in lines if ERROR.match(line)]
    return (named or lines or [""])[-1][:200]


def _text(printed: str | bytes | None) -> str:
    return printed.decode(errors="replace") if isinstance(printed, bytes) else printed or ""
