"""Lists of features as people bring them: names, with or without the class that each is meant for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoint_centroids._listed import listed

if TYPE_CHECKING:
    from disjoint_centroids.evaluation.list_files import ListTable

_SHOWN = 5


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
    bare : bool
        True if the names come from a file without headings.

    Examples
    --------
    >>> from disjoint_centroids.evaluation.feature_lists import FeatureList
    >>> FeatureList.of({"T": ["CD3D"], "B": ["CD19", "MS4A1"]}).classes
    ('T', 'B', 'B')
    """

    names: tuple[str, ...]
    classes: tuple[str, ...] | None
    source: str
    bare: bool = False

    @classmethod
    def of(cls, given: Any, source: str = "the list") -> FeatureList:
        """Make a list from names, from names by class, from a data frame with headings, or from another list."""
        if isinstance(given, FeatureList):
            return given
        if isinstance(given, str | bytes):
            raise TypeError(f"{source} is the text {given!r}, not a list of names. Give [{given!r}].")
        if hasattr(given, "columns"):
            return cls._of_frame(given, source)
        if isinstance(given, Mapping):
            return cls._of_mapping(given, source)
        return cls(tuple(str(name) for name in given), None, source)

    @classmethod
    def read(cls, path: Path, features: Collection[str], *, with_classes: bool = True) -> FeatureList:
        """Read a list from a file: names, or a table with a column of names and, if known, one of classes.

        A table in which owners are missing, such as ``ndc features`` writes, lists the features that have one.

        Parameters
        ----------
        path : Path
            Text or Excel. Text has one name per line, one line of names, or columns with headings; the delimiter is
            found.
        features : collection of str
            Features of the table that the list is for: they tell names from headings.
        with_classes : bool, default=True
            False: only names are wanted; a class may be missing.
        """
        from disjoint_centroids.evaluation.list_files import read_list_table

        table = read_list_table(path, set(features))
        if not table.rows and table.headings is None:
            raise ValueError(f"{path} is empty. Give one name of a feature per line.")
        return cls._of_table(table, set(features), with_classes=with_classes)

    @classmethod
    def _of_mapping(cls, given: Mapping[Any, Any], source: str) -> FeatureList:
        text = next((label for label, names in given.items() if isinstance(names, str | bytes)), None)
        if text is not None:
            raise TypeError(
                f"{source} has the text {given[text]!r} for {str(text)!r}, not a list of names. Give "
                f"{{{text!r}: [{given[text]!r}]}}."
            )
        pairs = [(str(name), str(label)) for label, names in given.items() for name in names]
        return cls(tuple(name for name, _ in pairs), tuple(label for _, label in pairs), source)

    @classmethod
    def _of_frame(cls, frame: Any, source: str) -> FeatureList:
        """Make a list from a data frame, whose columns are called as in files."""
        from disjoint_centroids.evaluation.list_files import NAMES, ListTable

        cells = frame.astype(object).where(frame.notna(), "").to_numpy()
        table = ListTable(
            source,
            tuple(str(name) for name in frame.columns),
            [(at, [str(cell) for cell in row]) for at, row in enumerate(cells)],
        )
        if table.find(NAMES) is None:
            raise ValueError(
                f"{source} is a data frame without a column feature or gene; its columns are "
                f"{listed(table.headings or (), _SHOWN)}. Rename one, or give a list of names."
            )
        return cls._of_table(table, (), with_classes=True)

    @classmethod
    def _of_table(cls, table: ListTable, features: Collection[str], *, with_classes: bool) -> FeatureList:
        from disjoint_centroids.evaluation.list_files import CLASSES, NAMES, plain_heading

        if table.headings is None:
            return cls(tuple(table.column(0)), None, table.source, bare=True)
        at, class_at = table.find(NAMES, features), table.find(CLASSES)
        assert at is not None  # they are headings because of this one
        is_owner = class_at is not None and plain_heading(table.headings[class_at]) == "owner"
        if class_at is None or not (with_classes or is_owner):
            return cls(table.names(at), None, table.source)
        pairs = list(zip(table.names(at), table.column(class_at), strict=True))
        return cls._with_classes(table.source, pairs, is_owner=is_owner)

    @classmethod
    def _with_classes(cls, source: str, pairs: list[tuple[str, str]], *, is_owner: bool) -> FeatureList:
        without = [name for name, label in pairs if not label]
        if without and not is_owner and len(without) < len(pairs):
            raise ValueError(
                f"{source} names no class for {len(without)} of {len(pairs)} features: {listed(without, _SHOWN)}. Give "
                "every feature a class, or leave the column out."
            )
        kept = [(name, label) for name, label in pairs if label]
        if not kept:
            return cls(tuple(name for name, _ in pairs), None, source)
        return cls(tuple(name for name, _ in kept), tuple(label for _, label in kept), source)

    def unknown(self, features: Collection[str]) -> tuple[list[str], str]:
        """Names that a table does not have, and sentences that help to correct them, after a space."""
        from disjoint_centroids.tables.nearest_names import nearest_to_each

        known = set(features)
        found = [name for name in self.names if name not in known]
        help_with = nearest_to_each(found, features, _SHOWN) if found else ""
        if self.bare and found[:1] == list(self.names[:1]) and 2 * len(found) < len(self.names):
            help_with = f" Its first line looks like a heading: call it feature, or take it out.{help_with}"
        return found, help_with

    def check(self, features: Collection[str], classes: Iterable[Any]) -> None:
        """Raise an error unless a table with these features and classes has all that the list names, each once."""
        from disjoint_centroids.tables.nearest_names import nearest_to_each

        if not self.names:
            raise ValueError(f"{self.source} names no feature. Name one at least.")
        unknown, help_with = self.unknown(features)
        if unknown:
            raise ValueError(
                f"{self.source} names features that the table does not have ({len(unknown)} of {len(self.names)}): "
                f"{listed(unknown, _SHOWN)}.{help_with} Correct these names, or take them off the list."
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
                f"are {listed(there)}.{nearest_to_each(strange, there, _SHOWN)} Correct these, or leave the column of "
                "classes out."
            )

    def by_class(self) -> dict[str, list[str]] | None:
        """Names by class; None if the list has no classes."""
        if self.classes is None:
            return None
        found: dict[str, list[str]] = {}
        for name, label in zip(self.names, self.classes, strict=True):
            found.setdefault(label, []).append(name)
        return found
