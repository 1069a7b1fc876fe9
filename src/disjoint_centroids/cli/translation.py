"""Messages of the library in the words of the command line: parameters become options."""

from __future__ import annotations

import ast
import re
import shlex

from disjoint_centroids._spoken import SPOKEN, TEXT
from disjoint_centroids.tables.table_settings import listed_name

_OTHER_NAMES = {
    "sample_id": "--id",
    "n_init": "--restarts",
    "n_folds": "--folds",
    "forced": "--require",
    "excluded": "--exclude",
    "allowed": "--allow",
    "feature_costs": "--costs",
}
_LISTED = ("drop", "keep")  # options whose names may stand in one text, separated by commas
_WITH_COMMAS = ("na_values", "methods")  # options that take a list as one value
_PHRASES = {
    "are read by open_parts": "are read by ndc fit and ndc predict with --engine dask",
    "give it to read_table": "leave out --engine dask",
    "open_parts": "--engine dask",
    "read the table into memory": "leave out --engine dask",
    "by DisjointPanelClassifier.fit_sums": "by 'ndc fit --from-sums'",
    "fit a DisjointPanelClassifier": "fit with --method panel",
    "; or give a folder with the sets' text files: folder=FOLDER": "",  # ndc data get has no such option
}
_SPOKEN = re.compile(rf"{SPOKEN}|(?P<phrase>{'|'.join(_PHRASES)})")


def in_options(message: str) -> str:
    """Write parameters in a message of the library as options.

    Parameters
    ----------
    message : str
        Such as an error says: a parameter is written as in a call, ``name=value``; ``name=`` alone names it.

    Returns
    -------
    str
        The same with options.

    Examples
    --------
    >>> from disjoint_centroids.cli.translation import in_options
    >>> in_options("Leave columns out: drop=['g1', 'my site'], or give merge_labels=False.")
    "Leave columns out: --drop g1 --drop 'my site', or give --no-merge-labels."
    """
    return _SPOKEN.sub(_spoken, message)


def _spoken(found: re.Match[str]) -> str:
    if found["phrase"]:
        return _PHRASES[found["phrase"]]
    if not found["name"]:
        return found[0]
    name, value = found["name"], found["value"] or ""
    option = _OTHER_NAMES.get(name, f"--{name.replace('_', '-')}")
    if value in ("True", "False", "None"):
        return f"--no-{option.removeprefix('--')}" if value == "False" else option
    words = [_typed(word, listed=name in _LISTED) for word in re.findall(rf"{TEXT}|[^\s,\[\]()]+", value)]
    if value.startswith("("):  # an option of several values
        return " ".join([option, *words])
    if name in _WITH_COMMAS:
        return f"{option} {shlex.quote(','.join(shlex.split(' '.join(words))))}" if words else option
    return " ".join(f"{option} {word}" if word != "…" else word for word in words) or option


def _typed(word: str, *, listed: bool) -> str:
    """Write one value as it is typed into a shell; a placeholder, a number or … as it is."""
    if word[0] not in "'\"":
        return word
    text = ast.literal_eval(word)
    return shlex.quote(listed_name(text) if listed else text)
