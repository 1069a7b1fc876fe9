"""The page ``docs/performance.md``: its words, and the sections made of their results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from machine import PACKAGES
from markdown_tables import wrapped

from performance.sections import SECTIONS
from performance.words import seconds

MACHINE = "machine.json"

WORDS = Path(__file__).parent
"""Folder with the parts of the page that hold no figures of a run: introduction, work of a fit, other solvers."""


def read_results(folder: Path) -> dict[str, dict[str, Any]]:
    """Read the sections measured so far: the results of each, whether they are quick ones, and the seconds it took."""
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
    return "\n\n".join([introduction, *sections, cost, other_solvers, wrapped(_machine(folder, found))]) + "\n"


def write_page(folder: Path, page: Path, images: Path) -> Path:
    """Write the page and its pictures; where the page is."""
    for name, record in read_results(folder).items():
        SECTIONS[name].picture(record["results"], images)
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(page_text(folder), encoding="utf-8")
    return page


def _machine(folder: Path, found: dict[str, dict[str, Any]]) -> str:
    about = json.loads((folder / MACHINE).read_text(encoding="utf-8"))
    versions = ", ".join(f"{package} {about[package]}" for package in PACKAGES if package in about)
    taken = sum(record["seconds"] for record in found.values())
    return f"""## The machine, and how to run it again

{about["processor"]}, {about["cores"]} cores, shared; {about["system"]}, Python {about["Python"]}, {versions}.

`make benchmarks` took {seconds(taken)} there. It can be stopped at any time and continues with the section it was in.
`--only SECTION` measures one section; `--quick` takes small tables, to check that everything runs.
`python benchmarks/performance_page.py publish` publishes a finished run, and `page` writes this page again from the
published results."""
