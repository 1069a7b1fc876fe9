"""scGeneFit with the settings of its documentation's example: constraints between centres, redundancy 0.25."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from probe import Found, Part, run
from scGeneFit.functions import get_markers


def fits(part: Part) -> Iterator[Found]:
    """One fit for every size, without classes."""
    for size in part.sizes:
        np.random.seed(part.seed)  # noqa: NPY002 - it draws its constraints from there
        labels = part.codes.tolist()
        found = get_markers(part.values, labels, part.total(size), method="centers", redundancy=0.25, verbose=False)
        yield Found([int(column) for column in found], size)


if __name__ == "__main__":
    run(fits)
