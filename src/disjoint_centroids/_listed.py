"""Lists in messages: the first names, and how many more there are."""

from __future__ import annotations

from collections.abc import Iterable


def listed(items: Iterable[object], shown: int = 10, *, total: int | None = None, more: str = "more") -> str:
    """Join the first items with commas, and count the others.

    Parameters
    ----------
    items : iterable
        What is listed, written as ``str`` does.
    shown : int, default=10
        How many items are written out.
    total : int, default=None
        How many there are, if ``items`` are only the first of them.
    more : str, default="more"
        What follows the number of those that are not written out.

    Returns
    -------
    str
        One line.

    Examples
    --------
    >>> from disjoint_centroids._listed import listed
    >>> listed(["CD3D", "IL7R", "LYZ"], shown=2)
    'CD3D, IL7R and 1 more'
    """
    words = [str(item) for item in items]
    rest = (len(words) if total is None else total) - shown
    return ", ".join(words[:shown]) + (f" and {rest} {more}" if rest > 0 else "")
