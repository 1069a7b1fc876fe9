"""Parts that all probes share: the training part is read, fits are timed one by one, their lists are printed as JSON.

A probe is a program of its own, in an environment that has the program to be measured and need not have this package.
"""

from __future__ import annotations

import json
import math
import resource
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

ANSWER = "answer: "
"""First word of a line that is an answer; whatever else a program prints is its own affair."""

FOR_ALL_SIZES = None


@dataclass(frozen=True, slots=True)
class Part:
    """A training part with classes 0 … k - 1, new samples, and the numbers of markers per class, increasing."""

    values: np.ndarray
    codes: np.ndarray
    new: np.ndarray
    sizes: tuple[int, ...]
    seed: int
    options: dict[str, Any]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.codes.max()) + 1

    @property
    def names(self) -> list[str]:
        """Names of the columns: g0, g1 and so on."""
        return [f"g{column}" for column in range(self.values.shape[1])]

    @property
    def depth(self) -> int:
        """Markers per class that a ranking should have, so that no class runs short where lists overlap."""
        return min(self.values.shape[1], 20 * self.sizes[-1])

    def total(self, size: int) -> int:
        """Markers in all, for programs that know no markers of a class."""
        return min(self.n_classes * size, self.values.shape[1])

    def cells(self) -> Any:
        """Samples as AnnData; classes are in ``obs["kind"]``, as c00, c01 and so on."""
        import anndata
        import pandas as pd

        cells = anndata.AnnData(self.values)
        cells.var_names = self.names
        kinds = [f"c{code:02d}" for code in range(self.n_classes)]
        cells.obs["kind"] = pd.Categorical.from_codes(self.codes, kinds)
        return cells


def columns(names: Any) -> list[int]:
    """Columns of names as ``Part.names`` gives them."""
    return [int(str(name)[1:]) for name in names if str(name).startswith("g")]


@dataclass(frozen=True, slots=True)
class Found:
    """Answer of a fit: one list per class, best first, or one order for all, for one size or for all of them.

    ``predicted`` has class codes for the new samples, if the program predicts.
    """

    lists: list[list[int]] | list[int]
    size: int | None = FOR_ALL_SIZES
    predicted: list[int] | None = None


def run(fits: Callable[[Part], Iterator[Found]]) -> None:
    """Answer the question on the command line: one line for every fit, with processor seconds and peak memory.

    All folds are answered by one process, so that libraries are loaded once. A size that takes too long is not tried
    again on later folds, nor are larger ones.
    """
    question = json.loads(sys.argv[1])
    warnings.simplefilter("ignore")  # of programs of others, about each other
    signal.signal(signal.SIGXCPU, _stop)
    sizes = tuple(question["sizes"])
    for fold, folder in enumerate(question["folders"]):
        values, codes, new = (np.load(Path(folder) / f"{name}.npy") for name in ("values", "codes", "new"))
        part = Part(values, codes, new, sizes, question["seed"], question["options"])
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins again at what is in use now
        answered: list[int] = []
        try:
            for found, seconds in _timed(fits(part), question["limit"]):
                answered += sizes if found.size is None else (found.size,)
                _say({**asdict(found), "fold": fold, "seconds": seconds, "peak": _peak()})
        except OutOfTimeError:
            _say({"fold": fold, "out_of_time": True})
            sizes = tuple(answered)
        if not sizes:
            return


class OutOfTimeError(Exception):
    """A fit has used up its processor time."""


def _stop(*_: Any) -> None:
    _allow(resource.RLIM_INFINITY)  # else the system says it again every second
    raise OutOfTimeError


def _allow(seconds: int) -> None:
    """Let the system send a signal when this process has used so much processor time."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _say(answer: dict[str, Any]) -> None:
    print(f"{ANSWER}{json.dumps(answer)}", flush=True)


def _timed(fits: Iterator[Found], limit: float) -> Iterator[tuple[Found, float]]:
    """Fits with their processor seconds; one that takes more than ``limit`` is stopped."""
    while True:
        began = time.process_time()
        _allow(math.ceil(began + limit))
        found = next(fits, None)
        if found is None:
            return
        yield found, time.process_time() - began


def _peak() -> int:
    status = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
