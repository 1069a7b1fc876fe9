"""Lists of features as people bring them: names, with or without the class that each is meant for."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disjoint_centroids._listed import listed

_SHOWN = 5
_NAMES = ("feature", "features", "gene", "genes", "marker", "markers", "name", "names", "probe", "protein")
_CLASSES = ("class", "owner", "group", "type", "cell_type", "label", "cluster", "clustername")


@dataclass(frozen=True, slots=True)
class FeatureList:
    """Names of features, each once, in their order.

    Attributes
    ----------
    names : tuple of str
        The features.
    classes : tuple of str or None
        Class that each is meant for; None if the list does not say.
    source : str
        File of the list, or how messages call it.

    Examples
    --------
    >>> from disjoint_centroids.evaluation.feature_lists import FeatureList
    >>> FeatureList.of({"T": ["CD3D"], "B": ["CD19", "MS4A1"]}).classes
    ('T', 'B', 'B')
    """

    names: tuple[str, ...]
    classes: tuple[str, ...] | None
    source: str

    @classmethod
    def of(cls, given: Any, source: str = "the list") -> FeatureList:
        """Make a list from names, from names by class, or from another list."""
        if isinstance(given, FeatureList):
            return given
        if isinstance(given, Mapping):
            pairs = [(str(name), str(label)) for label, names in given.items() for name in names]
            return cls(tuple(name for name, _ in pairs), tuple(label for _, label in pairs), source)
        return cls(tuple(str(name) for name in given), None, source)

    @classmethod
    def read(cls, path: Path) -> FeatureList:
        """Read a list from a file: one name per line, or a table with the columns feature and, if known, class.

        A table in which owners are missing, such as ``ndc features`` writes, lists the features that have one.
        """
        from disjoint_centroids.evaluation.text_files import file_text, separator

        rows = [
            [cell.strip() for cell in row]
            for row in csv.reader(io.StringIO(file_text(path), newline=""), delimiter=separator(path))
            if any(cell.strip() for cell in row)
        ]
        if not rows:
            raise ValueError(f"{path} is empty. Give one name of a feature per line.")
        columns = [name.lower() for name in rows[0]]
        at = next((columns.index(name) for name in _NAMES if name in columns), None)
        class_at = next((columns.index(name) for name in _CLASSES if name in columns), None)
        if at is None:
            if max(map(len, rows)) > 1:
                raise ValueError(
                    f"{path} has several columns, and none is called feature or gene. Its first line must be: "
                    "feature,class"
                )
            return cls(tuple(row[0] for row in rows), None, str(path))
        short = next((row for row in rows if len(row) <= max(at, class_at or 0)), None)
        if short is not None:
            raise ValueError(f"{path}: the row {','.join(short)!r} has too few cells. Correct it.")
        if class_at is None:
            return cls(tuple(row[at] for row in rows[1:]), None, str(path))
        return cls._with_classes(path, [(row[at], row[class_at]) for row in rows[1:]], columns[class_at])

    @classmethod
    def _with_classes(cls, path: Path, pairs: list[tuple[str, str]], column: str) -> FeatureList:
        without = [name for name, label in pairs if not label]
        if without and column != "owner" and len(without) < len(pairs):
            raise ValueError(
                f"{path} names no class for {len(without)} of {len(pairs)} features: {listed(without, _SHOWN)}. Give "
                "every feature a class, or leave the column out."
            )
        kept = [(name, label) for name, label in pairs if label]
        if not kept:
            return cls(tuple(name for name, _ in pairs), None, str(path))
        return cls(tuple(name for name, _ in kept), tuple(label for _, label in kept), str(path))

    def check(self, features: Collection[str], classes: Iterable[Any]) -> None:
        """Raise an error unless a table with these features and classes has all that the list names, each once."""
        from disjoint_centroids.tables.nearest_names import nearest_names

        if not self.names:
            raise ValueError(f"{self.source} names no feature. Name one at least.")
        known = set(features)
        unknown = [name for name in self.names if name not in known]
        if unknown:
            raise ValueError(
                f"{self.source} names features that the table does not have ({len(unknown)} of {len(self.names)}): "
                f"{listed(unknown, _SHOWN)}.{nearest_names(unknown[0], features)} Correct these names, or take them "
                "off the list."
            )
        twice = [name for name, n in Counter(self.names).items() if n > 1]
        if twice:
            raise ValueError(
                f"{self.source} names features more than once ({len(twice)}): {listed(twice, _SHOWN)}. Name each once; "
                "a feature belongs to one class only."
            )
        there = [str(label) for label in classes]
        strange = [label for label in dict.fromkeys(self.classes or ()) if label not in there]
        if strange:
            raise ValueError(
                f"{self.source} names classes that the table does not have: {listed(strange, _SHOWN)}. The classes "
                f"are {listed(there)}. Correct these, or leave the column of classes out."
            )

    def by_class(self) -> dict[str, list[str]] | None:
        """Names by class; None if the list has no classes."""
        if self.classes is None:
            return None
        found: dict[str, list[str]] = {}
        for name, label in zip(self.names, self.classes, strict=True):
            found.setdefault(label, []).append(name)
        return found
