"""Constraints on panels as users write them: costs, and features that must, may not or alone may be used."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disjoint_centroids._listed import listed
from disjoint_centroids.evaluation.feature_lists import FeatureList

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Listed:
    """Names of features, given one by one, several in a text, and in a file."""

    names: list[str] | None = None
    file: Path | None = None

    def read(self, known: list[str], parameter: str) -> list[str] | None:
        """Names that the table has, each once; None if none were given, neither here nor in a file."""
        if not self.names and self.file is None:
            return None
        there = set(known)
        wanted = [_known(name, known, f"{parameter}=") for given in self.names or [] for name in _each(given, there)]
        if self.file is not None:
            wanted += _listed_in(self.file, known)
        return list(dict.fromkeys(wanted))


def _each(given: str, known: set[str], classes: Collection[str] = ()) -> list[str]:
    """Split a text at its commas, unless it is a name as a whole, or a name with its class."""
    from disjoint_centroids.tables.table_settings import names_listed

    if given in known or any(name in known and label in classes for name, label in _cuts(given)):
        return [given]
    return names_listed([given])


_NOTHING_LISTED = Listed()


@dataclass(frozen=True, slots=True)
class PanelDesign:
    """Names of features as the classifier takes them.

    Attributes
    ----------
    costs : dict, list or None
        Of every feature that may be used: by name, or in the order of the table, NaN where there is none.
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
            None if costs is None else [costs.get(name, float("nan")) for name in names],
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
        excluded, allowed = exclude.read(names, "exclude"), _some(allow.read(names, "allow"), allow.file)
        return cls(
            None if costs is None else _read_costs(costs, names, _usable(names, required, excluded, allowed)),
            required,
            excluded or None,
            allowed,
        )


def _usable(names: list[str], required: Any, excluded: list[str] | None, allowed: list[str] | None) -> list[str]:
    """Features that may be used, which need a cost."""
    barred = set(excluded or ())
    return [name for name in (names if allowed is None else allowed) if name not in barred]


def _some(allowed: list[str] | None, file: Path | None) -> list[str] | None:
    """Names that may be used, after a check that there are any."""
    if allowed is not None and not allowed:
        raise ValueError(f"{file} names no feature of the table, so that none may be used. Correct its names.")
    return allowed


def _required(given: list[str], names: list[str], classes: list[str]) -> list[str] | dict[str, list[str]]:
    """Parse names, or names by class; a colon may be part of a name, so the whole text is tried first."""
    known = set(names)
    texts = [text for one in given for text in _each(one, known, classes)]
    pairs = [_split(text, known, names, classes) for text in texts]
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


def _split(text: str, known: set[str], names: list[str], classes: list[str]) -> tuple[str, str | None]:
    if text in known:
        return text, None
    cuts = _cuts(text)
    for name, label in cuts:
        if name in known and label in classes:
            return name, label
    for name, label in cuts:
        if name in known:
            from disjoint_centroids.tables.nearest_names import nearest_names

            raise ValueError(
                f"require={text!r}: there is no class {label!r}. The classes are {', '.join(classes)}."
                f"{nearest_names(label, classes)}"
            )
    return _known(text if not cuts else cuts[-1][0], names, "require="), None


def _cuts(text: str) -> list[tuple[str, str]]:
    """Parts before and after every colon."""
    return [(text[:at], text[at + 1 :]) for at, letter in enumerate(text) if letter == ":"]


def _known(name: str, names: list[str], option: str) -> str:
    from disjoint_centroids.tables.nearest_names import nearest_names

    if name not in names:
        raise ValueError(f"{option}{name!r}: the table has no such feature.{nearest_names(name, names)}")
    return name


def _listed_in(path: Path, names: list[str]) -> list[str]:
    """Read names from a file; warn of those that are not in the table."""
    given = FeatureList.read(path, names, with_classes=False)
    unknown, help_with = given.unknown(names)
    if unknown:
        warnings.warn(
            f"{len(unknown)} of {len(given.names)} names in {path} are not features of the table: "
            f"{listed(unknown, _SHOWN)}.{help_with}",
            stacklevel=2,
        )
    strange = set(unknown)
    return [name for name in given.names if name not in strange]


def _read_costs(path: Path, names: list[str], usable: list[str]) -> dict[str, float]:
    """Read the costs of features of the table; the file may name others, and must name those that may be used."""
    given, figures = _cost_columns(path, set(names))
    wrong = [name for name, figure in zip(given, figures, strict=True) if not 0 <= figure < float("inf")]
    twice = [name for name, n in Counter(given).items() if n > 1]
    there = set(given)
    missing = [name for name in names if name in set(usable) - there]
    for problem, what in (
        (twice, "names features more than once"),
        (wrong, "has costs that are no numbers from 0 up"),
        (missing, "has no cost for some features that may be used"),
    ):
        if problem:
            cure = " Or say which features may be used: allow_file=" if problem is missing else ""
            raise ValueError(
                f"{path} {what} ({len(problem)}): {listed(problem, _SHOWN)}. Correct it; 0 is a cost.{cure}"
            )
    known = set(names)
    return {name: figure for name, figure in zip(given, figures, strict=True) if name in known}


def _cost_columns(path: Path, features: set[str]) -> tuple[list[str], list[float]]:
    """Names and costs as a file lists them; NaN for a cost that is no number."""
    from disjoint_centroids.evaluation.list_files import COSTS, NAMES, read_list_table

    table = read_list_table(path, features)
    at, cost_at = table.find(NAMES, features), table.find(COSTS)
    if at is None or cost_at is None:
        there = table.headings or (table.rows[0][1] if table.rows else [])
        raise ValueError(
            f"{path} needs the columns feature and cost; it has {listed(map(repr, there), _SHOWN) or 'none'}. "
            "Its first line must be: feature,cost"
        )
    return list(table.names(at)), _figures(table.column(cost_at))


def _figures(cells: list[str]) -> list[float]:
    """Numbers with a decimal point, or, if there are such and none with a point, a decimal comma."""
    from disjoint_centroids.tables.cells.cell_rules import number
    from disjoint_centroids.tables.formats.delimited import decimal_mark

    decimal = decimal_mark(";".join(["", *cells]).encode(), ";")
    found = [number(cell, decimal) for cell in cells]
    return [float("nan") if figure is None else figure for figure in found]
