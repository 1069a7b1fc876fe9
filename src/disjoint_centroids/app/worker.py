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
from pathlib import Path
from typing import Any

_BEAT = 5.0
_SHARES = {"Reading the table": 0.03, "Fitting": 0.12, "Comparing with other methods": 0.97, "Writing the report": 1.0}
"""Share of the work that is done at the end of each stage."""


class Told:
    """Progress of a run, written as it comes.

    Stages have shares of the bar; steps of a progress bar move it within the share of the stage.
    """

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._stage, self._low, self._high = "", 0.0, 0.0
        self._lock = threading.Lock()

    def stage(self, name: str) -> None:
        """Begin a stage."""
        self._stage, self._low, self._high = name, self._high, _SHARES[name]
        self._tell(self._low, None)

    def step(self, reached: Any) -> None:
        """Move the bar within the stage: a step of a :class:`disjoint_centroids.progress.Progress`."""
        share = reached.done / max(reached.total, 1)
        if reached.label == "cross-validation" and self._stage.startswith("Comparing"):
            return  # the model on all samples is fitted once more, which takes a small part of this stage
        self._tell(self._low + (self._high - self._low) * share, reached.left)

    def _tell(self, share: float, left: float | None) -> None:
        seconds = time.monotonic() - self._began
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
    told = Told()
    told.stage("Reading the table")  # before the libraries are loaded: the bar moves at once
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    from disjoint_centroids.app.words import error_in_words

    try:
        from disjoint_centroids.app.work import do_run
        from disjoint_centroids.progress import heard_by

        with heard_by(told.step):
            do_run(folder, job, told.stage)
    except (ValueError, OSError, ImportError, MemoryError) as error:
        tell({"error": error_in_words(error, str(folder / job["file"]), job["name"])})
        return 2
    tell({"done": True})
    return 0


def _end_with_the_server() -> None:
    while sys.stdin.buffer.read(1):
        pass
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)


def _beat(folder: Path) -> None:
    from disjoint_centroids.app.runs import HEARTBEAT

    while folder.is_dir():
        (folder / HEARTBEAT).touch()
        time.sleep(_BEAT)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
