"""Deliberate breakages of the source, and whether the tests catch them: ``make breakages``.

For every entry of ``breakage_list.py`` a copy of ``src`` is changed in one place, and the named folders of tests are
run on the copy until the first failure. Before that all these folders must pass on an unchanged copy. It can be stopped
and goes on where it was: the state file says which breakages are done, and a result counts as long as neither source
nor tests have changed. ``--against before.json`` names what an earlier run had caught and this one does not.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from breakage_list import BREAKAGES, MARKERS, Breakage

ROOT = Path(__file__).parents[1]
STATE = Path("breakages-output/state.json")
PACKAGE = "disjoint_centroids"
UNBROKEN = "unbroken source"
CAUGHT, SURVIVED = "caught", "SURVIVED"
FLOOR_PYTHON = ROOT / ".venv-floor" / "bin" / "python"
"""Interpreter that has anndata, without which the tests of markers are skipped: ``make floor-environment``."""

_LONGEST = 3600  # seconds
_FAILURE = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)


def main(arguments: list[str] | None = None) -> int:
    """Run what is not done yet, and print a table and the count; 1 if some breakage survived."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("only", nargs="*", help="words: breakages whose description or place holds one of them")
    parser.add_argument("--state", type=Path, default=STATE, help=f"what is done so far ({STATE})")
    parser.add_argument("--against", type=Path, help="state of another run, whose catches must all be here")
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 1, help="breakages at a time (one per core)")
    parser.add_argument("--trust", action="store_true", help="do not run the tests on the unchanged source first")
    parser.add_argument("--check", action="store_true", help="only check that every text is still in the source")
    options = parser.parse_args(arguments)
    check_list(BREAKAGES)
    if options.check:
        print(f"{len(BREAKAGES)} breakages, every text found once.")
        return 0
    wanted = [
        b for b in BREAKAGES if not options.only or any(word in b.what or word in b.place for word in options.only)
    ]
    state = State(options.state)
    with tempfile.TemporaryDirectory(prefix="breakages-") as scratch:
        _run(wanted, state, Path(scratch), options.at_once, trust=options.trust)
    print("\n".join(lines(wanted, state.results)))
    lost = _lost(wanted, state.results, options.against)
    if lost:
        print(f"\nLost since {options.against}:", *lost, sep="\n  ")
    return 1 if lost or any(state.results[b.what]["result"] != CAUGHT for b in wanted) else 0


