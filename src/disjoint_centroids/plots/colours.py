"""Colours that colour-blind readers can tell apart, and what distinguishes classes where colours run out."""

from __future__ import annotations

from typing import Any

OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#6C6C6C")
"""Okabe and Ito's colours; the ninth class has the first colour again, and a hatch."""

HATCHES = ("", "///", "...", "xxx")
"""The second cue: one hatch for every eight classes."""

VALUES_MAP = "RdBu_r"
"""Blue below the mean, red above: safe for all common kinds of colour blindness."""

RATIOS_MAP = "PuOr"
"""Orange below one, purple above: safe as well, and not to be taken for values."""

GAPS_MAP = "PuOr_r"
"""The other way round: purple is far below, as it is far away in ratios of distances."""

INK = "#333333"


def class_colour(position: int) -> str:
    """Colour of the class at a position in ``classes_``."""
    return OKABE_ITO[position % len(OKABE_ITO)]


def bar_style(position: int) -> dict[str, Any]:
    """Style of the bars of a class; no two of the first 32 classes are alike."""
    hatch = HATCHES[position // len(OKABE_ITO) % len(HATCHES)]
    return {"facecolor": class_colour(position), "edgecolor": INK, "linewidth": 0.5, "hatch": hatch}


def ink_on(rgba: Any) -> str:
    """Choose black or white, whichever can be read on a colour."""
    red, green, blue = rgba[:3]
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"
