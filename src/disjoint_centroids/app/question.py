"""The question that a form asks: method, numbers of features, rules and seed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from disjoint_centroids.evaluation.method_settings import MethodSettings
from disjoint_centroids.tables.table_settings import TableSettings

METHODS = {"panel": "Disjoint panels", "ndc-s": "Nearest disjoint centroids (NDC-S)", "ndc": "NDC, all features"}
TRANSFORMS = {
    "none": "As they are",
    "log2": "Logarithm (log2)",
    "log1p": "Logarithm of 1 + value (log1p)",
    "standardize": "Standardise every column",
    "log2-standardize": "Logarithm, then standardise",
}
READS = {"": "Automatic", "all": "The features of all classes", "own": "Its own features only"}
DIRECTIONS = {"": "Higher or lower", "up": "Higher than in the other classes"}
RULES = {"min": "The best in cross-validation", "1se": "Fewer features, if nearly as good"}
STABILITY, REPEATS = 100, 5
DEFAULTS = {"method": "panel", "transform": "none", "rule": "min", "seed": "0", "repeats": str(REPEATS)}
"""Fields of the form that are not empty at first."""
_SHOWN = {
    "max_features_per_class": "Features per class, at most",
    "min_features_per_class": "Features per class, at least",
    "max_features": "Features in all, at most",
    "reads": "Score uses features of",
    "direction": "Direction",
    "detection": "Means from, to",
    "exclude": "Not used",
    "require": "Must be used",
    "allow": "Only these may be used",
    "allow_file": "Only those of the file",
    "exclude_file": "Not those of the file",
    "extend": "List to extend",
    "to": "Features in all",
    "budget": "Budget",
}


@dataclass(frozen=True, slots=True)
class Question:
    """Method, numbers of features, rules and seed of a fit.

    Attributes
    ----------
    method : MethodSettings
        Classifier and its parameters.
    transform : str
        Change of scale.
    seed : int
        Of the random numbers.
    stability : int
        Fits on halves of the samples; 0 for none.
    repeats : int
        Of the cross-validation that measures the error.
    """

    method: MethodSettings = field(default_factory=MethodSettings)
    transform: str = "none"
    seed: int = 0
    stability: int = 0
    repeats: int = REPEATS

    @classmethod
    def of_form(cls, form: Mapping[str, str], files: Mapping[str, Path] | None = None) -> Question:
        """Read a form and the files that belong to it; a value that makes no sense raises a ValueError that names it.

        Examples
        --------
        >>> from disjoint_centroids.app.question import Question
        >>> question = Question.of_form({"max_features_per_class": "5", "exclude": "ACTB", "repeats": "1"})
        >>> question.method.given(), question.repeats
        ({'max_features_per_class': 5, 'exclude': ['ACTB']}, 1)
        """
        method = form.get("method", "panel")
        given: dict[str, Any] = {"rule": "1se" if form.get("rule") == "1se" and method != "ndc" else "min"}
        if method in METHODS and method != "panel":
            given["method"] = method
        else:
            given |= _panel_settings(form, files or {})
        transform = form.get("transform", "none")
        return cls(
            MethodSettings(**given),
            transform if transform in TRANSFORMS else "none",
            _whole(form, "seed", "Seed", least=0) or 0,
            STABILITY if form.get("stability") else 0,
            _whole(form, "repeats", "Repeats") or REPEATS,
        )

    def shown(self, reading: TableSettings) -> list[list[str]]:
        """Settings in words, for the list of runs."""
        method = self.method
        words = [["Method", METHODS[method.chosen]], ["Scale", TRANSFORMS[self.transform]]]
        words += [["Labels", reading.target]] if reading.target else []
        words += [["Missing values", str(reading.impute)]] if reading.impute else []
        for name, title in _SHOWN.items():
            value = getattr(method, name)
            if value not in (None, []):
                words.append([title, ", ".join(map(str, value)) if isinstance(value, list | tuple) else f"{value}"])
        words += [["Rule", RULES["1se"].lower()]] if method.rule == "1se" else []
        words += [["Repeats", str(self.repeats)]] if self.repeats != REPEATS else []
        return [*words, ["Seed", str(self.seed)]]


def _panel_settings(form: Mapping[str, str], files: Mapping[str, Path]) -> dict[str, Any]:
    """Settings of panels: sizes, and rules of the laboratory."""
    budget, costs = _number(form, "budget", "The budget", least=0.0), files.get("costs")
    extend, size = files.get("extend"), _whole(form, "to", "Features in all, with the list")
    if extend is not None and size is None:
        raise ValueError("A list to extend needs a number: how many features in all, with the list?")
    if extend is None and size is not None:
        raise ValueError("“Features in all, with the list” needs a list to extend. Choose one, or clear the number.")
    if costs is not None and budget is None:
        raise ValueError("Prices change nothing without a budget. Give a budget, or untick the file of prices.")
    if costs is None and budget is not None:
        raise ValueError("A budget needs a file of prices. Choose one, or clear the budget.")
    reads, direction = form.get("reads"), form.get("direction")
    return {
        "max_features_per_class": _whole(form, "max_features_per_class", "The most features per class"),
        "min_features_per_class": _whole(form, "min_features_per_class", "The fewest features per class"),
        "max_features": _whole(form, "max_features", "The most features in all"),
        "reads": reads if reads in ("all", "own") else None,
        "direction": "up" if direction == "up" else None,
        "detection": _window(form),
        "exclude": _lines(form.get("exclude", "")) or None,
        "require": _lines(form.get("require", "")) or None,
        "allow": _lines(form.get("allow", "")) or None,
        "budget": budget,
        "costs": costs,
        "exclude_file": files.get("exclude_file"),
        "allow_file": files.get("allow_file"),
        "extend": extend,
        "to": size,
    }


def _window(form: Mapping[str, str]) -> tuple[float, float] | None:
    low = _number(form, "detection_low", "The smallest mean")
    high = _number(form, "detection_high", "The largest mean")
    if low is None and high is None:
        return None
    window = (-math.inf if low is None else low, math.inf if high is None else high)
    if window[0] > window[1]:
        raise ValueError(f"The smallest mean ({low:g}) is above the largest ({high:g}). Exchange them.")
    return window


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _whole(form: Mapping[str, str], name: str, shown: str, *, least: int = 1) -> int | None:
    number = _number(form, name, shown)
    if number is not None and (number != int(number) or number < least):
        raise ValueError(f"{shown}: give a whole number from {least} up; got “{form[name]}”.")
    return None if number is None else int(number)


def _number(form: Mapping[str, str], name: str, shown: str, *, least: float = -math.inf) -> float | None:
    text = form.get(name, "").strip()
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"{shown}: give a number; got “{text}”.") from None
    if not math.isfinite(number) or number < least:
        wanted = f"a number from {least:g} up" if math.isfinite(least) else "a number"
        raise ValueError(f"{shown}: give {wanted}; got “{text}”.")
    return number
