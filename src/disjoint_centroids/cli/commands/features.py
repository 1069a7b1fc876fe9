"""``ndc features``: the features of each class."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from disjoint_centroids.cli import options
from disjoint_centroids.cli.app import refusing
from disjoint_centroids.cli.files import Outputs
from disjoint_centroids.cli.output import say, show_json
from disjoint_centroids.cli.owners import owned_directions, owned_features, show_owners, summary
from disjoint_centroids.cli.table_files import ENDINGS, write_table

if TYPE_CHECKING:
    import pandas as pd

_GENE_SETS = ".gmt"


@refusing
def features(
    model: options.ModelFile,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help=f"Write one row per feature ({', '.join(ENDINGS)}), or gene sets per class: all, _UP, _DN (.gmt).",
        ),
    ] = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Show or write which class owns which feature.

    Example: ndc features golub.ndc -o golub.gmt
    """
    from disjoint_centroids.models.model_file import load_model

    outputs = Outputs(model, force=force)
    if output is not None:
        outputs.claim(output, endings=(*ENDINGS, _GENE_SETS))
    fitted = load_model(model).pipeline[-1]
    saved = output is not None and outputs.write(output, lambda part: _write(fitted, part))
    if as_json:
        show_json(summary(fitted))
    elif not saved:
        show_owners(fitted)
    outputs.finish()
    if saved and not as_json:
        say(f"{output}: {int(fitted.get_support().sum())} features in use, of {fitted.n_features_in_}")


def _sorted_table(fitted: Any) -> pd.DataFrame:
    """Every feature, owned ones first, class by class: as picked, else the widest margin first."""
    table = fitted.feature_table()
    if "owner" not in table:  # sets that overlap
        return table.sort_values("n_classes", ascending=False, kind="stable")
    places = {str(label): at for at, label in enumerate(fitted.classes_)}
    table["rank"] = table["owner"].map(lambda owner: places.get(str(owner), len(places)))
    by, ascending = ("pick", True) if "pick" in table else ("margin", False)
    return table.sort_values(["rank", by], ascending=[True, ascending], kind="stable").drop(columns="rank")


def _write(fitted: Any, path: Path) -> None:
    if path.suffix.lower() == _GENE_SETS:
        _write_gmt(fitted, path)
    else:
        write_table(path, [_sorted_table(fitted)])


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
