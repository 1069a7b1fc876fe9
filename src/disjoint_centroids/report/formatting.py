"""Numbers as the page writes them, and as the summary holds them."""

from __future__ import annotations

import math

DIGITS = 4
_HALVES_UP = 1e-9


def percent(share: float) -> str:
    r"""Write a share as a percentage with one decimal.

    Examples
    --------
    >>> from disjoint_centroids.report.formatting import percent
    >>> percent(0.0384), percent(0.2125), percent(0.85 * 0.25)
    ('3.8\xa0%', '21.3\xa0%', '21.3\xa0%')
    """
    # Halves up, whatever the last bit says: shares of counts that are equal are written alike.
    return f"{100 * share + _HALVES_UP:.1f}\N{NO-BREAK SPACE}%"


def rounded(value: float) -> float | None:
    """Round to four significant digits; None if the number is not finite, because JSON has no NaN.

    Examples
    --------
    >>> from disjoint_centroids.report.formatting import rounded
    >>> rounded(0.123456), rounded(float("nan"))
    (0.1235, None)
    """
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None


def written(value: float | None) -> str:
    """Write a number with four significant digits, whole from a thousand on; None is empty.

    Examples
    --------
    >>> from disjoint_centroids.report.formatting import written
    >>> written(0.123456), written(12345.6), written(None)
    ('0.1235', '12346', '')
    """
    if value is None:
        return ""
    return f"{value:.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.{DIGITS}g}"
