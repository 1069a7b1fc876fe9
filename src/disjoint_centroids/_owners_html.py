"""A small HTML table of who owns what, for notebooks. Names come from somebody's file: they are escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

_NAMES_SHOWN = 8
_NAME_LENGTH = 60
_CLASSES_SHOWN = 30
_CELL = "padding: 0.2em 0.7em; text-align: left; vertical-align: top"


def owners_html(owned: Sequence[tuple[Any, Sequence[Any]]], n_unused: int) -> str:
    """Write the features of each class as an HTML table.

    Parameters
    ----------
    owned : sequence of (label, names)
        The features of each class, the first ones first.
    n_unused : int
        Number of features that are not used.

    Returns
    -------
    str
        A ``table`` element.

    Examples
    --------
    >>> from disjoint_centroids._owners_html import owners_html
    >>> "&lt;b&gt;" in owners_html([("<b>", ["x", "y"])], n_unused=3)
    True
    """
    rows = [_row(_shown(label), len(names), _listed(names)) for label, names in owned[:_CLASSES_SHOWN]]
    if len(owned) > _CLASSES_SHOWN:
        rest = sum(len(names) for _, names in owned[_CLASSES_SHOWN:])
        rows.append(_row(f"<i>{len(owned) - _CLASSES_SHOWN} more classes</i>", rest, ""))
    rows.append(_row("<i>not used</i>", n_unused, ""))
    head = "".join(f'<th scope="col" style="{_CELL}">{word}</th>' for word in ("class", "features", "names"))
    caption = '<caption style="text-align: left">Features that each class owns</caption>'
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _row(label: str, number: int, names: str) -> str:
    cells = f'<td style="{_CELL}">{number}</td><td style="{_CELL}">{names}</td>'
    return f'<tr><th scope="row" style="{_CELL}">{label}</th>{cells}</tr>'


def _shown(name: Any) -> str:
    text = str(name)
    return escape(text if len(text) <= _NAME_LENGTH else f"{text[: _NAME_LENGTH - 1]}…")


def _listed(names: Sequence[Any]) -> str:
    words = ", ".join(map(_shown, names[:_NAMES_SHOWN]))
    left = len(names) - _NAMES_SHOWN
    return f"{words} and {left} more" if left > 0 else words
