"""Compilation of kernels by numba, which is slow to import: functions import their kernels when they run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba


def _stamp() -> str:
    """A word that changes with every source a kernel is made of."""
    package = Path(__file__).parents[1]
    kernels = sorted(package.glob("centroids/kernels/*.py"))
    sources = [path.read_bytes() for path in (package / "numerics/types.py", *kernels)]
    return hashlib.sha256(b"".join(sources)).hexdigest()[:8]


_STAMP = _stamp()


def compiled(function: Callable[..., Any], *, reordered: bool = False) -> Callable[..., Any]:
    """Compile without the GIL, and keep the result on disk where there is a place for it.

    With ``reordered`` sums may be added up in another order than written, several terms at a time.
    """
    # numba trusts what it kept as long as the function's own file is the same; but kernels use constants and functions
    # of other files too, so those go into the name.
    function.__qualname__ = f"{function.__qualname__}_{_STAMP}"
    allowed = {"reassoc", "nsz", "contract"} if reordered else False
    try:
        return numba.njit(nogil=True, cache=True, fastmath=allowed)(function)
    except RuntimeError:  # neither the package nor the user's cache folder can be written to
        return numba.njit(nogil=True, fastmath=allowed)(function)
