"""Rules by which a cell of text is a number, a missing value, or neither."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

MISSING = frozenset(
    ["", "NA", "N/A", "n/a", "na", "#N/A", "#NA", "<NA>", "NaN", "nan", "NAN", "null", "NULL", "None", "none", "?", "."]
)
"""Texts that stand for a missing number."""

MISSING_LABELS = frozenset(["", "NA", "N/A", "#N/A", "<NA>", "NaN", "nan"])
"""Texts that stand for a missing label. Fewer, because a class may well be called "None"."""

NOT_DETECTED = frozenset(
    [
        *("nd", "n.d.", "n.d", "n/d", "bdl", "bld", "blq", "bql", "lod", "<lod", "loq", "<loq", "lloq", "<lloq", "<ll"),
        *("not detected", "not determined", "undetected", "undetermined", "below detection limit", "below lod"),
    ]
)
"""Small letters of what laboratories write where nothing was detected and no limit is given."""

LIMITS = ("half", "limit", "missing")
_LIMIT = re.compile(r"([<>\u2264\u2265])\s*=?\s*(.*)")
_LONGEST_NUMBER = 1000
_LOWER = "<\u2264"


@dataclass(frozen=True, slots=True)
class CellRules:
    """Rules for the cells of one table: the user's own in addition to those that always hold.

    Attributes
    ----------
    na_values : frozenset of str
        Texts that mean a missing value.
    codes : frozenset of float
        Those of them that are numbers, such as -999.
    limits : str or None
        Numbers in the place of cells such as ``<0.5``: one of LIMITS; None if such cells are no numbers.
    """

    na_values: frozenset[str] = frozenset()
    codes: frozenset[float] = frozenset()
    limits: str | None = None

    @classmethod
    def of(cls, na_values: Iterable[str], limits: str | None) -> CellRules:
        """Make the rules from what the user gave."""
        if isinstance(na_values, str):
            raise ValueError(f"na_values is a list of texts; got the text {na_values!r}. Write [{na_values!r}].")
        if limits is not None and limits not in LIMITS:
            raise ValueError(f"limits is one of {', '.join(LIMITS)}; got {limits!r}.")
        texts = frozenset(str(text).strip() for text in na_values)
        numbers = (number(text) for text in texts)
        return cls(texts, frozenset(value for value in numbers if value is not None and value == value), limits)

    def number(self, text: str, decimal: str = ".") -> float | None:
        """Number that a cell holds; NaN if it is missing, None if it is a word."""
        text = text.strip()
        if text in self.na_values:
            return float("nan")
        value = number(text, decimal)
        if value is None and self.limits is not None and len(text) <= _LONGEST_NUMBER:
            value = self._at_limit(text, decimal)
        return float("nan") if value in self.codes else value

    def is_missing_label(self, label: str) -> bool:
        """True if a label means that there is none."""
        return label.strip() in MISSING_LABELS or label.strip() in self.na_values

    def _at_limit(self, text: str, decimal: str) -> float | None:
        if text.casefold() in NOT_DETECTED:
            return float("nan")
        sign, limit = stated_limit(text, decimal)
        if limit is None or self.limits == "missing":
            return limit if limit is None else float("nan")
        # Below a limit there is room down to zero; above one there is no end to halve.
        return limit / 2 if self.limits == "half" and sign in _LOWER else limit


def number(text: str, decimal: str = ".") -> float | None:
    """Number that a cell holds by the rules that always hold; NaN if it is missing, None if it is a word."""
    text = text.strip()
    if text in MISSING:
        return float("nan")
    if len(text) > _LONGEST_NUMBER or "_" in text:
        return None
    if decimal == ",":
        text = text.replace(",", ".")
    try:
        return float(text)
    except ValueError:
        return None


def stated_limit(text: str, decimal: str = ".") -> tuple[str, float | None]:
    """The sign and the number of a cell such as ``<0.5``; no number if it is not one."""
    found = _LIMIT.fullmatch(text.strip())
    value = number(found[2], decimal) if found else None
    if found is None or value is None or value != value:
        return "", None
    return found[1], value


def states_limit(text: str) -> bool:
    """True for what ``limits`` understands, with either decimal mark."""
    if len(text) > _LONGEST_NUMBER:
        return False
    return text.strip().casefold() in NOT_DETECTED or any(stated_limit(text, mark)[1] is not None for mark in ".,")
