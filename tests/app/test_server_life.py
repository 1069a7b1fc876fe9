"""Servers that end: killed in the middle, interrupted, or beside another one."""

import json
import os
import re
import signal
import subprocess

import pytest

from running_app import Client, RunningApp, wait_until

FINISHED = "20260101-120000-0123abcd"


@pytest.fixture
def folder(tmp_path):
    """A folder with a finished run."""
    facts = {
        "kind": "fit", "table": "done before.csv", "created": "2026-01-01T12:00:00+00:00", "n_samples": 9,
        "n_features": 4, "classes": [], "method": "panel", "error": 0.25, "low": 0.1, "high": 0.4, "n_used": 3,
        "shown": [["Method", "Disjoint panels"]], "commands": ["ndc fit"], "remarks": [], "reading": {},
    }  # fmt: skip
    (tmp_path / "runs" / FINISHED).mkdir(parents=True)
    (tmp_path / "runs" / FINISHED / "run.json").write_text(json.dumps(facts))
    return tmp_path / "runs"


@pytest.fixture
def start(folder):
    """A function that starts a server on the folder; whatever happens, it does not outlive the test."""
    started = []

    def start_one():
        started.append(RunningApp(folder))
        return started[-1]

    yield start_one
    for running in started:
        running.stop(signal.SIGKILL)


def workers_of(folder):
    """Processes that work on runs in a folder."""
    shown = subprocess.run(["ps", "-A", "-ww", "-o", "pid=,args="], capture_output=True, text=True, check=True).stdout
    return [line for line in shown.splitlines() if "app.worker" in line and str(folder) in line]


def test_a_killed_server_finds_its_finished_runs_and_no_other(server, start, folder, tables):
    table = tables["good"].read_bytes()
    first = start()
    assert first.port != server.port  # a second app finds a port of its own
    client = Client(first)
    started = client.begin(table)
    wait_until(lambda: workers_of(folder))
    assert first.unfinished()
    assert started.split("/")[-1] in client.ask("GET", "/runs").text
    first.stop(signal.SIGKILL)
    wait_until(lambda: not workers_of(folder))  # the work ends with the server

    left = first.unfinished()
    for part in left:
        os.utime(part / "heartbeat", (0, 0))  # as if a while had passed
    second = start()
    again = Client(second)
    listed = set(re.findall(r'href="/runs/([\w-]+)"', again.ask("GET", "/runs").text))
    assert listed == {FINISHED}
    assert left
    assert not second.unfinished()
    assert again.ask("GET", started).status == 404

    run = again.begin(table)
    wait_until(lambda: workers_of(folder))
    with again.following(run):  # a page is open
        said = second.stop(signal.SIGINT)  # Ctrl-C
    assert second.process.returncode == 0
    assert "Finished runs are kept" in said
    assert "Traceback" not in said
    assert "ERROR" not in said
    assert not workers_of(folder)
    assert [path.name for path in folder.iterdir()] == [FINISHED]


def test_what_another_server_works_on_is_left_alone(start, folder):
    other = folder / ".unfinished-20260101-120000-ffffffff"
    other.mkdir()
    (other / "heartbeat").touch()
    running = start()
    said = running.stop()
    assert other.is_dir()
    assert str(folder) in said
    assert running.process.returncode == 0
