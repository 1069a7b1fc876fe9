"""Constraints on panels as users write them: costs, and features that must, may not or alone may be used."""

from __future__ import annotations

import csv
import io
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disjoint_centroids._listed import listed
from disjoint_centroids.evaluation.feature_lists import FeatureList
from disjoint_centroids.evaluation.text_files import file_text, separator

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Listed:
    """Names of features, given one by one and in a file with one name per line."""

    names: list[str] | None = None
    file: Path | None = None

    def read(self, known: list[str], parameter: str) -> list[str] | None:
        """Names that the table has, each once; None if none were given, neither here nor in a file."""
        if not self.names and self.file is None:
            return None
        wanted = [_known(name, known, f"{parameter}=") for name in self.names or []]
        if self.file is not None:
            wanted += _listed_in(self.file, set(known))
        return list(dict.fromkeys(wanted))


_NOTHING_LISTED = Listed()


@dataclass(frozen=True, slots=True)
class PanelDesign:
    """Names of features as the classifier takes them.

    Attributes
    ----------
    costs : dict, list or None
        Of every feature of the table: by name, or in their order.
    required : list, dict or None
        Names or positions, or those by class.
    excluded, allowed : list or None
        Names or positions.
    """

    costs: dict[str, float] | list[float] | None
    required: list[Any] | dict[str, list[Any]] | None
    excluded: list[Any] | None
    allowed: list[Any] | None = None

    def by_position(self, names: Sequence[str]) -> PanelDesign:
        """The same with positions in place of names."""
        place = {name: at for at, name in enumerate(names)}
        required: Any = self.required
        costs: Any = self.costs
        if isinstance(required, dict):
            required = {label: [place[name] for name in own] for label, own in required.items()}
        elif required is not None:
            required = [place[name] for name in required]
        return PanelDesign(
            None if costs is None else [costs[name] for name in names],
            required,
            None if self.excluded is None else [place[name] for name in self.excluded],
            None if self.allowed is None else [place[name] for name in self.allowed],
        )

    @classmethod
    def read(
        cls,
        names: Sequence[str],
        labels: Iterable[str] | None,
        *,
        costs: Path | None = None,
        require: list[str] | None = None,
        exclude: Listed = _NOTHING_LISTED,
        allow: Listed = _NOTHING_LISTED,
        extend: FeatureList | None = None,
    ) -> PanelDesign:
        """Read the constraints, and check that a table with these features and labels has what they name."""
        names = list(names)
        classes = [] if labels is None else sorted(set(labels))
        required: Any = _required(require, names, classes) if require else None
        if extend is not None:
            extend.check(names, classes)
            required = extend.by_class() or list(extend.names)
        return cls(
            None if costs is None else _read_costs(costs, names),
            required,
            exclude.read(names, "exclude") or None,
            _some(allow.read(names, "allow"), allow.file),
        )


def _some(allowed: list[str] | None, file: Path | None) -> list[str] | None:
    """Names that may be used, after a check that there are any."""
    if allowed is not None and not allowed:
        raise ValueError(f"{file} names no feature of the table, so that none may be used. Correct its names.")
    return allowed


def _required(given: list[str], names: list[str], classes: list[str]) -> list[str] | dict[str, list[str]]:
    """Parse names, or names by class; a colon may be part of a name, so the whole text is tried first."""
    pairs = [_split(text, names, classes) for text in given]
    plain = [name for name, label in pairs if label is None]
    if plain and len(plain) < len(pairs):
        raise ValueError(
            f"require= names a class for some features and none for {plain[0]!r}: give a class with each, as "
            f"{plain[0]}:{classes[0]}, or with none."
        )
    if plain:
        return plain
    by_class: dict[str, list[str]] = {}
    for name, label in pairs:
        by_class.setdefault(str(label), []).append(name)
    return by_class


def _split(text: str, names: list[str], classes: list[str]) -> tuple[str, str | None]:
    known = set(names)
    if text in known:
        return text, None
    cuts = [(text[:at], text[at + 1 :]) for at, letter in enumerate(text) if letter == ":"]
    for name, label in cuts:
        if name in known and label in classes:
            return name, label
    for name, label in cuts:
        if name in known:
            raise ValueError(f"require={text!r}: there is no class {label!r}. The classes are {', '.join(classes)}.")
    return _known(text if not cuts else cuts[-1][0], names, "require="), None


def _known(name: str, names: list[str], option: str) -> str:
    from disjoint_centroids.tables.nearest_names import nearest_names

    if name not in names:
        raise ValueError(f"{option}{name!r}: the table has no such feature.{nearest_names(name, names)}")
    return name


def _listed_in(path: Path, names: set[str]) -> list[str]:
    """Read names from a file, one per line; warn of those that are not in the table."""
    lines = [line.strip() for line in file_text(path).splitlines()]
    given = [line for line in lines if line]
    unknown = [name for name in given if name not in names]
    if unknown:
        warnings.warn(
            f"{len(unknown)} of {len(given)} names in {path} are not features of the table: {listed(unknown, _SHOWN)}",
            stacklevel=2,
        )
    return [name for name in given if name in names]


def _read_costs(path: Path, names: list[str]) -> dict[str, float]:
    """Read the cost of each feature of the table; the file may name others."""
    given, figures = _cost_columns(path)
    wrong = [name for name, figure in zip(given, figures, strict=True) if not 0 <= figure < float("inf")]
    twice = [name for name, n in Counter(given).items() if n > 1]
    missing = sorted(set(names) - set(given), key=names.index)
    for problem, what in (
        (twice, "names features more than once"),
        (wrong, "has costs that are no numbers from 0 up"),
        (missing, "has no cost for some features of the table"),
    ):
        if problem:
            raise ValueError(f"{path} {what} ({len(problem)}): {listed(problem, _SHOWN)}. Correct it; 0 is a cost.")
    known = set(names)
    return {name: figure for name, figure in zip(given, figures, strict=True) if name in known}


def _cost_columns(path: Path) -> tuple[list[str], list[float]]:
    """Names and costs as a file lists them; NaN for a cost that is no number."""
    from disjoint_centroids.tables.cells.cell_rules import number

    reader = csv.reader(io.StringIO(file_text(path), newline=""), delimiter=separator(path))
    try:
        columns = [name.strip().lower() for name in next(reader, [])]
        if columns.count("feature") != 1 or columns.count("cost") != 1:
            raise ValueError(
                f"{path} needs the columns feature and cost; it has {listed(map(repr, columns), _SHOWN) or 'none'}. "
                "Its first line must be: feature,cost"
            )
        at, figure_at = columns.index("feature"), columns.index("cost")
        given, figures = [], []
        for row in reader:
            if len(row) != len(columns) and any(row):
                raise ValueError(
                    f"{path} has {len(columns)} columns, and line {reader.line_num} has {len(row)} cells. Correct it: "
                    "a comma within a cell needs quotes around the cell, and costs have a decimal point."
                )
            if any(row):
                figure = number(row[figure_at])
                given.append(row[at].strip())
                figures.append(float("nan") if figure is None else figure)
    except csv.Error as error:
        raise ValueError(f"{path} cannot be read as CSV ({error}).") from error
    return given, figures
