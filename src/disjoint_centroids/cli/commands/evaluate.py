"""``ndc evaluate``: what a marker list is worth, whoever chose it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from disjoint_centroids.cli import options, panel_options
from disjoint_centroids.cli.app import refusing
from disjoint_centroids.cli.files import Outputs
from disjoint_centroids.cli.option_groups import with_options
from disjoint_centroids.cli.output import Grid, say, show, show_json, shown_name, warnings_as_remarks
from disjoint_centroids.cli.pictures import displays
from disjoint_centroids.cli.table_options import TableOptions, chosen_transform


@refusing
@with_options(reading=TableOptions)
def evaluate(
    markers: Annotated[
        Path,
        typer.Argument(
            metavar="LIST", help="The list: one name per line, or CSV or Excel with the columns feature and class."
        ),
    ],
    table: options.TableFile,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The page to write (.html).")] = None,
    *,
    reading: TableOptions,
    batch: options.Batch = None,
    transform: options.TransformOption = None,
    direction: panel_options.DirectionOption = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 3,
    repeats: Annotated[
        int, typer.Option(min=1, help="How often the cross-validation is repeated with new splits.")
    ] = 1,
    on: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Value above which a marker counts as on. Default: 0, or where no value is 0, the mean of the class "
            "means of the marker.",
        ),
    ] = None,
    jobs: options.Jobs = 1,
    seed: options.Seed = 0,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Judge any list of markers on a labelled table: errors of three readings, beside a random list and ours.

    Example: ndc evaluate list.csv cells.csv --target type -o list.html
    """
    from disjoint_centroids.evaluation.feature_lists import FeatureList
    from disjoint_centroids.markers.evaluation import evaluate_markers
    from disjoint_centroids.report.markers import render_markers, summarize_markers

    outputs = Outputs(markers, table, reading.labels, force=force)
    if output is not None:
        outputs.claim(output, endings=(".html",))
    read = reading.read(table, batch=batch)
    scale = chosen_transform(transform, read.values, units=False)
    with warnings_as_remarks():
        listed = FeatureList.read(markers, read.names)
        found = evaluate_markers(
            read.values,
            read.labels,
            listed,
            cv=folds,
            repeats=repeats,
            on=on,
            batch=read.batch,
            transform=scale,
            impute=reading.imputation,
            parameters={} if direction is None else {"direction": str(direction)},
            random_state=seed,
            n_jobs=jobs,
            verbose=0 if as_json else 1,
        )
    command = shlex.join(["ndc", *sys.argv[1:]])
    summary = summarize_markers(found, source=markers.name, table=table.name, command=command)
    if output is not None:
        page = render_markers(summary, _picture(found))
        outputs.write(output, lambda part: part.write_text(page, encoding="utf-8"))
    if as_json:
        show_json(summary | ({} if output is None else {"page": outputs.saved(output)}))
    else:
        _show(summary)
    outputs.finish()
    if output is not None and not as_json:
        say(f"The page: {output}")


def _picture(found: Any) -> str:
    plots = displays()
    from disjoint_centroids.plots.embedded import as_data_uri

    return as_data_uri(plots.MarkerDotDisplay.from_table(found.dots))


def _show(summary: dict[str, Any]) -> None:
    from disjoint_centroids.report.formatting import percent
    from disjoint_centroids.report.markers import LISTS, READINGS

    grid = Grid("list", "read by", title=f"{summary['source']} on {summary['table']}")
    for column in ("error", "balanced", "F-beta", "AUC"):
        grid.add_column(column, justify="right")
    for row in summary["errors"]:
        errors = [percent(row[name]) for name in ("error", "balanced_error")]
        grid.add_row(LISTS[row["list"]], READINGS[row["reading"]], *errors, _figure(row["f_beta"]), _figure(row["auc"]))
    show(grid)
    grid = Grid("list", title="On-target fraction (of means, of medians) and redundancy")
    for column in ("features", "on target", "median", "redundancy"):
        grid.add_column(column, justify="right")
    for row in summary["lists"]:
        figures = [row[name] for name in ("on_target", "on_target_median", "redundancy")]
        grid.add_row(LISTS[row["list"]], f"{row['features']:g}", *map(_figure, figures))
    show(grid)
    best = summary["best_reading"]
    grid = Grid("class", title=f"This list, class by class, read by {READINGS[best]}")
    for column in ("samples", "recall", "precision", "F-beta", "AUC"):
        grid.add_column(column, justify="right")
    for row in summary["classes"]:
        if row["list"] == "given" and row["reading"] == best:
            figures = [row[name] for name in ("recall", "precision", "f_beta", "auc")]
            grid.add_row(shown_name(row["class"]), str(row["samples"]), *map(_figure, figures))
    show(grid)
    for sentence in (*summary["sentences"], summary["folds"], *filter(None, [summary["missing"]])):
        say(sentence)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
