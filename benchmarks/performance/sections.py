"""The sections of the page, in its order."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from performance import dask_reach, growth, memory, panel_reach, panels, product_bound, rivals, sparse_tables


class Section(Protocol):
    """Names that a module needs to be a section of the page."""

    TITLE: str

    def measure(self, quick: bool) -> dict[str, Any]:
        """Results that JSON can hold; ``quick`` takes small shapes, only to see that everything runs."""

    def markdown(self, results: dict[str, Any]) -> str:
        """The section's text and tables; pictures are in ``images/``."""

    def picture(self, results: dict[str, Any], folder: Path) -> list[Path]:
        """Draw ``performance-….png`` into a folder; which files were written."""


SECTIONS: dict[str, Section] = {
    "rivals": rivals,
    "growth": growth,
    "memory": memory,
    "product-bound": product_bound,
    "sparse": sparse_tables,
    "dask": dask_reach,
    "panels": panels,
    "panel-reach": panel_reach,
}
