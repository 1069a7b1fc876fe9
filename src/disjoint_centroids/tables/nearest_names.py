"""Suggestions for names that are not there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest_names(name: str, names: Iterable[str]) -> str:
    """Return a sentence with the nearest of these names, after a space; "" if none is near."""
    names = list(dict.fromkeys(names))
    same = [other for other in names if other.lower() == name.strip().lower()]
    near = same or difflib.get_close_matches(name, names, n=3)
    return f" Did you mean {' or '.join(repr(other) for other in near)}?" if near else ""
