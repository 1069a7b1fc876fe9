"""Fits to tables that stay on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from disjoint_centroids.cli.options import Engine
from disjoint_centroids.cli.output import remark

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

    from disjoint_centroids.base import PartitionedClassifier
    from disjoint_centroids.tables import Parts


def check_engine_options(engine: Engine, chunk_rows: int | None, scheduler: str | None = None) -> None:
    """Refuse options that would change nothing for a table in memory."""
    given = "--chunk-rows" if chunk_rows is not None else "--scheduler" if scheduler is not None else None
    if engine is Engine.memory and given is not None:
        raise ValueError(f"{given} is for tables that are read a block at a time: give --engine dask, or leave it out.")


def fit_on_disk(
    classifier: PartitionedClassifier, parts: Parts, scale: str, scheduler: str | None, *, verbose: bool
) -> Pipeline:
    """Fit a model to a table that stays on disk, here or on a running cluster."""
    from disjoint_centroids.pipeline import model_pipeline
    from disjoint_centroids.rows.dask_blocks import connect, dask_array
    from disjoint_centroids.rows.streaming import fit_in_blocks

    if verbose and scale.endswith("standardize"):
        remark(f"--transform {scale} needs means and scales first: one more pass over the table.")
    model = model_pipeline(classifier, transform=scale)
    with connect(scheduler):
        return fit_in_blocks(model, parts, dask_array(parts), verbose=int(verbose))
