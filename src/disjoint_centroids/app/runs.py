"""Runs on disk: one folder per finished run, and hidden folders for runs that are not finished."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from disjoint_centroids._whole_file import write_whole

RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")
FILES = {
    "model.ndc": "application/octet-stream",
    "report.html": "text/html",
    "lists.csv": "text/csv",
    "lists.xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "lists.gmt": "text/plain",
    "alternates.csv": "text/csv",
    "alternates.xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "list.html": "text/html",
}
"""Files of a run that can be downloaded, and their types."""
HEARTBEAT, ALIVE = "heartbeat", 60.0
"""File that is touched while a run is worked on, and the seconds after which nobody works on it any more."""
STARTED = 0.01
"""Share of the work that is done when a run has its process."""
_UNFINISHED, _DELETED = ".unfinished-", ".deleted-"


def default_folder() -> Path:
    """User data folder for runs."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", "~"))
    elif sys.platform == "darwin":
        base = Path("~/Library/Application Support")
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share")
    return base.expanduser() / "disjoint-centroids" / "runs"


def new_id() -> str:
    """Name for a run: the time, and a random part."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run.

    Attributes
    ----------
    id : str
        Its name.
    folder : pathlib.Path
        Its folder.
    facts : dict
        Contents of ``run.json``: table, settings, commands, error, date.
    """

    id: str
    folder: Path
    facts: dict[str, Any]

    def summary(self) -> dict[str, Any] | None:
        """Read the summary of the report; None for a model that was brought."""
        return self._json("summary.json")

    def page_data(self) -> dict[str, Any] | None:
        """Read what the script of the report needs."""
        return self._json("page.json")

    def files(self) -> list[str]:
        """List the files that can be downloaded."""
        return [name for name in FILES if (self.folder / name).is_file()]

    def _json(self, name: str) -> dict[str, Any] | None:
        path = self.folder / name
        found: dict[str, Any] | None = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
        return found


class RunFolder:
    """Folder with all runs.

    A run is worked on in a hidden folder, which takes its place only when everything is written.

    Parameters
    ----------
    folder : pathlib.Path
        Is made if it is not there.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder = folder.resolve()
        self._sweep()

    def begin(self, run_id: str) -> Path:
        """Make the hidden folder of a run."""
        path = self.folder / f"{_UNFINISHED}{run_id}"
        path.mkdir(mode=0o700)
        (path / HEARTBEAT).touch()
        return path

    def finish(self, run_id: str) -> None:
        """Put a run into its place."""
        path = self.folder / f"{_UNFINISHED}{run_id}"
        (path / HEARTBEAT).unlink(missing_ok=True)
        path.rename(self.folder / run_id)

    def discard(self, run_id: str) -> None:
        """Remove a run that is not finished."""
        shutil.rmtree(self.folder / f"{_UNFINISHED}{run_id}", ignore_errors=True)

    def get(self, run_id: str) -> Run | None:
        """Find a finished run; None if there is none of this name, or it cannot be read."""
        if RUN_ID.fullmatch(run_id) is None:
            return None
        folder = self.folder / run_id
        try:
            return Run(run_id, folder, json.loads((folder / "run.json").read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return None

    def all(self) -> list[Run]:
        """List the finished runs, the latest first."""
        names = sorted((path.name for path in self.folder.iterdir() if RUN_ID.fullmatch(path.name)), reverse=True)
        return [run for name in names if (run := self.get(name)) is not None]

    def delete(self, run_id: str) -> bool:
        """Delete a finished run; True if there was one."""
        run = self.get(run_id)
        if run is None:
            return False
        gone = self.folder / f"{_DELETED}{run_id}"
        run.folder.rename(gone)  # at once, or not at all
        shutil.rmtree(gone, ignore_errors=True)
        return True

    def _sweep(self) -> None:
        """Remove what killed servers have left: nobody has touched it for a while."""
        for path in self.folder.glob(f"{_UNFINISHED}*"):
            beat = path / HEARTBEAT
            last = beat.stat().st_mtime if beat.exists() else path.stat().st_mtime
            if time.time() - last > ALIVE:
                shutil.rmtree(path, ignore_errors=True)
        for path in self.folder.glob(f"{_DELETED}*"):
            shutil.rmtree(path, ignore_errors=True)


def write_json(path: Path, values: Any) -> None:
    """Write a JSON file, whole or not at all."""
    text = json.dumps(values, allow_nan=False)
    write_whole(path, lambda part: part.write_text(text, encoding="utf-8"))
