"""Options of the user that the reader of a format needs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wanted:
    """Options of the user that the reader of a format needs; see :func:`disjoint_centroids.tables.read_table`."""

    target: str | None = None
    sample_id: str | None = None
    features_in_rows: bool = False
    sheet: str | None = None
    skip_rows: int = 0
    max_memory: float | None = None
    batch: str | None = None

    @property
    def keep(self) -> Collection[str]:
        """Columns to keep as they are written."""
        return [name for name in (self.target, self.sample_id, self.batch) if name is not None]
