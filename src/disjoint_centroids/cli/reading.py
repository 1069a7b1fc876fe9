"""Tables and models named on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from disjoint_centroids.cli.options import Impute, Transform
from disjoint_centroids.cli.output import remark

if TYPE_CHECKING:
    from disjoint_centroids.datasets import LabelledTable


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
            drop=[name.strip() for given in self.drop or [] for name in given.split(",") if name.strip()],
            impute=None if self.impute is None else self.impute.value,
            need_labels=need_labels,
            only=only,
        )


def chosen_transform(transform: Transform | None, table: LabelledTable) -> str:
    """The transform asked for; if none was, a remark on values that look like raw intensities."""
    from disjoint_centroids.datasets import raw_intensities

    if transform is not None:
        return transform.value
    advice = raw_intensities(table.values)
    if advice is not None:
        remark(advice)
    return "none"
