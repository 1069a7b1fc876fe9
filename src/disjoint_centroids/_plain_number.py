"""Numbers in messages, as people write them."""

from __future__ import annotations

_DIGITS = 3
_ROUNDING = 1e-12
_LONGEST = 1e9


def plain_number(value: float) -> str:
    """Write a number with three digits and without an exponent, unless it would be very long; rounding is zero.

    Examples
    --------
    >>> from disjoint_centroids._plain_number import plain_number
    >>> [plain_number(value) for value in (0.2912, 1121.4, -8.67e-19, 12, 0.00123, 2.5e12)]
    ['0.291', '1121', '0', '12', '0.00123', '2.5e+12']
    """
    number = float(value)
    if abs(number) < _ROUNDING:
        return "0"
    if 10**_DIGITS <= abs(number) < _LONGEST:
        return f"{number:.0f}"
    text = f"{number:.{_DIGITS}g}"
    return f"{number:.6f}".rstrip("0") if "e-" in text and abs(number) >= 1e-5 else text
