"""Lists of markers, and what can be said of them without a classifier."""

from __future__ import annotations

from typing import Any

import numpy as np

Lists = list[list[int]]
"""Columns of the markers of every class, best first; no column twice."""


def dealt(answer: dict[str, Any], size: int, values: np.ndarray, codes: np.ndarray) -> Lists:
    """Lists with ``size`` markers per class, or as many in all, from what a program answered.

    Classes take turns, and each takes the best of its own that is not taken yet: lists that overlap are read further
    down, so that all programs have the same number of different markers. An order without classes is cut, and a marker
    goes to the class in which its mean is highest.
    """
    n_classes = int(codes.max()) + 1
    found = answer["lists"]
    if found and not isinstance(found[0], list):
        means = class_means(values, codes)
        lists: Lists = [[] for _ in range(n_classes)]
        for column in found[: size * n_classes]:
            lists[int(means[:, column].argmax())].append(column)
        return lists
    return _in_turns(found, size)


def _in_turns(ranked: Lists, size: int) -> Lists:
    lists: Lists = [[] for _ in ranked]
    left = [iter(ranking) for ranking in ranked]
    taken: set[int] = set()
    for _ in range(size):
        for code, ranking in enumerate(left):
            column = next((column for column in ranking if column not in taken), None)
            if column is not None:
                lists[code].append(column)
                taken.add(column)
    return lists


def columns_of(lists: Lists) -> np.ndarray:
    """All columns, sorted."""
    return np.array(sorted(column for markers in lists for column in markers), dtype=np.intp)


def class_means(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Mean of every column in every class."""
    return _by_class(values, codes, np.mean)


def _by_class(values: np.ndarray, codes: np.ndarray, what: Any) -> np.ndarray:
    return np.array([what(values[codes == code], axis=0) for code in range(int(codes.max()) + 1)])


def on_target(lists: Lists, values: np.ndarray, codes: np.ndarray, what: Any) -> float:
    """NS-Forest's on-target fraction: of the levels of a marker in all classes, the share of its own class.

    ``what`` is the level: ``np.median`` (a marker counts 0 if no class has a level above 0, and the fraction of a class
    is the median over its markers), as NS-Forest has it by default, or ``np.mean`` (and the mean over its markers). The
    mean over classes that have markers.
    """
    fractions = []
    for code, markers in enumerate(lists):
        if markers:
            levels = _by_class(values[:, markers], codes, what)
            total = levels.sum(axis=0)
            share = np.divide(levels[code], total, out=np.zeros(len(markers)), where=total > 0)
            fractions.append(float(what(share)))
    return float(np.mean(fractions))


def most_on_target(size: int, values: np.ndarray, codes: np.ndarray) -> float:
    """The on-target fraction by medians that no lists of this size exceed on these samples.

    Every class has the markers with the largest shares of their levels in it, whatever other classes have.
    """
    levels = _by_class(values, codes, np.median)
    total = levels.sum(axis=0)
    shares = np.divide(levels, total, out=np.zeros_like(levels), where=total > 0)
    best = np.sort(shares, axis=1)[:, -size:]
    return float(np.median(best, axis=1).mean())


def off_in_its_class(lists: Lists, values: np.ndarray, codes: np.ndarray) -> float:
    """Share of the markers that are on (above zero) in a smaller share of their class than of the other samples."""
    lower = []
    for code, markers in enumerate(lists):
        is_on, inside = values[:, markers] > 0, codes == code
        lower += (is_on[inside].mean(axis=0) < is_on[~inside].mean(axis=0)).tolist()
    return float(np.mean(lower))
