"""mrmr-selection: one feature after the other, by F statistic over mean correlation with those before it."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from mrmr import mrmr_classif
from probe import Found, Part, columns, run


def fits(part: Part) -> Iterator[Found]:
    """One fit for every size: a short one may be done in time where a long one is not."""
    table, labels = pd.DataFrame(part.values, columns=part.names), pd.Series(part.codes)
    for size in part.sizes:
        found = mrmr_classif(table, labels, K=part.total(size), n_jobs=1, show_progress=False)
        yield Found(columns(found), size)


if __name__ == "__main__":
    run(fits)
