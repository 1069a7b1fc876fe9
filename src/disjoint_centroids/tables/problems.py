"""The error that lists everything that is wrong with a user's table."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LONG_WORD = re.compile(r"\S{300,}")


class TableProblems(ValueError):
    """Error of a table that cannot be used as it is; the message lists every problem found, each with its cure.

    Parameters
    ----------
    source : str
        The file.
    problems : iterable of str
        One sentence or two each: what was found, what to do.

    Examples
    --------
    >>> from disjoint_centroids.tables import TableProblems
    >>> print(TableProblems("my.csv", ["the column 'site' holds text. Drop it: drop=['site']"]))
    my.csv cannot be used: the column 'site' holds text. Drop it: drop=['site']
    """

    def __init__(self, source: str, problems: Iterable[str]) -> None:
        self.source = source
        self.problems = [_shortened(problem) for problem in problems]
        super().__init__(self._text())

    def _text(self) -> str:
        if len(self.problems) == 1:
            return f"{self.source} cannot be used: {self.problems[0]}"
        return "\n".join([f"{self.source} cannot be used:", *(f"  - {problem}" for problem in self.problems)])

    def __reduce__(self) -> tuple[type[TableProblems], tuple[str, list[str]]]:
        return type(self), (self.source, self.problems)


def _shortened(problem: str) -> str:
    """Cut names and cells of hundreds of characters down: a sentence about them must stay one."""
    return _LONG_WORD.sub(lambda word: f"{word[0][:60]}…{word[0][-10:]}", problem)
