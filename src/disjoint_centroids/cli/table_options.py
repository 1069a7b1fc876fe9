"""Options for reading tables, and the tables read with them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoint_centroids.cli import options
from disjoint_centroids.cli.options import Transform, Unlabelled
from disjoint_centroids.cli.output import remark, warnings_as_remarks
from disjoint_centroids.cli.translation import in_options
from disjoint_centroids.tables.table_settings import TableSettings

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from disjoint_centroids.tables import LabelledTable, Parts


@dataclass(frozen=True, slots=True)
class TableOptions(TableSettings):
    """Options of every command that reads a table: where its parts are, and how its cells are read."""

    target: options.Target = None
    labels: options.Labels = None
    sample_id: options.SampleId = None
    features_in_rows: options.FeaturesInRows = False
    sheet: options.Sheet = None
    skip_rows: options.SkipRows = 0
    na_values: options.NaValues = None
    limits: options.LimitsOption = None
    unlabelled: options.UnlabelledOption = Unlabelled.error
    merge_labels: options.MergeLabels = None
    drop: options.Drop = None
    keep: options.Keep = None
    impute: options.ImputeOption = None
    max_memory: options.MaxMemory = None

    def read(
        self,
        path: Path,
        *,
        need_labels: bool = True,
        only: list[str] | None = None,
        batch: str | None = None,
        can_impute: bool = True,
    ) -> LabelledTable:
        """Read the table; an error lists all of its problems, with cures that suit the command."""
        asked: dict[str, Any] = {"need_labels": need_labels, "only": only, "batch": batch, "can_impute": can_impute}
        with warnings_as_remarks():
            return TableSettings.read(self, path, **asked)

    def open(self, path: Path, *, rows: int | None, need_labels: bool = True, only: list[str] | None = None) -> Parts:
        """Open a table that stays on disk; an error lists its problems."""
        from disjoint_centroids.tables import open_parts

        self._check_fits_in_blocks(training=need_labels)
        with warnings_as_remarks():
            parts = open_parts(
                path,
                need_labels=need_labels,
                only=only,
                missing=self.impute is not None,
                rows=rows,
                **self.common(),
            )
        if parts.advice is not None:
            remark(in_options(parts.advice))
        return parts

    def first_given(self) -> str | None:
        """Name of the first option that was given, if any was."""
        for field in fields(self):
            if getattr(self, field.name) != field.default:
                return in_options(f"{field.name}=")
        return None

    def _check_fits_in_blocks(self, *, training: bool) -> None:
        if self.features_in_rows:
            raise ValueError(
                "--engine dask reads a block of samples at a time, so they must be in rows: write the table with "
                "one sample per row, or leave out --engine dask."
            )
        if self.impute is not None and training:
            raise ValueError(
                f"--impute {self.impute} needs the table in memory: fill missing values in beforehand, or leave out "
                "--engine dask."
            )
        if self.sheet is not None or self.skip_rows:
            given = "--skip-rows" if self.sheet is None else "--sheet"
            raise ValueError(
                f"{given} is for text and Excel, which --engine dask cannot read a block at a time: leave out one of "
                "the two."
            )


def chosen_transform(transform: Transform | None, values: pd.DataFrame | np.ndarray, *, units: bool = True) -> str:
    """Return the transform asked for; if none was, print a remark on raw intensities or columns in different units.

    ``units=False`` leaves out the latter, where columns are standardised anyway.
    """
    from disjoint_centroids.tables.scale import raw_intensities, scale_advice

    if transform is not None:
        return transform.value
    advice = scale_advice(values) if units else raw_intensities(values)
    if advice is not None:
        remark(in_options(advice))
    return "none"
