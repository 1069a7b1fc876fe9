"""The process of a run: ``python -m disjoint_centroids.app.worker FOLDER`` does the work that ``job.json`` describes.

Progress goes to standard output, one JSON object per line. The process ends itself, with all processes that it has
started, when its standard input is closed: that is, when the server is gone.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoint_centroids.app.runs import HEARTBEAT, STARTED

if TYPE_CHECKING:
    from disjoint_centroids.progress import Reached

_BEAT, _PAUSE = 5.0, 0.1
"""Seconds between two signs of life, and the fewest between two lines about the same stage."""
_SHARES = {
    "Loading the program": 0.03,
    "Reading the table": 0.05,
    "Fitting": 0.12,
    "Judging the list": 0.97,
    "Comparing with other methods": 0.97,
    "Finding replacements": 0.985,
    "Writing the report": 1.0,
}
"""Share of the work that is done at the end of each stage."""
_LIBRARIES = ("numpy", "scipy.sparse", "pandas", "sklearn.pipeline", "numba", "disjoint_centroids.app.work")
_HALVES = "fits on halves"


class Told:
    """Progress of a run, written as it comes.

    Stages have shares of the bar; steps of a progress bar move it within the share of the stage.

    Parameters
    ----------
    halves : bool
        True if fits on halves of the samples follow the comparison; they get half of its share.
    """

    def __init__(self, *, halves: bool = False) -> None:
        self._began = time.monotonic()
        self._stage, self._low, self._high = "", STARTED, STARTED
        self._halves = halves
        self._last = ("", 0.0)

    def stage(self, name: str) -> None:
        """Begin a stage."""
        self._stage, self._low, self._high = name, self._high, _SHARES[name]
        self._tell(self._low)

    def part(self, done: int, total: int) -> None:
        """Move the bar to a part of the stage."""
        self._tell(self._low + (self._high - self._low) * done / max(total, 1))

    def step(self, reached: Reached) -> None:
        """Move the bar within the stage: a step of a :class:`disjoint_centroids.progress.Progress`."""
        if not self._stage.startswith("Comparing"):
            self.part(reached.done, reached.total)  # its time left is that of a small part of the work
            return
        if reached.label == "cross-validation":
            return  # the model on all samples is fitted once more, which takes a small part of this stage
        parts = 2 if self._halves else 1
        before = reached.total if reached.label == _HALVES else 0
        share = self._low + (self._high - self._low) * (before + reached.done) / (parts * max(reached.total, 1))
        self._tell(share, reached.left if parts == 1 or before else None)

    def _tell(self, share: float, left: float | None = None) -> None:
        seconds = time.monotonic() - self._began
        told = (self._stage, seconds)
        if told[0] == self._last[0] and told[1] - self._last[1] < _PAUSE and share < self._high:
            return  # a page that is told a hundred times a second shows nothing more
        self._last = told
        if left is None and share > 0.1:
            left = seconds * (1 - share) / share
        tell({"stage": self._stage, "share": round(share, 4), "seconds": round(seconds, 1), "left": left})


def tell(values: dict[str, Any]) -> None:
    """Write a line for the server."""
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


def main(folder: Path) -> int:
    """Do the work in a folder; 0 if it is done."""
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    threading.Thread(target=_beat, args=(folder,), daemon=True).start()
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    told = Told(halves=job["stability"] > 0)
    told.stage("Loading the program")
    for at, library in enumerate(_LIBRARIES, start=1):  # takes seconds, in which the bar moves
        import_module(library)
        told.part(at, len(_LIBRARIES))
    from disjoint_centroids.app.words import error_in_words

    told.stage("Reading the table")

    try:
        from disjoint_centroids.app.work import WORK
        from disjoint_centroids.progress import heard_by

        with heard_by(told.step):
            WORK[job["kind"]](folder, job, told.stage)
    except (ValueError, OSError, ImportError, MemoryError) as error:
        names = {job["file"]: job["name"]} | job["names"]
        tell({"error": error_in_words(error, {str(folder / file): name for file, name in names.items()})})
        return 2
    tell({"done": True})
    return 0


def _end_with_the_server() -> None:
    while os.read(0, 1):  # not sys.stdin, whose lock would be missed when the process ends
        pass
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)


def _beat(folder: Path) -> None:
    while folder.is_dir():
        (folder / HEARTBEAT).touch()
        time.sleep(_BEAT)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
