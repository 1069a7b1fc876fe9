"""The command line that does what the app does, as text."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from disjoint_centroids.app.question import REPEATS
from disjoint_centroids.evaluation.method_settings import MethodSettings
from disjoint_centroids.tables.table_settings import TableSettings

_OTHER_NAMES = {"sample_id": "id"}


def option_words(settings: Any, names: Mapping[str, str] | None = None) -> list[str]:
    """Write settings as options of ``ndc``; those at their defaults are left out.

    Parameters
    ----------
    settings : dataclass
        :class:`TableSettings` or :class:`MethodSettings`.
    names : mapping of str to str, default=None
        Names of the user's for settings that are files.

    Examples
    --------
    >>> from disjoint_centroids.app.commands import option_words
    >>> from disjoint_centroids.tables.table_settings import TableSettings
    >>> option_words(TableSettings(target="my class", drop=["a", "-b"], features_in_rows=True))
    ['--target', 'my class', '--features-in-rows', '--drop', 'a', '--drop=-b']
    """
    words: list[str] = []
    for field in fields(settings):
        value = getattr(settings, field.name)
        if value == field.default or value == []:
            continue
        option = f"--{_OTHER_NAMES.get(field.name, field.name.replace('_', '-'))}"
        if isinstance(value, bool):
            words.append(option if value else f"--no-{option.removeprefix('--')}")
            continue
        if isinstance(value, tuple):
            words += [option, *map(str, value)]
            continue
        for one in value if isinstance(value, list) else [value]:
            text = (names or {}).get(field.name, one.name) if isinstance(one, Path) else f"{one}"
            words += [f"{option}={text}"] if text.startswith("-") else [option, text]
    return words


def fit_and_report(
    table: str,
    reading: TableSettings,
    method: MethodSettings,
    *,
    batch: str | None = None,
    transform: str,
    seed: int,
    stability: int = 0,
    repeats: int = REPEATS,
    names: Mapping[str, str] | None = None,
) -> list[str]:
    """Write the two commands that a run stands for."""
    common = [as_file(table), *option_words(reading, names), *_option("batch", batch)]
    common += _option("transform", transform, "none")
    wanted = option_words(method, names)
    seeded = _option("seed", seed, 0)
    judged = ["--repeats", str(repeats)] if repeats != REPEATS else []
    sure = ["--stability", str(stability)] if stability else []
    return [
        shlex.join(["ndc", "fit", *common, *wanted, *seeded, "-o", "model.ndc"]),
        shlex.join(["ndc", "report", *common, *wanted, *seeded, *judged, *sure, "-o", "report.html"]),
    ]


def evaluate_command(
    markers: str,
    table: str,
    reading: TableSettings,
    *,
    batch: str | None,
    transform: str,
    direction: str | None,
    seed: int,
    names: Mapping[str, str] | None = None,
) -> str:
    """Write the command that judges a list."""
    words = ["ndc", "evaluate", as_file(markers), as_file(table), *option_words(reading, names)]
    words += [*_option("batch", batch), *_option("transform", transform, "none"), *_option("direction", direction)]
    return shlex.join([*words, *_option("seed", seed, 0), "-o", "list.html"])


def alternates_command(
    table: str, reading: TableSettings, *, batch: str | None, names: Mapping[str, str] | None = None
) -> str:
    """Write the command that finds replacements; the model says which columns of the table it needs."""
    reading = replace(reading, drop=None, keep=None, impute=None)
    words = ["ndc", "alternates", "model.ndc", as_file(table), *option_words(reading, names), *_option("batch", batch)]
    return shlex.join([*words, "-o", "alternates.csv"])


def predict_command(table: str, reading: TableSettings, confidence: float | None, *, tolerate: bool) -> str:
    """Write the command that predicts new samples."""
    words = ["ndc", "predict", "model.ndc", as_file(table), *option_words(reading)]
    words += ["--confidence", f"{confidence:g}"] if confidence is not None else []
    words += ["--missing", "tolerate"] if tolerate else []
    return shlex.join([*words, "-o", "predicted.csv"])


def _option(name: str, value: Any, default: Any = None) -> list[str]:
    """Write an option with its value; nothing if it is at its default."""
    if value == default:
        return []
    return [f"--{name}={value}"] if str(value).startswith("-") else [f"--{name}", str(value)]


def as_file(name: str) -> str:
    """Name of a file as an argument; one that begins like an option gets its folder in front."""
    return f"./{name}" if name.startswith("-") else name
