"""Text from somebody's file, made fit to be shown: it can neither command a terminal nor flood it."""

from __future__ import annotations

import unicodedata
from typing import Any

_JOINERS = "\u200c\u200d"  # parts of emoji, and of words in Persian and Indian scripts
_COMMANDS = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories of what a terminal obeys or cannot print: controls, formats, surrogates, line ends."""


def literal(text: Any, longest: int | None = None) -> str:
    r"""Return a text as one line in which control characters are visible, cut in its middle if it is too long.

    Escape sequences, line ends, marks that turn the direction of writing around and surrogates become what Python
    writes for them, such as ``\x1b`` and ``\u202e``. Letters of all scripts and emoji stay as they are.

    Parameters
    ----------
    text : object
        What ``str`` makes of it is shown.
    longest : int, default=None
        The most characters of the answer; None: as many as there are.

    Examples
    --------
    >>> from disjoint_centroids._literal import literal
    >>> print(literal("glucose [mmol/l]\x1b[31m\n"))
    glucose [mmol/l]\x1b[31m\n
    >>> literal("abcdefghijklmnopqrstuvwxyz", 10)
    'abcdef…xyz'
    """
    line = str(text)
    if longest is not None and len(line) > longest:  # cut first: the rest need not be read
        line = _shortened(line, longest)
    if not line.isprintable():
        line = "".join(letter if _is_plain(letter) else _escaped(letter) for letter in line)
    return line if longest is None else _shortened(line, longest)


def _is_plain(letter: str) -> bool:
    return letter in _JOINERS or unicodedata.category(letter) not in _COMMANDS


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def _shortened(line: str, longest: int) -> str:
    if len(line) <= longest:
        return line
    tail = (longest - 1) // 3
    return f"{line[: longest - 1 - tail]}…{line[len(line) - tail :]}"
