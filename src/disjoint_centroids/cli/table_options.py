"""Options for reading tables, and the tables read with them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoint_centroids.cli import options
from disjoint_centroids.cli.options import Limits, Transform, Unlabelled
from disjoint_centroids.cli.output import remark, warnings_as_remarks
from disjoint_centroids.cli.translation import in_options

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from disjoint_centroids.tables import LabelledTable, Parts

_LISTED_CELL = re.compile(r"(?:[<>\u2264\u2265]=?\s*\d+,\d+|[^,])+")


@dataclass(frozen=True, slots=True)
class TableOptions:
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

    @property
    def imputation(self) -> str | None:
        """The way to fill in missing values, as the library calls it."""
        return None if self.impute is None else self.impute.value

    def read(self, path: Path, *, need_labels: bool = True, only: list[str] | None = None) -> LabelledTable:
        """Read the table; an error lists all of its problems."""
        from disjoint_centroids.tables import read_table

        with warnings_as_remarks():
            return read_table(
                path,
                features_in_rows=self.features_in_rows,
                sheet=self.sheet,
                skip_rows=self.skip_rows,
                impute=self.imputation,
                need_labels=need_labels,
                only=only,
                **self._common(),
            )

    def open(self, path: Path, *, rows: int | None, need_labels: bool = True, only: list[str] | None = None) -> Parts:
        """Open a table that stays on disk; an error lists its problems."""
        from disjoint_centroids.tables import open_parts

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
            remark(in_options(parts.advice))
        return parts

    def first_given(self) -> str | None:
        """Name of the first option that was given, if any was."""
        for field in fields(self):
            if getattr(self, field.name) != field.default:
                return in_options(f"{field.name}=")
        return None

    def cell_rules(self) -> dict[str, Any]:
        """Rules for cells that are not numbers, as plain values; models keep them, for new tables."""
        listed = [cell for given in self.na_values or [] for cell in cells_listed(given)]
        limits = None if self.limits is None else self.limits.value
        return ({"na_values": listed} if listed else {}) | ({"limits": limits} if limits else {})

    def for_model(self, settings: Mapping[str, Any]) -> TableOptions:
        """Add the rules for cells of the training table to the options for new samples, unless others are given."""
        stored = settings.get("na_values")
        na_values = self.na_values or ([str(cell) for cell in stored] if isinstance(stored, list) else None)
        given = settings.get("limits")
        limits = self.limits or (Limits(given) if given in list(Limits) else None)
        return replace(self, na_values=na_values, limits=limits)

    def _common(self) -> dict[str, Any]:
        """Parameters that tables in memory and on disk have in common."""
        return {
            "target": self.target,
            "labels": self.labels,
            "sample_id": self.sample_id,
            "drop": _names(self.drop),
            "keep": _names(self.keep),
            "unlabelled": self.unlabelled.value,
            "merge_labels": self.merge_labels,
            "max_memory": self.max_memory,
            **self.cell_rules(),
        }

    def _refuse_in_blocks(self, *, training: bool) -> None:
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


def cells_listed(given: str) -> list[str]:
    """Split a list of cells at its commas; the decimal comma of a limit such as '<0,5' does not divide it."""
    return [cell.strip() for cell in _LISTED_CELL.findall(given) if cell.strip()]


def _names(given: list[str] | None) -> list[str]:
    return [name.strip() for names in given or [] for name in names.split(",") if name.strip()]


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
