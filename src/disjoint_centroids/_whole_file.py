"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

_STEM = 20  # letters of the target's name in that of the unfinished file: names may be as long as a disk allows


def write_whole(path: Path, write: Callable[[Path], Any], *, replace: bool = True) -> None:
    """Write a file beside the target, then put it in its place; nothing is left behind if that fails.

    Parameters
    ----------
    path : pathlib.Path
        The target.
    write : callable
        Takes the path of the unfinished file, which has the ending of the target.
    replace : bool, default=True
        Replace a file that is there by then; False raises FileExistsError.

    Raises
    ------
    OSError
        The file cannot be written; ``filename`` is the target and ``strerror`` the reason.
    """
    part = unfinished(path)
    try:
        write(part)
        _flush(part)
        if replace or not os.path.lexists(path):
            part.replace(path)
            return
    except OSError as error:
        # Libraries word the error in their own way; the system's own words follow from its number.
        reason = str(error) if error.errno is None else os.strerror(error.errno)
        raise OSError(error.errno, reason, str(path)) from error
    finally:
        part.unlink(missing_ok=True)
    raise FileExistsError(f"{path} has come into being in the meantime, and was left as it is.")


def unfinished(path: Path) -> Path:
    """Path beside the target for a file that is written before it takes the place of the target."""
    # An unpredictable name, so that no link can have been put there before.
    return path.with_name(f".{path.stem[:_STEM]}.{secrets.token_hex(4)}.part{path.suffix}")


def _flush(part: Path) -> None:
    """Force the bytes to disk, so that a full disk raises an error now: some file systems notice it only then."""
    with part.open("rb+") as file:
        os.fsync(file.fileno())
