"""Suggestions for names that are not there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence


def nearest_names(name: str, names: Iterable[str]) -> str:
    """Return a sentence with the nearest of these names, after a space; "" if none is near."""
    near = _near(name, list(dict.fromkeys(names)))
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""


def nearest_to_each(unknown: Sequence[str], names: Iterable[str], shown: int = 5) -> str:
    """Return a sentence with the nearest name for each of the first unknown ones, after a space; "" if none is near.

    Examples
    --------
    >>> from disjoint_centroids.tables.nearest_names import nearest_to_each
    >>> nearest_to_each(["XIST", "cd19", "ms4a1"], ["CD19", "MS4A1"])
    " Did you mean 'CD19' for 'cd19', 'MS4A1' for 'ms4a1'?"
    """
    names = list(dict.fromkeys(names))
    if len(unknown) == 1:
        return nearest_names(unknown[0], names)
    found = [(name, _near(name, names)) for name in unknown[:shown]]
    pairs = [f"{near[0]!r} for {name!r}" for name, near in found if near]
    return f" Did you mean {', '.join(pairs)}?" if pairs else ""


def _near(name: str, names: list[str]) -> list[str]:
    """Names that differ in upper and lower case only; if there are none, the most similar ones."""
    same = [other for other in names if other.lower() == name.strip().lower()]
    return same or difflib.get_close_matches(name, names, n=3)
