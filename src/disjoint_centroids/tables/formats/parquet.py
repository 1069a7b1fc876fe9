"""Parquet files, read whole."""

from __future__ import annotations

from pathlib import Path

from disjoint_centroids.tables.cells.file_cells import FileCells, cells_of_frame
from disjoint_centroids.tables.formats.opening import check_signature, first_bytes, library_errors, needs_package
from disjoint_centroids.tables.formats.wanted import Wanted
from disjoint_centroids.tables.memory.bounds import MemoryBound
from disjoint_centroids.tables.memory.parquet_bounds import columns_of_text, reserve_whole_file


def read_parquet(path: Path, wanted: Wanted, bound: MemoryBound) -> FileCells:
    """Read all columns of a Parquet file."""
    check_signature(first_bytes(path), bound.source, own=b"PAR1")
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise needs_package(bound.source, "pyarrow", "parquet") from error
    with library_errors(bound.source, "Parquet", "Cut off or damaged: write or fetch it again."):
        with parquet.ParquetFile(path) as file:
            reserve_whole_file(path, file.metadata, bound)
            words = columns_of_text(file.schema_arrow)
        # A text that comes often is held once, as it is stored: written out, a small file could fill the memory.
        cells = cells_of_frame(parquet.read_table(path, read_dictionary=words).to_pandas())
    return cells.turned() if wanted.features_in_rows else cells
