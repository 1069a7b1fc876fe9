"""Names as people write them, made fit for a picture: short, on one line, and never read as formulas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

_INCHES_A_LETTER = 0.0085  # of DejaVu Sans, for every point of size


def shown_name(name: Any, longest: int = 24) -> str:
    """A name shortened in its middle, and safe to draw."""
    return _escaped(_shortened(_printable(name), longest))


def shown_names(names: Iterable[Any], longest: int = 24) -> list[str]:
    """Every name, shortened and safe to draw; names that would come out the same lose what they have in common."""
    texts = [_printable(name) for name in names]
    short = [_shortened(text, longest) for text in texts]
    times = Counter(short)
    for twice in (text for text, count in times.items() if count > 1):
        alike = [text for text, cut in zip(texts, short, strict=True) if cut == twice]
        begin = _same_until(min(alike), max(alike))
        if len(set(alike)) > 1:
            short = [
                _from(text, begin, longest) if cut == twice else cut for text, cut in zip(texts, short, strict=True)
            ]
    return [_escaped(text) for text in short]


def width_of(text: str, size: float) -> float:
    """About how many inches a text takes at a size in points."""
    return max(len(line) for line in text.split("\n")) * size * _INCHES_A_LETTER


def fit_side_by_side(texts: Sequence[str], inches: Sequence[float], size: float) -> bool:
    """Whether each text fits, written horizontally, into the room it has."""
    return all(width_of(text, size) <= room for text, room in zip(texts, inches, strict=True))


def _printable(name: Any) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in str(name))


def _shortened(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    tail = (longest - 1) // 2
    return f"{text[: longest - 1 - tail]}…{text[-tail:]}"


def _same_until(one: str, other: str) -> int:
    """How many letters two texts begin with alike; of the first and the last in order, how many all have alike."""
    differ = (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])
    return next(differ, min(len(one), len(other)))


def _from(text: str, begin: int, longest: int) -> str:
    """A text from where it begins to differ from others."""
    rest = text[begin:]
    return f"…{rest}" if len(rest) < longest else f"…{rest[: longest - 2]}…"


def _escaped(text: str) -> str:
    return text.replace("$", r"\$")  # matplotlib takes what is between two dollars for a formula
