"""``ndc alternates``: replacements for the features of a panel, for when a probe fails."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from disjoint_centroids.cli import options
from disjoint_centroids.cli.app import refusing
from disjoint_centroids.cli.files import Outputs
from disjoint_centroids.cli.option_groups import with_options
from disjoint_centroids.cli.output import Grid, say, show, show_json, shown_name, warnings_as_remarks
from disjoint_centroids.cli.table_options import TableOptions
from disjoint_centroids.exports.tables import ENDINGS, write_table

if TYPE_CHECKING:
    import pandas as pd


@refusing
@with_options(without=("drop", "impute", "keep"), reading=TableOptions)
def alternates(
    model: options.ModelFile,
    table: options.TableFile,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help=f"Write one row per replacement ({', '.join(ENDINGS)}).")
    ] = None,
    *,
    reading: TableOptions,
    batch: options.Batch = None,
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="Replacements for each feature.")] = 3,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Find replacements for every feature of a panel, and what each would cost in error if the feature failed.

    The table is the one that the model was fitted to, or another one of the same classes.

    Example: ndc alternates markers.ndc cells.csv --target type -o alternates.csv
    """
    from disjoint_centroids.models.model_file import load_model
    from disjoint_centroids.models.prediction import model_columns
    from disjoint_centroids.pipeline import as_seen

    outputs = Outputs(model, table, reading.labels, force=force)
    if output is not None:
        outputs.claim(output, endings=ENDINGS)
    saved = load_model(model)
    classifier = saved.pipeline[-1]
    if classifier._kind != "panel":
        raise ValueError(f"alternates are for panels, and {model} is none. Fit one with --method panel.")
    # Missing values stay: the model's own imputation fills them in.
    reading = replace(reading.for_model(saved.settings), impute=options.Impute.median)
    read = reading.read(table, only=list(saved.feature_names), batch=batch)
    assert read.labels is not None
    values = as_seen(saved.pipeline, model_columns(saved, read.values))
    with warnings_as_remarks():
        found = classifier.alternates(values, read.labels.to_numpy(), n_alternates=number, batch=read.batch)
    written = output is not None and outputs.write(output, lambda part: write_table(part, [found]))
    if as_json:
        show_json({"error": _error(found), "alternates": found.to_dict("records")})
    elif not written:
        _show(found)
    outputs.finish()
    if written and not as_json:
        say(f"{output}: {number} replacements for each of {found['feature'].nunique()} features")


def _error(found: pd.DataFrame) -> float:
    """Held-out error of the panel as it is."""
    first = found.iloc[0]
    return float(first["error"] - first["error_change"])


def _show(found: pd.DataFrame) -> None:
    grid = Grid("class", title="Replacements, the best first, and the change of the held-out error with each")
    grid.add_column("feature")
    grid.add_column("lost", justify="right")
    grid.add_column("replaced by", overflow="fold")
    for (label, feature), rows in found.groupby(["class", "feature"], sort=False):
        lost, others = rows.iloc[0], rows.iloc[1:]
        words = [f"{shown_name(row.alternate)} ({row.error_change:+.3f})" for row in others.itertuples()]
        cells: list[Any] = [shown_name(label), shown_name(feature), f"{lost['error_change']:+.3f}", ", ".join(words)]
        grid.add_row(*cells)
    show(grid)
    say(f"held-out error of the panel as it is, with scores fitted by ridge regression: {_error(found):.3f}")
    say("lost: the change of the error without the feature and without a replacement")
