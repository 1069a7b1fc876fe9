"""Times of panel fits beside those of another version: ``python benchmarks/panel_time.py --against OLD/src``.

On four tables the default fit, which chooses everything by folds, and a panel of ten features per class. Each version
runs in a program of its own, the two take turns, and a first fit that compiles is not timed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from panel_tables import TABLES

FITS = {"default": {}, "10 per class, linear": {"rounds": 10, "terms": "linear"}}
WORK = """
import json, sys, time
import numpy as np
from disjoint_centroids import DisjointPanelClassifier
table = np.load(sys.argv[1])
X, y, options = table["X"], table["y"], json.loads(sys.argv[2])
few = np.concatenate([np.flatnonzero(y == label)[:8] for label in np.unique(y)])
DisjointPanelClassifier(random_state=0, **options).fit(X[few][:, :400], y[few])
began = time.perf_counter()
model = DisjointPanelClassifier(random_state=0, **options).fit(X, y)
print(time.perf_counter() - began, model.cv_results_["error"].min())
"""


def main(arguments: list[str] | None = None) -> None:
    """Print one line per table and fit: seconds of both versions, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, required=True, help="the folder src of the other version")
    parser.add_argument("--repeats", type=int, default=1, help="times that each fit is run (1)")
    parser.add_argument("--only", nargs="+", help="words: tables whose name holds one of them")
    asked = parser.parse_args(arguments)
    sources = {"other": asked.against.resolve(), "this": Path(__file__).parents[1] / "src"}
    with tempfile.TemporaryDirectory() as folder:
        for name, make in TABLES.items():
            if asked.only and not any(word in name for word in asked.only):
                continue
            path = Path(folder) / "table.npz"
            X, y = make()
            np.savez(path, X=X, y=np.unique(y, return_inverse=True)[1])
            for fit, options in FITS.items():
                times: dict[str, list[float]] = {version: [] for version in sources}
                for _ in range(asked.repeats):
                    for version, source in sources.items():
                        times[version].append(_seconds(path, options, source))
                other, this = (float(np.median(times[version])) for version in ("other", "this"))
                print(f"{name}, {fit}: {other:.2f} s before, {this:.2f} s now, {other / this:.1f} times", flush=True)


def _seconds(path: Path, options: dict, source: Path) -> float:
    command = [sys.executable, "-c", WORK, str(path), json.dumps(options)]
    environment = os.environ | {"PYTHONPATH": str(source)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[0])


if __name__ == "__main__":
    main()
