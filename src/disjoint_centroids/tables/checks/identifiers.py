"""Detection of the column that names the samples; unclear cases become questions to the user."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from disjoint_centroids.tables.cells.file_cells import FileCells
from disjoint_centroids.tables.checks import messages

_SAMPLE_WORDS = frozenset(
    [
        *("id", "ids", "identifier", "uid", "uuid", "mrn", "no", "nr", "num", "number", "nummer", "numero", "index"),
        *("idx", "key", "code", "barcode", "accession", "serial", "row", "rownames", "record", "entry", "unnamed"),
        *("sample", "samples", "patient", "patients", "pat", "subject", "subj", "case", "participant", "person"),
        *("individual", "proband", "donor", "animal", "mouse", "specimen", "biopsy", "observation", "obs", "study"),
        *("hospital", "probe", "patientin", "name"),
    ]
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")
_FEW = 4
_ORDERED = 6
_COMPARED = 50


class FirstColumn(Enum):
    """Kinds of a first column."""

    ids = "names of samples"
    numbers = "whole numbers that are evidently sample numbers"
    unclear = "whole numbers that may be sample numbers or a feature"
    alike = "whole numbers that are all different, as in most other columns"
    feature = "anything else"


@dataclass(frozen=True, slots=True)
class FoundIds:
    """Column that names the samples, if there is one, with problems and remarks about it."""

    column: int | None = None
    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def find_ids(
    cells: FileCells,
    *,
    target: str | None,
    drop: Collection[str] = (),
    keep: Collection[str] = (),
    only: Collection[str] | None = None,
) -> FoundIds:
    """Find the column that names the samples: the first, or the one after the labels if these come first.

    Columns that were dropped or kept, and those that a model uses (``only``), are what the user says they are.
    """
    places = [at for at, name in enumerate(cells.names) if name != target]
    at = places[0] if places else 0
    name = cells.names[at]
    if name == target or name in drop or name in keep or (only is not None and name in only):
        return FoundIds()
    kind = classify_column(cells, at)
    if kind is not FirstColumn.ids and all(cells.names[other] in drop for other in places[1:]):
        return FoundIds()  # the only feature
    if kind is FirstColumn.ids:
        # Words after the labels may be anything: they are refused, with the cure.
        return FoundIds(at) if at == 0 else FoundIds()
    if kind is FirstColumn.numbers:
        return FoundIds(at) if only is not None else FoundIds(at, remarks=(_taken(name),))
    if only is not None or kind is FirstColumn.feature:
        return FoundIds()
    if kind is FirstColumn.unclear and at == 0:
        return FoundIds(problems=(messages.sample_numbers(name),))
    return FoundIds(remarks=(_left(name),))


def _taken(name: str) -> str:
    return (
        f"the column {name!r} holds a different whole number for each sample and is taken for the sample names. If it "
        f"is a feature: keep=[{name!r}]"
    )


def _left(name: str) -> str:
    return (
        f"the column {name!r} holds a different whole number for each sample and is taken for a feature. If it numbers "
        f"the samples: sample_id={name!r}"
    )


def classify_column(cells: FileCells, column: int = 0) -> FirstColumn:
    """Classify the first column, or another one as if it were the first.

    Names of samples are words of which more than half are different (some come twice, which is then said), or
    anything in a column without a name if all are different. Whole numbers that are all different are sample numbers
    if the name of the column says so, if they count the rows, or if they have leading zeros. Numbers with decimals are
    never sample numbers.
    """
    texts = cells.text(column)
    if not texts or not all(texts):
        return FirstColumn.feature
    different, n_words = len(set(texts)), len(cells.column_words(column))
    if n_words > len(texts) / 2:
        return FirstColumn.ids if different > len(texts) / 2 else FirstColumn.feature
    if different < len(texts):
        return FirstColumn.feature
    if not cells.names[column]:
        return FirstColumn.ids
    values = whole_numbers(cells, column)
    if n_words or values is None:
        return FirstColumn.feature
    if (
        names_samples(cells.names[column])
        or _counts_rows(values)
        or any(text[0] == "0" and text != "0" for text in texts)
    ):
        return FirstColumn.numbers
    in_order = len(values) >= _ORDERED and bool((np.diff(values) > 0).all())
    return FirstColumn.alike if _others_alike(cells, column) and not in_order else FirstColumn.unclear


def numbered_columns(cells: FileCells, columns: Iterable[int]) -> list[int]:
    """Columns that hold a different whole number for each sample and have the name of a sample number."""
    return [at for at in columns if names_samples(cells.names[at]) and whole_numbers(cells, at) is not None]


def names_samples(name: str) -> bool:
    """True if every word of a name is one for samples or their numbers, as in ``PatientID`` and ``sample no.``."""
    words = _WORD.findall(name)
    return bool(words) and all(word.lower() in _SAMPLE_WORDS for word in words)


def whole_numbers(cells: FileCells, column: int) -> np.ndarray | None:
    """The column as whole numbers, if it holds one for each of several samples and all are different."""
    words = cells.words.get(column, {})
    values = cells.numbers[:, column].copy()
    for row, word in words.items():
        found = cells.rules.number(word, cells.decimal)
        values[row] = np.nan if found is None else found
    whole = len(values) > 1 and bool(np.isfinite(values).all()) and bool((values == np.round(values)).all())
    return values if whole and len(np.unique(values)) == len(values) else None


def _counts_rows(values: np.ndarray) -> bool:
    return len(values) >= _FEW and bool((np.diff(values) == 1).all())


def _others_alike(cells: FileCells, column: int) -> bool:
    """True if at least half of the other columns of numbers hold different whole numbers too, as counts do."""
    others = [at for at in range(len(cells.names)) if at != column and not cells.column_words(at)][:_COMPARED]
    return bool(others) and sum(whole_numbers(cells, at) is not None for at in others) * 2 >= len(others)
