"""Recognition of training samples by a hash of every row, kept with the model."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

_BYTES = 8  # of a hash: two rows in a thousand million agree by chance with a probability of 3 in 100
_MANTISSA = 24  # bits, as of single precision: numbers survive other formats and the usual ways of writing them
_BLOCK = 2**20  # cells that are worked on at a time
_PERSON = b"ndc training row"


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """Hashes of the rows of a training table, over all features and over those that the model uses.

    A hash is one-way: values cannot be read off it. Whoever knows, or guesses, all values of a sample can tell whether
    it was in the table.

    Attributes
    ----------
    names, used : tuple of str
        All features of the model, and those that it uses.
    by_all, by_used : arrays of uint64
        Different hashes in ascending order.

    Examples
    --------
    >>> import pandas as pd
    >>> from disjoint_centroids.models import TrainingRows
    >>> X = pd.DataFrame({"g1": [1.0, 2.0, 3.0], "g2": [0.1, 0.2, 0.3]})
    >>> rows = TrainingRows.of(X, used=["g2"])
    >>> new = pd.DataFrame({"g2": [0.3, 0.3], "g1": [3.0, 4.0]})
    >>> rows.seen(new).tolist(), rows.seen(new[["g2"]]).tolist(), rows.seen(new[["g1"]])
    ([True, False], [True, True], None)
    """

    names: tuple[str, ...]
    used: tuple[str, ...]
    by_all: np.ndarray
    by_used: np.ndarray

    @classmethod
    def of(cls, values: pd.DataFrame, used: Iterable[str]) -> TrainingRows:
        """Hash the rows of a table; ``used`` names the features that the model uses."""
        names, used = tuple(map(str, values.columns)), tuple(map(str, used))
        return cls(names, used, *(np.unique(row_hashes(values, some)) for some in (names, used)))

    def seen(self, values: pd.DataFrame) -> np.ndarray | None:
        """True for rows that were in the training table; None if features that the model uses are not there.

        Rows are compared in all features if ``values`` has them (:meth:`compares_all`), else in those that the model
        uses.
        """
        names, known = (self.names, self.by_all) if self.compares_all(values) else (self.used, self.by_used)
        if not _has_numbers(values, names):
            return None
        return np.isin(row_hashes(values, names), known)

    def compares_all(self, values: pd.DataFrame) -> bool:
        """True if a table has all features of the model."""
        return _has_numbers(values, self.names)

    def n_compared(self, values: pd.DataFrame) -> int | None:
        """Number of features by which rows of a table are recognised; None if these are all."""
        return None if self.compares_all(values) else len(self.used)

    def packed(self) -> dict[str, str]:
        """The hashes as text, for a file."""
        return {"all": _pack(self.by_all), "used": _pack(self.by_used)}

    @classmethod
    def unpacked(cls, packed: Any, names: Iterable[str], used: Iterable[str]) -> TrainingRows:
        """Check and unpack the text of :meth:`packed`; ValueError if it is something else."""
        if not isinstance(packed, dict) or packed.keys() != {"all", "used"}:
            raise ValueError("hashes of rows come as 'all' and 'used'")
        return cls(tuple(map(str, names)), tuple(map(str, used)), _unpack(packed["all"]), _unpack(packed["used"]))


def row_hashes(values: pd.DataFrame, names: Iterable[str]) -> np.ndarray:
    """Hash the rows of a table, in the features of these names, whatever the order of columns.

    Numbers are taken in single precision (with the range of doubles), both zeros and all kinds of missing value alike.
    """
    ordered = sorted(names)
    start = hashlib.blake2b("\x1f".join(ordered).encode("utf-8", "surrogatepass"), digest_size=_BYTES, person=_PERSON)
    hashes = bytearray()
    step = max(1, _BLOCK // max(1, len(ordered)))
    columns = values.columns.get_indexer(pd.Index(ordered, dtype=object))
    for begin in range(0, len(values), step):
        block = values.iloc[begin : begin + step, columns].to_numpy(np.float64, na_value=np.nan)
        for row in _canonical(block):
            hashed = start.copy()
            hashed.update(row.tobytes())
            hashes += hashed.digest()
    return np.frombuffer(bytes(hashes), dtype="<u8")


def overlap_sentence(n_seen: int, n_samples: int, *, n_compared: int | None = None) -> str:
    """Say how many samples were in the training table; ``n_compared`` is the number of features compared, if not all.

    Examples
    --------
    >>> from disjoint_centroids.models import overlap_sentence
    >>> overlap_sentence(38, 40)
    '38 of 40 samples were in the training table'
    >>> overlap_sentence(0, 40, n_compared=6)
    'none of the 40 samples was in the training table (compared in the 6 features that the model uses)'
    """
    how_many = f"{n_seen} of {n_samples} samples were"
    if n_seen in (0, n_samples):
        how_many = f"all {n_samples} samples were" if n_seen else f"none of the {n_samples} samples was"
    by = "" if n_compared is None else f" (compared in the {n_compared} features that the model uses)"
    return f"{how_many} in the training table{by}"


def _canonical(cells: np.ndarray) -> np.ndarray:
    """Round to single precision, in the range of doubles; little-endian, rows contiguous."""
    mantissas, exponents = np.frexp(cells)
    with np.errstate(over="ignore"):
        rounded = np.ldexp(np.rint(mantissas * 2.0**_MANTISSA), exponents - _MANTISSA)
    rounded[np.isnan(cells)] = np.nan
    return np.ascontiguousarray(rounded + 0.0, dtype="<f8")  # adding zero makes minus zero plain


def _has_numbers(values: pd.DataFrame, names: Iterable[str]) -> bool:
    columns = values.columns.get_indexer(pd.Index(list(names), dtype=object))
    kinds = values.dtypes.iloc[columns]
    return bool((columns >= 0).all()) and all(pd.api.types.is_numeric_dtype(kind) for kind in kinds)


def _pack(hashes: np.ndarray) -> str:
    return base64.b64encode(hashes.astype("<u8").tobytes()).decode("ascii")


def _unpack(text: Any) -> np.ndarray:
    if not isinstance(text, str):
        raise ValueError("hashes of rows come as text")
    hashes = np.frombuffer(base64.b64decode(text, validate=True), dtype="<u8")
    if not hashes.size or (hashes[1:] <= hashes[:-1]).any():
        raise ValueError("hashes of rows are in ascending order")
    return hashes
