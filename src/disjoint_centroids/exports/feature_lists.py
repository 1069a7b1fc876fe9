"""Features of each class as files: one row per feature, or gene sets."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoint_centroids.exports.tables import ENDINGS, write_table

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

GENE_SETS = ".gmt"
LIST_ENDINGS = (*ENDINGS, GENE_SETS)
"""Formats of lists of features."""


def write_features(fitted: Any, path: Path) -> None:
    """Write the features of a fitted classifier; the ending of the name says in which of ``LIST_ENDINGS``."""
    if path.suffix.lower() == GENE_SETS:
        _write_gmt(fitted, path)
    else:
        write_table(path, [_sorted_table(fitted)])


def owned_features(model: Any) -> dict[str, np.ndarray]:
    """Positions of the features of each class: in the order of picking, or the nearest to the centre first."""
    return dict(zip(map(str, model.classes_), model._ranked_sets("distance"), strict=True))


def owned_directions(model: Any, owned: dict[str, np.ndarray]) -> dict[str, list[str]]:
    """Direction ("up", "down" or "") of each class's features, in the order of ``owned``."""
    from disjoint_centroids.directions import directions_by_class, in_words

    found = in_words(directions_by_class(model))
    return {label: list(found[j, own]) for j, (label, own) in enumerate(owned.items())}


def higher_elsewhere_sentence(model: Any) -> str:
    """Name the features of an upward panel that are higher still in another class than in their own; "" if none is."""
    from disjoint_centroids._listed import listed
    from disjoint_centroids.directions import higher_elsewhere
    from disjoint_centroids.fitted import feature_names

    found = higher_elsewhere(model) if model.get_params().get("direction") == "up" else []
    if not found:
        return ""
    names, classes = feature_names(model), model.classes_
    said = [f"{names[f]} of {classes[model.owner_[f]]} (in {classes[other]})" for f, other in found]
    are = "feature is" if len(said) == 1 else "features are"
    return f"{len(said)} {are} higher than in the other classes on average, but higher still in one: {listed(said, 5)}"


def _sorted_table(fitted: Any) -> pd.DataFrame:
    """Every feature, owned ones first, class by class: as picked, else the widest margin first."""
    table = fitted.feature_table()
    if "owner" not in table:  # sets that overlap
        return table.sort_values("n_classes", ascending=False, kind="stable")
    places = {str(label): at for at, label in enumerate(fitted.classes_)}
    table["rank"] = table["owner"].map(lambda owner: places.get(str(owner), len(places)))
    by, ascending = ("pick", True) if "pick" in table else ("margin", False)
    return table.sort_values(["rank", by], ascending=[True, ascending], kind="stable").drop(columns="rank")


def _write_gmt(fitted: Any, path: Path) -> None:
    """A line for every gene set: name, description, members.

    Each class has a set of all its features, then, as enrichment tools want it, one of those that are higher in it
    (``CLASS_UP``) and one of those that are lower (``CLASS_DN``), where there are any.
    """
    from disjoint_centroids.fitted import feature_names

    names = feature_names(fitted)
    owned = owned_features(fitted)
    directions = owned_directions(fitted, owned)
    taken, lines = set(owned), []
    for label, own in owned.items():
        lines.append(_gmt_line(label, f"features of class {label}", names[own]))
        for word, ending, told in (("up", "_UP", "higher"), ("down", "_DN", "lower")):
            members = [name for name, direction in zip(names[own], directions[label], strict=True) if direction == word]
            if members:
                name = f"{label}{ending}"
                while name in taken:  # a class is called so
                    name += "_"
                taken.add(name)
                about = f"features of class {label} that are {told} in it than in the other classes on average"
                lines.append(_gmt_line(name, about, members))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _gmt_line(name: str, about: str, members: Iterable[Any]) -> str:
    """One gene set. Tabs and line ends in names would break the format."""
    words = [name, f"{about} (disjoint-centroids)", *map(str, members)]
    return "\t".join(" ".join(word.split()) if set(word) & set("\t\r\n") else word for word in words)
