"""``ndc report``: a page to show."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from disjoint_centroids.cli import options
from disjoint_centroids.cli.app import refusing
from disjoint_centroids.cli.compare import chosen_methods, plain_stem
from disjoint_centroids.cli.files import Outputs
from disjoint_centroids.cli.output import say, show_json, warnings_as_remarks
from disjoint_centroids.cli.reading import TableOptions, chosen_transform, with_table_options

MODEL_SUFFIX = ".ndc"
METHODS = "Panel,NDC-S,NC,NSC,Logistic"


@refusing
@with_table_options()
def report(
    files: Annotated[list[Path], typer.Argument(metavar="[MODEL] TABLE", help="A table, or a model and a table.")],
    *,
    reading: TableOptions,
    transform: options.TransformOption = None,
    method: Annotated[
        options.Method | None,
        typer.Option(help="What the report is about: disjoint panels, or the paper's classifiers. Default: panel."),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Outer folds.")] = 3,
    repeats: Annotated[int, typer.Option(min=1, help="How often to split anew.")] = 5,
    stability: Annotated[
        int, typer.Option(min=0, help="Fits on halves of the samples that say how sure the owners are; 100 is good.")
    ] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The page to write. Default: TABLE-report.html")
    ] = None,
    restarts: options.Restarts = 100,
    jobs: options.Jobs = 1,
    seed: options.Seed = 0,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Write one HTML page with the answer: errors, who owns what, pictures, explanations. It opens offline.

    Example: ndc report golub.csv --target label --transform log2

    Example: ndc report golub.csv --target label --method ndc-s --stability 100

    Example: ndc report golub.ndc golub.csv --target label
    """
    if len(files) > 2:
        raise ValueError(f"report takes a table, or a model and a table; got {len(files)} files.")
    model_file, table = (files[0], files[1]) if len(files) == 2 else (None, files[0])
    if model_file is None and table.suffix == MODEL_SUFFIX:
        raise ValueError(f"{table} is a model; name the table after it: ndc report {table} TABLE --target COLUMN")
    if model_file is not None and method is not None:
        raise ValueError(f"--method is for a report from a table alone; here it is about {model_file}. Leave it out.")
    path = output if output is not None else Path(f"{plain_stem(table)}-report.html")
    outputs = Outputs(*files, reading.labels, force=force)
    outputs.claim(path)
    given: dict[str, Any] = {}
    only = None
    if model_file is not None:
        from disjoint_centroids.model_file import load_model

        saved = load_model(model_file)
        only = list(saved.feature_names)
        reading = reading.for_model(saved.settings)
    read = reading.read(table, only=only)
    if model_file is not None:
        rows = saved.training_rows
        given = {"model": saved.pipeline, "training_checksum": saved.checksum}
        given |= {"in_training": saved.in_training(read.values)}
        given |= {"n_compared": None if rows is None else rows.n_compared(read.values)}

    from disjoint_centroids.methods import OURS
    from disjoint_centroids.report import render, summarize

    if model_file is None:
        given = {
            "transform": chosen_transform(transform, read.values),
            "impute": reading.imputation,
            "method": OURS[method or options.Method.panel],
            "methods": tuple(chosen_methods(METHODS)),
        }
    with warnings_as_remarks():
        summary = summarize(
            read,
            cv=folds,
            repeats=repeats,
            n_init=restarts,
            stability=stability,
            random_state=seed,
            n_jobs=jobs,
            command=shlex.join(["ndc", *sys.argv[1:]]),
            verbose=0 if as_json else 1,
            **given,
        )
    page = render(summary)
    written = outputs.write(path, lambda part: part.write_text(page, encoding="utf-8"))
    if as_json:
        show_json({"page": str(path) if written else None, "summary": summary})
    elif not written:
        say(summary["answer"]["sentence"])
    outputs.finish()
    if not as_json:
        say(f"The report: {path}  ({len(page.encode()) / 1e6:.1f} MB, opens in any browser, offline)")
