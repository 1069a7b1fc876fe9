"""Names of classes, features and samples for pictures: short, on one line, and never read as formulas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from unicodedata import east_asian_width

_INCHES_A_LETTER = 0.0085  # of DejaVu Sans, for every point of size


def shown_name(name: Any, longest: int = 24) -> str:
    """Shorten a name in its middle, and escape what Matplotlib would read as a formula."""
    return _escaped(_shortened(_printable(name), longest))


def shown_names(names: Iterable[Any], longest: int = 24) -> list[str]:
    """Shorten names as :func:`told_apart` does, and escape what Matplotlib would read as a formula."""
    return [_escaped(text) for text in told_apart(names, longest)]


def told_apart(names: Iterable[Any], longest: int = 24) -> list[str]:
    """Shorten names in their middle, each to one line, so that different names stay different.

    Names that would lose what makes them different are shown from where they begin to differ, and if that is not
    enough, numbered. Letters as wide as they are high, such as Chinese ones, count twice.

    Examples
    --------
    >>> from disjoint_centroids.plots.names import told_apart
    >>> told_apart(["lymphoma, diffuse, type A of the lung", "lymphoma, diffuse, type B of the lung"], 16)
    ['…A of the lung', '…B of the lung']
    """
    given = [str(name) for name in names]
    texts = [_printable(name) for name in given]
    shown = _cut_apart(list(dict.fromkeys(texts)), longest)
    return _numbered(given, [shown[text] for text in texts], longest)


def width_of(text: str, size: float) -> float:
    """Approximate width of a text in inches, at a size in points."""
    return max(_room(line) for line in text.split("\n")) * size * _INCHES_A_LETTER


def fit_side_by_side(texts: Sequence[str], inches: Sequence[float], size: float) -> bool:
    """True if each text fits, written horizontally, into its room."""
    return all(width_of(text, size) <= room for text, room in zip(texts, inches, strict=True))


def _printable(name: Any) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in str(name))


def _room(text: str) -> int:
    """Length of a text in letters; wide ones count twice."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _start(text: str, longest: int) -> str:
    """Beginning of a text, as much as there is room for."""
    kept, room = 0, longest
    while kept < len(text) and (room := room - _room(text[kept])) >= 0:
        kept += 1
    return text[:kept]


def _shortened(text: str, longest: int) -> str:
    if _room(text) <= longest:
        return text
    tail = _start(text[::-1], (longest - 1) // 2)[::-1]
    return f"{_start(text, longest - 1 - _room(tail))}…{tail}"


def _cut_apart(texts: list[str], longest: int, begin: int | None = None) -> dict[str, str]:
    """Shorten different texts, each to another one; ``begin`` is where they begin to differ, None to keep both ends."""
    shown = {text: _shortened(text, longest) if begin is None else _from(text, begin, longest) for text in texts}
    groups: dict[str, list[str]] = {}
    for text, cut in shown.items():
        groups.setdefault(cut, []).append(text)
    for alike in groups.values():
        further = _same_until(min(alike), max(alike))
        if len(alike) > 1 and further != begin:
            shown |= _cut_apart(alike, longest, further)
    return shown


def _same_until(one: str, other: str) -> int:
    """Length of the common beginning of two texts; of the first and the last in order, that of all."""
    differ = (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])
    return next(differ, min(len(one), len(other)))


def _from(text: str, begin: int, longest: int) -> str:
    """Cut off the beginning of a text, where it does not differ from others."""
    rest = text[begin:]
    return f"…{rest}" if _room(rest) < longest else f"…{_start(rest, longest - 2)}…"


def _numbered(names: list[str], shown: list[str], longest: int) -> list[str]:
    """Add a number to shortened names that would be alike."""
    holder: dict[str, str] = {}
    result = []
    for name, text in zip(names, shown, strict=True):
        found, number = text, 1
        while holder.setdefault(found, name) != name:
            number += 1
            found = f"{_shortened(text, longest - len(f'~{number}'))}~{number}"
        result.append(found)
    return result


def _escaped(text: str) -> str:
    return text.replace("$", r"\$")  # matplotlib takes what is between two dollars for a formula
