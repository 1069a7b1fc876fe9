"""A slice of ``make fuzz``, so that it keeps working: all kinds of cases, stopped once and gone on with."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are forked")
HERE = Path(__file__).resolve().parents[1]


def fuzz(state, **numbers):
    """A run in a process of its own, for it forks."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    path = os.pathsep.join([str(HERE), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    words = [f"--{kind}={number}" for kind, number in numbers.items()]
    command = [sys.executable, "-m", "fuzz.run", "--state", str(state), *words]
    return subprocess.run(command, env=os.environ | threads | {"PYTHONPATH": path}, capture_output=True, text=True)


def test_a_slice_passes_and_a_run_goes_on_where_it_was_stopped(tmp_path):
    state = tmp_path / "state.json"
    first = fuzz(state, tables=30, models=20, commands=0)
    assert first.returncode == 0, first.stdout + first.stderr
    whole = fuzz(state, tables=40, models=30, commands=4)
    assert whole.returncode == 0, whole.stdout + whole.stderr
    counts = json.loads(state.read_text())
    for kind, number in (("tables", 40), ("models", 30), ("commands", 4)):
        assert counts[kind]["done"] == counts[kind]["answered"] + counts[kind]["refused"] == number
    assert "| tables | 40 |" in whole.stdout
    assert "| model files | 30 |" in whole.stdout
    assert counts["tables"]["refused"] > 5
    assert counts["models"]["refused"] > 5
