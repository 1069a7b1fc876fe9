"""Tables and models named on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from disjoint_centroids.cli.options import Impute, Transform
from disjoint_centroids.cli.output import remark

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from disjoint_centroids.datasets import LabelledTable, Parts


@dataclass(frozen=True, slots=True)
class TableOptions:
    """Where the parts of a table are."""

    target: str | None = None
    labels: Path | None = None
    sample_id: str | None = None
    features_in_rows: bool = False
    drop: list[str] | None = None
    impute: Impute | None = None

    def read(self, path: Path, *, need_labels: bool = True, only: list[str] | None = None) -> LabelledTable:
        """Read the table, or say all that is wrong with it."""
        from disjoint_centroids.datasets import read_table

        return read_table(
            path,
            target=self.target,
            labels=self.labels,
            sample_id=self.sample_id,
            features_in_rows=self.features_in_rows,
            drop=self._dropped(),
            impute=None if self.impute is None else self.impute.value,
            need_labels=need_labels,
            only=only,
        )

    def open(self, path: Path, *, rows: int | None, need_labels: bool = True, only: list[str] | None = None) -> Parts:
        """Open a table that is not to be in memory, or say what is wrong with it."""
        from disjoint_centroids.datasets import open_parts

        if self.features_in_rows:
            raise ValueError(
                "--engine dask reads a block of samples at a time, so they must be in rows: write the table with a "
                "sample a row, or leave out --engine dask."
            )
        if self.impute is not None and need_labels:
            raise ValueError(
                f"--impute {self.impute} needs the table in memory: fill missing values in beforehand, or leave out "
                "--engine dask."
            )
        parts = open_parts(
            path,
            target=self.target,
            labels=self.labels,
            sample_id=self.sample_id,
            drop=self._dropped(),
            need_labels=need_labels,
            only=only,
            missing=self.impute is not None,
            rows=rows,
        )
        if parts.advice is not None:
            remark(parts.advice)
        return parts

    def _dropped(self) -> list[str]:
        return [name.strip() for given in self.drop or [] for name in given.split(",") if name.strip()]


def chosen_transform(transform: Transform | None, values: pd.DataFrame | np.ndarray) -> str:
    """The transform asked for; if none was, a remark on values that look like raw intensities."""
    from disjoint_centroids.datasets import raw_intensities

    if transform is not None:
        return transform.value
    advice = raw_intensities(values)
    if advice is not None:
        remark(advice)
    return "none"
