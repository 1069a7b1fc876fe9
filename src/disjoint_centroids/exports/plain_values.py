"""Answers as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def json_text(answer: Any) -> str:
    """Write an answer as JSON: exact, in ASCII, null for NaN and infinity.

    Examples
    --------
    >>> from disjoint_centroids.exports.plain_values import json_text
    >>> print(json_text({"error": float("nan"), "classes": ("A", "B")}), end="")
    {
      "error": null,
      "classes": [
        "A",
        "B"
      ]
    }
    """
    return json.dumps(plain_values(answer), indent=2, allow_nan=False) + "\n"


def plain_values(value: Any) -> Any:
    """Convert to what JSON can hold: arrays and tuples as lists, NaN and infinity as None, anything unknown as text."""
    if isinstance(value, Mapping):
        return {str(name): plain_values(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain_values(part) for part in value]
    if hasattr(value, "tolist"):  # of numpy
        return plain_values(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)
