"""The page ``docs/performance.md``: its words, and the sections made of their results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from machine import PACKAGES
from markdown_tables import markdown as markdown_table
from markdown_tables import wrapped

from performance.sections import SECTIONS
from performance.words import figure, seconds

MACHINE = "machine.json"

WORDS = Path(__file__).parent
"""Folder with the parts of the page that hold no figures of a run: introduction, work of a fit, other solvers."""

FIRST_START = WORDS.parent / "published" / "first_start.json"
"""What ``python benchmarks/first_start.py publish`` measured."""


def read_results(folder: Path) -> dict[str, dict[str, Any]]:
    """Read the sections measured so far: the results of each, if they are quick ones, the day and the seconds."""
    paths = {name: folder / f"{name}.json" for name in SECTIONS}
    return {name: json.loads(path.read_text(encoding="utf-8")) for name, path in paths.items() if path.exists()}


def page_text(folder: Path) -> str:
    """The page made of the results in a folder."""
    found = read_results(folder)
    sections = [
        f"## {SECTIONS[name].TITLE}\n\n{wrapped(SECTIONS[name].markdown(record['results']))}"
        for name, record in found.items()
    ]
    introduction, cost, other_solvers = (
        (WORDS / name).read_text(encoding="utf-8").rstrip()
        for name in ("introduction.md", "cost.md", "other_solvers.md")
    )
    return (
        "\n\n".join(
            [introduction, *sections, wrapped(_first_start()), cost, other_solvers, wrapped(_machine(folder, found))]
        )
        + "\n"
    )


def write_page(folder: Path, page: Path, images: Path) -> Path:
    """Write the page and its pictures; where the page is."""
    for name, record in read_results(folder).items():
        SECTIONS[name].picture(record["results"], images)
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(page_text(folder), encoding="utf-8")
    return page


def _first_start() -> str:
    record = json.loads(FIRST_START.read_text(encoding="utf-8"))
    starts, about = record["starts"], record["machine"]
    rows = [
        [
            f"`ndc {command}`",
            f"{figure(first['processor'])} s",
            f"{figure(second['processor'])} s",
            f"{figure(first['elapsed'])} s, {figure(second['elapsed'])} s",
            str(first["compiled"]),
        ]
        for command, (first, second) in ((command, start.values()) for command, start in starts.items())
    ]
    header = ["command", "first start", "second start", "elapsed, first and second", "compiled functions"]
    most = max(start["first"]["processor"] - start["second"]["processor"] for start in starts.values())
    return f"""## The first start after an installation

Compiled code is kept on disk: what a command needs is compiled when it first runs, and a bar shows it. The table has
processor seconds of every command on a small table (178 wines), with an empty folder of compiled code and once more.
The first start takes at most {figure(most)} s more than the second. Elapsed times depend on what else the machine did
(here other programs ran on both cores).

{markdown_table(header, rows)}

`ndc compare` and `ndc report` compile what all the methods need that they run.

`python benchmarks/first_start.py publish` made this table on {about["processor"]} with Python {about["Python"]} and
numba {about["numba"]}; `make first-start` prints one for your machine. If neither the installation nor the home folder
can be written to, compiled code is kept in a folder of your own among the temporary files, or where `NUMBA_CACHE_DIR`
says."""


def _machine(folder: Path, found: dict[str, dict[str, Any]]) -> str:
    about = json.loads((folder / MACHINE).read_text(encoding="utf-8"))
    versions = ", ".join(f"{package} {about[package]}" for package in PACKAGES if package in about)
    taken = sum(record["seconds"] for record in found.values())
    by_day: dict[str, list[str]] = {}
    for name, record in found.items():
        by_day.setdefault(record["measured"], []).append(f"*{SECTIONS[name].TITLE}*")
    days = "; ".join(f"{', '.join(titles)} on {day}" for day, titles in sorted(by_day.items()))
    return f"""## The machine, and how to run it again

{about["processor"]}, {about["cores"]} cores, shared; {about["system"]}, Python {about["Python"]}, {versions}.

`make benchmarks` takes {seconds(taken)} there. Its sections can be measured one by one, and were, each in one run:
{days}. Only the versions of the last run are named above. It can be stopped at any time and continues with the section
it was in. `--only SECTION` measures one section; `--quick` takes small tables, to check that everything runs.
`python benchmarks/performance_page.py publish` publishes a finished run, and `page` writes this page again from the
published results."""
