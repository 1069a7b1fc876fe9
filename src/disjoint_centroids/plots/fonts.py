"""Fonts for names in any script, and numbers in the place of letters that no installed font has."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from disjoint_centroids._listed import listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PREFERRED = (
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Noto Sans CJK KR",
    "Noto Sans CJK TC",
    "Noto Sans JP",
    "Noto Sans SC",
    "Noto Sans KR",
    "Source Han Sans",
    "Hiragino Sans",
    "PingFang SC",
    "Apple SD Gothic Neo",
    "Yu Gothic",
    "Meiryo",
    "Microsoft YaHei",
    "Malgun Gothic",
    "IPAexGothic",
    "WenQuanYi Zen Hei",
    "NanumGothic",
    "Arial Unicode MS",
    "Droid Sans Fallback",
)
"""Looked into first, in this order: fonts for Chinese, Japanese and Korean that systems come with."""
_UPRIGHT = (400, 500, "normal", "regular", "medium", "book")
_NO_LETTERS = "Last Resort"  # boxes that name the block of Unicode


def show_every_name(figure: Figure) -> None:
    """Add installed fonts to a figure that have the letters which its own font lacks.

    Where no installed font has them, a run of such letters is drawn as a number in brackets, and one warning says
    which number stands for what. Call it last, when all texts are there.

    Parameters
    ----------
    figure : matplotlib Figure
        Changed in place.
    """
    from matplotlib.text import Text

    texts = [text for text in figure.findobj(Text) if not text.get_text().isascii()]
    if not texts:
        return
    lacking = frozenset().union(*(_lacking(text) for text in texts))
    if not lacking:
        return
    families = _families_with(lacking)
    missing = lacking.difference(*(_letters(family) for family in families))
    for text in texts:
        text.set_fontfamily([*text.get_fontfamily(), *families])
    if missing:
        _write_numbers(figure, texts, missing)


def _lacking(text: Any) -> frozenset[str]:
    """Letters of a text that its own fonts do not have."""
    known = frozenset().union(*(_letters(family) for family in text.get_fontfamily()))
    return frozenset(letter for letter in text.get_text() if not letter.isspace()) - known


def _families_with(wanted: frozenset[str]) -> list[str]:
    """Installed families that together have as many of the wanted letters as can be, as few as possible."""
    from matplotlib import font_manager

    files = {
        font.name: font.fname
        for font in font_manager.fontManager.ttflist
        if font.style == "normal" and font.weight in _UPRIGHT and not font.name.startswith(_NO_LETTERS)
    }
    chosen = []
    for family in [name for name in PREFERRED if name in files] + sorted(set(files).difference(PREFERRED)):
        if not wanted:
            break
        if found := wanted & _letters_in(files[family]):
            chosen.append(family)
            wanted -= found
    return chosen


def _letters(family: str) -> frozenset[str]:
    """Letters that a family can draw."""
    from matplotlib import font_manager

    wanted = font_manager.FontProperties(family=[family])
    try:
        return _letters_in(font_manager.findfont(wanted, fallback_to_default=False))
    except ValueError:  # not installed
        return frozenset()


@lru_cache(maxsize=512)
def _letters_in(file: str) -> frozenset[str]:
    """Letters that a font file can draw; none if it cannot be read or holds pictures instead of outlines."""
    from matplotlib import font_manager

    try:
        font = font_manager.get_font(file)
    except (OSError, RuntimeError, ValueError):
        return frozenset()
    return frozenset(map(chr, font.get_charmap())) if font.scalable else frozenset()


def _write_numbers(figure: Figure, texts: Iterable[Any], missing: frozenset[str]) -> None:
    """Draw numbers in brackets for what cannot be drawn, and say once what they stand for."""
    run = re.compile(f"[{''.join(map(re.escape, sorted(missing)))}]+")
    numbers: dict[str, int] = {}

    def numbered(text: str) -> str:
        return run.sub(lambda found: f"[{numbers.setdefault(found[0], len(numbers) + 1)}]", text)

    _replace_texts(figure, texts, numbered)
    key = [f"[{number}] = {name}" for name, number in numbers.items()]
    warnings.warn(
        f"No installed font can draw some letters of the names. In the picture {listed(key)}. "
        "Install a font that has them, such as Noto Sans CJK, and draw again.",
        UserWarning,
        stacklevel=3,
    )


def _replace_texts(figure: Figure, texts: Iterable[Any], change: Callable[[str], str]) -> None:
    """Change what texts say; labels of ticks through their axis, which would write them again."""
    for axes in figure.axes:
        for axis in (axes.yaxis, axes.xaxis):
            labels = [label.get_text() for label in axis.get_majorticklabels()]
            changed = [change(label) for label in labels]
            if changed != labels:
                axis.set_ticks(axis.get_majorticklocs(), labels=changed)
    for text in texts:
        text.set_text(change(text.get_text()))
