"""Sets of classes as text, from which the set can be read back whatever the classes are called."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

SEPARATOR = ";"
"""Between the classes of a set."""

_QUOTE = '"'
_QUOTED = (SEPARATOR, _QUOTE, "\n", "\r")


def set_as_text(classes: Iterable[Any]) -> str:
    """Write a set of classes as text, as the commands do in CSV, TSV and Excel files.

    Parameters
    ----------
    classes : iterable
        Class labels.

    Returns
    -------
    str
        The labels with ``;`` between them, the empty text for the empty set. A label that holds ``;``, a double quote
        or a line break, or that is empty, stands in double quotes, with its own double quotes doubled: the rule of CSV
        files.

    See Also
    --------
    set_from_text : The way back.

    Examples
    --------
    >>> from disjoint_centroids.models import set_as_text
    >>> set_as_text(["versicolor", "virginica"]), set_as_text(["a;b"]), set_as_text([])
    ('versicolor;virginica', '"a;b"', '')
    """
    return SEPARATOR.join(_field(str(label)) for label in classes)


def set_from_text(text: str) -> tuple[str, ...]:
    """Read a set of classes that :func:`set_as_text` wrote.

    Parameters
    ----------
    text : str
        A cell of the column ``set``.

    Returns
    -------
    tuple of str
        The class labels as text.

    Examples
    --------
    >>> from disjoint_centroids.models import set_from_text
    >>> set_from_text("versicolor;virginica"), set_from_text('"a;b";c'), set_from_text("")
    (('versicolor', 'virginica'), ('a;b', 'c'), ())
    """
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=SEPARATOR, quotechar=_QUOTE, strict=True))
    return tuple(rows[0]) if rows else ()


def with_sets_as_text(answers: pd.DataFrame) -> pd.DataFrame:
    """Replace the sets in answers of ``predict_table`` by text, for formats whose cells hold numbers and text only.

    Parameters
    ----------
    answers : pandas.DataFrame
        Result of :func:`disjoint_centroids.models.prediction.predict_table`.

    Returns
    -------
    pandas.DataFrame
        The same with a text in every cell of the column ``set``; ``answers`` itself if there is no such column.

    Examples
    --------
    >>> import pandas as pd
    >>> from disjoint_centroids.models import with_sets_as_text
    >>> with_sets_as_text(pd.DataFrame({"label": ["A"], "set": [("A", "B")]}))
      label  set
    0     A  A;B
    """
    return answers.assign(set=[set_as_text(held) for held in answers["set"]]) if "set" in answers else answers


def _field(label: str) -> str:
    if label and not any(sign in label for sign in _QUOTED):
        return label
    return _QUOTE + label.replace(_QUOTE, 2 * _QUOTE) + _QUOTE
