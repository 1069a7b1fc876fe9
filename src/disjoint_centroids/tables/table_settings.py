"""Settings for reading tables: the same for every command that reads one, and for the app."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from disjoint_centroids.tables.labelled_table import LabelledTable

_LISTED_CELL = re.compile(r"(?:[<>\u2264\u2265]=?\s*\d+,\d+|[^,])+")
_LIMITS = ("half", "limit", "missing")


@dataclass(frozen=True, slots=True)
class TableSettings:
    """Places of the parts of a table, and rules for its cells; see :func:`disjoint_centroids.tables.read_table`.

    Lists may hold several names in one text, separated by commas, as the options of ``ndc`` may.

    Examples
    --------
    >>> from disjoint_centroids.tables.table_settings import TableSettings
    >>> TableSettings(target="class", na_values=["failed,-999"]).cell_rules()
    {'na_values': ['failed', '-999']}
    """

    target: str | None = None
    labels: Path | None = None
    sample_id: str | None = None
    features_in_rows: bool = False
    sheet: str | None = None
    skip_rows: int = 0
    na_values: list[str] | None = None
    limits: str | None = None
    unlabelled: str = "error"
    merge_labels: bool | None = None
    drop: list[str] | None = None
    keep: list[str] | None = None
    impute: str | None = None
    max_memory: float | None = None

    @property
    def imputation(self) -> str | None:
        """Way to fill in missing values, as the library calls it."""
        return None if self.impute is None else str(self.impute)

    def read(
        self,
        path: Path,
        *,
        need_labels: bool = True,
        only: list[str] | None = None,
        batch: str | None = None,
        can_impute: bool = True,
    ) -> LabelledTable:
        """Read the table; an error lists all of its problems.

        ``batch`` names the column with the batches. ``can_impute=False``: no problem advises to impute.
        """
        from disjoint_centroids.tables.reading import read_table

        return read_table(
            path,
            features_in_rows=self.features_in_rows,
            sheet=self.sheet,
            skip_rows=self.skip_rows,
            impute=self.imputation,
            need_labels=need_labels,
            only=only,
            batch=batch,
            can_impute=can_impute,
            **self.common(),
        )

    def cell_rules(self) -> dict[str, Any]:
        """Rules for cells that are not numbers, as plain values; models keep them, for new tables."""
        listed = [cell for given in self.na_values or [] for cell in cells_listed(given)]
        limits = None if self.limits is None else str(self.limits)
        return ({"na_values": listed} if listed else {}) | ({"limits": limits} if limits else {})

    def for_model(self, settings: Mapping[str, Any]) -> Self:
        """Add the rules for cells of the training table to the settings for new samples, unless others are given."""
        stored = settings.get("na_values")
        na_values = self.na_values or ([str(cell) for cell in stored] if isinstance(stored, list) else None)
        given = settings.get("limits")
        limits = self.limits or (given if given in _LIMITS else None)
        return replace(self, na_values=na_values, limits=limits)

    def common(self) -> dict[str, Any]:
        """Parameters that tables in memory and on disk have in common."""
        return {
            "target": self.target,
            "labels": self.labels,
            "sample_id": self.sample_id,
            "drop": names_listed(self.drop),
            "keep": names_listed(self.keep),
            "unlabelled": str(self.unlabelled),
            "merge_labels": self.merge_labels,
            "max_memory": self.max_memory,
            **self.cell_rules(),
        }


def cells_listed(given: str) -> list[str]:
    """Split a list of cells at its commas; the decimal comma of a limit such as '<0,5' does not divide it."""
    return [cell.strip() for cell in _LISTED_CELL.findall(given) if cell.strip()]


def names_listed(given: list[str] | None) -> list[str]:
    """Split lists of names at their commas; a name with a comma stands in double quotes.

    Examples
    --------
    >>> from disjoint_centroids.tables.table_settings import names_listed
    >>> names_listed(["batch, site", '"IL-2, serum",age'])
    ['batch', 'site', 'IL-2, serum', 'age']
    """
    texts = given or []
    listed = (next(csv.reader([text], skipinitialspace=True)) if '"' in text else text.split(",") for text in texts)
    return [name.strip() for names in listed for name in names if name.strip()]


def listed_name(name: str) -> str:
    """Write a name such that :func:`names_listed` finds it again: in double quotes, if it has a comma or begins so.

    Examples
    --------
    >>> from disjoint_centroids.tables.table_settings import listed_name
    >>> listed_name("age"), listed_name("IL-2, serum")
    ('age', '"IL-2, serum"')
    """
    if "," not in name and not name.startswith('"'):
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
