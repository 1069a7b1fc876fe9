"""Messages of the library in the words of the app: parameters become words, and cures become buttons."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from disjoint_centroids._spoken import SpokenParameter, spoken_parameters
from disjoint_centroids.app.question import DIRECTIONS, READS, RULES

_TOGETHER = re.compile(r" |, and ")
_SWITCHED_OFF = re.compile(r"leave out $", re.IGNORECASE)
_INNER = str.maketrans("“”", "\u2018\u2019")
"""Quotation marks within others."""
_GIVE, _LEAVE_OUT = re.compile(r"\bgive $"), re.compile(r"\bleave\b[^.]*\bout: $")


class Cure(NamedTuple):
    """A button: its words, and the settings that it changes."""

    label: str
    changes: dict[str, Any]


def _columns(names: Iterable[str]) -> str:
    names = list(names)
    return f"the column “{names[0]}”" if len(names) == 1 else f"these {len(names)} columns"


_TRANSFORMS = {
    "log2": "Take the logarithm (log2)",
    "log1p": "Take the logarithm of 1 + value (log1p)",
    "standardize": "Standardise the columns",
    "log2-standardize": "Take the logarithm and standardise",
}
_IMPUTE = {"median": "Fill in the median", "knn": "Fill in from similar samples"}
_LIMITS = {"half": "Use half of the limit", "limit": "Use the limit itself", "missing": "Treat them as missing"}
_BUTTONS: dict[str, Callable[[Any], str]] = {
    "target": lambda name: f"Labels are in “{name}”",
    "sample_id": lambda name: f"“{name}” names the samples",
    "features_in_rows": lambda on: "Rows are features" if on else "Rows are samples",
    "sheet": lambda name: f"Read the sheet “{name}”",
    "skip_rows": lambda n: "Skip the first row" if n == 1 else f"Skip the first {n} rows",
    "na_values": lambda cells: f"{', '.join(f'“{cell}”' for cell in cells)}: a missing value",
    "limits": lambda kind: _LIMITS.get(kind, kind),
    "unlabelled": lambda _: "Leave out samples without a label",
    "merge_labels": lambda on: "They are one class" if on else "They are different classes",
    "drop": lambda names: f"Leave out {_columns(names)}",
    "keep": lambda names: f"“{names[0]}” is a feature",
    "impute": lambda kind: _IMPUTE.get(kind, kind),
    "transform": lambda kind: _TRANSFORMS.get(kind, kind),
    "missing": lambda _: "Use the features that are there",
}
_FILLING = {"median": "the median", "knn": "values of similar samples"}
"""Ways to fill in, in a sentence, which reads better if it does not name the buttons."""
_PLACEHOLDERS = {
    "target": "“Labels”",
    "sample_id": "“Sample names”",
    "labels": "“Choose the file of labels”",
    "batch": "“Batches”",
    "drop": "“Leave out”",
    "confidence": "the choice of a confidence",
}
_CHOSEN = {"rule": RULES, "reads": READS, "direction": DIRECTIONS | {"any": DIRECTIONS[""]}}
"""Choices of the form, by parameter and value."""
_FIELDS = {
    "rule": "Between candidates choose",
    "reads": "The score of a class uses",
    "max_features_per_class": "Features per class, at most",
    "min_features_per_class": "Features per class, at least",
    "max_features": "Features in all, at most",
    "direction": "In its class, a feature is",
    "detection": "Its mean in its class is",
    "costs": "Prices of the features",
    "feature_costs": "Prices of the features",
    "budget": "Budget for all features",
    "require": "Features that must be used",
    "forced": "Features that must be used",
    "exclude": "Features that must not be used",
    "excluded": "Features that must not be used",
    "allow": "Only these features may be used",
    "allowed": "Only these features may be used",
    "allow_file": "File of the features that may be used",
    "exclude_file": "File of the features that must not be used",
    "extend": "List to extend",
    "to": "Features in all, with the list",
    "batch": "Batches",
}
"""Parameters that are fields of the form, by their titles there."""
LISTS = ("drop", "keep", "na_values")
"""Settings to which a cure adds."""


def cures_of(message: str) -> list[Cure]:
    """Find the cures that a message names, each as a button; parameters that stand together are one.

    Examples
    --------
    >>> from disjoint_centroids.app.words import cures_of
    >>> [cure.label for cure in cures_of("Fill them in with impute='median', or leave columns out: drop=['g1']")]
    ['Fill in the median', 'Leave out the column “g1”']
    >>> cures_of("Then give features_in_rows=True target='class'")[0].changes
    {'features_in_rows': True, 'target': 'class'}
    """
    found: list[Cure] = []
    end = None
    for spoken in spoken_parameters(message):
        if spoken.name not in _BUTTONS or spoken.value in (None, []):
            end = None
            continue
        value = _meant(spoken, message)
        cure = Cure(_BUTTONS[spoken.name](value), {spoken.name: value})
        if end is not None and _TOGETHER.fullmatch(message[end : spoken.span[0]]):
            before = found.pop()
            cure = Cure(f"{before.label}; {cure.label[0].lower()}{cure.label[1:]}", before.changes | cure.changes)
        found.append(cure)
        end = spoken.span[1]
    return list({cure.label: cure for cure in found}.values())


def _meant(spoken: SpokenParameter, message: str) -> Any:
    """Value that a cure asks for: "leave out features_in_rows=True" asks for the opposite."""
    off = isinstance(spoken.value, bool) and _SWITCHED_OFF.search(message[: spoken.span[0]])
    return not spoken.value if off else spoken.value


def in_words(message: str) -> str:
    """Write a message of the library without parameters; a sentence begins with a capital letter.

    Examples
    --------
    >>> from disjoint_centroids.app.words import in_words
    >>> in_words("nothing says which column holds the labels. Name it: target=NAME")
    'Nothing says which column holds the labels. Name it: “Labels”'
    >>> in_words("Then give features_in_rows=True target='class'")
    'Then choose “Rows are features” and “Labels are in ‘class’”'
    """
    text, end = "", 0
    for spoken in spoken_parameters(message):
        between, end = message[end : spoken.span[0]], spoken.span[1]
        if between == " " and text:
            between = " and "
        word = _word(spoken)
        if spoken.name == "drop" and spoken.value and _LEAVE_OUT.search(between):
            word = ", ".join(f"“{name}”" for name in spoken.value)
        elif spoken.name in _BUTTONS and word.startswith("“"):
            between = _GIVE.sub("choose ", between)
        text += between + word
    text += message[end:]
    return text[:1].upper() + text[1:]


def _word(spoken: SpokenParameter) -> str:
    name = f"“{_FIELDS[spoken.name]}”" if spoken.name in _FIELDS else spoken.name.replace("_", " ")
    if spoken.value in (None, []):
        return _PLACEHOLDERS.get(spoken.name, name)
    if spoken.value in _CHOSEN.get(spoken.name, ()):
        return f"“{_CHOSEN[spoken.name][spoken.value]}”"
    if spoken.name == "impute" and spoken.value in _FILLING:
        return _FILLING[spoken.value]
    if spoken.name in _BUTTONS:
        return f"“{_BUTTONS[spoken.name](spoken.value).translate(_INNER)}”"
    value = ", ".join(map(str, spoken.value)) if isinstance(spoken.value, list) else spoken.value
    return f"{name} {value}"


def error_in_words(error: BaseException, names: Mapping[str, str] | None = None) -> list[str]:
    """Write an error as sentences; ``names`` stand in for paths, which are the server's affair."""
    problems = getattr(error, "problems", None) or [str(error) or type(error).__name__]
    if isinstance(error, MemoryError):
        problems = ["There is not enough memory for this table. Close other programs, or give fewer features."]
    for path, name in (names or {}).items():
        problems = [problem.replace(path, f"“{name}”") for problem in problems]
    return [in_words(problem) for problem in problems]
