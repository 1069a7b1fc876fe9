"""Compilation of kernels by numba, which is slow to import: functions import their kernels when they run."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba

from disjoint_centroids.compilation import announce_compilations

_ANY_ORDER = {"reassoc", "nsz", "contract"}


def _stamp() -> str:
    """A word that changes with every source a kernel is made of."""
    package = Path(__file__).parents[1]
    kernels = sorted({*package.rglob("*kernels.py"), *package.rglob("kernels/*.py")})
    sources = [path.read_bytes() for path in (package / "numerics/types.py", *kernels)]
    return hashlib.sha256(b"".join(sources)).hexdigest()[:8]


_STAMP = _stamp()
announce_compilations()


def compiled(function: Callable[..., Any], *, reordered: bool | set[str] = False) -> Callable[..., Any]:
    """Compile without the GIL, and keep the result on disk.

    With ``reordered`` sums may be added up in another order than written, several terms at a time; a set names what
    else the compiler may do, as LLVM's flags.

    The result is kept in ``NUMBA_CACHE_DIR`` if that is set, beside the package or in the user's cache folder; if none
    of them can be written to, in a folder of the user's own among the temporary files. Without any of these every
    process compiles anew.
    """
    # numba trusts what it kept as long as the function's own file is the same; but kernels use constants and functions
    # of other files too, so those go into the name.
    function.__qualname__ = f"{function.__qualname__}_{_STAMP}"
    allowed = _ANY_ORDER if reordered is True else reordered
    try:
        return numba.njit(nogil=True, cache=True, fastmath=allowed)(function)
    except RuntimeError:  # no folder that numba knows of can be written to
        folder = _temporary_folder()
        if folder is None:
            return numba.njit(nogil=True, fastmath=allowed)(function)
        with _kept_in(folder):
            return numba.njit(nogil=True, cache=True, fastmath=allowed)(function)


@contextmanager
def _kept_in(folder: Path) -> Iterator[None]:
    """Let numba keep what is compiled within in a folder; functions of other packages are not affected."""
    settings: Any = numba.config  # its names are made from the environment, unknown to a type checker
    before, settings.CACHE_DIR = settings.CACHE_DIR, str(folder)
    try:
        yield
    finally:
        settings.CACHE_DIR = before


def _temporary_folder() -> Path | None:
    """A folder among the temporary files that nobody but this user can write to; None if there can be none.

    Whoever could write there could have this process execute anything: a folder of somebody else, a link, or a folder
    that others may write to is not used.
    """
    user = os.getuid() if hasattr(os, "getuid") else None  # Windows has a folder of temporary files for each user
    try:
        folder = Path(tempfile.gettempdir()) / f"disjoint-centroids-compiled-{user or 0}"
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:  # no folder for temporary files can be written to
        return None
    owned = user is None or (found.st_uid == user and not stat.S_IMODE(found.st_mode) & 0o022)
    return folder if stat.S_ISDIR(found.st_mode) and owned else None
