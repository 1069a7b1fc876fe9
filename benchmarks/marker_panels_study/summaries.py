"""Results as figures: errors set by set at each size, means, and comparisons with programs that did not finish all."""

from __future__ import annotations

import numpy as np
import pandas as pd

from marker_panels_study.jobs import FOLDS, column
from marker_panels_study.methods import METHODS, SIZES
from marker_panels_study.sets import ALL
from real_data_study.summaries import Friedman, friedman


def by_set(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """One row per set, one column per program: mean over folds of a column, NaN unless all folds were finished."""
    grouped = rows.groupby(["set", "method"])[name]
    means = grouped.mean().where(grouped.count() == FOLDS)
    table = means.unstack("method")
    return table.reindex(
        index=[name for name in ALL if name in table.index], columns=[name for name in METHODS if name in table]
    )


def errors_by_size(rows: pd.DataFrame, reading: str, measure: str = "error") -> dict[int, pd.DataFrame]:
    """Errors by set and program at each size."""
    return {size: by_set(rows, column(size, measure, reading)) for size in SIZES}


def with_failures_last(errors: pd.DataFrame) -> pd.DataFrame:
    """Errors for ranks: a program that did not finish a set is behind those that did."""
    return errors.fillna(np.inf)


def common_sets(rows: pd.DataFrame, methods: list[str]) -> list[str]:
    """Sets that all of these programs finished at all sizes."""
    finished = by_set(rows, column(SIZES[-1], "markers"))[methods].notna().all(axis=1)
    for size in SIZES[:-1]:
        finished &= by_set(rows, column(size, "markers"))[methods].notna().all(axis=1)
    return [str(name) for name in finished.index[finished]]


def compared_programs(rows: pd.DataFrame) -> list[str]:
    """Programs that finished more than half of the sets at every size; means are over the sets that all of them did."""
    counts = pd.DataFrame({size: by_set(rows, column(size, "markers")).notna().sum() for size in SIZES})
    return [str(name) for name in counts.index if counts.loc[name].min() > rows["set"].nunique() / 2]


def mean_ranks(rows: pd.DataFrame, reading: str, size: int) -> Friedman:
    """Ranks of the programs over all sets."""
    return friedman(with_failures_last(errors_by_size(rows, reading)[size]))


def failures(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per set and program that did not finish all sizes there: why, and the sizes that are missing."""
    found = rows[rows["failure"] != ""].groupby(["set", "method"], sort=False)["failure"].first().reset_index()
    finished = {size: by_set(rows, column(size, "markers")).notna() for size in SIZES}
    missing = [
        [size for size in SIZES if not finished[size].loc[name, method]]
        for name, method in zip(found["set"], found["method"], strict=True)
    ]
    return found.assign(missing=missing)
