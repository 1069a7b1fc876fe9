"""Parameters in messages of the library: cures are written as in a call, ``name=value``.

The command line writes them as options, and the app as words and buttons.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any, NamedTuple

PARAMETERS = (
    "target|labels|sample_id|features_in_rows|sheet|skip_rows|na_values|limits|unlabelled|merge_labels|drop|keep|impute|"
    "max_memory|transform|rule|rounds|terms|reads|regression|penalty|priors|max_features_per_class|max_features|feature_costs|budget|forced|excluded|lam|n_init|"
    "methods|smallest|n_folds|stability|missing|confidence|coverage|force|wheel|"
    "method|costs|require|exclude|exclude_file|restarts|refine|"
    "batch|extend|to|allow|allow_file|allowed|direction|detection|min_features_per_class"
)
TEXT = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_VALUE = rf"{TEXT}|\[(?:{TEXT}|[^'\"\]])*\]|\([-+.\w, ]*\)|True|False|None|[A-Z]+\b|\d+(?:\.\d+)?(?:e[+-]?\d+)?"
# A text in quotes that is not a value is a name of the user's, and stays as it is.
SPOKEN = rf"(?<!\w)(?:{TEXT})(?!\w)|(?<![\w/.'\"])(?P<name>{PARAMETERS})=(?P<value>{_VALUE})?(?![\w/])"
_SPOKEN = re.compile(SPOKEN)


class SpokenParameter(NamedTuple):
    """A parameter in a message: its name, its value (None if the message gives none), and where it stands."""

    name: str
    value: Any
    span: tuple[int, int]


def spoken_parameters(message: str) -> list[SpokenParameter]:
    """Find the parameters in a message.

    A list that the message cuts short with \u2026 has the names that are there.

    Examples
    --------
    >>> from disjoint_centroids._spoken import spoken_parameters
    >>> [found[:2] for found in spoken_parameters("Name it: target=NAME; or drop=['g1', 'my site', \u2026].")]
    [('target', None), ('drop', ['g1', 'my site'])]
    """
    found = (match for match in _SPOKEN.finditer(message) if match["name"])
    return [SpokenParameter(match["name"], _parsed(match["value"]), match.span()) for match in found]


def replaced_parameters(message: str, write: Callable[[SpokenParameter], str]) -> str:
    """Write every parameter in a message anew."""
    for spoken in reversed(spoken_parameters(message)):
        begin, end = spoken.span
        message = message[:begin] + write(spoken) + message[end:]
    return message


def spoken_in_summary(summary: dict[str, Any], write: Callable[[str], str]) -> dict[str, Any]:
    """Write the sentences of a report's summary anew, in place, that name parameters."""
    answer, rounds, stability = summary["answer"], summary["rounds"], summary["stability"]
    answer["notes"] = [write(note) for note in answer["notes"]]
    for warning in summary["warnings"]:
        warning["text"] = write(warning["text"])
    if rounds is not None:
        for name in ("sentence", "other_rule"):
            rounds[name] = None if rounds[name] is None else write(rounds[name])
    if stability is not None and stability["reason"] is not None:
        stability["reason"] = write(stability["reason"])
    return summary


def _parsed(value: str | None) -> Any:
    """Read a value as Python would; None for a placeholder such as NAME."""
    if value is None:
        return None
    try:
        return ast.literal_eval(re.sub(rf"({TEXT})|,?\s*\u2026", lambda found: found[1] or "", value))
    except (ValueError, SyntaxError):
        return None