class State:
    """Results by breakage, in a file: those that are about the source and the tests as they are now."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.of = _fingerprint()
        found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self.results = {what: result for what, result in found.items() if result["of"] == self.of}

    def add(self, what: str, result: dict) -> None:
        """Note a result, and write the file whole."""
        self.results[what] = result | {"of": self.of}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.results, indent=1), encoding="utf-8")
        part.replace(self.path)


def check_list(breakages: Sequence[Breakage]) -> None:
    """Stop if an entry no longer says one place of the source, or would not be Python."""
    problems = []
    if len({b.what for b in breakages}) < len(breakages):
        problems.append("two breakages have the same description")
    for breakage in breakages:
        found = _files_with(breakage, ROOT / "src")
        if [count for _, count in found] == [1]:
            compile(_broken_text(found[0][0], breakage), breakage.what, "exec")
        else:
            times = sum(count for _, count in found)
            problems.append(f"{breakage.place}: {breakage.text!r} is there {times} times, not once")
        problems += [f"{folder} is not a folder" for folder in breakage.tests if not (ROOT / folder).is_dir()]
    if problems:
        sys.exit("\n".join(["tests/breakage_list.py does not fit the source:", *problems]))


def lines(breakages: Sequence[Breakage], results: dict) -> list[str]:
    """The results as a table of Markdown, and the count."""
    rows = ["| place | breakage | result | noticed by | seconds |", "|---|---|---|---|---:|"]
    for breakage in breakages:
        found = results[breakage.what]
        rows.append(
            f"| {breakage.place} | {breakage.what} | {found['result']} | {found['by']} | {found['seconds']:.0f} |"
        )
    caught = sum(results[b.what]["result"] == CAUGHT for b in breakages)
    return [*rows, "", f"{caught} of {len(breakages)} breakages caught."]


def _fingerprint() -> str:
    """A word for all source and all tests, as they are now."""
    files = [p for folder in ("src", "tests") for p in (ROOT / folder).rglob("*") if "__pycache__" not in p.parts]
    digest = hashlib.sha256()
    for path in sorted(path for path in files if path.is_file()):
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _run(wanted: Sequence[Breakage], state: State, scratch: Path, at_once: int, *, trust: bool) -> None:
    """Run the tests on the source as it is, then on every breakage that has no result yet."""
    waiting = [breakage for breakage in wanted if breakage.what not in state.results]
    if not waiting:
        return
    whole = scratch / "unbroken"
    shutil.copytree(ROOT / "src", whole)
    folders = sorted({folder for breakage in wanted for folder in breakage.tests})
    if not trust and not set(folders) <= set(state.results.get(UNBROKEN, {"tests": []})["tests"]):
        state.add(UNBROKEN, _unbroken(whole, folders) | {"tests": folders})
    with ThreadPoolExecutor(at_once) as pool:
        jobs = {
            pool.submit(_broken, breakage, whole, scratch / str(at)): breakage for at, breakage in enumerate(waiting)
        }
        for job in as_completed(jobs):
            breakage, found = jobs[job], job.result()
            state.add(breakage.what, found)
            print(f"{found['result']:>8}  {breakage.place}: {breakage.what}  ({found['by']})", flush=True)


def _unbroken(source: Path, folders: Sequence[str]) -> dict:
    """Run the tests on an unchanged copy, which also leaves the compiled kernels there: a failure ends it all."""
    where = [sys.executable, "-c", f"import {PACKAGE}; print({PACKAGE}.__file__)"]
    imported = subprocess.run(where, cwd=ROOT, env=_environment(source), capture_output=True, text=True, check=True)
    if not Path(imported.stdout.strip()).is_relative_to(source):
        sys.exit(f"the tests would not run on the copy, but on {imported.stdout.strip()}")
    found = _tested(source, folders, "-n", "auto", "--dist", "worksteal")
    if found["result"] == CAUGHT:
        sys.exit(f"the tests fail on the source as it is: {found['by']}")
    return found


def _broken(breakage: Breakage, whole: Path, source: Path) -> dict:
    """Run the tests on a copy with one breakage in it."""
    shutil.copytree(whole, source)  # with the compiled kernels: those that use what changed are compiled anew
    ((path, _),) = _files_with(breakage, source)
    path.write_text(_broken_text(path, breakage), encoding="utf-8")
    try:
        return _tested(source, breakage.tests)
    finally:
        shutil.rmtree(source)


def _files_with(breakage: Breakage, source: Path) -> list[tuple[Path, int]]:
    """Files at the place of a breakage that hold its text, and how often."""
    place = source / PACKAGE / breakage.place
    files = [place] if place.is_file() else sorted(place.rglob("*.py"))
    counts = [(path, path.read_text(encoding="utf-8").count(breakage.text)) for path in files]
    return [(path, count) for path, count in counts if count]


def _broken_text(path: Path, breakage: Breakage) -> str:
    return path.read_text(encoding="utf-8").replace(breakage.text, breakage.broken)


def _tested(source: Path, folders: Sequence[str], *options: str) -> dict:
    python = str(FLOOR_PYTHON) if tuple(folders) == MARKERS and FLOOR_PYTHON.exists() else sys.executable
    command = [python, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *options, *folders]
    began = time.monotonic()
    done = subprocess.run(
        command, cwd=ROOT, env=_environment(source), capture_output=True, text=True, timeout=_LONGEST, check=False
    )
    failures = _FAILURE.findall(done.stdout)
    if bool(failures) == (done.returncode == 0):
        sys.exit(f"{' '.join(command)} neither passed nor failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    return {
        "result": CAUGHT if failures else SURVIVED,
        "by": failures[0] if failures else "nothing",
        "seconds": time.monotonic() - began,
    }


def _environment(source: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(source)}


def _lost(wanted: Sequence[Breakage], results: dict, against: Path | None) -> list[str]:
    """Breakages that another run caught and this one did not."""
    before = {} if against is None else json.loads(against.read_text(encoding="utf-8"))
    return [
        breakage.what
        for breakage in wanted
        if before.get(breakage.what, {}).get("result") == CAUGHT and results[breakage.what]["result"] != CAUGHT
    ]


if __name__ == "__main__":
    sys.exit(main())
