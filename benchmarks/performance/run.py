"""The command: measure what is not measured yet, write the page, publish."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from collections.abc import Iterable
from datetime import date
from functools import partial
from pathlib import Path

from machine import describe

from disjoint_centroids._whole_file import write_whole
from performance.page import MACHINE, read_results, write_page
from performance.sections import SECTIONS

BENCHMARKS = Path(__file__).parents[1]
OUTPUT = BENCHMARKS / "output" / "performance"
PUBLISHED = BENCHMARKS / "published" / "performance"
"""The results that docs/performance.md shows."""

DOCS = BENCHMARKS.parent / "docs"
PAGE = "performance.md"


def main(arguments: list[str] | None = None) -> None:
    asked = _parser().parse_args(arguments)
    folder = asked.output or (OUTPUT / "quick" if asked.quick else OUTPUT / "full")
    if asked.command == "publish":
        publish(folder)
    if asked.command in {"publish", "page"}:
        print(f"The page: {write_page(PUBLISHED, DOCS / PAGE, DOCS / 'images')}")
        return
    try:
        run(folder, asked.only, quick=asked.quick, redo=asked.redo)
    except KeyboardInterrupt:
        sys.exit("\nInterrupted. Nothing is lost: the same command goes on with the section it was in.")
    print(f"The page: {write_page(folder, folder / PAGE, folder / 'images')}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python benchmarks/performance_page.py", description="Speed and memory, as ratios taken side by side."
    )
    parser.add_argument(
        "command",
        nargs="?",
        default="run",
        choices=["run", "publish", "page"],
        help="run (default): measure the sections not measured yet and write the page; publish: take a finished full "
        "run over into docs/performance.md; page: write docs/performance.md again from the published results",
    )
    parser.add_argument("--quick", action="store_true", help="small shapes: only to see that everything runs")
    parser.add_argument("--only", nargs="+", default=list(SECTIONS), choices=list(SECTIONS), metavar="SECTION")
    parser.add_argument("--redo", action="store_true", help="measure again what was measured before")
    parser.add_argument("--output", type=Path, help="folder of the results (default: benchmarks/output/performance/)")
    return parser


def run(folder: Path, names: Iterable[str], *, quick: bool, redo: bool = False) -> None:
    """Measure section after section; each is on disk as soon as it is done, and not measured twice."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        path = folder / f"{name}.json"
        if path.exists() and not redo:
            print(f"{name}: measured before", flush=True)
            continue
        print(f"{name}: ", end="", flush=True)
        began = time.perf_counter()
        results = SECTIONS[name].measure(quick)
        taken = time.perf_counter() - began
        (folder / MACHINE).write_text(json.dumps(describe(), indent=1), encoding="utf-8")
        record = {"quick": quick, "measured": date.today().isoformat(), "seconds": taken, "results": results}
        text = json.dumps(record, indent=1)
        write_whole(path, partial(Path.write_text, data=text, encoding="utf-8"))
        print(f"{taken:.0f} s", flush=True)


def publish(folder: Path) -> None:
    """Take a finished full run over; an unfinished or a quick one is refused."""
    found = read_results(folder)
    missing = [name for name in SECTIONS if name not in found]
    quick = [name for name, record in found.items() if record["quick"]]
    if missing or quick:
        why = f"lacks {', '.join(missing)}" if missing else f"has quick measurements of {', '.join(quick)}"
        sys.exit(f"The run in {folder} {why}: run `make benchmarks` first (it goes on where it stopped).")
    PUBLISHED.mkdir(parents=True, exist_ok=True)
    for name in (*(f"{section}.json" for section in SECTIONS), MACHINE):
        shutil.copy(folder / name, PUBLISHED / name)
