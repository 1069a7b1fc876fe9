"""Tables and models named on the command line."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoint_centroids.cli import options
from disjoint_centroids.cli.options import Transform
from disjoint_centroids.cli.output import remark, warnings_as_remarks
from disjoint_centroids.cli.shared import Command, with_options

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from disjoint_centroids.datasets import LabelledTable, Parts


@dataclass(frozen=True, slots=True)
class TableOptions:
    """Where the parts of a table are, and how its cells are read: the options of every command that reads one."""

    target: options.Target = None
    labels: options.Labels = None
    sample_id: options.SampleId = None
    features_in_rows: options.FeaturesInRows = False
    drop: options.Drop = None
    impute: options.ImputeOption = None

    @property
    def imputation(self) -> str | None:
        """The way to fill in missing values, as the library calls it."""
        return None if self.impute is None else self.impute.value

    def read(self, path: Path, *, need_labels: bool = True, only: list[str] | None = None) -> LabelledTable:
        """Read the table, or say all that is wrong with it."""
        from disjoint_centroids.datasets import read_table

        with warnings_as_remarks():
            return read_table(
                path,
                features_in_rows=self.features_in_rows,
                impute=self.imputation,
                need_labels=need_labels,
                only=only,
                **self._common(),
            )

    def open(self, path: Path, *, rows: int | None, need_labels: bool = True, only: list[str] | None = None) -> Parts:
        """Open a table that is not to be in memory, or say what is wrong with it."""
        from disjoint_centroids.datasets import open_parts

        self._refuse_in_blocks(training=need_labels)
        with warnings_as_remarks():
            parts = open_parts(
                path,
                need_labels=need_labels,
                only=only,
                missing=self.impute is not None,
                rows=rows,
                **self._common(),
            )
        if parts.advice is not None:
            remark(parts.advice)
        return parts

    def _common(self) -> dict[str, Any]:
        """Parameters of tables in memory and on disk alike."""
        return {
            "target": self.target,
            "labels": self.labels,
            "sample_id": self.sample_id,
            "drop": _names(self.drop),
        }

    def _refuse_in_blocks(self, *, training: bool) -> None:
        if self.features_in_rows:
            raise ValueError(
                "--engine dask reads a block of samples at a time, so they must be in rows: write the table with a "
                "sample a row, or leave out --engine dask."
            )
        if self.impute is not None and training:
            raise ValueError(
                f"--impute {self.impute} needs the table in memory: fill missing values in beforehand, or leave out "
                "--engine dask."
            )


def with_table_options(*, without: Collection[str] = ()) -> Callable[[Command], Command]:
    """Give a command the options of a table; its parameter ``reading`` holds them."""
    return with_options("reading", TableOptions, without=without)


def _names(given: list[str] | None) -> list[str]:
    return [name.strip() for names in given or [] for name in names.split(",") if name.strip()]


def chosen_transform(transform: Transform | None, values: pd.DataFrame | np.ndarray) -> str:
    """The transform asked for; if none was, a remark on raw intensities, or on columns in different units."""
    from disjoint_centroids.datasets.scale import scale_advice

    if transform is not None:
        return transform.value
    advice = scale_advice(values)
    if advice is not None:
        remark(advice)
    return "none"
