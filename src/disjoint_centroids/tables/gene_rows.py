"""The text format of the CompCancer files: a header ``GENES<TAB>label…``, then a gene a row."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from disjoint_centroids.tables.bounds import MemoryBound, read_within

_CELL_BYTES = 30


@dataclass(frozen=True, slots=True)
class GeneRows:
    """A table that was stored with a gene a row, turned so that samples are rows.

    Attributes
    ----------
    values : array of shape (n_samples, n_genes)
        The numbers.
    labels : array of shape (n_samples,)
        The class of each sample, from the header.
    genes : array of shape (n_genes,)
        Their names; a name that comes again gets ``.1``, ``.2`` …
    """

    values: np.ndarray
    labels: np.ndarray
    genes: np.ndarray


def read_gene_rows(path: str | Path) -> GeneRows:
    r"""Read a file in the CompCancer text format.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    GeneRows
        Values with samples as rows, labels, and gene names.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from disjoint_centroids.tables import read_gene_rows
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "tiny.txt"
    ...     _ = file.write_text("GENES\tA\tB\ng1\t1.5\t2\ng2\t3\t4\n")
    ...     table = read_gene_rows(file)
    >>> table.values.tolist(), table.labels.tolist(), table.genes.tolist()
    ([[1.5, 3.0], [2.0, 4.0]], ['A', 'B'], ['g1', 'g2'])
    """
    path = Path(path)
    try:
        bound = MemoryBound.of(str(path), None)
        raw = read_within(path, bound)
        bound.take(_CELL_BYTES * len(raw))
        lines = raw.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text (byte {error.start}). Save it as plain UTF-8 text.") from error
    header = lines[0].split("\t") if lines else []
    if len(header) < 2 or header[0].strip().upper() != "GENES":
        raise ValueError(
            f"{path} does not start with a header 'GENES<TAB>label<TAB>label…' but with {lines[0][:40]!r}."
            if lines
            else f"{path} is empty; a header 'GENES<TAB>label…' and a gene a row were expected."
        )
    rows = [line.split("\t") for line in lines[1:] if line.strip()]
    if not rows:
        raise ValueError(f"{path} has a header but no genes below it.")
    return GeneRows(_numbers(path, rows, len(header) - 1).T.copy(), np.asarray(header[1:]), _names(rows))


def _numbers(path: Path, rows: list[list[str]], n_samples: int) -> np.ndarray:
    values = np.empty((len(rows), n_samples))
    for at, row in enumerate(rows):
        if len(row) != n_samples + 1:
            raise ValueError(
                f"{path}, gene {row[0]!r} (row {at + 2}) has {len(row) - 1} values; "
                f"the header names {n_samples} samples."
            )
        try:
            values[at] = row[1:]
        except ValueError as error:
            raise ValueError(
                f"{path}, gene {row[0]!r} (row {at + 2}): {error}. Every value must be a number."
            ) from error
    return values


def _names(rows: list[list[str]]) -> np.ndarray:
    """Gene names without their quotes, made different where the file repeats one."""
    seen: dict[str, int] = {}
    names = []
    for row in rows:
        name = row[0].strip().strip('"')
        again = seen.get(name, 0)
        seen[name] = again + 1
        names.append(f"{name}.{again}" if again else name)
    return np.asarray(names, dtype=object)
