"""A user's table: numbers with names, and labels if there are any."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True, slots=True)
class LabelledTable:
    """Samples in rows, features in columns, both named; one label per sample, if known.

    Attributes
    ----------
    values : pandas.DataFrame
        float64; the index holds the sample ids and the columns the feature names, all strings, all different. Missing
        values are NaN.
    labels : pandas.Series or None
        Strings, with the index of ``values``; None for a table without labels.
    source : str
        File that the table was read from.
    batch : pandas.Series or None
        Batch (donor, plate, run) of each sample, strings with the index of ``values``; None if no column names it.
    columns : tuple of str
        Names in the file that may hold labels or batches; empty if the table was not read from one.

    Examples
    --------
    >>> import pandas as pd
    >>> from disjoint_centroids.tables import LabelledTable
    >>> values = pd.DataFrame({"g1": [1.0, 2.0]}, index=["s1", "s2"])
    >>> LabelledTable(values, pd.Series(["A", "B"], index=values.index), "tiny.csv").checksum[:8]
    'a15ebb4a'
    """

    values: pd.DataFrame
    labels: pd.Series | None
    source: str
    batch: pd.Series | None = None
    columns: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Feature names."""
        return tuple(str(name) for name in self.values.columns)

    @property
    def checksum(self) -> str:
        """sha256 of ids, names, numbers and labels: the same for the same table in another format."""
        digest = hashlib.sha256()
        labels = () if self.labels is None else tuple(self.labels)
        for names in (tuple(self.values.index), tuple(self.values.columns), labels):
            digest.update("\x1f".join(map(str, names)).encode() + b"\x1e")
        numbers = np.ascontiguousarray(self.values.to_numpy(np.float64), dtype="<f8")
        digest.update(numbers.tobytes())
        return digest.hexdigest()
