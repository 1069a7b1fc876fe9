"""Preparation of labels: spellings that mean one class, and samples without a label."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence

from disjoint_centroids._listed import listed
from disjoint_centroids.tables.cells.cell_rules import CellRules
from disjoint_centroids.tables.cells.file_cells import without_point_zero

UNLABELLED = ("error", "drop")


def plain_labels(labels: Sequence[str]) -> list[str]:
    """Strip spaces around labels, and the decimal point and zeros of class numbers."""
    return without_point_zero([label.strip() for label in labels])


def spellings(labels: Sequence[str], rules: CellRules) -> list[list[str]]:
    """Groups of labels that differ in upper and lower case or in spaces only, the commonest spelling first."""
    counts = Counter(label for label in labels if not rules.is_missing_label(label))
    groups: dict[str, list[str]] = defaultdict(list)
    for label, _ in counts.most_common():
        groups["".join(unicodedata.normalize("NFKC", label).casefold().split())].append(label)
    return [group for group in groups.values() if len(group) > 1]


def settle_spellings(
    labels: Sequence[str], rules: CellRules, merge: bool | None
) -> tuple[list[str], list[str], list[str]]:
    """Return labels with one spelling per class if that is asked for, problems, and remarks."""
    groups = spellings(labels, rules) if merge is not False else []
    if not groups:
        return list(labels), [], []
    counts = Counter(labels)
    shown = listed([" and ".join(f"{label!r} ({counts[label]} samples)" for label in group) for group in groups])
    if merge is None:
        question = (
            f"labels differ in upper and lower case or spaces only: {shown}. If they mean one class, give "
            "merge_labels=True (the commonest spelling stays); if they are different classes, merge_labels=False."
        )
        return list(labels), [question], []
    name = {label: group[0] for group in groups for label in group}
    return [name.get(label, label) for label in labels], [], [f"labels were merged into the first of each: {shown}."]


def rows_without(labels: Sequence[str], rules: CellRules, unlabelled: str) -> list[int]:
    """Samples without a label that are to be left out."""
    if unlabelled not in UNLABELLED:
        raise ValueError(f"unlabelled is one of {', '.join(UNLABELLED)}; got {unlabelled!r}.")
    if unlabelled == "error":
        return []
    return [row for row, label in enumerate(labels) if rules.is_missing_label(label)]


def left_out(names: Sequence[str], n_samples: int) -> str:
    """Mention samples that are left out."""
    shown = listed([repr(name) for name in names])
    return f"{len(names)} of {n_samples} samples have no label and are left out: {shown}."
