"""First and second start of every command: what the compilation after an installation costs.

``python benchmarks/first_start.py`` runs each command twice on a small table with an empty folder of compiled code, and
prints elapsed and processor seconds of both starts, and the number of functions compiled at the first. With the names
of commands only these are run; with ``publish`` the figures go to ``docs/performance.md``. Processor seconds depend
less on what else the machine does.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

sys.path.append(str(Path(__file__).parents[1] / "paper"))
from machine import describe

from performance.page import FIRST_START as PUBLISHED

_COMMANDS = {
    "--version": "--version",
    "fit": "fit wine.csv --target cultivar --force -o panel.ndc",
    "fit --method ndc": "fit wine.csv --target cultivar --method ndc --force -o ndc.ndc",
    "fit --method ndc-s": "fit wine.csv --target cultivar --method ndc-s --force -o ndc-s.ndc",
    "fit --method ndc, 4000 columns": "fit wide.csv --target cultivar --method ndc --force -o wide.ndc",
    "fit --engine dask": "fit wine.parquet --target cultivar --engine dask --force -o dask.ndc",
    "sums": "sums wine.csv --target cultivar --force -o wine.sums",
    "predict": "predict panel.ndc wine.csv --force -o predicted.csv",
    "features": "features panel.ndc",
    "explain": "explain panel.ndc wine.csv --sample 3",
    "stability": "stability wine.csv --target cultivar --resamples 4",
    "compare": "compare wine.csv --target cultivar --repeats 1 --folds 3 --force",
    "report": "report wine.csv --target cultivar --repeats 1 --folds 3 --force -o report.html",
    "demo": "demo --output demo --force",
}


class Start(NamedTuple):
    """Elapsed and processor seconds of one start, and the functions in the folder of compiled code after it."""

    elapsed: float
    processor: float
    compiled: int


def measure_start(arguments: str, folder: Path, cache: Path) -> Start:
    """Run a command with a folder of compiled code."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    code = "from disjoint_centroids.cli import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", code, *arguments.split()], cwd=folder, env=environment, capture_output=True, text=True
    )
    elapsed, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode:
        raise RuntimeError(f"ndc {arguments} ended with {ended.returncode}:\n{ended.stderr}")
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Start(elapsed, processor, len(list(cache.rglob("*.nbc"))))


def write_tables(folder: Path) -> None:
    table, codes = load_wine(return_X_y=True, as_frame=True)
    table.insert(0, "cultivar", np.array(["A", "B", "C"])[codes])
    table.to_csv(folder / "wine.csv", index=False)
    table.to_parquet(folder / "wine.parquet", index=False)
    noise = np.random.default_rng(0).normal(size=(len(table), 4000)).round(3)
    wide = pd.DataFrame(noise, columns=[f"g{f}" for f in range(4000)])
    wide.insert(0, "cultivar", table["cultivar"])
    wide.to_csv(folder / "wide.csv", index=False)


def main(wanted: list[str]) -> None:
    published = "publish" in wanted
    wanted = [command for command in wanted if command != "publish"]
    print("| command | first start | second start | processor, first | processor, second | compiled |")
    print("|---|--:|--:|--:|--:|--:|")
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tables(folder)
        measure_start(_COMMANDS["fit"], folder, folder / "ready")  # the model of later commands
        for at, (command, arguments) in enumerate(_COMMANDS.items()):
            if wanted and command not in wanted:
                continue
            cache = folder / f"compiled-{at}"
            first, second = (measure_start(arguments, folder, cache) for _ in range(2))
            seconds = (first.elapsed, second.elapsed, first.processor, second.processor)
            print(f"| `ndc {command}` |", *(f"{value:.1f} s |" for value in seconds), f"{first.compiled} |", flush=True)
            found[command] = {"first": first._asdict(), "second": second._asdict()}
    if published:
        PUBLISHED.write_text(json.dumps({"machine": describe(), "starts": found}, indent=1), encoding="utf-8")
        print(f"{PUBLISHED} is written: python benchmarks/performance_page.py page takes it over into the page.")


if __name__ == "__main__":
    main(sys.argv[1:])
